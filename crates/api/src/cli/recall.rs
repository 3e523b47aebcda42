//! `recall`: asks a running service for a caller and shows what an agent would know.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::{Failure, client::Service, output, store::now_ms};

#[derive(Debug, Args)]
pub(super) struct Recall {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    #[command(flatten)]
    service: Service,
    /// Print the service's answer as one JSON value
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &Recall) -> Result<(), Failure> {
    let client = command.service.client(1);
    let body = json!({ "phone_number": command.number }).to_string();
    let answer = client
        .post("/v1/recall_and_enrich", body.as_bytes())
        .map_err(|error| client.no_answer(&error))?;
    if answer.status != 200 {
        return Err(Failure::Failed(format!("the service answered {}", answer.refusal())));
    }
    let recall: Value = serde_json::from_slice(&answer.body).map_err(|error| {
        Failure::Failed(format!(
            "the answer is not JSON ({error}); check --url or CALLER_MEMORY_URL"
        ))
    })?;
    if command.json {
        return output::json(&recall);
    }
    output::print(card(&command.number, &recall, now_ms()).trim_end())
}

/// The answer as a person reads it. Fields that are missing or null are left out.
fn card(number: &str, recall: &Value, now_ms: i64) -> String {
    let text = |pointer: &str| {
        recall
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(output::printable)
            .filter(|text| !text.trim().is_empty())
    };
    let whole = |pointer: &str| recall.pointer(pointer).and_then(whole);
    let known = recall["known"] == true;
    let state = match (recall["degraded"] == true, known) {
        (true, _) => "degraded: the memory could not be read, so this may well be a known caller",
        (false, true) => "known caller",
        (false, false) => "new caller",
    };
    let mut card = format!("{}  {state}\n", output::printable(number));
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(card, "  {name:<9} {value}");
        }
    };
    let seen = |pointer: &str| whole(pointer).map(|ms| format!("{} ({})", output::moment(ms), ago(now_ms - ms)));
    line("name", text("/caller/name"));
    line("calls", whole("/caller/total_calls").map(|calls| calls.to_string()));
    if known {
        line("first", seen("/caller/first_seen_ms"));
        line("last", seen("/caller/last_seen_ms"));
    }
    let tags = recall.pointer("/caller/tags").and_then(Value::as_array);
    line(
        "tags",
        tags.map(|tags| list(tags.iter().filter_map(Value::as_str)))
            .filter(|tags| !tags.is_empty()),
    );
    for (name, value) in recall
        .pointer("/caller/custom_attributes")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        line("attribute", Some(output::printable(&format!("{name} = {value}"))));
    }
    line(
        "person",
        parts(&[
            text("/enrichment/person/name"),
            text("/enrichment/person/title"),
            text("/enrichment/person/company"),
        ]),
    );
    line("company", text("/enrichment/company/name"));
    line(
        "phone",
        parts(&[text("/enrichment/phone/line_type"), text("/enrichment/phone/carrier")]),
    );
    line("summary", text("/memory/summary"));
    for call in recall
        .pointer("/memory/recent_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let started = call.get("started_at_ms").and_then(self::whole).map(output::moment);
        let lasted = call
            .get("duration_s")
            .and_then(Value::as_f64)
            .map(|s| format!("{s:.0} s"));
        let field = |name: &str| {
            call.get(name)
                .and_then(Value::as_str)
                .map(output::printable)
                .filter(|t| !t.is_empty())
        };
        line("call", parts(&[started, lasted, field("outcome"), field("summary")]));
    }
    let timing = |name: &str| recall.pointer(&format!("/timing_ms/{name}")).and_then(Value::as_f64);
    line(
        "answered",
        timing("total").map(|total| match timing("memory_ms") {
            Some(memory) => format!("in {total:.1} ms (memory {memory:.1} ms)"),
            None => format!("in {total:.1} ms"),
        }),
    );
    card
}

/// A whole number, also when it is written with a fraction or is not known to be whole.
fn whole(value: &Value) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float saturates, and these are counts and times"
    )]
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
}

fn parts(parts: &[Option<String>]) -> Option<String> {
    let parts: Vec<_> = parts.iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    items.map(output::printable).collect::<Vec<_>>().join(", ")
}

/// A span of milliseconds as a person would say it.
fn ago(ms: i64) -> String {
    let (count, unit) = match ms / 1000 {
        ..60 => return "just now".to_owned(),
        s @ 60..3600 => (s / 60, "minute"),
        s @ 3600..86_400 => (s / 3600, "hour"),
        s => (s / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_shows_what_is_known() {
        let recall = json!({
            "known": true,
            "caller": {
                "name": "Maren Okafor", "first_seen_ms": 1_700_000_000_000_i64, "last_seen_ms": 1_700_000_100_000_i64,
                "total_calls": 2, "tags": ["vip", "dental"], "custom_attributes": {"plan": "gold"}
            },
            "memory": {"summary": "Two calls.", "recent_calls": [
                {"call_id": "c", "started_at_ms": 1_700_000_000_000_i64, "duration_s": 61.4, "summary": "Asked\u{1b} for a slot.", "outcome": "appointment_booked"}
            ]},
            "enrichment": {"person": null, "company": null, "phone": {"carrier": null, "line_type": "mobile"}},
            "timing_ms": {"total": 1.234, "memory_ms": 0.5, "enrichment_ms": 0, "cache_hit": false}
        });
        insta::assert_snapshot!(card("+12025550142", &recall, 1_700_007_200_000), @r"
+12025550142  known caller
  name      Maren Okafor
  calls     2
  first     2023-11-14 22:13 UTC (2 hours ago)
  last      2023-11-14 22:15 UTC (1 hour ago)
  tags      vip, dental
  attribute plan = gold
  phone     mobile
  summary   Two calls.
  call      2023-11-14 22:13 UTC, 61 s, appointment_booked, Asked  for a slot.
  answered  in 1.2 ms (memory 0.5 ms)
        ");
    }

    #[test]
    fn a_degraded_answer_is_not_called_a_new_caller() {
        let recall = json!({"known": false, "degraded": true, "caller": {"total_calls": null}});
        let card = card("+12025550142", &recall, 0);
        assert!(
            card.contains("degraded") && !card.contains("new caller") && !card.contains("calls "),
            "{card}"
        );
        assert!(self::card("+12025550142", &json!({"known": false}), 0).contains("new caller"));
    }

    #[test]
    fn times_are_said_as_people_do() {
        for (ms, said) in [
            (-5, "just now"),
            (59_999, "just now"),
            (60_000, "1 minute ago"),
            (7_200_000, "2 hours ago"),
            (172_800_000, "2 days ago"),
        ] {
            assert_eq!(ago(ms), said);
        }
    }
}
