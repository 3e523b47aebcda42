//! [Telnyx Number Lookup v2](https://developers.telnyx.com/docs/identity/number-lookup/index): carrier, line type and
//! caller name. Its [error codes](https://developers.telnyx.com/development/api-fundamentals/api-errors).
//!
//! The answer does not say whose name the caller name is, so only names that leave no doubt are taken. Codes come as
//! texts, and an invalid number is a 422.

use domain::{
    async_trait,
    context::Deadline,
    enrichment::{
        Blocks, Company, Enrichment, Line, LookupOutcome, Person,
        cnam::{self, CallerName},
        line_type, vendor,
    },
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use outgoing::{
    BaseUrl, Client, Method, Request, UnusableSecret,
    header::{AUTHORIZATION, HeaderValue},
    secret_header,
};
use secrecy::SecretString;
use serde_json::Value;

use crate::{http, json};

/// Telnyx Number Lookup.
#[derive(Debug)]
pub struct Telnyx {
    client: Client,
    base: BaseUrl,
    authorization: HeaderValue,
}

impl Telnyx {
    /// Where Telnyx answers unless a setting says otherwise.
    pub const BASE_URL: &'static str = "https://api.telnyx.com";

    /// Asks with an API key.
    ///
    /// # Errors
    /// [`UnusableSecret`] when the key cannot be sent in a header.
    pub fn new(client: Client, base: BaseUrl, key: &SecretString) -> Result<Self, UnusableSecret> {
        let authorization = secret_header("Bearer ", key)?;
        Ok(Self {
            client,
            base,
            authorization,
        })
    }
}

#[async_trait]
impl EnrichmentProvider for Telnyx {
    fn name(&self) -> &'static str {
        vendor::TELNYX
    }

    fn fills(&self) -> Blocks {
        Blocks::ALL
    }

    async fn look_up(&self, number: &PhoneNumber, deadline: Deadline) -> LookupOutcome {
        let mut url = self.base.join(&format!("/v2/number_lookup/{}", number.as_e164()));
        url.query_pairs_mut()
            .append_pair("type", "carrier")
            .append_pair("type", "caller-name");
        let mut request = Request::new(Method::GET, url);
        request.headers_mut().insert(AUTHORIZATION, self.authorization.clone());
        match http::get(&self.client, self.name(), request, deadline).await {
            Some(answer) => decode(answer.status, &answer.body),
            None => LookupOutcome::Transient,
        }
    }
}

/// What Telnyx's answer means.
#[must_use]
pub fn decode(status: u16, body: &[u8]) -> LookupOutcome {
    let json = json::object(body);
    let code = json
        .as_ref()
        .and_then(|json| json::each(&json["errors"]).first())
        .and_then(|error| json::code(&error["code"]));
    match (status, json, code) {
        (200, Some(json), None) if json["data"].is_object() => found(&json["data"]),
        // Inactive key, authentication, authorization, insufficient funds.
        (401..=403, ..) | (_, _, Some(10009 | 10010 | 20100)) => LookupOutcome::Denied,
        (400 | 404 | 422, Some(_), Some(_)) => LookupOutcome::Invalid,
        _ => LookupOutcome::Transient,
    }
}

fn found(data: &Value) -> LookupOutcome {
    let mut found = Enrichment::default();

    let carrier = &data["carrier"];
    let line_type = carrier["type"].as_str().and_then(line_type::canonical);
    let name = json::text(&carrier["name"]).or_else(|| json::text(&carrier["normalized_carrier"]));
    if line_type.is_some() || name.is_some() {
        found.phone = Some(Line {
            carrier: name.map(|name| without_code(&name).to_owned()),
            line_type: line_type.map(str::to_owned),
        });
    }

    match json::text(&data["caller_name"]["caller_name"]).and_then(|name| cnam::undeclared(&name)) {
        Some(CallerName::Person(name)) => {
            found.person = Some(Person {
                name: Some(name),
                ..Person::default()
            });
        }
        Some(CallerName::Business(name)) => {
            found.company = Some(Company {
                name: Some(name),
                address: None,
            });
        }
        None => {}
    }
    LookupOutcome::complete(found)
}

/// The carrier's name without the number of its branch: `Northwind Wireless/1`.
fn without_code(name: &str) -> &str {
    match name.rsplit_once('/') {
        Some((bare, code)) if !bare.is_empty() && code.chars().all(|c| c.is_ascii_digit()) => bare.trim_end(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_number_is_no_part_of_the_carriers_name() {
        for (name, expected) in [
            ("Northwind Wireless/1", "Northwind Wireless"),
            ("A/B", "A/B"),
            ("/1", "/1"),
            ("X", "X"),
        ] {
            assert_eq!(without_code(name), expected);
        }
    }
}
