//! Enrichment without vendors.

use domain::{
    async_trait,
    context::Deadline,
    port::{Enricher, EnrichmentAnswer, EnrichmentQuery},
};

/// An enricher that asks nobody: what the cache holds is all there is.
#[derive(Debug, Clone, Copy, Default)]
pub struct CachedOnly;

#[async_trait]
impl Enricher for CachedOnly {
    async fn enrich(&self, query: EnrichmentQuery, _deadline: Deadline) -> EnrichmentAnswer {
        EnrichmentAnswer {
            lookups: query.cached,
            ..EnrichmentAnswer::default()
        }
    }
}
