//! The API page: Swagger UI over the served document. All its files are in the program, and it asks no other host for
//! anything.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, ContentEncoding},
    middleware::DefaultHeaders,
    web::{self, Bytes},
};
use utoipa_swagger_ui::{Config, SwaggerFile};

use super::endpoint::read_only;
use crate::{error::Refusal, route::Route};

/// What is served: the page, under two names, its own files, and those of Swagger UI that it needs.
const PATHS: [&str; 7] = [
    Route::Docs.pattern(),
    "/docs/",
    "/docs/page.css",
    "/docs/start.js",
    "/docs/swagger-ui.css",
    "/docs/swagger-ui-bundle.js",
    "/docs/favicon-32x32.png",
];

/// Scripts, styles and data come from this service alone, and none is inline. `data:` is for the icons in Swagger UI's
/// style sheet.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Browsers keep the files for an hour and not longer: their names do not tell the release.
const AN_HOUR: &str = "public, max-age=3600";

/// Mounts the page, and leads those to it who ask for the service without a path.
pub(crate) fn mount(config: &mut web::ServiceConfig) {
    let headers = DefaultHeaders::new()
        .add((header::CONTENT_SECURITY_POLICY, POLICY))
        .add((header::REFERRER_POLICY, "no-referrer"))
        .add((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    config
        .service(read_only(web::resource(Route::Root.pattern()), lead_to_page))
        .service(read_only(web::resource(PATHS), serve).wrap(headers));
}

async fn lead_to_page() -> HttpResponse {
    HttpResponse::TemporaryRedirect()
        .insert_header((header::LOCATION, Route::Docs.pattern()))
        .finish()
}

async fn serve(request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((header::CACHE_CONTROL, AN_HOUR));
    Ok(match request.path().strip_prefix("/docs/").unwrap_or_default() {
        "" => answer
            .insert_header((header::CACHE_CONTROL, "no-cache"))
            .content_type("text/html; charset=utf-8")
            .body(include_str!("page.html")),
        "page.css" => answer
            .content_type("text/css; charset=utf-8")
            .body(include_str!("page.css")),
        "start.js" => answer
            .content_type("text/javascript; charset=utf-8")
            .body(include_str!("start.js")),
        name => {
            let file = swagger_ui(name)?;
            if file.gzpipped {
                answer.insert_header(ContentEncoding::Gzip);
            }
            answer
                .content_type(file.content_type)
                .body(Bytes::from_owner(file.bytes))
        }
    })
}

/// A file of Swagger UI.
fn swagger_ui(name: &str) -> Result<SwaggerFile<'static>, Refusal> {
    utoipa_swagger_ui::serve(name, Arc::new(Config::default()))
        .map_err(|error| Refusal::internal(error.to_string()))?
        .ok_or_else(Refusal::no_such_path)
}
