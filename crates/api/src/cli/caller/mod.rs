//! `caller`: what the operator keeps about callers. It is written from a file or one caller at a time, and looked at.

mod attributes;
mod fact;
mod import;
mod rows;
pub(super) mod tenant;

use std::{fmt::Write as _, sync::Arc};

use attributes::AttributeEdit;
use clap::{Args, Subcommand};
use domain::{
    call::{RecentCall, Turn},
    caller::{self, Caller, DoNotCall, HISTORY_CALLS, History, HistoryCall, HistoryFact, Profile, ProfileEdit},
    error::PortError,
    facts::Terms,
    json::JsonObject,
    phone::PhoneNumber,
    port::ChangeError,
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use tenant::{Callers, TenantArgs};

use super::{
    agreement,
    failure::Failure,
    output,
    store::{deadline, now_ms, unusable},
};
use crate::error::Chain;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write names, tags and attributes from a CSV or JSON-lines file; what a row leaves out stays as it is
    Import(import::Import),
    /// Write one caller's name, tags and attributes; creates a caller that is unknown
    Set(Set),
    /// Correct what was heard of a caller
    #[command(subcommand)]
    Fact(fact::Command),
    /// Show a caller with the latest calls; creates nothing and looks nothing up
    Show(Show),
}

#[derive(Debug, Args)]
pub(super) struct Set {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    #[command(flatten)]
    edits: Edits,
    #[command(flatten)]
    of: TenantArgs,
}

/// What to write; what is left out stays as it is.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = true)]
struct Edits {
    /// The name, which takes precedence over every other; '' removes it
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<Name>,
    /// A tag; may be repeated, and replaces all tags that are kept; '' alone removes them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Option<Vec<String>>,
    /// An attribute, a text; may be repeated, and leaves the other attributes; `KEY=` removes it
    #[arg(long = "attr", value_name = "KEY=VALUE")]
    attributes: Vec<AttributeEdit>,
}

/// A name to write, or none.
#[derive(Debug, Clone)]
struct Name(Option<String>);

fn name(text: &str) -> Result<Name, caller::ProfileFault> {
    caller::name(text).map(Name)
}

#[derive(Debug, Args)]
pub(super) struct Show {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    /// Show what was said as well
    #[arg(long)]
    transcripts: bool,
    #[command(flatten)]
    of: TenantArgs,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Import(command) => import::run(&command),
        Command::Set(command) => set(command),
        Command::Fact(command) => fact::run(command),
        Command::Show(command) => show(&command),
    }
}

fn set(command: Set) -> Result<(), Failure> {
    let Set { number, edits, of } = command;
    let edit = edits.edit()?;
    let (number, stored) = of.with_callers(async |callers| {
        let number = tenant::number(&number, callers.region)?;
        let changed = callers
            .admin
            .change(callers.tenant, &number, edit, now_ms(), deadline())
            .await;
        match changed {
            Ok(caller) => Ok((number, caller)),
            Err(ChangeError::Refused(fault)) => Err(Failure::Failed(format!("{fault}; nothing was changed"))),
            Err(ChangeError::Port(error)) => Err(unusable(&error)),
        }
    })?;
    if of.common.json {
        return output::json(&CallerJson::new(&number, &stored)?);
    }
    output::print(card(&number, &stored).trim_end())
}

impl Edits {
    /// The edit that the flags mean.
    fn edit(self) -> Result<ProfileEdit, Failure> {
        let Self { name, tags, attributes } = self;
        let usage = |error: caller::ProfileFault| Failure::Usage(error.to_string());
        let tags = tags
            .map(|tags| caller::tags(tags.iter().map(String::as_str)).map_err(usage))
            .transpose()?;
        Ok(Arc::new(move |stored: Profile| {
            Ok(Profile {
                name: name.clone().map_or(stored.name, |name| name.0),
                tags: tags.clone().unwrap_or(stored.tags),
                custom_attributes: attributes::edited(stored.custom_attributes, &attributes)?,
                corrections: stored.corrections,
            })
        }))
    }
}

fn unknown_caller(of: &TenantArgs) -> Failure {
    let name = &of.tenant.0;
    Failure::Failed(format!(
        "the tenant {name} has no caller with this number; a call, a recall or `caller-memory caller set` makes one"
    ))
}

fn show(command: &Show) -> Result<(), Failure> {
    let Show {
        number,
        transcripts,
        of,
    } = command;
    of.with_callers(async |callers| {
        let Callers { admin, tenant, .. } = &callers;
        let number = tenant::number(number, callers.region)?;
        let history = admin.history(*tenant, &number, deadline()).await;
        let Some(History { caller, calls }) = history.map_err(|error| unusable(&error))? else {
            return Err(unknown_caller(of));
        };
        let facts = admin.facts(*tenant, &number, deadline()).await;
        let facts = fact::as_corrected(facts.map_err(|error| unusable(&error))?, &caller.corrections);
        let memory = callers.storage.memory();
        // Told when everything else has been shown.
        let mut unreadable = Vec::new();
        // One transcript after the other: together they may be large.
        let mut transcript = async |call: &RecentCall| {
            if !transcripts {
                return Ok(None);
            }
            match memory.transcript(*tenant, call.call_id, deadline()).await {
                Ok(transcript) => Ok(transcript),
                Err(PortError::Internal(cause)) => {
                    unreadable.push(format!("of call {}: {}", call.call_id, Chain(cause.as_ref())));
                    Ok(None)
                }
                Err(error) => Err(unusable(&error)),
            }
        };
        if of.common.json {
            let mut shown = Vec::with_capacity(calls.len());
            for call in &calls {
                shown.push(CallJson::new(call, transcript(&call.call).await?.as_deref())?);
            }
            output::json(&HistoryJson {
                caller: CallerJson::new(&number, &caller)?,
                facts: facts.iter().map(FactJson::from).collect(),
                calls: shown,
            })?;
            return all_read(&unreadable);
        }
        output::print(card(&number, &caller).trim_end())?;
        for shown in &facts {
            output::print(&fact_line(shown))?;
        }
        for call in &calls {
            output::print(call_card(call, transcript(&call.call).await?.as_deref()).trim_end())?;
        }
        if caller.total_calls > calls.len() as u64 {
            output::print(&format!(
                "\nThese are the newest {HISTORY_CALLS} of {} calls.",
                caller.total_calls
            ))?;
        }
        all_read(&unreadable)
    })
}

/// Fails when there are transcripts that could not be read.
fn all_read(unreadable: &[String]) -> Result<(), Failure> {
    if unreadable.is_empty() {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "these transcripts are stored but cannot be read: {}",
        unreadable.join("; ")
    )))
}

/// A caller as a person reads it.
fn card(number: &PhoneNumber, caller: &Caller) -> String {
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
    for dropped in fact::dropped(caller) {
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
fn fact_line(HistoryFact { fact, stands }: &HistoryFact) -> String {
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
fn call_card(HistoryCall { call, agent_metadata }: &HistoryCall, transcript: Option<&[Turn]>) -> String {
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
struct CallerJson<'a> {
    phone_number: &'a str,
    name: Option<&'a str>,
    first_seen_ms: i64,
    last_seen_ms: i64,
    total_calls: u64,
    tags: &'a [String],
    custom_attributes: &'a RawValue,
    corrections: Vec<fact::CorrectionJson<'a>>,
    do_not_call: Option<MarkJson<'a>>,
}

impl<'a> CallerJson<'a> {
    fn new(number: &'a PhoneNumber, caller: &'a Caller) -> Result<Self, Failure> {
        Ok(Self {
            phone_number: number.as_e164(),
            name: caller.name.as_deref(),
            first_seen_ms: caller.first_seen_ms,
            last_seen_ms: caller.last_seen_ms,
            total_calls: caller.total_calls,
            tags: &caller.tags,
            custom_attributes: raw(&caller.custom_attributes, "attributes of this caller")?,
            corrections: caller.corrections.iter().map(fact::CorrectionJson::from).collect(),
            do_not_call: caller.do_not_call.as_ref().map(MarkJson::from),
        })
    }
}

/// The mark of a caller who does not want to be called.
#[derive(Serialize)]
pub(super) struct MarkJson<'a> {
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
struct HistoryJson<'a> {
    #[serde(flatten)]
    caller: CallerJson<'a>,
    facts: Vec<FactJson<'a>>,
    calls: Vec<CallJson<'a>>,
}

#[derive(Serialize)]
struct FactJson<'a> {
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
struct TermsJson<'a> {
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
struct CallJson<'a> {
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
    fn new(
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
