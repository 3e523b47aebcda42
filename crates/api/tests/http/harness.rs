//! The public application over fakes, and a client for it.

use std::{
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    body::to_bytes,
    http::{StatusCode, header::HeaderMap},
    test::{self, TestRequest},
    web::{Bytes, Data},
};
use adapters_auth::{ApiKey, AuthOptions, CachedAuthenticator, GovernorRateLimiter};
use api::{
    Api, Metrics, RequestLimits,
    receipts::{ReceiptLimits, Receipts},
};
use domain::{
    CallerService,
    access::{NewKey, RateLimit, Scope, Scopes, TenantId},
    enrichment::Ttl,
    port::{AccessAdmin, CallerMemory, Enricher, EnrichmentCache, KeyStore, ReceiptStore, Storage},
    usecase::{CallerPorts, CallerRules},
};
use serde_json::{Value, json};
use testkit::{CachedOnly, Faulty, InMemoryStorage, ManualClock, sample};

pub(crate) const NUMBER: &str = "+12025550142";
pub(crate) const RECALL: &str = "/v1/recall_and_enrich";
pub(crate) const END: &str = "/v1/calls/end";
pub(crate) const MCP: &str = "/mcp";

/// The application with everything that a test may want to touch.
pub(crate) struct Fixture {
    pub(crate) memory: Arc<Faulty<dyn CallerMemory>>,
    pub(crate) keys: Arc<Faulty<dyn KeyStore>>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) api: Data<Api>,
    pub(crate) admin: Arc<dyn AccessAdmin>,
    /// A key of the tenant `one` with every scope.
    pub(crate) key: String,
}

pub(crate) struct Setup {
    pub(crate) limits: RequestLimits,
    pub(crate) metrics: Arc<Metrics>,
    /// Where tenants and keys are.
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) memory: Arc<dyn CallerMemory>,
    pub(crate) lookups: Arc<dyn EnrichmentCache>,
    pub(crate) enricher: Arc<dyn Enricher>,
    pub(crate) burst: u32,
    /// Where receipts go when the feedback loop is on.
    pub(crate) receipts: Option<(Arc<dyn ReceiptStore>, ReceiptLimits)>,
    pub(crate) docs: bool,
}

impl Default for Setup {
    /// Everything over one storage in memory.
    fn default() -> Self {
        let storage = Arc::new(InMemoryStorage::new());
        Self {
            limits: RequestLimits::default(),
            metrics: Arc::new(Metrics::new()),
            memory: storage.memory(),
            lookups: storage.lookups(),
            storage,
            enricher: Arc::new(CachedOnly),
            burst: 10_000,
            receipts: None,
            docs: true,
        }
    }
}

/// The application over `memory`, `keys` and `clock`, and for the rest over what `setup` says.
fn wired(
    setup: Setup,
    memory: &Arc<Faulty<dyn CallerMemory>>,
    keys: &Arc<Faulty<dyn KeyStore>>,
    clock: &Arc<ManualClock>,
) -> Data<Api> {
    let rate = RateLimit {
        per_second: NonZeroU32::MIN,
        burst: NonZeroU32::new(setup.burst).unwrap(),
    };
    let rules = CallerRules {
        default_region: "US".parse().unwrap(),
        ttl: Ttl::default(),
        unfinished_after: Duration::from_hours(2),
        summary: domain::summary::SummaryLength::default(),
    };
    let metrics = setup.metrics;
    let ports = CallerPorts {
        memory: Arc::clone(memory) as Arc<dyn CallerMemory>,
        lookups: setup.lookups,
        enricher: setup.enricher,
        clock: clock.clone(),
        probe: metrics.clone(),
    };
    let authenticator = CachedAuthenticator::new(keys.clone(), clock.clone(), AuthOptions::default());
    let limiter = GovernorRateLimiter::new(rate, clock.clone());
    let receipts = setup
        .receipts
        .map(|(store, limits)| Arc::new(Receipts::start(store, clock.clone(), Arc::clone(&metrics), limits)));
    let callers = CallerService::new(ports, rules);
    let api = Api::new(
        callers,
        Arc::new(authenticator),
        Arc::new(limiter),
        setup.limits,
        metrics,
    );
    Data::new(api.with_receipts(receipts).with_docs(setup.docs))
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let admin = setup.storage.access();
        let keys = Arc::new(Faulty::new(setup.storage.keys()));
        let memory = Arc::new(Faulty::new(Arc::clone(&setup.memory)));
        let clock = Arc::new(ManualClock::running_at(sample::NOW_MS));
        let mut fixture = Self {
            api: wired(setup, &memory, &keys, &clock),
            memory,
            keys,
            clock,
            admin,
            key: String::new(),
        };
        fixture.tenant("one").await;
        fixture.tenant("two").await;
        fixture.key = fixture.new_key("one", &Scope::ALL).await;
        fixture
    }

    /// Another process over the same memory, keys and clock.
    pub(crate) fn replica(&self) -> Self {
        Self {
            api: wired(Setup::default(), &self.memory, &self.keys, &self.clock),
            clock: Arc::clone(&self.clock),
            memory: Arc::clone(&self.memory),
            keys: Arc::clone(&self.keys),
            admin: Arc::clone(&self.admin),
            key: self.key.clone(),
        }
    }

    async fn tenant(&self, name: &str) {
        let tenant = sample::new_tenant(name);
        self.admin
            .create_tenant(&tenant, sample::NOW_MS, sample::ample())
            .await
            .unwrap();
    }

    /// The id of a tenant.
    pub(crate) async fn tenant_id(&self, name: &str) -> TenantId {
        let tenants = self.admin.tenants(sample::ample()).await.unwrap();
        tenants.into_iter().find(|tenant| tenant.name == name).unwrap().id
    }

    /// A new key of a tenant.
    pub(crate) async fn new_key(&self, tenant: &str, scopes: &[Scope]) -> String {
        let key = ApiKey::generate().unwrap();
        let scopes: Scopes = scopes.iter().copied().collect();
        let shown = key.shown().to_owned();
        let new = NewKey {
            hash: key.hash(),
            shown,
            scopes,
            label: None,
            expires_at_ms: None,
        };
        self.admin
            .create_key(tenant, &new, sample::NOW_MS, sample::ample())
            .await
            .unwrap();
        key.as_str().to_owned()
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: TestRequest) -> Answer {
        let app = test::init_service(api::app(&self.api)).await;
        let began = Instant::now();
        let (status, headers, body) = match test::try_call_service(&app, request.to_request()).await {
            Ok(response) => {
                let (_, response) = response.into_parts();
                (response.status(), response.headers().clone(), response.into_body())
            }
            // What the server would send in place of an answer.
            Err(error) => {
                let response = error.error_response();
                (response.status(), response.headers().clone(), response.into_body())
            }
        };
        let took = began.elapsed();
        let bytes = to_bytes(body).await.unwrap_or_else(|_| panic!("a whole body"));
        Answer {
            status,
            headers,
            text: String::from_utf8(bytes.to_vec()).unwrap_or_default(),
            bytes,
            took,
        }
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Answer {
        self.send(self.request(TestRequest::post().uri(path)).set_payload(body.into()))
            .await
    }

    pub(crate) async fn recall(&self, body: &Value) -> Answer {
        self.post(RECALL, body.to_string()).await
    }

    pub(crate) async fn end(&self, body: &Value) -> Answer {
        self.post(END, body.to_string()).await
    }

    pub(crate) async fn get(&self, number: &str) -> Answer {
        self.send(self.request(TestRequest::get().uri(&format!("/v1/caller/{number}"))))
            .await
    }

    /// Sends a JSON-RPC message.
    pub(crate) async fn mcp(&self, message: &Value) -> Answer {
        self.post(MCP, message.to_string()).await
    }

    /// Calls a tool with arguments in this very text.
    pub(crate) async fn tool(&self, name: &str, arguments: &str) -> Answer {
        self.post(MCP, tool_call(name, arguments)).await
    }

    fn request(&self, request: TestRequest) -> TestRequest {
        with_key(request, &self.key)
    }
}

pub(crate) fn with_key(request: TestRequest, key: &str) -> TestRequest {
    request.insert_header(("Authorization", format!("Bearer {key}")))
}

/// The message that calls a tool with arguments in this very text.
pub(crate) fn tool_call(name: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {{"name": "{name}", "arguments": {arguments}}}}}"#
    )
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The body; empty when it is not text.
    pub(crate) text: String,
    pub(crate) bytes: Bytes,
    pub(crate) took: Duration,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Checks that this is the result of a JSON-RPC request, and returns it.
    #[track_caller]
    pub(crate) fn result(&self) -> Value {
        assert_eq!(
            (self.status.as_u16(), self.header("content-type")),
            (200, Some("application/json"))
        );
        assert_eq!(self.header("mcp-session-id"), None, "there are no sessions");
        let mut body = self.json();
        assert_eq!(body["jsonrpc"], "2.0");
        assert_eq!(body.get("error"), None, "{body}");
        body["result"].take()
    }

    /// Checks that this is the answer of a tool, the same as text and as a value, and returns it.
    #[track_caller]
    pub(crate) fn tool_answer(&self) -> Value {
        let mut result = self.result();
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
        assert_eq!(result["content"][0]["type"], "text");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).unwrap();
        assert_eq!(text, result["structuredContent"]);
        result["structuredContent"].take()
    }

    /// Checks that this is the failure of a tool with the envelope, and returns its code and message.
    #[track_caller]
    pub(crate) fn tool_failure(&self) -> (String, String) {
        let result = self.result();
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result.get("structuredContent"), None, "the schema is that of an answer");
        let envelope: Value = serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).unwrap();
        let text = |name: &str| envelope["error"][name].as_str().expect("a string").to_owned();
        assert_eq!(Some(text("request_id").as_str()), self.header("x-request-id"));
        assert_eq!(
            envelope["error"].as_object().map(serde_json::Map::len),
            Some(3),
            "{envelope}"
        );
        (text("code"), text("message"))
    }

    /// Checks that this is a refusal with its envelope and nothing else, and returns the message.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        let body = self.json();
        let error = body["error"]
            .as_object()
            .unwrap_or_else(|| panic!("no envelope: {body}"));
        assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "{body}");
        assert!(
            error
                .keys()
                .all(|key| ["code", "message", "request_id"].contains(&key.as_str())),
            "{body}"
        );
        assert_eq!(error["code"], code, "{body}");
        let id = error["request_id"].as_str().expect("a request id");
        assert!(
            !id.is_empty() && self.header("x-request-id") == Some(id),
            "{id}: {:?}",
            self.headers
        );
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("www-authenticate"), (status == 401).then_some("Bearer"));
        assert_eq!(
            self.header("retry-after").is_some(),
            matches!(status, 429 | 503),
            "{:?}",
            self.headers
        );
        let message = error["message"].as_str().expect("a message");
        assert!(!message.is_empty());
        message.to_owned()
    }
}

/// A report of a call.
pub(crate) fn call(session_id: &str, number: &str) -> Value {
    json!({
        "session_id": session_id, "phone_number": number, "duration_s": 61.5, "outcome": "callback_requested",
        "transcript": [
            {"role": "agent", "text": "How can I help?", "ts_ms": 0},
            {"role": "user", "text": "Please call me back about my water heater.", "ts_ms": 1800},
        ],
    })
}

/// A recall of [`NUMBER`].
pub(crate) fn recall() -> Value {
    json!({"phone_number": NUMBER})
}
