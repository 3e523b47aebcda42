//! Each vendor: what its recorded answers mean, how it is asked, and the contract of the port.

#![expect(clippy::expect_used, reason = "an expectation that fails is how a test fails")]
#![expect(
    clippy::unnecessary_wraps,
    reason = "a block is written as an Option, because its absence stands beside it"
)]

use adapters_enrichment::{
    pdl::{self, PeopleDataLabs},
    telnyx::{self, Telnyx},
    trestle::{self, Trestle},
    twilio::{self, Twilio},
    webhook::{self, Webhook},
};
use domain::{
    context::Deadline,
    enrichment::{Company, Enrichment, Line, LookupOutcome, Person},
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use outgoing::{BaseUrl, Client};
use secrecy::SecretString;
use std::time::{Duration, Instant};
use testkit::contract::{EnrichmentProviderFixture, Made};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{header, method, path, query_param},
};

/// Whom the look-ups are about.
const NUMBER: &str = "+12025550142";

macro_rules! body {
    ($name:literal) => {
        include_str!(concat!("fixtures/", $name, ".json"))
    };
}

fn base(address: &str) -> BaseUrl {
    address.parse().expect("a base address")
}

fn secret() -> SecretString {
    SecretString::from("hush-hush")
}

fn client() -> Client {
    adapters_enrichment::client().expect("a client")
}

fn twilio(address: &str) -> Twilio {
    Twilio::new(client(), base(address), "SKuser", &secret()).expect("Twilio")
}

fn trestle(address: &str) -> Trestle {
    Trestle::new(client(), base(address), &secret()).expect("Trestle")
}

fn telnyx(address: &str) -> Telnyx {
    Telnyx::new(client(), base(address), &secret()).expect("Telnyx")
}

fn pdl(address: &str) -> PeopleDataLabs {
    PeopleDataLabs::new(client(), base(address), &secret(), PeopleDataLabs::MIN_LIKELIHOOD).expect("People Data Labs")
}

fn webhook(address: &str) -> Webhook {
    let url = format!("{address}/crm/look-up?token=hush-token")
        .parse()
        .expect("a URL");
    Webhook::new(client(), url, Some(&secret())).expect("the webhook")
}

const SECRETS: &[&str] = &["hush-hush", "hush-token", "SKuser", "U0t1c2VyOmh1c2gtaHVzaA=="];

fn twilio_fixture() -> EnrichmentProviderFixture {
    EnrichmentProviderFixture {
        make: |address| Made::new(twilio(address)),
        hit: (200, body!("twilio_lookup.full_hit")),
        miss: (200, body!("twilio_lookup.canada_not_authorized")),
        denied: &[
            (401, body!("twilio_lookup.auth_failure")),
            (403, body!("twilio_lookup.test_credentials")),
            (200, body!("twilio_lookup.package_not_enabled")),
        ],
        partial: Some((200, body!("twilio_lookup.package_rate_limited"))),
        secrets: SECRETS,
    }
}

fn trestle_fixture() -> EnrichmentProviderFixture {
    EnrichmentProviderFixture {
        make: |address| Made::new(trestle(address)),
        hit: (200, body!("trestle_reverse_phone.full_hit")),
        miss: (200, body!("trestle_reverse_phone.international_not_authorized")),
        denied: &[
            (403, body!("trestle_reverse_phone.auth_failure")),
            (403, body!("trestle_reverse_phone.forbidden")),
            (403, body!("trestle_reverse_phone.unknown_route")),
            (429, body!("trestle_reverse_phone.quota_exceeded")),
        ],
        partial: Some((200, body!("trestle_reverse_phone.partial_timeout"))),
        secrets: SECRETS,
    }
}

fn telnyx_fixture() -> EnrichmentProviderFixture {
    EnrichmentProviderFixture {
        make: |address| Made::new(telnyx(address)),
        hit: (200, body!("telnyx_lookup.full_hit")),
        miss: (200, body!("telnyx_lookup.base_no_types")),
        denied: &[
            (401, body!("telnyx_lookup.auth_failure")),
            (403, body!("telnyx_lookup.insufficient_funds")),
        ],
        partial: None,
        secrets: SECRETS,
    }
}

fn pdl_fixture() -> EnrichmentProviderFixture {
    EnrichmentProviderFixture {
        make: |address| Made::new(pdl(address)),
        hit: (200, body!("pdl_person.full_hit")),
        miss: (404, body!("pdl_person.not_found")),
        denied: &[
            (401, body!("pdl_person.auth_failure")),
            (402, body!("pdl_person.payment_required")),
        ],
        partial: None,
        secrets: SECRETS,
    }
}

fn webhook_fixture() -> EnrichmentProviderFixture {
    EnrichmentProviderFixture {
        make: |address| Made::new(webhook(address)),
        hit: (
            200,
            r#"{"person":{"name":"Maren Okafor","title":null},"phone":{"line_type":"mobile"}}"#,
        ),
        miss: (200, "{}"),
        denied: &[(401, ""), (403, "<html>")],
        partial: None,
        secrets: SECRETS,
    }
}

testkit::enrichment_provider_contract!(twilio_keeps_the_contract, async { Some(twilio_fixture()) });
testkit::enrichment_provider_contract!(trestle_keeps_the_contract, async { Some(trestle_fixture()) });
testkit::enrichment_provider_contract!(telnyx_keeps_the_contract, async { Some(telnyx_fixture()) });
testkit::enrichment_provider_contract!(pdl_keeps_the_contract, async { Some(pdl_fixture()) });
testkit::enrichment_provider_contract!(webhook_keeps_the_contract, async { Some(webhook_fixture()) });

/// Asks `provider` for the sample number at a stub that answers `mock` only.
async fn is_answered(server: &MockServer, provider: impl EnrichmentProvider) -> bool {
    let number = PhoneNumber::from_e164(NUMBER).expect("a number");
    let outcome = provider
        .look_up(&number, Deadline(Instant::now() + Duration::from_secs(20)))
        .await;
    let count = server.received_requests().await.expect("requests are recorded").len();
    assert_eq!(count, 1);
    matches!(outcome, LookupOutcome::Hit(_))
}

#[tokio::test]
async fn each_vendor_is_asked_in_its_own_way_below_the_prefix() {
    let reply = |body: &str| ResponseTemplate::new(200).set_body_raw(body.as_bytes(), "application/json");

    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/prefix/v2/PhoneNumbers/+12025550142"))
        .and(query_param("Fields", "line_type_intelligence,caller_name"))
        .and(header("authorization", "Basic U0t1c2VyOmh1c2gtaHVzaA=="))
        .respond_with(reply(body!("twilio_lookup.full_hit")))
        .mount(&server)
        .await;
    assert!(is_answered(&server, twilio(&format!("{}/prefix/", server.uri()))).await);

    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/prefix/3.2/phone"))
        .and(query_param("phone", NUMBER))
        .and(header("x-api-key", "hush-hush"))
        .respond_with(reply(body!("trestle_reverse_phone.full_hit")))
        .mount(&server)
        .await;
    assert!(is_answered(&server, trestle(&format!("{}/prefix", server.uri()))).await);
    let requests = server.received_requests().await.expect("requests are recorded");
    assert_eq!(
        requests[0].url.query(),
        Some("phone=%2B12025550142"),
        "a bare plus would be a space"
    );

    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/v2/number_lookup/+12025550142"))
        .and(header("authorization", "Bearer hush-hush"))
        .respond_with(reply(body!("telnyx_lookup.full_hit")))
        .mount(&server)
        .await;
    assert!(is_answered(&server, telnyx(&server.uri())).await);
    let requests = server.received_requests().await.expect("requests are recorded");
    assert_eq!(requests[0].url.query(), Some("type=carrier&type=caller-name"));

    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/v5/person/enrich"))
        .and(query_param("phone", NUMBER))
        .and(query_param("min_likelihood", "6"))
        .and(query_param("titlecase", "true"))
        .and(header("x-api-key", "hush-hush"))
        .respond_with(reply(body!("pdl_person.full_hit")))
        .mount(&server)
        .await;
    assert!(is_answered(&server, pdl(&server.uri())).await);

    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/crm/look-up"))
        .and(query_param("token", "hush-token"))
        .and(query_param("phone_number", NUMBER))
        .and(header("authorization", "Bearer hush-hush"))
        .respond_with(reply(webhook_fixture().hit.1))
        .mount(&server)
        .await;
    assert!(is_answered(&server, webhook(&server.uri())).await);
}

#[tokio::test]
async fn an_address_is_reached_whatever_it_answers() {
    let server = MockServer::start().await;
    let soon = || Deadline(Instant::now() + Duration::from_secs(10));
    adapters_enrichment::reach(&client(), &base(&server.uri()), soon())
        .await
        .expect("a 404 is an answer");
    let requests = server.received_requests().await.expect("requests are recorded");
    assert!(!requests[0].headers.contains_key("authorization"));
    let gone = server.uri();
    drop(server);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let closed = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    assert!(
        adapters_enrichment::reach(&client(), &base(&closed), soon())
            .await
            .is_err()
    );
    assert!(gone.starts_with("http://127.0.0.1:"));
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn person(name: &str, title: &str, company: &str) -> Option<Person> {
    Some(Person {
        name: some(name),
        title: some(title),
        company: some(company),
    })
}

fn company(name: &str, address: &str) -> Option<Company> {
    Some(Company {
        name: some(name),
        address: some(address),
    })
}

fn line(carrier: &str, line_type: &str) -> Option<Line> {
    Some(Line {
        carrier: some(carrier),
        line_type: some(line_type),
    })
}

fn found(person: Option<Person>, company: Option<Company>, phone: Option<Line>) -> Enrichment {
    Enrichment { person, company, phone }
}

use LookupOutcome::{Denied, Hit, Invalid, Miss, Partial, Transient};

#[test]
fn twilios_answers_mean_this() {
    let mobile = || line("Northwind Wireless", "mobile");
    let table = [
        (
            200,
            body!("twilio_lookup.full_hit"),
            Hit(found(person("Okafor Maren", "", ""), None, mobile())),
        ),
        (
            200,
            body!("twilio_lookup.business_hit"),
            Hit(found(
                None,
                company("Harrow Pike Plb", ""),
                line("Lakeshore Telephone Co", "landline"),
            )),
        ),
        (
            200,
            body!("twilio_lookup.partial_hit"),
            Hit(found(None, None, line("Bayfront VoIP - SVR", "non_fixed_voip"))),
        ),
        (
            200,
            body!("twilio_lookup.partial_package_error"),
            Hit(found(person("Vance Teodoro", "", ""), None, None)),
        ),
        (
            200,
            body!("twilio_lookup.tollfree_no_carrier"),
            Hit(found(None, None, line("", "toll_free"))),
        ),
        (200, body!("twilio_lookup.canada_not_authorized"), Miss),
        (200, body!("twilio_lookup.package_not_enabled"), Denied),
        (
            200,
            body!("twilio_lookup.package_rate_limited"),
            Partial(found(None, None, mobile())),
        ),
        (200, body!("twilio_lookup.basic_no_packages"), Miss),
        (200, body!("twilio_lookup.invalid_too_long"), Invalid),
        (200, body!("twilio_lookup.invalid_but_possible"), Invalid),
        (404, body!("twilio_lookup.not_found"), Invalid),
        (400, body!("twilio_lookup.bad_request"), Invalid),
        (400, r#"{"code":60600,"message":"","status":400}"#, Miss),
        (401, body!("twilio_lookup.auth_failure"), Denied),
        (403, body!("twilio_lookup.test_credentials"), Denied),
        (429, body!("twilio_lookup.rate_limited"), Transient),
        (500, body!("twilio_lookup.server_error"), Transient),
        (503, body!("twilio_lookup.unavailable"), Transient),
        (404, "<html>", Transient),
        (200, r#"{"hello":"world"}"#, Transient),
    ];
    for (status, body, expected) in table {
        assert_eq!(twilio::decode(status, body.as_bytes()), expected, "{status} {body}");
    }
}

#[test]
fn trestles_answers_mean_this() {
    let table = [
        (
            200,
            body!("trestle_reverse_phone.full_hit"),
            Hit(found(
                person("Maren J Okafor", "", ""),
                None,
                line("Northwind Wireless", "mobile"),
            )),
        ),
        (
            200,
            body!("trestle_reverse_phone.business_hit"),
            Hit(found(
                person("Teodoro Vance", "", ""),
                company(
                    "Harrow & Pike Plumbing LLC",
                    "2207 Quarry Rd, Unit B, Lake Bluff, IL 60044, US",
                ),
                line("Lakeshore Telephone Co", "landline"),
            )),
        ),
        (
            200,
            body!("trestle_reverse_phone.partial_timeout"),
            Partial(found(None, None, line("Northwind Wireless", "mobile"))),
        ),
        (
            200,
            body!("trestle_reverse_phone.no_owner"),
            Hit(found(None, None, line("Bayfront VoIP", "non_fixed_voip"))),
        ),
        (200, body!("trestle_reverse_phone.invalid_number"), Invalid),
        (200, body!("trestle_reverse_phone.international_not_authorized"), Miss),
        (400, body!("trestle_reverse_phone.bad_request"), Invalid),
        (403, body!("trestle_reverse_phone.auth_failure"), Denied),
        (403, body!("trestle_reverse_phone.forbidden"), Denied),
        (403, body!("trestle_reverse_phone.unknown_route"), Denied),
        (429, body!("trestle_reverse_phone.rate_limited"), Transient),
        (429, body!("trestle_reverse_phone.quota_exceeded"), Denied),
        (429, body!("trestle_reverse_phone.rate_limited_legacy"), Transient),
        (500, body!("trestle_reverse_phone.server_error"), Transient),
        (200, r#"{"hello":"world"}"#, Transient),
    ];
    for (status, body, expected) in table {
        assert_eq!(trestle::decode(status, body.as_bytes()), expected, "{status} {body}");
    }
}

#[test]
fn telnyxs_answers_mean_this() {
    let table = [
        (
            200,
            body!("telnyx_lookup.full_hit"),
            Hit(found(
                person("Okafor Maren", "", ""),
                None,
                line("Northwind Wireless", "mobile"),
            )),
        ),
        (
            200,
            body!("telnyx_lookup.partial_hit"),
            Hit(found(None, None, line("Bayfront VoIP", "voip"))),
        ),
        (200, body!("telnyx_lookup.base_no_types"), Miss),
        (
            200,
            body!("telnyx_lookup.international"),
            Hit(found(None, None, line("Fenland Mobile", "fixed_or_mobile"))),
        ),
        (422, body!("telnyx_lookup.invalid_number"), Invalid),
        (422, body!("telnyx_lookup.canada_not_enabled"), Invalid),
        (401, body!("telnyx_lookup.auth_failure"), Denied),
        (403, body!("telnyx_lookup.insufficient_funds"), Denied),
        (400, body!("telnyx_lookup.insufficient_funds"), Denied),
        (429, body!("telnyx_lookup.rate_limited"), Transient),
        (500, body!("telnyx_lookup.server_error"), Transient),
        (200, body!("telnyx_lookup.server_error"), Transient),
        (200, r#"{"data":null}"#, Transient),
    ];
    for (status, body, expected) in table {
        assert_eq!(telnyx::decode(status, body.as_bytes()), expected, "{status} {body}");
    }
}

#[test]
fn people_data_labs_answers_mean_this() {
    let employer = "Harrow & Pike Plumbing";
    let address = "2207 Quarry Rd, Unit B, Lake Bluff, Illinois 60044, United States";
    let table = [
        (
            200,
            body!("pdl_person.full_hit"),
            Hit(found(
                person("Maren Okafor", "Operations Director", employer),
                company(employer, address),
                None,
            )),
        ),
        (
            200,
            body!("pdl_person.partial_hit"),
            Hit(found(person("Maren Okafor", "", ""), None, None)),
        ),
        (404, body!("pdl_person.not_found"), Miss),
        (400, body!("pdl_person.bad_request"), Invalid),
        (401, body!("pdl_person.auth_failure"), Denied),
        (402, body!("pdl_person.payment_required"), Denied),
        (429, body!("pdl_person.rate_limited"), Transient),
        (500, body!("pdl_person.server_error"), Transient),
        (200, r#"{"status":200,"data":[]}"#, Transient),
    ];
    for (status, body, expected) in table {
        assert_eq!(pdl::decode(status, body.as_bytes(), 6), expected, "{status} {body}");
    }
}

#[test]
fn the_operators_records_mean_this() {
    let body = r#"{"person":{"name":"Maren Okafor","title":"Owner","company":"Harrow & Pike"},
        "company":{"name":"Harrow & Pike","address":{"city":"Lake Bluff","street":"2207 Quarry Rd"}},
        "phone":{"carrier":"Northwind","line_type":"Fixed VoIP"},"extra":[1]}"#;
    let expected = found(
        person("Maren Okafor", "Owner", "Harrow & Pike"),
        company("Harrow & Pike", "2207 Quarry Rd, Lake Bluff"),
        line("Northwind", "fixed_voip"),
    );
    assert_eq!(webhook::decode(200, body.as_bytes()), Hit(expected));
}
