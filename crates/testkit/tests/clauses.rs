//! The suites bite: each broken memory below fails the clause that is about its fault. And they are complete: every
//! clause is in the macro of its port.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

use domain::{
    access::TenantId,
    async_trait,
    call::{Arrival, CallId, CallRecord, SessionId, Turn},
    caller::Caller,
    context::Deadline,
    error::PortError,
    memory::Recollection,
    phone::PhoneNumber,
    port::{CallerMemory, RecallQuery},
};
use testkit::{
    InMemoryCallerMemory,
    contract::{self, CallerMemoryFixture, caller_facts as facts, caller_memory as memory},
    sample,
};
use uuid::Uuid;

/// What is wrong with a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    TenantsShareEverything,
    TenantsShareTranscripts,
    ForgetsWhatItAcknowledges,
    CountsRepeats,
    LastWriteWins,
    ArrivalsOutliveTheProcess,
    CreatesWhenRead,
    IgnoresDeadlines,
    TakesLateForUnknown,
    EveryoneIsKnown,
    NobodyIsKnown,
    OldestFirst,
    CutsSessionIds,
    RoundsDurations,
    CleansText,
    MarksBeforeReading,
    ForgetsFacts,
    ShowsOldFactsFirst,
    KeepsCorrectedFacts,
}

struct Broken {
    memory: InMemoryCallerMemory,
    flaw: Flaw,
}

impl Broken {
    fn has(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    fn tenant(&self, tenant: TenantId) -> TenantId {
        if self.has(Flaw::TenantsShareEverything) {
            TenantId(Uuid::nil())
        } else {
            tenant
        }
    }

    fn deadline(&self, deadline: Deadline) -> Deadline {
        if self.has(Flaw::IgnoresDeadlines) {
            sample::ample()
        } else {
            deadline
        }
    }

    fn session(&self, session: &SessionId) -> SessionId {
        if self.has(Flaw::CutsSessionIds) {
            SessionId(session.0.chars().take(255).collect())
        } else {
            session.clone()
        }
    }
}

#[async_trait]
impl CallerMemory for Broken {
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        let mut query = query.clone();
        query.session_id = query.session_id.map(|session| self.session(&session));
        if self.has(Flaw::MarksBeforeReading) {
            self.memory.recall(tenant, &query, deadline).await?;
        }
        let mut read = self.memory.recall(tenant, &query, deadline).await?;
        read.known |= self.has(Flaw::EveryoneIsKnown);
        read.known &= !self.has(Flaw::NobodyIsKnown);
        if self.has(Flaw::OldestFirst) {
            read.recent_calls.reverse();
        }
        if self.has(Flaw::ShowsOldFactsFirst) {
            read.facts.reverse();
        }
        Ok(read)
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        let mut record = record.clone();
        record.call.session_id = self.session(&record.call.session_id);
        match self.flaw {
            Flaw::ForgetsWhatItAcknowledges => return Ok(()),
            Flaw::ForgetsFacts => record.facts.clear(),
            Flaw::KeepsCorrectedFacts => {
                let query = sample::query(&record.call.number, 0);
                for known in self.memory.recall(tenant, &query, deadline).await?.facts {
                    record
                        .facts
                        .push(sample::said(known.key, &known.value, known.said_at_ms));
                }
            }
            Flaw::CountsRepeats => record.call.session_id.0 += &record.arrival.0.to_string(),
            Flaw::LastWriteWins => record.arrival = Arrival(0),
            Flaw::RoundsDurations => record.call.duration_s = (record.call.duration_s * 1000.0).round() / 1000.0,
            Flaw::CleansText => {
                for turn in &mut record.call.transcript {
                    turn.text = turn.text.trim().replace('\0', "");
                }
            }
            _ => {}
        }
        self.memory
            .record_end(self.tenant(tenant), &record, self.deadline(deadline))
            .await
    }

    async fn caller(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<Caller>, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        if self.has(Flaw::CreatesWhenRead) {
            let query = sample::query(number, sample::NOW_MS);
            self.memory.recall(tenant, &query, deadline).await?;
        }
        match self.memory.caller(tenant, number, deadline).await {
            Err(PortError::Unavailable(_)) if self.has(Flaw::TakesLateForUnknown) => Ok(None),
            read => read,
        }
    }

    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError> {
        let tenant = self.tenant(tenant);
        let deadline = self.deadline(deadline);
        let own = self.memory.transcript(tenant, call_id, deadline).await?;
        Ok(own.or_else(|| self.has(Flaw::TenantsShareTranscripts).then(Vec::new)))
    }
}

fn broken(flaw: Flaw) -> CallerMemoryFixture {
    let memory = InMemoryCallerMemory::new();
    let other = match flaw {
        // The same process as far as the memory can tell, so its arrivals are compared with those of the first.
        Flaw::ArrivalsOutliveTheProcess => None,
        _ => Some(memory.other_process()),
    };
    let memory = Arc::new(Broken { memory, flaw });
    CallerMemoryFixture {
        other_process: Some(match other {
            Some(memory) => Arc::new(Broken { memory, flaw }),
            None => Arc::clone(&memory) as _,
        }),
        memory,
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

/// Whether a memory with the flaw keeps the clause.
fn keeps(flaw: Flaw, clause: impl AsyncFnOnce(&CallerMemoryFixture)) -> bool {
    catch_unwind(AssertUnwindSafe(|| {
        contract::run("a clause", async { Some(broken(flaw)) }, clause);
    }))
    .is_ok()
}

/// Checks that a memory with the flaw fails each of the clauses, which a sound one keeps.
macro_rules! fails {
    ($test:ident: $flaw:ident fails $($suite:ident::$clause:ident),+) => {
        #[test]
        fn $test() {
            $(
                assert!(keeps(Flaw::None, $suite::$clause), "a sound memory keeps {}", stringify!($clause));
                assert!(!keeps(Flaw::$flaw, $suite::$clause), "{} does not notice", stringify!($clause));
            )+
        }
    };
}

fails!(shared_tenants: TenantsShareEverything fails memory::callers_and_counts_stay_in_their_tenant, memory::sessions_stay_in_their_tenant);
fails!(shared_facts: TenantsShareEverything fails facts::facts_stay_in_their_tenant);
fails!(forgotten_facts: ForgetsFacts fails facts::a_fact_is_shown_with_its_evidence, facts::a_stated_name_is_the_callers);
fails!(old_facts_first: ShowsOldFactsFirst fails facts::a_fact_is_shown_with_its_evidence, facts::what_stands_is_the_newest);
fails!(corrected_facts: KeepsCorrectedFacts fails facts::a_correction_replaces_the_facts, facts::a_stated_name_is_the_callers);
fails!(facts_of_any_arrival: LastWriteWins fails facts::repeats_and_overtaken_reports_bring_no_facts);
fails!(shared_transcripts: TenantsShareTranscripts fails memory::callers_and_counts_stay_in_their_tenant, memory::an_unknown_call_has_no_transcript);
fails!(forgotten_calls: ForgetsWhatItAcknowledges fails memory::an_end_creates_the_caller, memory::simultaneous_ends_count_exactly);
fails!(counted_repeats: CountsRepeats fails memory::a_repeated_end_counts_once, memory::a_correction_replaces_every_field);
fails!(last_write: LastWriteWins fails memory::the_later_arrival_wins, memory::a_repeat_counts_as_an_arrival);
fails!(old_arrivals: ArrivalsOutliveTheProcess fails memory::another_process_corrects_whatever_its_arrival);
fails!(creating_reads: CreatesWhenRead fails memory::reading_a_profile_changes_nothing);
fails!(no_deadline: IgnoresDeadlines fails memory::a_passed_deadline_is_unavailable);
fails!(late_is_unknown: TakesLateForUnknown fails memory::a_passed_deadline_is_unavailable);
fails!(all_known: EveryoneIsKnown fails memory::a_first_contact_has_an_empty_profile, memory::simultaneous_first_recalls_make_one_caller);
fails!(none_known: NobodyIsKnown fails memory::a_caller_created_by_an_end_is_known, memory::simultaneous_first_recalls_and_ends_make_one_caller);
fails!(oldest_first: OldestFirst fails memory::recent_calls_are_the_five_newest_by_start, memory::calls_of_one_start_are_ordered_by_commit);
fails!(cut_sessions: CutsSessionIds fails memory::session_ids_are_told_apart_exactly);
fails!(rounded: RoundsDurations fails memory::durations_are_exact, memory::a_difference_in_any_field_is_a_correction);
fails!(cleaned: CleansText fails memory::transcripts_survive_any_text);
fails!(marked_early: MarksBeforeReading fails memory::a_recall_shows_the_profile_before_this_contact, memory::simultaneous_first_recalls_make_one_caller);

#[test]
fn every_clause_is_in_the_macro_of_its_port() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/contract");
    let mut suites = 0;
    for entry in std::fs::read_dir(folder).expect("the contracts are in a folder") {
        let path = entry.expect("the folder can be read").path();
        let source = std::fs::read_to_string(&path).expect("a source file is text");
        let Some((clauses, expansion)) = source.split_once("#[macro_export]") else {
            continue;
        };
        let written: BTreeSet<&str> = clauses
            .lines()
            .filter_map(|line| line.strip_prefix("pub async fn ")?.split_once('('))
            .map(|(name, _)| name)
            .collect();
        let listed: BTreeSet<&str> = expansion
            .lines()
            .filter_map(|line| line.trim().strip_suffix(','))
            .filter(|name| !name.contains(' '))
            .collect();
        if !path.ends_with("mod.rs") {
            suites += 1;
            assert!(!written.is_empty(), "{} has clauses", path.display());
            assert_eq!(written, listed, "in {}", path.display());
        }
    }
    assert_eq!(suites, 12, "there is a suite for each port");
}
