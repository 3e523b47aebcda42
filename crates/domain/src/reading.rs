//! What the rules make of a call: once when its report arrives, and again when the rules have changed.

pub use language::RULES;
use language::{findings, summary};

use crate::{
    call::{self, EndedCall, started_at_ms},
    facts::{self, Fact, FactKey, FactOutcome, SaidFact, said_at_ms},
    memory::{Arrival, CallRecord, Wish},
    port::probe::Stage,
    themes::Themes,
    time_zone::TimeZone,
};

/// The report of a call, and when it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What the client reported.
    pub call: EndedCall,
    /// When it arrived; milliseconds since the epoch.
    pub received_at_ms: i64,
    /// Its place among the reports of the process that received it.
    pub arrival: Arrival,
    /// Where the tenant's days begin.
    pub time_zone: TimeZone,
}

/// What the rules make of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The call, ready to be committed.
    pub record: CallRecord,
    /// What became of looking for facts of each key.
    pub outcomes: Vec<(FactKey, FactOutcome)>,
}

/// Reads a report. The same report always gives the same reading, however late it is read. `ended` is told of each
/// stage when it has ended.
#[must_use]
pub fn read(report: Report, mut ended: impl FnMut(Stage)) -> Reading {
    let Report {
        call,
        received_at_ms,
        arrival,
        time_zone,
    } = report;
    let started_at_ms = started_at_ms(&call, received_at_ms);
    let transcript = call::read(&call.transcript);
    let findings = findings::of_call(&transcript, Some(time_zone.day(started_at_ms)));
    let found = facts::of_call(&transcript, &findings);
    ended(Stage::Facts);
    let summary = summary::of_call(&transcript, &findings);
    let themes = Themes::of_call(&transcript);
    ended(Stage::Summary);
    let said = |fact: Fact| {
        let turn = &call.transcript[fact.turn];
        SaidFact::new(fact, turn, started_at_ms, received_at_ms)
    };
    let no_more_calls = found.no_more_calls.map(|spoken| Wish {
        at_ms: said_at_ms(&call.transcript[spoken.turn], started_at_ms, received_at_ms),
        quote: spoken.quote,
    });
    Reading {
        record: CallRecord {
            facts: found.facts.into_iter().map(said).collect(),
            contact: call::contact(&call, received_at_ms),
            call,
            summary,
            themes,
            no_more_calls,
            rules: RULES,
            started_at_ms,
            received_at_ms,
            arrival,
        },
        outcomes: found.outcomes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        call::{CallOutcome, Role, SessionId, Turn},
        phone::PhoneNumber,
    };

    /// Saturday, 2 May 2026, 02:00 UTC, which is still Friday in New York.
    const RECEIVED_MS: i64 = 1_777_687_200_000;

    fn report(time_zone: &str) -> Report {
        let turns = [
            (
                Role::User,
                "My name is Maren Okafor, I'd like an appointment for my boiler tomorrow at 9:30 am.",
            ),
            (Role::Agent, "Your appointment is booked for tomorrow at 9:30 am."),
            (Role::User, "Great, thank you."),
        ];
        Report {
            call: EndedCall {
                session_id: SessionId("s-1".to_owned()),
                number: PhoneNumber::from_e164("+12025550142").unwrap(),
                transcript: (turns.into_iter().zip([0.0, 8_000.0, 16_000.0]))
                    .map(|((role, text), ts_ms)| Turn {
                        role,
                        text: text.to_owned(),
                        ts_ms,
                    })
                    .collect(),
                duration_s: 60.0,
                outcome: CallOutcome::AppointmentBooked,
                agent_metadata: None,
            },
            received_at_ms: RECEIVED_MS,
            arrival: Arrival(7),
            time_zone: time_zone.parse().unwrap(),
        }
    }

    #[test]
    fn a_report_is_read_once_and_always_alike() {
        let mut stages = Vec::new();
        let first = read(report("UTC"), |stage| stages.push(stage));
        assert_eq!(stages, [Stage::Facts, Stage::Summary]);
        assert_eq!(read(report("UTC"), |_| ()), first);
        let CallRecord {
            call,
            summary,
            rules,
            started_at_ms,
            received_at_ms,
            arrival,
            ..
        } = &first.record;
        assert_eq!(call, &report("UTC").call);
        assert!(!summary.is_empty());
        assert_eq!((*rules, *arrival), (RULES, Arrival(7)));
        assert_eq!((*started_at_ms, *received_at_ms), (RECEIVED_MS - 60_000, RECEIVED_MS));
        let name = first.record.facts.iter().find(|said| said.fact.key == FactKey::Name);
        let name = name.expect("the name was said");
        assert_eq!(
            (name.fact.value.as_str(), name.said_at_ms),
            ("Maren Okafor", RECEIVED_MS - 60_000)
        );
        assert!(first.outcomes.contains(&(FactKey::Name, FactOutcome::Found)));
        assert!(first.outcomes.contains(&(FactKey::Email, FactOutcome::Nothing)));
    }

    #[test]
    fn days_are_those_of_the_tenant() {
        let when = |time_zone: &str| {
            let facts = read(report(time_zone), |_| ()).record.facts;
            let agreed = facts.into_iter().find(|said| said.fact.key == FactKey::Appointment);
            agreed.and_then(|said| said.fact.terms?.when)
        };
        assert_eq!(when("UTC").as_deref(), Some("2026-05-03T09:30"));
        assert_eq!(when("America/New_York").as_deref(), Some("2026-05-02T09:30"));
    }
}
