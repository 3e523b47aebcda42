//! The answer of a recall as a person reads it.

use console::Style;
use domain::{
    phone::PhoneNumber,
    summary::{is_to_come, names_itself},
    time_zone::{LocalTime, TimeZone},
};
use serde_json::Value;

use super::{
    super::{agreement, output},
    sheet::{Part, Sheet},
};

/// What was asked, and when.
pub(super) struct Request<'a> {
    /// As it was given; in E.164 it is shown in its one form, and in a national format only the service can tell it.
    pub(super) number: &'a str,
    /// The time limit of the answer, in milliseconds.
    pub(super) limit_ms: u16,
    /// The time that ages are told by.
    pub(super) now_ms: i64,
}

/// What stands before a fact on the card.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowLabel {
    /// Something is to be done about it.
    Open,
    /// What was agreed for a day that is gone.
    Past,
    /// What was called off.
    Cancelled,
    /// Anything else.
    Fact,
}

impl RowLabel {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Past => "past",
            Self::Cancelled => "cancelled",
            Self::Fact => "fact",
        }
    }
}

/// Writes the card. Fields that are missing, null or of another type than expected are left out.
pub(super) fn write(request: &Request<'_>, recall: &Value, sheet: Sheet) -> String {
    let mut card = Card {
        recall,
        now_ms: request.now_ms,
        plain: Style::new(),
        sheet,
    };
    card.who(request.number);
    card.identity();
    card.profile();
    card.plain("summary", text(recall, "/memory/summary"));
    card.open_items();
    card.facts_that(|label| label != RowLabel::Open);
    card.calls();
    card.enrichment();
    card.timing(f64::from(request.limit_ms));
    card.sheet.into_text()
}

struct Card<'a> {
    recall: &'a Value,
    now_ms: i64,
    plain: Style,
    sheet: Sheet,
}

impl Card<'_> {
    fn who(&mut self, number: &str) {
        let name = text(self.recall, "/caller/name");
        let number = in_one_form(number).unwrap_or_else(|| output::printable(number));
        let who = format!("{number}  {}", name.as_deref().unwrap_or("unknown name"));
        let (state, style) = match (self.recall["degraded"] == true, self.recall["known"].as_bool()) {
            (true, _) => (
                "degraded: the memory could not be read; not to be taken for a new caller",
                Style::new().red().bold(),
            ),
            (false, Some(true)) => ("known caller", Style::new().green()),
            (false, Some(false)) => ("new caller", Style::new().cyan()),
            (false, None) => ("the answer does not say whether the caller is known", Style::new()),
        };
        self.sheet.headline(&who, state, &style);
    }

    /// What speaks against using the memory, and what was kept back for it.
    fn identity(&mut self) {
        let Some(advice) = text(self.recall, "/identity/recommendation").filter(|advice| advice != "use") else {
            return;
        };
        let signals = items(self.recall, "/identity/signals").filter_map(Value::as_str);
        let signals = joined(signals.map(|signal| output::printable(&signal.replace('_', " "))));
        let withheld = |what, one, many| {
            let count = whole(self.recall, what).and_then(|count| u64::try_from(count).ok());
            count.map(|count| output::counted(count, one, many))
        };
        let withheld = joined(
            [
                withheld("/identity/withheld/facts", "fact", "facts"),
                withheld("/identity/withheld/calls", "call", "calls"),
            ]
            .into_iter()
            .flatten(),
        );
        let told = [
            Some(advice),
            signals,
            withheld.map(|counts| format!("{counts} withheld")),
        ];
        self.plain("identity", joined(told.into_iter().flatten()));
    }

    fn profile(&mut self) {
        if self.recall["known"] == true {
            self.plain("last", self.seen(self.recall, "/caller/last_seen_ms"));
            self.plain("first", self.seen(self.recall, "/caller/first_seen_ms"));
        }
        let calls = whole(self.recall, "/caller/total_calls");
        self.plain("calls", calls.map(|calls| calls.to_string()));
        let tags = items(self.recall, "/caller/tags")
            .filter_map(Value::as_str)
            .map(output::printable);
        self.plain("tags", joined(tags));
        let attributes = self.recall.pointer("/caller/custom_attributes");
        let attributes = attributes.and_then(Value::as_object).into_iter().flatten();
        let attributes = attributes.map(|(name, value)| format!("{} = {}", output::printable(name), said(value)));
        self.plain("attributes", joined(attributes));
    }

    /// What somebody still has to do: a callback that the newest call asked for, what was promised or agreed, and calls
    /// that the agent's side began and never wrote back.
    fn open_items(&mut self) {
        let newest = items(self.recall, "/memory/recent_calls").next();
        if let Some(call) = newest.filter(|call| call["outcome"] == "callback_requested") {
            let when = self.seen(call, "/started_at_ms").map(|when| format!(" {when}"));
            self.open(Some(format!("callback requested{}", when.unwrap_or_default())));
        }
        self.facts_that(|label| label == RowLabel::Open);
        let gaps = whole(self.recall, "/memory/gaps").and_then(|gaps| u64::try_from(gaps).ok());
        self.open(gaps.filter(|&gaps| gaps > 0).map(|gaps| {
            let calls = output::counted(gaps, "call was", "calls were");
            format!("{calls} begun and never written back")
        }));
    }

    /// The rows of the facts whose label is `wanted`.
    fn facts_that(&mut self, wanted: impl Fn(RowLabel) -> bool) {
        let recall = self.recall;
        for (key, value, fact) in facts(recall) {
            let label = self.label(key, fact);
            if !wanted(label) {
                continue;
            }
            let key = output::printable(&key.replace('_', " "));
            let agreed = text(fact, "/status").map(|status| agreement::text(&status, text(fact, "/when").as_deref()));
            let said = self.said_at(fact).map(|when| match label {
                RowLabel::Fact => when,
                _ => format!("said {when}"),
            });
            let told = if names_itself(&value, &key) {
                value
            } else {
                format!("{key}: {value}")
            };
            let told = match joined(agreed.into_iter().chain(said)) {
                Some(terms) => format!("{told} ({terms})"),
                None => told,
            };
            match label {
                RowLabel::Open => self.open(Some(told)),
                _ => self.plain(label.as_str(), Some(told)),
            }
        }
    }

    fn label(&self, key: &str, fact: &Value) -> RowLabel {
        let status = text(fact, "/status");
        match (key, status.as_deref()) {
            (_, Some("cancelled")) => RowLabel::Cancelled,
            ("promise", _) => RowLabel::Open,
            ("appointment", _) | (_, Some(_)) => {
                let said_at_ms = said_at_ms(fact).unwrap_or(self.now_ms);
                // The answer does not tell where the tenant is.
                let now = LocalTime {
                    ms: self.now_ms,
                    zone: TimeZone::default(),
                };
                if is_to_come(text(fact, "/when").as_deref(), said_at_ms, now) {
                    RowLabel::Open
                } else {
                    RowLabel::Past
                }
            }
            _ => RowLabel::Fact,
        }
    }

    fn calls(&mut self) {
        let recall = self.recall;
        for call in items(recall, "/memory/recent_calls") {
            let lasted = call.get("duration_s").and_then(Value::as_f64).map(length);
            let outcome = text(call, "/outcome").map(|outcome| outcome.replace('_', " "));
            let head = [self.seen(call, "/started_at_ms"), lasted, outcome];
            self.plain("call", joined(head.into_iter().flatten()));
            self.plain("", text(call, "/summary"));
        }
    }

    /// Each block with the vendor that said so and how long ago.
    fn enrichment(&mut self) {
        let blocks = [
            ("person", ["name", "title", "company"].as_slice()),
            ("company", &["name", "address"]),
            ("phone", &["line_type", "carrier"]),
        ];
        for (block, fields) in blocks {
            let Some(found) = self.recall.pointer(&format!("/enrichment/{block}")) else {
                continue;
            };
            let shown = fields.iter().filter_map(|field| found.get(field));
            let shown = joined(shown.filter(|value| !value.is_null()).map(said));
            let age = whole(found, "/fetched_at_ms").map(|ms| ago(self.now_ms.saturating_sub(ms)));
            let from = joined([text(found, "/source"), age].into_iter().flatten());
            self.plain(
                block,
                shown.map(|shown| from.map_or(shown.clone(), |from| format!("{shown} ({from})"))),
            );
        }
    }

    fn timing(&mut self, limit: f64) {
        let took = |name: &str| {
            let ms = self.recall.pointer(&format!("/timing_ms/{name}"))?.as_f64()?;
            Some(ms.max(0.0))
        };
        if let Some(total) = took("total") {
            let memory = took("memory_ms").unwrap_or(0.0);
            let look_ups = took("enrichment_ms").unwrap_or(0.0);
            let part = |name, ms, mark, style| Part { name, ms, mark, style };
            let parts = [
                part("memory", memory, "#", Style::new().blue()),
                part("look-ups", look_ups, "*", Style::new().magenta()),
                part("rest", (total - memory - look_ups).max(0.0), ".", Style::new().yellow()),
            ];
            self.sheet.bar("answered", &parts, total, limit);
        }
        let cut = items(self.recall, "/cut")
            .filter_map(Value::as_str)
            .map(output::printable);
        let cut = joined(cut).map(|cut| format!("not ready in time: {cut}"));
        self.row("cut", cut, &Style::new().yellow());
    }

    fn plain(&mut self, label: &str, text: Option<String>) {
        let style = self.plain.clone();
        self.row(label, text, &style);
    }

    fn open(&mut self, text: Option<String>) {
        self.row("open", text, &Style::new().yellow().bold());
    }

    fn row(&mut self, label: &str, text: Option<String>, style: &Style) {
        if let Some(text) = text {
            self.sheet.row(label, &text, style);
        }
    }

    /// A time in words and in figures.
    fn seen(&self, value: &Value, pointer: &str) -> Option<String> {
        let ms = whole(value, pointer)?;
        Some(format!(
            "{}, {}",
            ago(self.now_ms.saturating_sub(ms)),
            output::moment(ms)
        ))
    }

    /// When a fact was said, or else when the call was written back that it is from.
    fn said_at(&self, fact: &Value) -> Option<String> {
        Some(ago(self.now_ms.saturating_sub(said_at_ms(fact)?)))
    }
}

/// A number that was given with its country code, in E.164.
fn in_one_form(given: &str) -> Option<String> {
    given.trim_start().strip_prefix('+')?;
    // The region is for national numbers.
    let number = PhoneNumber::normalise(given, "US".parse().ok()?).ok()?;
    Some(number.as_e164().to_owned())
}

fn said_at_ms(fact: &Value) -> Option<i64> {
    whole(fact, "/said_at_ms").or_else(|| whole(fact, "/observed_at_ms"))
}

/// The facts that have a key and a value, with both.
fn facts(recall: &Value) -> impl Iterator<Item = (&str, String, &Value)> {
    items(recall, "/facts").filter_map(|fact| Some((fact.get("key")?.as_str()?, text(fact, "/value")?, fact)))
}

fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    let text = output::printable(value.pointer(pointer)?.as_str()?);
    (!text.trim().is_empty()).then_some(text)
}

/// A value of any type in words.
fn said(value: &Value) -> String {
    output::printable(&value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned))
}

/// A whole number, also when it is written with a fraction or is not known to be whole.
fn whole(value: &Value, pointer: &str) -> Option<i64> {
    let value = value.pointer(pointer)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float saturates, and these are counts and times"
    )]
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
}

fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    let parts: Vec<_> = parts.filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The length of a call.
fn length(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a float saturates")]
    let whole = seconds.round() as i64;
    match whole {
        s @ ..60 => format!("{s} s"),
        s => format!("{} min {} s", s / 60, s % 60),
    }
}

/// A span of milliseconds as a person would say it.
fn ago(ms: i64) -> String {
    const DAY: u64 = 86_400;
    let (count, unit) = match ms.max(0).unsigned_abs() / 1000 {
        ..60 => return "just now".to_owned(),
        s @ 60..3600 => (s / 60, "minute"),
        s @ 3600..DAY => (s / 3600, "hour"),
        s if s < 60 * DAY => (s / DAY, "day"),
        s if s < 730 * DAY => (s * 12 / (365 * DAY), "month"),
        s => (s / (365 * DAY), "year"),
    };
    format!("{} ago", output::counted(count, unit, &format!("{unit}s")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW_MS: i64 = 1_795_276_800_000;

    fn card(recall: &Value, width: usize, colours: bool) -> String {
        let request = Request {
            number: "+12025550142",
            limit_ms: 300,
            now_ms: NOW_MS,
        };
        write(&request, recall, Sheet::new(width, colours))
    }

    /// An answer that has everything a card shows.
    fn everything() -> Value {
        json!({
            "known": true,
            "caller": {
                "name": "Maren Okafor", "first_seen_ms": 1_787_572_800_000_i64, "last_seen_ms": 1_795_010_520_000_i64,
                "total_calls": 2, "tags": ["vip", "dental"], "custom_attributes": {"plan": "gold", "visits": 7}
            },
            "memory": {
                "summary": "2 calls so far, the last on 18 November 2026: a callback was requested. \
                    Caller wants to know what a crown costs.",
                "gaps": 1,
                "recent_calls": [
                    {"call_id": "b", "started_at_ms": 1_795_010_520_000_i64, "duration_s": 94.4,
                        "outcome": "callback_requested",
                        "summary": "Caller wants to know what a crown costs. \
                            Agent will ask the dentist and call back."},
                    {"call_id": "a", "started_at_ms": 1_787_572_800_000_i64, "duration_s": 41,
                        "outcome": "appointment_booked",
                        "summary": "Caller wants a cleaning on Tuesday at three."}
                ]
            },
            "facts": [
                {"key": "promise", "value": "call you back with the price", "call_id": "b",
                    "quote": "I'll call you back with the price",
                    "said_at_ms": 1_795_010_580_000_i64, "observed_at_ms": 1_795_010_700_000_i64},
                {"key": "preferred_time", "value": "after five", "call_id": "a", "quote": "after five",
                    "said_at_ms": null,
                    "observed_at_ms": 1_787_572_900_000_i64}
            ],
            "enrichment": {
                "person": {"name": "Maren J Okafor", "title": "Owner", "company": "Harrow & Pike", "source": "webhook",
                    "fetched_at_ms": 1_795_276_790_000_i64},
                "company": {"name": "Harrow & Pike", "address": "2207 Quarry Rd, Lake Bluff, IL 60044",
                    "source": "trestle",
                    "fetched_at_ms": 1_795_190_400_000_i64},
                "phone": {"carrier": null, "line_type": "mobile", "source": "offline"}
            },
            "timing_ms": {"total": 286.234, "memory_ms": 0.52, "enrichment_ms": 285.0, "cache_hit": false},
            "cut": ["enrichment.twilio"]
        })
    }

    #[test]
    fn a_card_shows_everything() {
        let card = card(&everything(), 80, false);
        insta::assert_snapshot!(card, @r"
+12025550142  Maren Okafor  known caller
  last       3 days ago, 2026-11-18 14:02 UTC
  first      2 months ago, 2026-08-24 12:00 UTC
  calls      2
  tags       vip, dental
  attributes plan = gold, visits = 7
  summary    2 calls so far, the last on 18 November 2026: a callback was
             requested. Caller wants to know what a crown costs.
  open       callback requested 3 days ago, 2026-11-18 14:02 UTC
  open       promise: call you back with the price (said 3 days ago)
  open       1 call was begun and never written back
  fact       preferred time: after five (2 months ago)
  call       3 days ago, 2026-11-18 14:02 UTC, 1 min 34 s, callback requested
             Caller wants to know what a crown costs. Agent will ask the dentist
             and call back.
  call       2 months ago, 2026-08-24 12:00 UTC, 41 s, appointment booked
             Caller wants a cleaning on Tuesday at three.
  person     Maren J Okafor, Owner, Harrow & Pike (webhook, just now)
  company    Harrow & Pike, 2207 Quarry Rd, Lake Bluff, IL 60044 (trestle, 1 day
             ago)
  phone      mobile (offline)
  answered   [#************************************** ]  286.2 of 300 ms
             # memory 0.5 ms  * look-ups 285.0 ms  . rest 0.7 ms
  cut        not ready in time: enrichment.twilio
        ");
    }

    #[test]
    fn the_card_in_the_readme_is_the_one_that_is_printed() {
        let recall = json!({
            "known": true,
            "caller": {
                "name": "Maren Okafor", "first_seen_ms": 1_787_572_800_000_i64, "last_seen_ms": 1_795_010_580_000_i64,
                "total_calls": 2, "tags": ["vip", "dental"], "custom_attributes": {"plan": "gold"}
            },
            "memory": {
                "summary": "2 calls so far, the last on 18 November 2026: a callback was requested. Open: the \
                    callback requested on 18 November 2026. On record: we promised: \"call you back with the price\" \
                    (said on 18 November 2026), best time \"after five\". Caller asks what a crown costs, and the \
                    agent will call the caller back with the price. On 24 August 2026: an appointment was booked. \
                    Caller wants a cleaning on Tuesday at three and says: \"Please call me after five\".",
                "gaps": 0,
                "recent_calls": [
                    {"started_at_ms": 1_795_010_520_000_i64, "duration_s": 94.4, "outcome": "callback_requested",
                        "summary": "Caller asks what a crown costs, and the agent will call the caller back with the \
                            price."},
                    {"started_at_ms": 1_787_572_800_000_i64, "duration_s": 41, "outcome": "appointment_booked",
                        "summary": "Caller wants a cleaning on Tuesday at three and says: \"Please call me after \
                            five\"."}
                ]
            },
            "facts": [
                {"key": "promise", "value": "call you back with the price", "said_at_ms": 1_795_010_580_000_i64},
                {"key": "preferred_time", "value": "after five", "said_at_ms": 1_787_572_810_000_i64}
            ],
            "enrichment": {
                "person": {"name": "Maren J Okafor", "title": "Owner", "company": "Harrow & Pike", "source": "webhook",
                    "fetched_at_ms": 1_795_276_790_000_i64},
                "company": {"name": "Harrow & Pike", "address": "2207 Quarry Rd, Lake Bluff, IL 60044",
                    "source": "webhook", "fetched_at_ms": 1_795_276_790_000_i64},
                "phone": null
            },
            "timing_ms": {"total": 287.46, "memory_ms": 0.84, "enrichment_ms": 285.58, "cache_hit": false},
            "cut": ["enrichment.twilio"]
        });
        let card = card(&recall, 80, false);
        let readme = include_str!("../../../../../README.md");
        assert!(
            readme.contains(&card),
            "README.md shows another card; it should be:\n{card}"
        );
    }

    #[test]
    fn an_agreement_is_shown_as_it_stands() {
        let fact = |key: &str, value: &str, status: Option<&str>, when: Option<&str>| json!({"key": key, "value": value, "status": status, "when": when, "said_at_ms": NOW_MS - 3 * 86_400_000});
        let recall = json!({
            "known": true,
            "facts": [
                fact("appointment", "haircut", Some("cancelled"), Some("2026-11-25")),
                fact("appointment", "appointment with Dr. Patel", Some("agreed"), Some("2026-11-24T10:00")),
                fact("appointment", "boiler inspection", Some("moved"), Some("2026-11-20")),
                fact("appointment", "tomorrow at nine", None, None),
                fact("order", "two pizzas", Some("requested"), None),
                fact("reference", "reference BD4417", None, None),
            ],
        });
        insta::assert_snapshot!(card(&recall, 100, false), @r"
+12025550142  unknown name  known caller
  open       appointment with Dr. Patel (agreed for 2026-11-24 10:00, said 3 days ago)
  open       appointment: tomorrow at nine (said 3 days ago)
  open       order: two pizzas (requested, said 3 days ago)
  cancelled  appointment: haircut (cancelled, was for 2026-11-25, said 3 days ago)
  past       appointment: boiler inspection (moved to 2026-11-20, said 3 days ago)
  fact       reference BD4417 (3 days ago)
        ");
    }

    #[test]
    fn the_number_is_shown_in_its_one_form() {
        for (given, shown) in [
            ("+1 (202) 555-0142", "+12025550142  "),
            ("(202) 555-0142", "(202) 555-0142  "),
        ] {
            let request = Request {
                number: given,
                limit_ms: 300,
                now_ms: NOW_MS,
            };
            assert!(
                write(&request, &json!({}), Sheet::new(100, false)).starts_with(shown),
                "{given}"
            );
        }
    }

    #[test]
    fn a_narrow_terminal_gets_a_narrow_card() {
        let card = card(&everything(), 44, false);
        insta::assert_snapshot!(card, @r"
+12025550142  Maren Okafor  known caller
  last       3 days ago, 2026-11-18 14:02
             UTC
  first      2 months ago, 2026-08-24 12:00
             UTC
  calls      2
  tags       vip, dental
  attributes plan = gold, visits = 7
  summary    2 calls so far, the last on 18
             November 2026: a callback was
             requested. Caller wants to know
             what a crown costs.
  open       callback requested 3 days ago,
             2026-11-18 14:02 UTC
  open       promise: call you back with the
             price (said 3 days ago)
  open       1 call was begun and never
             written back
  fact       preferred time: after five (2
             months ago)
  call       3 days ago, 2026-11-18 14:02
             UTC, 1 min 34 s, callback
             requested
             Caller wants to know what a
             crown costs. Agent will ask the
             dentist and call back.
  call       2 months ago, 2026-08-24 12:00
             UTC, 41 s, appointment booked
             Caller wants a cleaning on
             Tuesday at three.
  person     Maren J Okafor, Owner, Harrow &
             Pike (webhook, just now)
  company    Harrow & Pike, 2207 Quarry Rd,
             Lake Bluff, IL 60044 (trestle,
             1 day ago)
  phone      mobile (offline)
  answered   [#***********]  286.2 of 300 ms
             # memory 0.5 ms
             * look-ups 285.0 ms
             . rest 0.7 ms
  cut        not ready in time:
             enrichment.twilio
        ");
        assert!(
            card.lines().all(|line| console::measure_text_width(line) <= 44),
            "{card}"
        );
    }

    #[test]
    fn colours_change_no_word() {
        let painted = card(&everything(), 80, true);
        assert!(
            painted.starts_with("\u{1b}[1m+12025550142  Maren Okafor\u{1b}[0m  \u{1b}[32mknown caller\u{1b}[0m\n"),
            "{painted:?}"
        );
        let words = |card: &str| card.replace(['*', '.', '█'], "#");
        let bare = console::strip_ansi_codes(&painted).into_owned();
        assert_eq!(words(&bare), words(&card(&everything(), 80, false)));
    }

    #[test]
    fn a_new_caller_has_a_short_card() {
        let recall = json!({
            "known": false,
            "caller": {"name": null, "first_seen_ms": NOW_MS, "last_seen_ms": NOW_MS, "total_calls": 0, "tags": [],
                "custom_attributes": {}},
            "memory": {"summary": "", "recent_calls": [], "gaps": 0},
            "facts": null,
            "enrichment": {"person": null, "company": null, "phone": null},
            "timing_ms": {"total": 1.234, "memory_ms": 0.5, "enrichment_ms": 0, "cache_hit": false}
        });
        insta::assert_snapshot!(card(&recall, 80, false), @r"
+12025550142  unknown name  new caller
  calls      0
  answered   [#                                       ]  1.2 of 300 ms
             # memory 0.5 ms  * look-ups 0.0 ms  . rest 0.7 ms
        ");
    }

    #[test]
    fn a_degraded_answer_is_not_taken_for_a_new_caller() {
        let recall = json!({
            "known": false, "degraded": true,
            "caller": {"name": null, "first_seen_ms": null, "last_seen_ms": null, "total_calls": null, "tags": [],
                "custom_attributes": {}},
            "memory": {"summary": "", "recent_calls": []},
            "enrichment": {"person": null, "company": null, "phone": null},
            "timing_ms": {"total": 285.5, "memory_ms": 285.1, "enrichment_ms": 0, "cache_hit": false}
        });
        insta::assert_snapshot!(card(&recall, 100, false), @r"
+12025550142  unknown name  degraded: the memory could not be read; not to be taken for a new caller
  answered   [####################################### ]  285.5 of 300 ms
             # memory 285.1 ms  * look-ups 0.0 ms  . rest 0.4 ms
        ");
    }

    #[test]
    fn what_is_missing_or_strange_is_left_out() {
        insta::assert_snapshot!(card(&json!({}), 80, false), @r"
+12025550142  unknown name  the answer does not say whether the caller is known
        ");
        let strange = json!({
            "known": "yes", "caller": 7, "memory": {"summary": ["x"], "recent_calls": [7, {}], "gaps": -1},
            "facts": [7, {"key": "promise"}, {"value": "x"}], "enrichment": {"phone": []},
            "timing_ms": {"total": "fast"}, "cut": [7]
        });
        assert_eq!(card(&strange, 80, false), card(&json!({}), 80, false));
    }

    #[test]
    fn a_terminal_is_given_no_orders() {
        let recall = json!({
            "caller": {"name": "A\u{1b}[2J", "tags": ["\u{1b}]0;x\u{7}"],
                "custom_attributes": {"a\u{1b}b": {"c\u{9b}": 1}}},
            "memory": {"recent_calls": [{"outcome": "o\u{1b}", "summary": "s\u{202e}"}]},
            "facts": [{"key": "k\u{1b}", "value": "v\r"}],
            "enrichment": {
                "person": {"name": "n\u{1b}", "source": "s\u{1b}"}, "company": {"name": null,
                    "address": {"city\u{9b}": "c\u{1b}"}}
            },
            "cut": ["c\u{1b}"]
        });
        let card = write(
            &Request {
                number: "+1\u{1b}",
                limit_ms: 300,
                now_ms: 0,
            },
            &recall,
            Sheet::new(80, false),
        );
        assert!(
            !card.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')),
            "{card:?}"
        );
    }

    #[test]
    fn times_are_said_as_people_do() {
        const DAY: i64 = 86_400_000;
        for (ms, said) in [
            (-5, "just now"),
            (59_999, "just now"),
            (60_000, "1 minute ago"),
            (7_200_000, "2 hours ago"),
            (2 * DAY, "2 days ago"),
            (59 * DAY, "59 days ago"),
            (61 * DAY, "2 months ago"),
            (729 * DAY, "23 months ago"),
            (730 * DAY, "2 years ago"),
        ] {
            assert_eq!(ago(ms), said);
        }
        assert_eq!(
            (length(59.4), length(61.0)),
            ("59 s".to_owned(), "1 min 1 s".to_owned())
        );
    }
}
