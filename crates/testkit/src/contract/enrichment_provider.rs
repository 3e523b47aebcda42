//! The clauses of [`EnrichmentProvider`], run against a stub of the vendor.
//!
//! The stub answers whatever is asked; that a vendor is asked in the right way is tested beside its decoder.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{
    enrichment::{Block, Enrichment, LookupOutcome},
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tracing_subscriber::fmt::MakeWriter;
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

use super::GRACE;
use crate::sample::{self, ample, within};

/// A vendor and what its stub answers.
#[derive(Debug, Clone, Copy)]
pub struct EnrichmentProviderFixture {
    /// Makes the provider for a stub at this address.
    pub make: fn(&str) -> Made,
    /// An answer with at least one block.
    pub hit: (u16, &'static str),
    /// The answer that nothing is known.
    pub miss: (u16, &'static str),
    /// Answers that refuse the account.
    pub denied: &'static [(u16, &'static str)],
    /// An answer that a source was missing from, for a vendor that has such.
    pub partial: Option<(u16, &'static str)>,
    /// Texts that must appear nowhere.
    pub secrets: &'static [&'static str],
}

/// A provider with its `Debug` text, which a trait object does not give.
pub struct Made {
    /// The provider.
    pub provider: Arc<dyn EnrichmentProvider>,
    /// What `{:?}` and `{:#?}` show of it.
    pub debug: String,
}

impl Made {
    /// Keeps a provider and what it shows of itself.
    #[must_use]
    pub fn new(provider: impl EnrichmentProvider + std::fmt::Debug + 'static) -> Self {
        Self {
            debug: format!("{provider:?} {provider:#?}"),
            provider: Arc::new(provider),
        }
    }
}

fn number() -> PhoneNumber {
    sample::number(42)
}

async fn stub(status: u16, body: &str) -> MockServer {
    stub_with(ResponseTemplate::new(status).set_body_raw(body.as_bytes(), "application/json")).await
}

async fn stub_with(template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(template).mount(&server).await;
    server
}

async fn asked(fixture: &EnrichmentProviderFixture, server: &MockServer) -> LookupOutcome {
    let made = (fixture.make)(&server.uri());
    made.provider.look_up(&number(), ample()).await
}

async fn requests(server: &MockServer) -> usize {
    server.received_requests().await.expect("requests are recorded").len()
}

/// Every text of the blocks.
fn texts(found: &Enrichment) -> Vec<&str> {
    let person = found
        .person
        .iter()
        .flat_map(|person| [&person.name, &person.title, &person.company]);
    let company = found
        .company
        .iter()
        .flat_map(|company| [&company.name, &company.address]);
    let phone = found.phone.iter().flat_map(|phone| [&phone.carrier, &phone.line_type]);
    let texts = person.chain(company).chain(phone);
    texts.filter_map(|text| text.as_deref()).collect()
}

fn assert_filled(fixture: &EnrichmentProviderFixture, found: &Enrichment) {
    let fills = (fixture.make)("http://127.0.0.1:9").provider.fills();
    assert!(!found.is_empty(), "a block is filled");
    for block in [Block::Person, Block::Company, Block::Phone] {
        assert!(
            !found.blocks().contains(block) || fills.contains(block),
            "{block:?} is not one that it fills"
        );
    }
    assert!(!texts(found).is_empty(), "a filled block says something");
    for text in texts(found) {
        assert!(
            !text.trim().is_empty() && text.trim() == text && !text.contains("  "),
            "{text:?}"
        );
        assert!(
            !["N/A", "null", "unknown", "Unknown"].contains(&text),
            "{text:?} is a placeholder"
        );
    }
}

/// MUST 3: a hit fills at least one block, and only such as the vendor can fill, with text that says something.
pub async fn a_hit_fills_what_the_vendor_can_fill(fixture: &EnrichmentProviderFixture) {
    let server = stub(fixture.hit.0, fixture.hit.1).await;
    match asked(fixture, &server).await {
        LookupOutcome::Hit(found) => assert_filled(fixture, &found),
        other => panic!("{}", other.label()),
    }
    assert_eq!(requests(&server).await, 1);
}

/// MUST 4: what the vendor does not know is a miss.
pub async fn a_miss_is_the_vendors_word(fixture: &EnrichmentProviderFixture) {
    let server = stub(fixture.miss.0, fixture.miss.1).await;
    assert_eq!(asked(fixture, &server).await, LookupOutcome::Miss);
}

/// MUST 4: an answer that a source was missing from is partial, so that it is not kept as a miss.
pub async fn a_partial_answer_is_no_complete_one(fixture: &EnrichmentProviderFixture) {
    let Some((status, body)) = fixture.partial else {
        println!("skipped: this vendor has no partial answers");
        return;
    };
    let server = stub(status, body).await;
    match asked(fixture, &server).await {
        LookupOutcome::Partial(found) => assert_filled(fixture, &found),
        other => panic!("{}", other.label()),
    }
}

/// MUST 5: an answer that refuses the account is denied, whatever its status, and is not asked for again.
pub async fn a_refused_account_is_denied(fixture: &EnrichmentProviderFixture) {
    for (status, body) in fixture.denied {
        let server = stub(*status, body).await;
        assert_eq!(asked(fixture, &server).await, LookupOutcome::Denied, "{status} {body}");
        assert_eq!(requests(&server).await, 1);
    }
}

/// MUST 2 and 4: an answer that may be another one soon is transient; it is not asked for again.
pub async fn a_failing_vendor_is_transient_and_asked_once(fixture: &EnrichmentProviderFixture) {
    for status in [408, 418, 429, 500, 502, 503, 504] {
        for body in ["{}", "<html><title>Bad gateway</title></html>", ""] {
            let server = stub(status, body).await;
            assert_eq!(
                asked(fixture, &server).await,
                LookupOutcome::Transient,
                "{status} {body}"
            );
            assert_eq!(requests(&server).await, 1, "{status} is not retried");
        }
    }
}

/// MUST 4: an answer that cannot be read is transient, and never taken for a miss.
pub async fn what_cannot_be_read_is_transient(fixture: &EnrichmentProviderFixture) {
    let deep = "[".repeat(5000);
    let cut = &fixture.hit.1[..fixture.hit.1.len() / 2];
    for body in [
        "",
        " ",
        "<html>sign in to the hotel's network</html>",
        "null",
        "true",
        "[]",
        "{",
        "\u{feff}",
        cut,
        &deep,
    ] {
        let server = stub(200, body).await;
        assert_eq!(asked(fixture, &server).await, LookupOutcome::Transient, "{body:.40}");
    }
    let server = stub_with(ResponseTemplate::new(200).set_body_bytes(vec![0xff, 0xfe, b'{', b'}'])).await;
    assert_eq!(asked(fixture, &server).await, LookupOutcome::Transient, "not UTF-8");
}

/// MUST 2: a redirect is not followed.
pub async fn a_redirect_is_not_followed(fixture: &EnrichmentProviderFixture) {
    let elsewhere = stub(fixture.hit.0, fixture.hit.1).await;
    for status in [301, 302, 303, 307, 308] {
        let redirect = ResponseTemplate::new(status).insert_header("location", elsewhere.uri());
        let server = stub_with(redirect).await;
        assert_eq!(asked(fixture, &server).await, LookupOutcome::Transient, "{status}");
        assert_eq!(requests(&server).await, 1);
    }
    assert_eq!(requests(&elsewhere).await, 0, "secret and number stay with the vendor");
}

/// MUST 1: a vendor that hangs before, in or after its headers is left at the deadline.
pub async fn a_vendor_that_hangs_is_left_at_the_deadline(fixture: &EnrichmentProviderFixture) {
    let late = ResponseTemplate::new(fixture.hit.0)
        .set_body_string(fixture.hit.1)
        .set_delay(Duration::from_secs(30));
    let mute = stub_with(late).await;
    let midway = raw_stub(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
        false,
    )
    .await;
    let midway_headers = raw_stub(b"HTTP/1.1 200 OK\r\nx-slow", false).await;
    for address in [mute.uri(), midway, midway_headers] {
        let provider = (fixture.make)(&address).provider;
        let began = Instant::now();
        let limit = Duration::from_millis(150);
        assert_eq!(
            provider.look_up(&number(), within(limit)).await,
            LookupOutcome::Transient
        );
        assert!(began.elapsed() < limit + GRACE, "returned after {:?}", began.elapsed());
    }
}

/// MUST 6: a body of 20 MiB is not read, nor one that never ends.
pub async fn a_long_body_is_not_read(fixture: &EnrichmentProviderFixture) {
    let mut padded = vec![b' '; 20 * 1024 * 1024];
    padded.extend_from_slice(fixture.hit.1.as_bytes());
    let announced = stub_with(ResponseTemplate::new(200).set_body_bytes(padded)).await;
    assert_eq!(asked(fixture, &announced).await, LookupOutcome::Transient);

    // A body of unknown length that never ends: only a limit on what is read ends it before the deadline.
    let endless = raw_stub(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", true).await;
    let provider = (fixture.make)(&endless).provider;
    let began = Instant::now();
    assert_eq!(provider.look_up(&number(), ample()).await, LookupOutcome::Transient);
    assert!(began.elapsed() < Duration::from_secs(10));
}

/// MUST 1: a vendor that refuses connections is transient.
pub async fn a_vendor_that_is_not_there_is_transient(fixture: &EnrichmentProviderFixture) {
    let provider = (fixture.make)(&nobody().await).provider;
    assert_eq!(provider.look_up(&number(), ample()).await, LookupOutcome::Transient);
}

/// MUST 7: neither the secret nor the number is in the log at its finest level or in `Debug`, whatever the vendor
/// answers.
pub async fn neither_secret_nor_number_is_shown(fixture: &EnrichmentProviderFixture) {
    let fixture = *fixture;
    // On one thread, because a log that is kept for a test is kept for its thread.
    let alone = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!("the log is kept");
            runtime
                .expect("a runtime starts")
                .block_on(ask_for_every_kind_of_answer(&fixture));
        });
        let log = log.text();
        assert!(log.contains("the log is kept"));
        assert_hides(&fixture, &log);
    });
    alone.await.expect("neither secret nor number is shown");
}

async fn ask_for_every_kind_of_answer(fixture: &EnrichmentProviderFixture) {
    let refused = fixture.denied.first().copied().unwrap_or((401, "{}"));
    for (status, body) in [
        fixture.hit,
        fixture.miss,
        refused,
        (500, "<html>"),
        (200, "<html>"),
        (302, ""),
    ] {
        let server = stub(status, body).await;
        let made = (fixture.make)(&server.uri());
        made.provider.look_up(&number(), ample()).await;
        assert_hides(fixture, &made.debug);
    }
    (fixture.make)(&nobody().await)
        .provider
        .look_up(&number(), ample())
        .await;
}

fn assert_hides(fixture: &EnrichmentProviderFixture, text: &str) {
    for secret in fixture.secrets {
        assert!(!text.contains(secret), "a secret is shown: {text}");
    }
    for digits in ["2025550142", "202555"] {
        assert!(!text.contains(digits), "the number is shown: {text}");
    }
}

/// An address where nobody listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

/// A server that answers with these bytes, and then is silent or goes on for ever.
async fn raw_stub(answer: &'static [u8], is_endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer).await;
                let spaces = [b' '; 8192];
                while is_endless && stream.write_all(&spaces).await.is_ok() {}
                if !is_endless {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    address
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Expands to the contract suite of [`EnrichmentProvider`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`EnrichmentProviderFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! enrichment_provider_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, enrichment_provider:
            a_hit_fills_what_the_vendor_can_fill,
            a_miss_is_the_vendors_word,
            a_partial_answer_is_no_complete_one,
            a_refused_account_is_denied,
            a_failing_vendor_is_transient_and_asked_once,
            what_cannot_be_read_is_transient,
            a_redirect_is_not_followed,
            a_vendor_that_hangs_is_left_at_the_deadline,
            a_long_body_is_not_read,
            a_vendor_that_is_not_there_is_transient,
            neither_secret_nor_number_is_shown,
        }
    };
}
