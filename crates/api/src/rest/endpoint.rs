//! How an endpoint is mounted: its route, what stands before it, and its page in the OpenAPI document, mounted as one
//! so that none of them can be forgotten.

use actix_web::{
    FromRequest, Handler, HttpResponse, Resource, Responder,
    dev::{AppService, HttpServiceFactory},
    middleware::from_fn,
    web,
};
use utoipa::{
    __dev::{SchemaReferences, Tags},
    Path,
    openapi::{
        RefOr,
        path::{HttpMethod, Paths},
        schema::Schema,
    },
};
use utoipa_actix_web::OpenApiFactory;

use crate::{
    error::Refusal,
    middleware::{authenticate::authenticate, deadline::TimeLimit, rate_limit::rate_limit},
};

/// A route behind authentication and rate limit, documented by `P`.
pub(super) struct Endpoint<P> {
    resource: Resource,
    page: P,
}

impl<P: Path> Endpoint<P> {
    /// Puts `route` under the path of `page`.
    pub(super) fn new(page: P, route: actix_web::Route, limit: TimeLimit) -> Self {
        let allow = match P::methods().first() {
            Some(HttpMethod::Get) => "GET",
            _ => "POST",
        };
        Self {
            resource: guarded(&P::path(), allow, route, limit),
            page,
        }
    }
}

/// `route` at `path`, behind authentication and rate limit. Other methods than `allow` are refused before the key is
/// looked at.
pub(crate) fn guarded(path: &str, allow: &'static str, route: actix_web::Route, limit: TimeLimit) -> Resource {
    let guarded = route
        .wrap(from_fn(rate_limit))
        .wrap(from_fn(move |request, next| authenticate(limit, request, next)));
    let refused = move || async move { HttpResponse::from_error(Refusal::method_not_allowed(allow)) };
    web::resource(path).route(guarded).default_service(web::to(refused))
}

/// `resource`, to be read without a key.
pub(crate) fn read_only<F, A>(resource: Resource, handler: F) -> Resource
where
    F: Handler<A, Output: Responder + 'static>,
    A: FromRequest + 'static,
{
    resource
        .route(web::get().to(handler.clone()))
        .route(web::head().to(handler))
        .default_service(web::to(async || {
            HttpResponse::from_error(Refusal::method_not_allowed("GET, HEAD"))
        }))
}

impl<P> HttpServiceFactory for Endpoint<P> {
    fn register(self, config: &mut AppService) {
        self.resource.register(config);
    }
}

impl<P: Path + SchemaReferences + for<'t> Tags<'t>> OpenApiFactory for Endpoint<P> {
    fn paths(&self) -> Paths {
        OpenApiFactory::paths(&self.page)
    }

    fn schemas(&self, schemas: &mut Vec<(String, RefOr<Schema>)>) {
        OpenApiFactory::schemas(&self.page, schemas);
    }
}
