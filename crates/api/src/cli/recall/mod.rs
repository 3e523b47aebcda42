//! `recall`: asks a running service for a caller and shows what an agent would know.

mod card;
mod sheet;

use clap::Args;
use serde_json::{Value, json};

use crate::{config::whole, mcp::structured, middleware::deadline::REQUESTABLE_MS, route::Route};

use super::{client::Service, failure::Failure, output, store::now_ms};
use card::Request;
use sheet::Sheet;

#[derive(Debug, Args)]
pub(super) struct Recall {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    #[command(flatten)]
    service: Service,
    /// The time limit of the answer in milliseconds, 20 to 5000, as an agent gives it with X-Deadline-Ms
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = whole(REQUESTABLE_MS))]
    deadline_ms: u16,
    /// Print the service's answer as it came, as one JSON value
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &Recall) -> Result<(), Failure> {
    let client = command.service.client()?;
    let body = json!({ "phone_number": command.number }).to_string();
    let answer = client
        .post_within(Route::RecallAndEnrich.pattern(), body.as_bytes(), command.deadline_ms)
        .map_err(|error| client.no_answer(&error))?;
    if answer.status != 200 {
        return Err(Failure::Failed(format!("the service answered {}", answer.refusal())));
    }
    let recall: Value = structured::value(&String::from_utf8_lossy(&answer.body)).map_err(|error| {
        Failure::Failed(format!(
            "the answer is not JSON ({error}); check --url or CALLER_MEMORY_URL"
        ))
    })?;
    if command.json {
        // JSON is UTF-8, or it would not have been read.
        return output::print_json(String::from_utf8_lossy(&answer.body).trim());
    }
    let request = Request {
        number: &command.number,
        limit_ms: command.deadline_ms,
        now_ms: now_ms(),
    };
    output::print(card::write(&request, &recall, Sheet::of_stdout()).trim_end())
}
