//! Before the agent speaks: who is calling?

use std::time::Duration;

use super::service::CallerService;
use crate::{
    access::Scope,
    bounds,
    call::SessionId,
    context::CallContext,
    enrichment::{ShownEnrichment, merge},
    error::Error,
    identity::{Attestation, Evidence, Judgement},
    memory::Recollection,
    phone::{PhoneNumber, Region},
    port::{EnrichmentAnswer, EnrichmentQuery, RecallQuery, Stage},
    recall::Recall,
    summary::{self, SummaryLength},
    time_zone::LocalTime,
};

/// What a client asks.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallInput {
    /// Who calls.
    pub number: PhoneNumber,
    /// The client's name for the call, when it has one already.
    pub session_id: Option<SessionId>,
    /// What the client's carrier says about the number, when it said anything.
    pub attestation: Option<Attestation>,
}

/// The permit for one recall: the key has the scope `recall`.
///
/// Nobody else can make one:
///
/// ```compile_fail
/// use domain::{context::CallContext, phone::Region, usecase::RecallPermit};
/// fn forged(ctx: &CallContext, region: Region) -> RecallPermit<'_> {
///     RecallPermit { ctx, region }
/// }
/// ```
///
/// And it serves once:
///
/// ```compile_fail
/// use domain::{CallerService, usecase::{RecallInput, RecallPermit}};
/// async fn twice(callers: &CallerService, permit: RecallPermit<'_>, input: RecallInput) {
///     callers.recall_and_enrich(permit, input.clone()).await;
///     callers.recall_and_enrich(permit, input).await;
/// }
/// ```
#[derive(Debug)]
pub struct RecallPermit<'c> {
    ctx: &'c CallContext,
    region: Region,
}

impl RecallPermit<'_> {
    /// The region in which a national number is read.
    #[must_use]
    pub fn region(&self) -> Region {
        self.region
    }
}

impl CallerService {
    /// Checks that the key may recall callers.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] without the scope `recall`.
    pub fn permit_recall<'c>(&self, ctx: &'c CallContext) -> Result<RecallPermit<'c>, Error> {
        ctx.require(Scope::Recall)?;
        let region = self.region(ctx);
        Ok(RecallPermit { ctx, region })
    }

    /// Answers who is calling. A number not seen before becomes a caller. A memory that fails or is late degrades the
    /// answer instead of failing it: the call goes on. What look-ups do not know by the deadline is left out and named
    /// in [`Recall::cut`].
    pub async fn recall_and_enrich(&self, permit: RecallPermit<'_>, input: RecallInput) -> Recall {
        let RecallPermit { ctx, .. } = permit;
        let RecallInput {
            number,
            session_id,
            attestation,
        } = input;
        let tenant = ctx.principal.tenant_id;
        let now_ms = self.ports.clock.now_ms();
        let query = RecallQuery {
            number,
            session_id,
            now_ms,
            unfinished_before_ms: self.rules.unfinished_before_ms(now_ms),
        };

        let began = self.ports.clock.instant();
        let read = self.ports.memory.recall(tenant, &query, ctx.deadline).await;
        let memory_ms = millis(self.measured(Stage::MemoryRecall, began));
        let mut read = match read {
            Ok(read) => read,
            Err(cause) => {
                self.ports.probe.degraded();
                return Recall::degraded(cause, memory_ms);
            }
        };

        let began = self.ports.clock.instant();
        let look_up = EnrichmentQuery {
            tenant,
            number: query.number,
            cached: std::mem::take(&mut read.lookups),
        };
        let enriched = self.ports.enricher.enrich(look_up, ctx.deadline).await;
        let enrichment_ms = millis(self.measured(Stage::Enrichment, began));
        let shown = merge(&enriched.lookups, self.rules.ttl, now_ms);
        let trace = std::mem::take(&mut read.trace).corrected(&read.caller.corrections);
        let judgement = Judgement::of(&Evidence {
            mode: Self::identity_mode(ctx),
            now_ms,
            trace: &trace,
            name: read.caller.name.as_deref(),
            lookups: &enriched.lookups,
            attestation,
        });
        remembered(
            read,
            shown,
            judgement,
            &enriched,
            self.rules.summary,
            LocalTime {
                ms: now_ms,
                zone: Self::time_zone(ctx),
            },
            Took {
                memory_ms,
                enrichment_ms,
            },
        )
    }
}

/// How long the parts of a recall took.
#[derive(Clone, Copy)]
struct Took {
    memory_ms: f64,
    enrichment_ms: f64,
}

fn remembered(
    mut read: Recollection,
    mut shown: ShownEnrichment,
    judgement: Judgement,
    enriched: &EnrichmentAnswer,
    length: SummaryLength,
    now: LocalTime,
    took: Took,
) -> Recall {
    bounds::keep(&mut read, length);
    let identity = judgement.withhold(&mut read, &mut shown);
    let age_ms = |since_ms: i64| now.ms.saturating_sub(since_ms).max(0);
    let mut recall = Recall {
        known: read.known,
        degraded: None,
        summary: summary::marked(read.caller.do_not_call.as_ref(), length, now.zone, |length| {
            let total_calls = read.caller.total_calls;
            let rewrite = read.summary.filter(|summary| length.fits(summary));
            let by_rules =
                || summary::of_caller(total_calls, &read.recent_calls, &read.facts, &read.themes, length, now);
            rewrite.unwrap_or_else(by_rules)
        }),
        caller: Some(read.caller.or_named_by(&shown)),
        recent_calls: read.recent_calls,
        gaps: Some(read.gaps),
        facts: Some(read.facts),
        identity: Some(identity),
        cache_hit: shown.is_cached(&enriched.called),
        memory_ms: took.memory_ms,
        enrichment_ms: took.enrichment_ms,
        memory_age_ms: read.memory_changed_ms.map(age_ms),
        enrichment_age_ms: shown.oldest_ms().map(age_ms),
        enrichment: shown,
        cut: enriched
            .cut
            .iter()
            .map(|vendor| format!("enrichment.{vendor}"))
            .collect(),
    };
    bounds::keep_answer(&mut recall);
    recall
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}
