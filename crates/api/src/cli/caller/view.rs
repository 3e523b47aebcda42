//! A caller as a person and a script read one: the profile, the facts with the operator's corrections, and the calls.

use std::fmt::Write as _;

use domain::{
    call::Turn,
    caller::{Caller, DoNotCall, HistoryCall, HistoryFact},
    correction::{self, Correction, Word, corrected},
    facts::Terms,
    json::JsonObject,
    phone::PhoneNumber,
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use crate::cli::{agreement, failure::Failure, output};

/// A caller as a person reads it.
pub(super) fn card(number: &PhoneNumber, caller: &Caller) -> String {
    let mut card = format!("{}\n", number.as_e164());
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(card, "  {name:<9} {}", output::printable(value));
    };
    line("name", caller.name.as_deref().unwrap_or("none from the operator"));
    line("tags", &caller.tags.join(", "));
    match serde_json::from_str(caller.custom_attributes.as_str()) {
        Ok(Value::Object(attributes)) => {
            for (name, value) in attributes {
                let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                line("attribute", &format!("{name} = {value}"));
            }
        }
        // A number beyond what this reads, for example; it is shown as it is stored.
        _ => line("attribute", caller.custom_attributes.as_str()),
    }
    for dropped in dropped(caller) {
        line("dropped", &dropped);
    }
    line("calls", &caller.total_calls.to_string());
    line("first", &output::moment(caller.first_seen_ms));
    line("last", &output::moment(caller.last_seen_ms));
    if let Some(mark) = &caller.do_not_call {
        let at = output::moment(mark.at_ms);
        line(
            "no calls",
            &mark
                .quote
                .as_ref()
                .map_or(at.clone(), |quote| format!("{at}, \"{quote}\"")),
        );
    }
    card
}

/// A fact as a person reads it, with how an agreement stands and the words that prove it.
pub(super) fn fact_line(HistoryFact { fact, stands }: &HistoryFact) -> String {
    let agreed = fact.terms.as_ref().map(|terms| {
        let text = agreement::text(terms.status.as_str(), terms.when.as_deref());
        format!("{text}, ")
    });
    let gone = match (*stands, fact.key.most_standing()) {
        (true, _) => "",
        (false, 1) => ", superseded",
        // A newer one of the same words, eight others, one that closed it, or the operator.
        (false, _) => ", no longer stands",
    };
    let proof = match fact.call_id {
        Some(_) => format!("\"{}\"", fact.quote),
        None => "the operator's word".to_owned(),
    };
    output::printable(&format!(
        "  {:<9} {} = {} ({}{proof}, {}{gone})",
        "fact",
        fact.key.as_str(),
        fact.value,
        agreed.unwrap_or_default(),
        output::moment(fact.said_at_ms)
    ))
}

/// A call as a person reads it. What callers said is shown without what a terminal would obey.
pub(super) fn call_card(HistoryCall { call, agent_metadata }: &HistoryCall, transcript: Option<&[Turn]>) -> String {
    let mut card = format!(
        "\ncall {}\n  {}, {:.0} s, {}\n",
        call.call_id,
        output::moment(call.started_at_ms),
        call.duration_s,
        call.outcome.as_str()
    );
    if !call.summary.is_empty() {
        let _ = writeln!(card, "  {}", output::printable(&call.summary));
    }
    if let Some(metadata) = agent_metadata {
        let _ = writeln!(card, "  agent_metadata {}", output::printable(metadata.as_str()));
    }
    for turn in transcript.unwrap_or_default() {
        let text = output::printable(&turn.text);
        let _ = writeln!(card, "    {:<5} {}", turn.role.as_str(), text.trim());
    }
    card
}

#[derive(Serialize)]
pub(super) struct CallerJson<'a> {
    phone_number: &'a str,
    name: Option<&'a str>,
    first_seen_ms: i64,
    last_seen_ms: i64,
    total_calls: u64,
    tags: &'a [String],
    custom_attributes: &'a RawValue,
    corrections: Vec<CorrectionJson<'a>>,
    do_not_call: Option<MarkJson<'a>>,
}

impl<'a> CallerJson<'a> {
    pub(super) fn new(number: &'a PhoneNumber, caller: &'a Caller) -> Result<Self, Failure> {
        Ok(Self {
            phone_number: number.as_e164(),
            name: caller.name.as_deref(),
            first_seen_ms: caller.first_seen_ms,
            last_seen_ms: caller.last_seen_ms,
            total_calls: caller.total_calls,
            tags: &caller.tags,
            custom_attributes: raw(&caller.custom_attributes, "attributes of this caller")?,
            corrections: caller.corrections.iter().map(CorrectionJson::from).collect(),
            do_not_call: caller.do_not_call.as_ref().map(MarkJson::from),
        })
    }
}

/// The mark of a caller who does not want to be called.
#[derive(Serialize)]
pub(in crate::cli) struct MarkJson<'a> {
    at_ms: i64,
    quote: Option<&'a str>,
    call_id: Option<String>,
}

impl<'a> From<&'a DoNotCall> for MarkJson<'a> {
    fn from(mark: &'a DoNotCall) -> Self {
        Self {
            at_ms: mark.at_ms,
            quote: mark.quote.as_deref(),
            call_id: mark.call_id.map(|call| call.to_string()),
        }
    }
}

/// A stored object as it is stored.
fn raw<'a>(object: &'a JsonObject, what: &str) -> Result<&'a RawValue, Failure> {
    serde_json::from_str(object.as_str()).map_err(|_| Failure::Failed(format!("the stored {what} are not JSON")))
}

#[derive(Serialize)]
pub(super) struct HistoryJson<'a> {
    #[serde(flatten)]
    pub(super) caller: CallerJson<'a>,
    pub(super) facts: Vec<FactJson<'a>>,
    pub(super) calls: Vec<CallJson<'a>>,
}

#[derive(Serialize)]
pub(super) struct FactJson<'a> {
    key: &'static str,
    value: &'a str,
    call_id: Option<String>,
    quote: Option<&'a str>,
    said_at_ms: i64,
    observed_at_ms: i64,
    #[serde(flatten)]
    terms: Option<TermsJson<'a>>,
    stands: bool,
}

/// What an agreement comes to.
#[derive(Serialize)]
pub(super) struct TermsJson<'a> {
    when: Option<&'a str>,
    status: &'static str,
}

impl<'a> From<&'a Terms> for TermsJson<'a> {
    fn from(terms: &'a Terms) -> Self {
        Self {
            when: terms.when.as_deref(),
            status: terms.status.as_str(),
        }
    }
}

impl<'a> From<&'a HistoryFact> for FactJson<'a> {
    fn from(HistoryFact { fact, stands }: &'a HistoryFact) -> Self {
        Self {
            key: fact.key.as_str(),
            value: &fact.value,
            call_id: fact.call_id.map(|id| id.to_string()),
            quote: fact.call_id.is_some().then_some(fact.quote.as_str()),
            said_at_ms: fact.said_at_ms,
            observed_at_ms: fact.observed_at_ms,
            terms: fact.terms.as_ref().map(TermsJson::from),
            stands: *stands,
        }
    }
}

#[derive(Serialize)]
pub(super) struct CallJson<'a> {
    call_id: String,
    started_at_ms: i64,
    duration_s: f64,
    outcome: &'static str,
    summary: &'a str,
    agent_metadata: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<Vec<TurnJson>>,
}

#[derive(Serialize)]
struct TurnJson {
    role: &'static str,
    text: String,
    ts_ms: f64,
}

impl<'a> CallJson<'a> {
    pub(super) fn new(
        HistoryCall { call, agent_metadata }: &'a HistoryCall,
        transcript: Option<&[Turn]>,
    ) -> Result<Self, Failure> {
        let turn = |turn: &Turn| TurnJson {
            role: turn.role.as_str(),
            text: turn.text.clone(),
            ts_ms: turn.ts_ms,
        };
        let metadata = agent_metadata
            .as_ref()
            .map(|object| raw(object, "agent_metadata of a call"));
        Ok(Self {
            call_id: call.call_id.to_string(),
            started_at_ms: call.started_at_ms,
            duration_s: call.duration_s,
            outcome: call.outcome.as_str(),
            summary: &call.summary,
            agent_metadata: metadata.transpose()?,
            transcript: transcript.map(|turns| turns.iter().map(turn).collect()),
        })
    }
}

/// The facts of a history as the corrections leave them, the operator's word first.
pub(super) fn as_corrected(heard: Vec<HistoryFact>, corrections: &[Correction]) -> Vec<HistoryFact> {
    let said = corrected(Vec::new(), corrections).into_iter();
    let said = said.map(|fact| HistoryFact { fact, stands: true });
    let heard = heard.into_iter().map(|HistoryFact { fact, stands }| HistoryFact {
        stands: stands && correction::holds(corrections, fact.key, &fact.value, fact.said_at_ms),
        fact,
    });
    said.chain(heard).collect()
}

/// The operator's word on a fact.
#[derive(Serialize)]
struct CorrectionJson<'a> {
    word: &'static str,
    key: &'static str,
    value: Option<&'a str>,
    #[serde(flatten)]
    terms: Option<TermsJson<'a>>,
    at_ms: i64,
}

impl<'a> From<&'a Correction> for CorrectionJson<'a> {
    fn from(correction: &'a Correction) -> Self {
        let (word, value, terms) = match &correction.word {
            Word::Set { value, terms } => ("set", Some(value.as_str()), terms.as_ref()),
            Word::Drop { value } => ("drop", value.as_deref(), None),
        };
        Self {
            word,
            key: correction.key.as_str(),
            value,
            terms: terms.map(TermsJson::from),
            at_ms: correction.at_ms,
        }
    }
}

/// What the operator dropped of a caller, as a person reads it.
fn dropped(caller: &Caller) -> impl Iterator<Item = String> {
    caller.corrections.iter().filter_map(|correction| {
        let Word::Drop { value } = &correction.word else {
            return None;
        };
        let what = value.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
        let until = output::moment(correction.at_ms);
        Some(format!("{}{what}, heard until {until}", correction.key.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{
        call::CallId,
        facts::{FactKey, KnownFact, Status},
    };
    use uuid::Uuid;

    #[test]
    fn a_fact_is_shown_as_it_stands() {
        let shown = |key, terms, stands| {
            fact_line(&HistoryFact {
                fact: KnownFact {
                    key,
                    value: "haircut".to_owned(),
                    quote: "the haircut".to_owned(),
                    call_id: Some(CallId(Uuid::nil())),
                    said_at_ms: 0,
                    observed_at_ms: 0,
                    terms,
                },
                stands,
            })
        };
        let off = Terms {
            when: Some("2026-11-25".to_owned()),
            status: Status::Cancelled,
        };
        assert_eq!(
            shown(FactKey::Appointment, Some(off), true),
            "  fact      appointment = haircut (cancelled, was for 2026-11-25, \"the haircut\", 1970-01-01 00:00 UTC)"
        );
        let agreed = Terms {
            when: None,
            status: Status::Agreed,
        };
        assert_eq!(
            shown(FactKey::Order, Some(agreed), false),
            "  fact      order = haircut (agreed, \"the haircut\", 1970-01-01 00:00 UTC, no longer stands)"
        );
        assert_eq!(
            shown(FactKey::City, None, false),
            "  fact      city = haircut (\"the haircut\", 1970-01-01 00:00 UTC, superseded)"
        );
    }
}
