//! The API page: what it is made of, what it may load, and that it can be left out.

use actix_web::{http::Method, test::TestRequest};

use crate::harness::{Fixture, Setup};

const PAGE: &str = "/docs";

async fn with_docs(docs: bool) -> Fixture {
    Fixture::with(Setup {
        docs,
        ..Setup::default()
    })
    .await
}

/// What the page loads: the value of each `src` and `href`.
fn loaded(page: &str) -> Vec<&str> {
    let mut loaded: Vec<&str> = Vec::new();
    for attribute in ["src=\"", "href=\""] {
        loaded.extend(page.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()));
    }
    loaded
}

#[actix_web::test]
async fn the_page_and_its_files_come_from_the_service_without_a_key() {
    let fixture = with_docs(true).await;
    let page = fixture.send(TestRequest::get().uri(PAGE)).await;
    assert_eq!(
        (page.status.as_u16(), page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    assert_eq!(fixture.send(TestRequest::get().uri("/docs/")).await.bytes, page.bytes);
    let loaded = loaded(&page.text);
    assert_eq!(loaded.len(), 6, "{loaded:?}");
    for path in loaded {
        assert!(path.starts_with('/') && !path.starts_with("//"), "another host: {path}");
        let file = fixture.send(TestRequest::get().uri(path)).await;
        assert_eq!(file.status, 200, "{path}");
        assert!(!file.bytes.is_empty(), "{path}");
        if path.starts_with("/docs/") {
            assert_eq!(file.header("cache-control"), Some("public, max-age=3600"), "{path}");
            let (kind, encoding) = match path.rsplit_once('.').unwrap().1 {
                "css" => ("text/css", if path.ends_with("page.css") { None } else { Some("gzip") }),
                "js" => (
                    "text/javascript",
                    if path.ends_with("start.js") { None } else { Some("gzip") },
                ),
                _ => ("image/png", Some("gzip")),
            };
            assert!(file.header("content-type").unwrap().starts_with(kind), "{path}");
            assert_eq!(file.header("content-encoding"), encoding, "{path}");
            if encoding.is_some() {
                assert!(file.bytes.starts_with(b"\x1f\x8b"), "{path} is compressed as it says");
            }
        }
    }
}

#[actix_web::test]
async fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
    let fixture = with_docs(true).await;
    for path in [PAGE, "/docs/", "/docs/start.js", "/docs/page.css"] {
        let answer = fixture.send(TestRequest::get().uri(path)).await;
        let text = &answer.text;
        for foreign in [
            "http:",
            "https:",
            "url(\"",
            "@import",
            " style=",
            "<style",
            "onload=",
            "javascript:",
        ] {
            assert!(!text.contains(foreign), "{path}: {foreign}");
        }
        // A script that stands in the page itself would have something between its tags.
        assert!(
            text.split("<script")
                .skip(1)
                .all(|script| script.contains("defer></script>")),
            "{path}"
        );
        let policy = answer.header("content-security-policy").unwrap();
        let directives: Vec<&str> = policy.split("; ").collect();
        assert_eq!(
            directives,
            [
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "img-src 'self' data:",
                "connect-src 'self'",
                "base-uri 'none'",
                "form-action 'none'",
                "frame-ancestors 'none'"
            ]
        );
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let start = fixture.send(TestRequest::get().uri("/docs/start.js")).await;
    for setting in [
        "persistAuthorization: false",
        "queryConfigEnabled: false",
        "validatorUrl: \"none\"",
        "url: \"/.well-known/openapi.json\"",
    ] {
        assert!(start.text.contains(setting), "{setting}");
    }
}

#[actix_web::test]
async fn the_service_without_a_path_leads_to_the_page() {
    let fixture = with_docs(true).await;
    for method in [Method::GET, Method::HEAD] {
        let answer = fixture.send(TestRequest::with_uri("/").method(method)).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (307, Some(PAGE)));
        assert!(answer.bytes.is_empty() && answer.header("x-request-id").is_some());
    }
    let document = fixture.send(TestRequest::get().uri("/.well-known/openapi.json")).await;
    assert_eq!(document.json()["paths"].get("/"), None, "it is for people");
}

#[actix_web::test]
async fn it_can_be_read_and_nothing_else() {
    let fixture = with_docs(true).await;
    for path in [PAGE, "/docs/", "/docs/swagger-ui.css"] {
        assert_eq!(
            fixture
                .send(TestRequest::with_uri(path).method(Method::HEAD))
                .await
                .status,
            200
        );
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
            let answer = fixture.send(TestRequest::with_uri(path).method(method)).await;
            answer.refused(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        }
    }
    for method in [Method::POST, Method::DELETE] {
        let answer = fixture.send(TestRequest::with_uri("/").method(method)).await;
        answer.refused(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    }
    for path in [
        "/docs/nothing.js",
        "/docs/index.html",
        "/docs/swagger-initializer.js",
        "/docs/oauth2-redirect.html",
        "/docs/../docs/start.js",
        "/docs/..%2fstart.js",
        "/docs//",
        "/docs/start.js/",
        "/docsx",
    ] {
        for method in [Method::GET, Method::POST] {
            fixture
                .send(TestRequest::with_uri(path).method(method))
                .await
                .refused(404, "not_found");
        }
    }
}

#[actix_web::test]
async fn without_it_there_is_no_such_path() {
    let fixture = with_docs(false).await;
    for path in ["/", PAGE, "/docs/", "/docs/start.js", "/docs/swagger-ui-bundle.js"] {
        for method in [Method::GET, Method::HEAD, Method::POST] {
            let answer = fixture.send(TestRequest::with_uri(path).method(method)).await;
            answer.refused(404, "not_found");
            assert_eq!(answer.header("content-security-policy"), None);
        }
    }
    let document = fixture.send(TestRequest::get().uri("/.well-known/openapi.json")).await;
    assert!(!document.text.contains("/docs"), "nothing links there");
}
