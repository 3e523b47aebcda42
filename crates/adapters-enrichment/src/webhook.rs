//! The operator's own customer records as a vendor: one GET that answers the three blocks.
//!
//! `GET URL?phone_number=%2B12025550142` answers 200 with `{"person": {"name", "title", "company"}, "company": {"name",
//! "address"}, "phone": {"carrier", "line_type"}}`, everything optional. An empty object, 204 and 404 mean that the
//! number is not in the records.

use std::fmt;

use domain::{
    async_trait,
    context::Deadline,
    enrichment::{Blocks, Company, Enrichment, Line, LookupOutcome, Person, line_type, vendor},
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use outgoing::{
    Client, MalformedUrl, Method, Request, UnusableSecret, Url,
    header::{AUTHORIZATION, HeaderValue},
    secret_header, web_url,
};
use secrecy::SecretString;
use serde_json::Value;

use crate::{http, json};

/// The operator's own records.
pub struct Webhook {
    client: Client,
    url: WebhookUrl,
    authorization: Option<HeaderValue>,
}

/// Where the operator's records answer: `http` or `https`, with any path and query. It may hold a secret, so it is
/// never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookUrl(Url);

impl std::str::FromStr for WebhookUrl {
    type Err = MalformedUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        web_url(text).map(Self)
    }
}

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookUrl(redacted)")
    }
}

impl Webhook {
    /// Asks at `url`, with `secret` as the bearer token when there is one.
    ///
    /// # Errors
    /// [`UnusableSecret`] when the secret cannot be sent in a header.
    pub fn new(client: Client, url: WebhookUrl, secret: Option<&SecretString>) -> Result<Self, UnusableSecret> {
        let authorization = secret.map(|secret| secret_header("Bearer ", secret)).transpose()?;
        Ok(Self {
            client,
            url,
            authorization,
        })
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").finish_non_exhaustive()
    }
}

#[async_trait]
impl EnrichmentProvider for Webhook {
    fn name(&self) -> &'static str {
        vendor::WEBHOOK
    }

    fn fills(&self) -> Blocks {
        Blocks::ALL
    }

    async fn look_up(&self, number: &PhoneNumber, deadline: Deadline) -> LookupOutcome {
        let mut url = self.url.0.clone();
        url.query_pairs_mut().append_pair("phone_number", number.as_e164());
        let mut request = Request::new(Method::GET, url);
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        match http::get(&self.client, self.name(), request, deadline).await {
            Some(answer) => decode(answer.status, &answer.body),
            None => LookupOutcome::Transient,
        }
    }
}

/// What the records' answer means.
#[must_use]
pub fn decode(status: u16, body: &[u8]) -> LookupOutcome {
    match status {
        200 => match json::object(body) {
            Some(json) => LookupOutcome::complete(found(&json)),
            None => LookupOutcome::Transient,
        },
        204 | 404 => LookupOutcome::Miss,
        401..=403 => LookupOutcome::Denied,
        400 | 422 => LookupOutcome::Invalid,
        _ => LookupOutcome::Transient,
    }
}

fn found(json: &Value) -> Enrichment {
    let person = Person {
        name: json::text(&json["person"]["name"]),
        title: json::text(&json["person"]["title"]),
        company: json::text(&json["person"]["company"]),
    };
    let company = Company {
        name: json::text(&json["company"]["name"]),
        address: address(&json["company"]["address"]),
    };
    let phone = Line {
        carrier: json::text(&json["phone"]["carrier"]),
        line_type: json["phone"]["line_type"]
            .as_str()
            .and_then(line_type::canonical)
            .map(str::to_owned),
    };
    Enrichment {
        person: (person != Person::default()).then_some(person),
        company: (company != Company::default()).then_some(company),
        phone: (phone != Line::default()).then_some(phone),
    }
}

/// An address is one text, a list of texts, or an object whose usual parts are put in the usual order.
fn address(value: &Value) -> Option<String> {
    const PARTS: [&str; 9] = [
        "street",
        "line1",
        "line2",
        "city",
        "state",
        "region",
        "postal_code",
        "zip",
        "country",
    ];
    match value {
        Value::Object(_) => json::joined(PARTS.iter().map(|part| json::text(&value[*part]))),
        Value::Array(parts) => json::joined(parts.iter().map(json::text)),
        text => json::text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_optional_and_an_empty_object_is_a_miss() {
        assert_eq!(decode(200, b"{}"), LookupOutcome::Miss);
        assert_eq!(
            decode(200, br#"{"person":null,"company":{},"phone":{"line_type":""}}"#),
            LookupOutcome::Miss
        );
        assert_eq!(decode(204, b""), LookupOutcome::Miss);
        assert_eq!(decode(404, b"<html>"), LookupOutcome::Miss);
        assert_eq!(decode(200, b"[]"), LookupOutcome::Transient);
        let body = br#"{"company":{"name":"Harrow & Pike","address":["2207 Quarry Rd","Lake Bluff"]},
            "phone":{"line_type":"Toll-Free"}}"#;
        let LookupOutcome::Hit(found) = decode(200, body) else {
            panic!("a hit");
        };
        let company = found.company.expect("a company");
        assert_eq!(company.address.as_deref(), Some("2207 Quarry Rd, Lake Bluff"));
        assert_eq!(found.phone.expect("a line").line_type.as_deref(), Some("toll_free"));
        assert_eq!(found.person, None);
    }

    #[test]
    fn the_address_of_the_records_is_never_shown() {
        let url: WebhookUrl = "https://crm.example.test/hook?token=hush".parse().expect("a URL");
        assert!(!format!("{url:?}").contains("hush"));
        assert!("javascript:alert(1)".parse::<WebhookUrl>().is_err());
    }
}
