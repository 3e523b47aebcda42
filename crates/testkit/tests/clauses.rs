//! The suites bite: each broken memory below fails the clause that is about its fault. And they are complete: every
//! clause is in the macro of its port.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    time::Duration,
};

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, SessionId, Turn},
    caller::{Caller, Change, DoNotCall, History, HistoryFact, ImportCounts, Profile, ProfileChange, ProfileEdit},
    context::Deadline,
    error::PortError,
    facts::{FactView, standing},
    identity::Trace,
    memory::{Arrival, CallRecord, Recollection},
    phone::PhoneNumber,
    port::{
        CallerAdmin, CallerMemory, ChangeError, Claim, Day, NoSuchTenant, Purchase, RecallQuery, RequestId,
        SpendLedger, SummaryBacklog,
    },
    rewrite::Rewrite,
    themes::Themes,
};
use testkit::{
    InMemoryCallerMemory, InMemorySpendLedger,
    contract::{
        self, BacklogFixture, CallerAdminFixture, CallerMemoryFixture, SpendFixture, caller_admin,
        caller_facts as facts, caller_memory as memory, spend_ledger, summary_backlog,
    },
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
    ForgetsThemes,
    ForgetsTerms,
    ShowsOldFactsFirst,
    KeepsCorrectedFacts,
    ClosesOnceMore,
    CountsFromTheReport,
    SeenWhenReported,
    SeenWhenLastReported,
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
        if self.has(Flaw::ClosesOnceMore) {
            let oldest_first = read.facts.into_iter().rev();
            read.facts = standing(oldest_first, |fact| {
                FactView::new(fact.key, &fact.value, fact.terms.as_ref())
            });
        }
        Ok(read)
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        let mut record = record.clone();
        record.call.session_id = self.session(&record.call.session_id);
        match self.flaw {
            Flaw::ForgetsWhatItAcknowledges => return Ok(()),
            Flaw::ForgetsFacts => record.facts.clear(),
            Flaw::ForgetsThemes => record.themes = Themes::default(),
            // No turn tells any more when it was said.
            Flaw::CountsFromTheReport => record.facts.iter_mut().for_each(|said| said.fact.turn = usize::MAX),
            Flaw::ForgetsTerms => {
                for said in &mut record.facts {
                    said.fact.terms = None;
                }
            }
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
            Flaw::SeenWhenReported => record.contact.last_ms = record.received_at_ms,
            Flaw::SeenWhenLastReported => record.contact.first_ms = record.contact.last_ms,
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

    async fn trace(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Trace, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        self.memory.trace(tenant, number, deadline).await
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

fails!(
    shared_tenants: TenantsShareEverything fails
        memory::callers_and_counts_stay_in_their_tenant,
        memory::sessions_stay_in_their_tenant
);
fails!(shared_facts: TenantsShareEverything fails facts::facts_stay_in_their_tenant);
fails!(
    forgotten_facts: ForgetsFacts fails
        facts::a_fact_is_shown_with_its_evidence,
        facts::a_stated_name_is_the_callers
);
fails!(forgotten_themes: ForgetsThemes fails memory::themes_add_up_and_follow_corrections);
fails!(counted_repeats_of_themes: CountsRepeats fails memory::themes_add_up_and_follow_corrections);
fails!(
    forgotten_terms: ForgetsTerms fails
        facts::an_agreement_is_shown_with_its_terms,
        facts::what_is_called_off_closes_the_agreement
);
fails!(
    old_facts_first: ShowsOldFactsFirst fails
        facts::a_fact_is_shown_with_its_evidence,
        facts::what_stands_is_the_newest
);
fails!(
    corrected_facts: KeepsCorrectedFacts fails
        facts::a_correction_replaces_the_facts,
        facts::a_stated_name_is_the_callers
);
fails!(counted_from_the_report: CountsFromTheReport fails facts::a_fact_is_said_after_the_recall_that_began_its_call);
fails!(closed_once_more: ClosesOnceMore fails facts::what_was_called_off_closes_nothing_later);
fails!(facts_of_any_arrival: LastWriteWins fails facts::repeats_and_overtaken_reports_bring_no_facts);
fails!(
    shared_transcripts: TenantsShareTranscripts fails
        memory::callers_and_counts_stay_in_their_tenant,
        memory::an_unknown_call_has_no_transcript
);
fails!(
    forgotten_calls: ForgetsWhatItAcknowledges fails
        memory::an_end_creates_the_caller,
        memory::simultaneous_ends_count_exactly
);
fails!(
    counted_repeats: CountsRepeats fails
        memory::a_repeated_end_counts_once,
        memory::a_correction_replaces_every_field
);
fails!(last_write: LastWriteWins fails memory::the_later_arrival_wins, memory::a_repeat_counts_as_an_arrival);
fails!(old_arrivals: ArrivalsOutliveTheProcess fails memory::another_process_corrects_whatever_its_arrival);
fails!(creating_reads: CreatesWhenRead fails memory::reading_a_profile_changes_nothing);
fails!(no_deadline: IgnoresDeadlines fails memory::a_passed_deadline_is_unavailable);
fails!(late_is_unknown: TakesLateForUnknown fails memory::a_passed_deadline_is_unavailable);
fails!(
    all_known: EveryoneIsKnown fails
        memory::a_first_contact_has_an_empty_profile,
        memory::simultaneous_first_recalls_make_one_caller
);
fails!(
    none_known: NobodyIsKnown fails
        memory::a_caller_created_by_an_end_is_known,
        memory::simultaneous_first_recalls_and_ends_make_one_caller
);
fails!(
    oldest_first: OldestFirst fails
        memory::recent_calls_are_the_five_newest_by_start,
        memory::calls_of_one_start_are_ordered_by_commit
);
fails!(cut_sessions: CutsSessionIds fails memory::session_ids_are_told_apart_exactly);
fails!(rounded: RoundsDurations fails memory::durations_are_exact, memory::a_difference_in_any_field_is_a_correction);
fails!(cleaned: CleansText fails memory::transcripts_survive_any_text);
fails!(seen_late: SeenWhenReported fails memory::replayed_calls_are_seen_when_they_happened);
fails!(seen_last: SeenWhenLastReported fails memory::replayed_calls_are_seen_when_they_happened);
fails!(
    marked_early: MarksBeforeReading fails
        memory::a_recall_shows_the_profile_before_this_contact,
        memory::simultaneous_first_recalls_make_one_caller
);

/// What is wrong with a store of the operator's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AdminFlaw {
    /// A later mark takes the place of the first.
    MarksAnew,
    None,
    TenantsShareEverything,
    IgnoresDeadlines,
    TakesLateForUnknown,
    TrimsText,
    ImportsAreContacts,
    ImportsReplaceEverything,
    ClearsNothing,
    CountsEverythingAsCreated,
    ForgetsImports,
    EditsOutsideTheTransaction,
    EditsNothing,
    ChangesWhatIsRefused,
    CreatesWhenShown,
    OldestFirst,
    HidesHistory,
    DropsMetadata,
}

struct BrokenAdmin {
    memory: InMemoryCallerMemory,
    flaw: AdminFlaw,
}

impl BrokenAdmin {
    fn has(&self, flaw: AdminFlaw) -> bool {
        self.flaw == flaw
    }

    fn tenant(&self, tenant: TenantId) -> TenantId {
        if self.has(AdminFlaw::TenantsShareEverything) {
            TenantId(Uuid::nil())
        } else {
            tenant
        }
    }

    fn deadline(&self, deadline: Deadline) -> Deadline {
        if self.has(AdminFlaw::IgnoresDeadlines) {
            sample::ample()
        } else {
            deadline
        }
    }

    fn flawed(&self, mut change: ProfileChange) -> ProfileChange {
        match self.flaw {
            AdminFlaw::TrimsText => {
                if let Change::Set(name) = &mut change.name {
                    *name = name.trim().replace(char::is_control, "");
                }
            }
            AdminFlaw::ImportsReplaceEverything if change.tags == Change::Keep => change.tags = Change::Clear,
            AdminFlaw::ClearsNothing if change.name == Change::Clear => change.name = Change::Keep,
            _ => {}
        }
        change
    }
}

#[async_trait]
impl CallerAdmin for BrokenAdmin {
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<ImportCounts, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        if self.has(AdminFlaw::ForgetsImports) {
            let created = profiles.len() as u64;
            return Ok(ImportCounts {
                created,
                ..ImportCounts::default()
            });
        }
        let flawed = profiles
            .iter()
            .map(|(number, change)| (number.clone(), self.flawed(change.clone())))
            .collect();
        let mut imported = self.memory.import(tenant, &flawed, now_ms, deadline).await?;
        if self.has(AdminFlaw::ImportsAreContacts) {
            for number in profiles.keys() {
                let query = sample::query(number, now_ms);
                self.memory.recall(tenant, &query, deadline).await?;
            }
        }
        if self.has(AdminFlaw::CountsEverythingAsCreated) {
            imported = ImportCounts {
                created: profiles.len() as u64,
                ..ImportCounts::default()
            };
        }
        Ok(imported)
    }

    async fn change(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        edit: ProfileEdit,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Caller, ChangeError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        let edit: ProfileEdit = match self.flaw {
            AdminFlaw::EditsNothing => Arc::new(move |stored| edit(stored.clone()).map(|_| stored)),
            AdminFlaw::ChangesWhatIsRefused => Arc::new(move |stored| edit(stored).or_else(|_| Ok(Profile::default()))),
            AdminFlaw::EditsOutsideTheTransaction => {
                let stored = self.memory.caller(tenant, number, deadline).await?;
                let stored = stored.map_or_else(Profile::default, |caller| Profile {
                    name: caller.name,
                    tags: caller.tags,
                    custom_attributes: caller.custom_attributes,
                    corrections: caller.corrections,
                });
                let edited = edit(stored)?;
                // Others get their turn in between.
                tokio::time::sleep(Duration::from_millis(20)).await;
                Arc::new(move |_| Ok(edited.clone()))
            }
            _ => edit,
        };
        self.memory.change(tenant, number, edit, now_ms, deadline).await
    }

    async fn history(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<History>, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        if self.has(AdminFlaw::CreatesWhenShown) {
            let query = sample::query(number, sample::NOW_MS);
            self.memory.recall(tenant, &query, deadline).await?;
        }
        let read = self.memory.history(tenant, number, deadline).await;
        match read {
            Err(PortError::Unavailable(_)) if self.has(AdminFlaw::TakesLateForUnknown) => Ok(None),
            Ok(Some(mut history)) => {
                if self.has(AdminFlaw::OldestFirst) {
                    history.calls.reverse();
                }
                if self.has(AdminFlaw::DropsMetadata) {
                    for shown in &mut history.calls {
                        shown.agent_metadata = None;
                    }
                }
                Ok(Some(history))
            }
            read => read,
        }
    }

    async fn facts(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<HistoryFact>, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        let mut facts = self.memory.facts(tenant, number, deadline).await?;
        if self.has(AdminFlaw::OldestFirst) {
            facts.reverse();
        }
        if self.has(AdminFlaw::HidesHistory) {
            facts.retain(|fact| fact.stands);
        }
        Ok(facts)
    }

    async fn mark_do_not_call(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        mark: Option<DoNotCall>,
        deadline: Deadline,
    ) -> Result<Option<DoNotCall>, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        if self.has(AdminFlaw::MarksAnew) && mark.is_some() {
            self.memory.mark_do_not_call(tenant, number, None, deadline).await?;
        }
        self.memory.mark_do_not_call(tenant, number, mark, deadline).await
    }

    async fn do_not_call(
        &self,
        tenant: TenantId,
        after: Option<&PhoneNumber>,
        most: u32,
        deadline: Deadline,
    ) -> Result<Vec<(PhoneNumber, DoNotCall)>, PortError> {
        let (tenant, deadline) = (self.tenant(tenant), self.deadline(deadline));
        self.memory.do_not_call(tenant, after, most, deadline).await
    }
}

fn broken_admin(flaw: AdminFlaw) -> CallerAdminFixture {
    let memory = InMemoryCallerMemory::new();
    CallerAdminFixture {
        memory: Arc::new(memory.other_process()),
        admin: Arc::new(BrokenAdmin { memory, flaw }),
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

/// Whether a store with the flaw keeps the clause.
fn admin_keeps(flaw: AdminFlaw, clause: impl AsyncFnOnce(&CallerAdminFixture)) -> bool {
    catch_unwind(AssertUnwindSafe(|| {
        contract::run("a clause", async { Some(broken_admin(flaw)) }, clause);
    }))
    .is_ok()
}

/// Checks that a store with the flaw fails each of the clauses, which a sound one keeps.
macro_rules! admin_fails {
    ($test:ident: $flaw:ident fails $($clause:ident),+) => {
        #[test]
        fn $test() {
            $(
                let clause = stringify!($clause);
                assert!(admin_keeps(AdminFlaw::None, caller_admin::$clause), "a sound store keeps {clause}");
                assert!(!admin_keeps(AdminFlaw::$flaw, caller_admin::$clause), "{clause} does not notice");
            )+
        }
    };
}

admin_fails!(admin_shared_tenants: TenantsShareEverything fails profiles_and_histories_stay_in_their_tenant);
admin_fails!(admin_no_deadline: IgnoresDeadlines fails a_passed_deadline_is_unavailable);
admin_fails!(admin_late_is_unknown: TakesLateForUnknown fails a_passed_deadline_is_unavailable);
admin_fails!(admin_trimmed: TrimsText fails profiles_survive_any_text);
admin_fails!(admin_contacts: ImportsAreContacts fails an_import_leaves_calls_and_contacts);
admin_fails!(admin_whole_rows: ImportsReplaceEverything fails an_import_changes_each_part_by_itself);
admin_fails!(admin_never_clears: ClearsNothing fails an_import_changes_each_part_by_itself);
admin_fails!(admin_all_created: CountsEverythingAsCreated fails an_import_counts_each_caller_once);
admin_fails!(
    admin_forgets: ForgetsImports fails
        an_import_creates_callers_that_recalls_know,
        an_import_meets_simultaneous_first_contacts
);
admin_fails!(admin_read_before: EditsOutsideTheTransaction fails simultaneous_changes_all_take_effect);
admin_fails!(admin_no_edit: EditsNothing fails a_change_edits_what_is_stored, a_change_creates_the_caller);
admin_fails!(admin_refused_anyway: ChangesWhatIsRefused fails a_refused_change_changes_nothing);
admin_fails!(admin_marks_anew: MarksAnew fails a_mark_is_set_once_listed_and_taken_away);
admin_fails!(admin_creating_reads: CreatesWhenShown fails reading_a_history_changes_nothing);
admin_fails!(
    admin_oldest_first: OldestFirst fails
        a_history_has_the_newest_calls_first,
        facts_are_shown_with_what_no_longer_stands
);
admin_fails!(admin_drops: DropsMetadata fails a_history_shows_what_agents_reported_beside_calls);
admin_fails!(admin_hides: HidesHistory fails facts_are_shown_with_what_no_longer_stands);
admin_fails!(admin_shared_facts: TenantsShareEverything fails facts_are_shown_with_what_no_longer_stands);

/// A backlog that takes every request for a new one, unless it is sound.
struct CountsAgain {
    memory: InMemoryCallerMemory,
    is_sound: bool,
}

#[async_trait]
impl SummaryBacklog for CountsAgain {
    async fn claim(&self, now_ms: i64, leased_until_ms: i64, deadline: Deadline) -> Result<Option<Claim>, PortError> {
        self.memory.claim(now_ms, leased_until_ms, deadline).await
    }

    async fn reserve(
        &self,
        tenant: TenantId,
        day: Day,
        request: RequestId,
        cap: u32,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let counted = if self.is_sound {
            request
        } else {
            RequestId(Uuid::now_v7())
        };
        self.memory.reserve(tenant, day, counted, cap, deadline).await
    }

    async fn settle(
        &self,
        claim: &Claim,
        rewrite: Option<Rewrite>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        self.memory.settle(claim, rewrite, now_ms, deadline).await
    }

    async fn put_back(&self, claim: &Claim, due_ms: i64, counts: bool, deadline: Deadline) -> Result<(), PortError> {
        self.memory.put_back(claim, due_ms, counts, deadline).await
    }
}

#[test]
fn a_backlog_that_counts_a_request_again_is_noticed() {
    let keeps = |is_sound: bool| {
        let memory = Arc::new(InMemoryCallerMemory::new());
        let backlog = || {
            Arc::new(CountsAgain {
                memory: memory.other_process(),
                is_sound,
            })
        };
        let fixture = BacklogFixture {
            backlog: backlog(),
            other_process: backlog(),
            memory: memory.clone(),
            tenants: [sample::tenant(), sample::tenant()],
            keep: Box::new(()),
        };
        catch_unwind(AssertUnwindSafe(|| {
            contract::run(
                "a clause",
                async { Some(fixture) },
                summary_backlog::a_request_that_asks_again_is_counted_once,
            );
        }))
        .is_ok()
    };
    assert!(keeps(true), "a sound backlog keeps it");
    assert!(!keeps(false), "it does not notice");
}

/// What is wrong with a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LedgerFlaw {
    None,
    SellsToNobody,
    NamesNobody,
    CountsForSomebodyElse(TenantId),
}

struct BrokenLedger {
    ledger: InMemorySpendLedger,
    flaw: LedgerFlaw,
}

#[async_trait]
impl SpendLedger for BrokenLedger {
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError> {
        let answer = self.ledger.reserve(purchase, deadline).await;
        let is_for_nobody = matches!(&answer, Err(PortError::Internal(cause)) if cause.is::<NoSuchTenant>());
        if !is_for_nobody {
            return answer;
        }
        match self.flaw {
            LedgerFlaw::None => answer,
            LedgerFlaw::SellsToNobody => Ok(true),
            LedgerFlaw::NamesNobody => Err(PortError::Internal("a foreign key is violated".into())),
            LedgerFlaw::CountsForSomebodyElse(tenant) => {
                let theirs = Purchase {
                    tenant,
                    ..purchase.clone()
                };
                self.ledger.reserve(&theirs, deadline).await?;
                answer
            }
        }
    }
}

#[test]
fn a_ledger_that_does_not_refuse_nobody_is_noticed() {
    let keeps = |flaw: fn(TenantId) -> LedgerFlaw| {
        let ledger = InMemorySpendLedger::new();
        let tenants = ["one", "two"].map(|name| (ledger.add_tenant(name), name.to_owned()));
        let flaw = flaw(tenants[0].0);
        let fixture = SpendFixture {
            ledger: Arc::new(BrokenLedger {
                ledger: ledger.clone(),
                flaw,
            }),
            other_process: None,
            admin: Arc::new(ledger),
            tenants,
            keep: Box::new(()),
        };
        catch_unwind(AssertUnwindSafe(|| {
            contract::run(
                "a clause",
                async { Some(fixture) },
                spend_ledger::a_purchase_for_nobody_is_refused,
            );
        }))
        .is_ok()
    };
    assert!(keeps(|_| LedgerFlaw::None), "a sound ledger keeps it");
    assert!(!keeps(|_| LedgerFlaw::SellsToNobody), "it does not notice");
    assert!(!keeps(|_| LedgerFlaw::NamesNobody), "it does not notice the cause");
    assert!(
        !keeps(LedgerFlaw::CountsForSomebodyElse),
        "it does not notice the count"
    );
}

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
    assert_eq!(suites, 16, "there is a suite for each port");
}
