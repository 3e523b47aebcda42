//! The bounds of what is shown. What is learned of a call keeps them from the beginning; what an earlier release
//! stored, or an operator imported there, need not.

use language::{
    findings::{NAME_CHARACTERS, QUOTE_CHARACTERS, VALUE_CHARACTERS},
    summary::bounded,
    text::beyond,
};

use crate::{
    enrichment::ShownEnrichment,
    facts::{FactKey, KnownFact},
    memory::Recollection,
    recall::Recall,
    summary::SummaryLength,
    text::{name, within},
};

/// The most bytes of an answer, as JSON.
pub const ANSWER_BYTES: usize = 64 * 1024;

/// What names, numbers, ids and marks take of an answer at most, in bytes: of a call, of a fact, and of all the rest.
const CALL_BYTES: usize = 256;
const FACT_BYTES: usize = 256;
const REST_BYTES: usize = 2 * 1024;

/// Cuts what is too long, before anything is told of it: a summary behind a sentence, a quote behind a word, so that it
/// is still verbatim. A value that is too long says nothing when it is cut; its fact is left out.
pub(crate) fn keep(read: &mut Recollection, length: SummaryLength) {
    read.caller.name = read.caller.name.take().map(name);
    read.summary.take_if(|summary| !length.fits(summary));
    for call in &mut read.recent_calls {
        let fitting = bounded(&call.summary).len();
        call.summary.truncate(fitting);
    }
    read.facts.retain(has_short_value);
    for fact in &mut read.facts {
        fact.quote = within(std::mem::take(&mut fact.quote), QUOTE_CHARACTERS);
    }
}

fn has_short_value(fact: &KnownFact) -> bool {
    let most = match fact.key {
        FactKey::Name => NAME_CHARACTERS,
        _ => VALUE_CHARACTERS,
    };
    beyond(&fact.value, most).is_none()
}

/// Leaves the oldest facts out where the answer would have more than [`ANSWER_BYTES`].
pub(crate) fn keep_answer(recall: &mut Recall) {
    // Most answers fit even if every byte of them were escaped, which is known without a look at their text.
    if fits(recall, most_json_bytes) {
        return;
    }
    let mut room = ANSWER_BYTES.saturating_sub(bytes_without_facts(recall, json_bytes));
    let Some(facts) = &mut recall.facts else { return };
    let fits = |fact: &KnownFact| {
        let left = room.checked_sub(fact_bytes(fact, json_bytes));
        room = left.unwrap_or_default();
        left.is_some()
    };
    let fitting = facts.iter().map(fits).take_while(|fits| *fits).count();
    facts.truncate(fitting);
}

/// How many bytes a text has as JSON.
type Bytes = fn(&str) -> usize;

fn fits(recall: &Recall, bytes: Bytes) -> bool {
    let facts = recall.facts.iter().flatten().map(|fact| fact_bytes(fact, bytes));
    bytes_without_facts(recall, bytes) + facts.sum::<usize>() <= ANSWER_BYTES
}

fn fact_bytes(fact: &KnownFact, bytes: Bytes) -> usize {
    FACT_BYTES + bytes(&fact.value) + bytes(&fact.quote)
}

fn bytes_without_facts(recall: &Recall, bytes: Bytes) -> usize {
    let caller = recall.caller.as_ref().map_or(0, |caller| {
        let tags: usize = caller.tags.iter().map(|tag| bytes(tag)).sum();
        let mark = caller.do_not_call.as_ref().and_then(|mark| mark.quote.as_deref());
        caller.name.as_deref().map_or(0, bytes) + tags + caller.custom_attributes.as_str().len() + mark.map_or(0, bytes)
    });
    let calls = recall.recent_calls.iter();
    let calls: usize = calls.map(|call| CALL_BYTES + bytes(&call.summary)).sum();
    let cut: usize = recall.cut.iter().map(|what| bytes(what)).sum();
    REST_BYTES + caller + bytes(&recall.summary) + calls + enrichment(&recall.enrichment, bytes) + cut
}

fn enrichment(shown: &ShownEnrichment, bytes: Bytes) -> usize {
    let text = |text: &Option<String>| text.as_deref().map_or(0, bytes);
    let person = shown.person.as_ref().map_or(0, |person| {
        let value = &person.value;
        text(&value.name) + text(&value.title) + text(&value.company)
    });
    let company = shown
        .company
        .as_ref()
        .map_or(0, |company| text(&company.value.name) + text(&company.value.address));
    let phone = shown
        .phone
        .as_ref()
        .map_or(0, |phone| text(&phone.value.carrier) + text(&phone.value.line_type));
    person + company + phone
}

/// How many bytes a text has at most as a JSON string, with its quotation marks and a comma.
fn json_bytes(text: &str) -> usize {
    let is_escaped = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    text.len() + text.as_bytes().iter().filter(|byte| is_escaped(byte)).count() * (ESCAPED - 1) + 3
}

/// The same as far as the length tells.
fn most_json_bytes(text: &str) -> usize {
    text.len() * ESCAPED + 3
}

/// The most bytes of an escaped character: "\u001f".
const ESCAPED: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        call::{CallId, CallOutcome, RecentCall},
        caller::Caller,
        error::{Cause, PortError},
        identity::Trace,
        json::JsonObject,
        summary::CALLER_CHARACTERS,
        themes::Themes,
    };
    use language::summary::CALL_CHARACTERS;
    use uuid::Uuid;

    fn fact(key: FactKey, value: usize, quote: &str) -> KnownFact {
        KnownFact {
            key,
            value: "v".repeat(value),
            quote: quote.to_owned(),
            call_id: Some(CallId(Uuid::nil())),
            said_at_ms: 0,
            observed_at_ms: 0,
            terms: None,
        }
    }

    fn caller(name: String) -> Caller {
        Caller {
            name: Some(name),
            first_seen_ms: 0,
            last_seen_ms: 0,
            total_calls: 1,
            tags: Vec::new(),
            custom_attributes: JsonObject::default(),
            corrections: Vec::new(),
            do_not_call: None,
        }
    }

    fn read(name: String, call: String, summary: String, facts: Vec<KnownFact>) -> Recollection {
        let mut read = Recollection {
            known: true,
            caller: caller(name),
            memory_changed_ms: None,
            summary: Some(summary),
            recent_calls: vec![RecentCall {
                call_id: CallId(Uuid::nil()),
                started_at_ms: 0,
                duration_s: 1.0,
                summary: call,
                outcome: CallOutcome::Other,
            }],
            facts,
            themes: Themes::default(),
            gaps: 0,
            trace: Trace::default(),
            lookups: Vec::new(),
        };
        keep(&mut read, SummaryLength::default());
        read
    }

    #[test]
    fn what_is_at_its_bound_is_shown_as_it_is() {
        let name = "n".repeat(NAME_CHARACTERS);
        let (call, summary) = ("c".repeat(CALL_CHARACTERS), "s".repeat(CALLER_CHARACTERS));
        let facts = vec![
            fact(FactKey::Name, NAME_CHARACTERS, &"ü".repeat(QUOTE_CHARACTERS)),
            fact(FactKey::City, VALUE_CHARACTERS, ""),
        ];
        let read = read(name.clone(), call.clone(), summary.clone(), facts.clone());
        assert_eq!(
            (read.caller.name, read.summary, read.facts),
            (Some(name), Some(summary), facts)
        );
        assert_eq!(read.recent_calls[0].summary, call);
    }

    #[test]
    fn what_an_earlier_release_stored_beyond_its_bound_is_cut_or_left_out() {
        let quote = format!("{} and more", "ü".repeat(QUOTE_CHARACTERS - 5));
        let read = read(
            format!("Maren {}", "n".repeat(NAME_CHARACTERS)),
            format!("First. {}.", "c".repeat(CALL_CHARACTERS)),
            "s".repeat(CALLER_CHARACTERS + 1),
            vec![
                fact(FactKey::Name, NAME_CHARACTERS + 1, ""),
                fact(FactKey::City, VALUE_CHARACTERS + 1, ""),
                fact(FactKey::City, 1, &quote),
            ],
        );
        assert_eq!(
            (read.caller.name.as_deref(), read.summary.as_deref()),
            (Some("Maren"), None)
        );
        assert_eq!(read.recent_calls[0].summary, "First.");
        let quotes: Vec<&str> = read.facts.iter().map(|fact| fact.quote.as_str()).collect();
        assert_eq!(quotes, [quote.trim_end_matches(" more")]);
        assert_eq!(
            name("n".repeat(NAME_CHARACTERS + 1)),
            "n".repeat(NAME_CHARACTERS),
            "one word"
        );
    }

    #[test]
    fn of_facts_that_do_not_fit_the_oldest_are_left_out() {
        let quote = "\u{1}".repeat(QUOTE_CHARACTERS);
        let facts: Vec<KnownFact> = (1..=39).map(|value| fact(FactKey::City, value, &quote)).collect();
        let mut recall = Recall::degraded(PortError::Unavailable(Cause::from("none")), 0.0);
        recall.facts = Some(facts.clone());
        keep_answer(&mut recall);
        let left = recall.facts.unwrap_or_default();
        // 500 characters of six bytes each, and what stands around them.
        assert_eq!(left, facts[..19]);
    }
}
