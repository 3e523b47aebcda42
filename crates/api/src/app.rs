//! The public application: every endpoint, the tools, the OpenAPI document and its page, behind what happens to all
//! requests.

use actix_web::{
    App, Error, HttpResponse,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web::{self, Data},
};
use utoipa_actix_web::AppExt;

use crate::{
    error::Refusal,
    mcp,
    middleware::{access_log::access_log, envelope::envelope, request_id::request_id},
    openapi,
    rest::{self, docs, endpoint::read_only},
    route::Route,
    state::Api,
};

/// The public application over `api`: what actix builds once for each worker.
pub fn app(
    api: &Data<Api>,
) -> App<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + use<>,
> {
    let document = openapi::text();
    let serve_document = move || {
        let document = document.clone();
        async move { HttpResponse::Ok().content_type("application/json").body(document) }
    };
    App::new()
        .into_utoipa_app()
        .configure(rest::configure)
        .into_app()
        .app_data(Data::clone(api))
        .service(mcp::resource())
        .service(read_only(web::resource(Route::OpenApi.pattern()), serve_document))
        .configure(|config| {
            if api.docs {
                docs::mount(config);
            }
        })
        .default_service(web::to(async || HttpResponse::from_error(Refusal::no_such_path())))
        .wrap(from_fn(envelope))
        .wrap(from_fn(access_log))
        .wrap(from_fn(request_id))
}
