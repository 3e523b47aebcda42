//! The tools. Each does what its REST twin does, through the same code, and answers the same JSON.

use std::{panic::AssertUnwindSafe, sync::LazyLock};

use actix_web::web::{Bytes, Data};
use futures_util::FutureExt as _;
use opentelemetry::trace::FutureExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
        Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{PartialSchema, ToSchema};

use super::{schema::standalone, structured};
use crate::{
    error::{InputError, Refusal},
    middleware::{
        deadline::{RequestedTime, TimeLimit},
        envelope::log_cause,
        frame::Frame,
    },
    openapi,
    rest::{
        answer::encoded,
        body::Body,
        calls_end, get_caller,
        json::{self, JsonValue, object},
        recall_and_enrich,
    },
    state::Api,
};

/// What a model is told of the service as a whole.
const INSTRUCTIONS: &str = "A memory of the callers of a phone line. When a call comes in, use recall_and_enrich \
    once, before anything is said. When it has ended, use calls_end once, with the same session_id. To look at a \
    caller outside of a call, use caller_lookup. A tool that fails answers {\"error\": {\"code\", \"message\", \
    \"request_id\"}}; the message says what to do.";

/// The tools, as clients see them. The schemas are those of the REST bodies.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let document = serde_json::to_value(openapi::document()).unwrap_or_default();
    let schemas = &document["components"]["schemas"];
    let own = |schema: Value| standalone(&json!({"own": schema}), "own");
    let input = |tool| match tool {
        ToolName::RecallAndEnrich => standalone(schemas, "RecallAndEnrichRequest"),
        ToolName::CallsEnd => standalone(schemas, "CallsEndRequest"),
        ToolName::CallerLookup => own(json!(CallerLookupRequest::schema())),
    };
    let output = |tool| match tool {
        ToolName::RecallAndEnrich => standalone(schemas, "RecallAndEnrichResponse"),
        ToolName::CallsEnd => own(json!(CallsEndAnswer::schema())),
        ToolName::CallerLookup => standalone(schemas, "Caller"),
    };
    let listed = |tool: ToolName| {
        Tool::new(tool.as_str(), tool.description(), input(tool))
            .with_title(tool.title())
            .with_raw_output_schema(output(tool).into())
            .with_annotations(tool.annotations())
    };
    ToolName::ALL.map(listed).into()
});

/// Makes the list of tools, unless it is made already, so that no request has to.
pub(super) fn prepare() {
    LazyLock::force(&TOOLS);
}

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolName {
    RecallAndEnrich,
    CallsEnd,
    CallerLookup,
}

impl ToolName {
    const ALL: [Self; 3] = [Self::RecallAndEnrich, Self::CallsEnd, Self::CallerLookup];

    const fn as_str(self) -> &'static str {
        match self {
            Self::RecallAndEnrich => "recall_and_enrich",
            Self::CallsEnd => "calls_end",
            Self::CallerLookup => "caller_lookup",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::RecallAndEnrich => "Who is calling?",
            Self::CallsEnd => "Write a call back",
            Self::CallerLookup => "Read a caller's profile",
        }
    }

    /// When a model should use it.
    const fn description(self) -> &'static str {
        match self {
            Self::RecallAndEnrich => {
                "Tells who is calling: the profile, a summary of earlier calls, the last five calls, and what \
                 look-ups know of the number. Use it once for each incoming call, before the agent speaks. A number \
                 not seen before becomes a caller (known: false). With degraded: true the memory could not be read: \
                 go on without it, and do not greet a new caller. Not for looking around: it notes a contact, and may \
                 cause look-ups that are paid for; for that, use caller_lookup."
            }
            Self::CallsEnd => {
                "Writes a call back that has ended, with its transcript, length and outcome, so that the next recall \
                 knows of it. Use it once for each call, after hangup, with the session_id of the recall when there \
                 was one. committed: true means that the call is on disk. After a failure repeat it as it is: the \
                 same report counts once. Another report with the same session_id replaces the first."
            }
            Self::CallerLookup => {
                "Reads the profile of a caller who is known: name, first and last contact, number of calls, tags. Use \
                 it outside of a live call, for example to see whether a call was written back. It changes nothing \
                 and looks nothing up; a number without a caller is the error not_found. For an incoming call use \
                 recall_and_enrich instead."
            }
        }
    }

    fn annotations(self) -> ToolAnnotations {
        match self {
            // It creates callers, notes contacts, and may ask vendors.
            Self::RecallAndEnrich => ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .idempotent(false)
                .open_world(true),
            // It may replace an earlier report of the same call.
            Self::CallsEnd => ToolAnnotations::new()
                .read_only(false)
                .destructive(true)
                .idempotent(true)
                .open_world(false),
            Self::CallerLookup => ToolAnnotations::new()
                .read_only(true)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        }
    }

    /// Which deadline holds for it.
    const fn limit(self) -> TimeLimit {
        match self {
            Self::RecallAndEnrich => TimeLimit::Recall,
            Self::CallsEnd | Self::CallerLookup => TimeLimit::Write,
        }
    }
}

/// Whose profile to read.
#[derive(Debug, ToSchema)]
struct CallerLookupRequest {
    /// The caller's number in E.164.
    #[schema(min_length = 1, examples("+12025550142"))]
    phone_number: String,
}

impl CallerLookupRequest {
    fn decode(body: JsonValue<'_, '_>) -> Result<Self, InputError> {
        object!(body => Self { phone_number: required non_empty_string() })
    }
}

/// What stands for the empty 204 of the REST twin.
#[derive(Debug, Serialize, ToSchema)]
struct CallsEndAnswer {
    /// Always true: the call is on disk.
    committed: bool,
}

/// The service for one message: the tools, and what they need of the request.
#[derive(Clone)]
pub(super) struct Tools {
    pub(super) api: Data<Api>,
    pub(super) frame: Frame,
    pub(super) requested: RequestedTime,
    /// The arguments of the tool that is called, in their own text.
    pub(super) arguments: Bytes,
}

impl Tools {
    /// What `tool` answers, in JSON.
    async fn answer(&self, tool: ToolName) -> Result<String, Refusal> {
        let Self { api, frame, .. } = self;
        let arguments = self.arguments.clone();
        match tool {
            ToolName::RecallAndEnrich => {
                recall_and_enrich::answer(api, frame, self.requested, Body::of(arguments)).await
            }
            ToolName::CallsEnd => {
                calls_end::commit(api, frame, Body::of(arguments)).await?;
                encoded(&CallsEndAnswer { committed: true })
            }
            ToolName::CallerLookup => {
                let number = || Ok(json::read(&arguments, CallerLookupRequest::decode)?.phone_number);
                get_caller::answer(api, frame, number).await
            }
        }
    }

    /// The same as text and as a value, or why there is no answer.
    async fn result(&self, tool: ToolName) -> Result<CallToolResult, Refusal> {
        self.frame.grant(tool.limit(), self.requested, &self.api.limits);
        let span = self.frame.span.clone().unwrap_or_default();
        let answer = AssertUnwindSafe(self.answer(tool).with_context(span));
        // A panic would take the SDK's task with it, and there would be no answer.
        let answer = answer.catch_unwind().await;
        let json = answer.unwrap_or_else(|_| Err(Refusal::internal("the tool panicked")))?;
        let value = structured::value(&json).map_err(Refusal::internal)?;
        let mut result = CallToolResult::success(vec![ContentBlock::text(json)]);
        result.structured_content = Some(value);
        Ok(result)
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("caller-memory", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = ToolName::ALL.into_iter().find(|tool| tool.as_str() == request.name);
        let tool =
            tool.ok_or_else(|| ErrorData::invalid_params("Unknown tool; tools/list names those that are", None))?;
        let result = self.result(tool).await.unwrap_or_else(|refusal| {
            log_cause(&self.frame, &refusal);
            // As text alone: clients hold a value against the schema of the answer, even when it is an error.
            let envelope = refusal.body(Some(&self.frame.request_id));
            CallToolResult::error(vec![ContentBlock::text(envelope)])
        });
        Ok(result.into())
    }

    /// The SDK takes a request for a custom one when its params do not fit its method, too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "tools/call needs params with the name of a tool, and its arguments as an object",
                None,
            ),
            "initialize" | "ping" | "server/discover" | "tools/list" => {
                ErrorData::invalid_params(format!("the params do not fit the method {method}"), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }
}
