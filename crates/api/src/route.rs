//! The names of the routes.

use actix_web::HttpRequest;

/// A route, as logs and metrics name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    RecallAndEnrich,
    CallsEnd,
    GetCaller,
    Mcp,
    OpenApi,
    Docs,
    Root,
    Unmatched,
}

impl Route {
    const MATCHABLE: [Self; 7] = [
        Self::RecallAndEnrich,
        Self::CallsEnd,
        Self::GetCaller,
        Self::Mcp,
        Self::OpenApi,
        Self::Docs,
        Self::Root,
    ];

    /// The route's pattern.
    pub(crate) const fn pattern(self) -> &'static str {
        match self {
            Self::RecallAndEnrich => "/v1/recall_and_enrich",
            Self::CallsEnd => "/v1/calls/end",
            Self::GetCaller => "/v1/caller/{phone_number}",
            Self::Mcp => "/mcp",
            Self::OpenApi => "/.well-known/openapi.json",
            Self::Docs => "/docs",
            Self::Root => "/",
            Self::Unmatched => "unmatched",
        }
    }

    /// The route that `request` matched.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let pattern = request.match_pattern();
        let matched = |route: &Self| pattern.as_deref() == Some(route.pattern());
        Self::MATCHABLE.into_iter().find(matched).unwrap_or(Self::Unmatched)
    }
}
