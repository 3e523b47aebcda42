//! Before the agent speaks: who is calling?

use super::CallerService;
use crate::{
    access::Scope,
    call::SessionId,
    context::CallContext,
    enrichment::{CachedLookup, Enrichment},
    error::Error,
    memory::Recollection,
    phone::{PhoneNumber, Region},
    port::{RecallQuery, Stage},
    recall::Recall,
    summary,
};

/// What a client asks.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallInput {
    /// Who calls.
    pub number: PhoneNumber,
    /// The client's name for the call, when it has one already.
    pub session_id: Option<SessionId>,
}

impl CallerService {
    /// Answers who is calling. A number not seen before becomes a caller. A memory that fails or is late degrades the answer
    /// instead of failing it: the call goes on.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] without the scope `recall`, and whatever `input` refuses.
    pub async fn recall_and_enrich<I>(&self, ctx: &CallContext, input: I) -> Result<Recall, Error>
    where
        I: FnOnce(Region) -> Result<RecallInput, Error>,
    {
        ctx.require(Scope::Recall)?;
        let RecallInput { number, session_id } = input(self.region(ctx))?;
        let query = RecallQuery {
            number,
            session_id,
            now_ms: self.clock.now_ms(),
        };

        let began = self.clock.instant();
        let read = self.memory.recall(ctx.principal.tenant_id, &query, ctx.deadline).await;
        let memory_ms = self.measured(Stage::MemoryRecall, began).as_secs_f64() * 1000.0;

        Ok(match read {
            Ok(recollection) => remembered(recollection, query.now_ms, memory_ms),
            Err(cause) => {
                self.probe.degraded();
                Recall::degraded(cause, memory_ms)
            }
        })
    }
}

fn remembered(read: Recollection, now_ms: i64, memory_ms: f64) -> Recall {
    let (enrichment, fetched_at_ms) = shown(read.lookups);
    Recall {
        known: read.known,
        degraded: None,
        summary: summary::of_caller(read.caller.total_calls, &read.recent_calls),
        caller: Some(read.caller),
        recent_calls: read.recent_calls,
        cache_hit: fetched_at_ms.is_some(),
        enrichment,
        memory_ms,
        enrichment_ms: 0.0,
        memory_age_ms: read
            .memory_changed_ms
            .map(|changed| now_ms.saturating_sub(changed).max(0)),
        enrichment_age_ms: fetched_at_ms.map(|fetched| now_ms.saturating_sub(fetched).max(0)),
        cut: Vec::new(),
    }
}

/// Block by block the newest cached answer, and when the oldest of the blocks shown was fetched.
fn shown(mut lookups: Vec<CachedLookup>) -> (Enrichment, Option<i64>) {
    lookups.sort_by_key(|lookup| std::cmp::Reverse(lookup.fetched_at_ms));
    let mut shown = Enrichment::default();
    let mut oldest = None;
    for CachedLookup {
        fetched_at_ms, found, ..
    } in lookups
    {
        let mut used = false;
        used |= fill(&mut shown.person, found.person);
        used |= fill(&mut shown.company, found.company);
        used |= fill(&mut shown.phone, found.phone);
        if used {
            oldest = Some(oldest.map_or(fetched_at_ms, |ms: i64| ms.min(fetched_at_ms)));
        }
    }
    (shown, oldest)
}

fn fill<T>(block: &mut Option<T>, found: Option<T>) -> bool {
    let fills = block.is_none() && found.is_some();
    if fills {
        *block = found;
    }
    fills
}
