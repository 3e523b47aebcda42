//! [People Data Labs person enrichment](https://docs.peopledatalabs.com/docs/reference-person-enrichment-api): the
//! person, their job, and the employer's address. Its [error codes](https://docs.peopledatalabs.com/docs/errors).
//!
//! Fields outside the plan come as booleans instead of texts. A 404 of the vendor's own form is an ordinary miss, which
//! costs nothing.

use domain::{
    async_trait,
    context::Deadline,
    enrichment::{Block, Blocks, Company, Enrichment, LookupOutcome, Person, vendor},
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use outgoing::{BaseUrl, Client, Method, Request, UnusableSecret, header::HeaderValue, secret_header};
use secrecy::SecretString;
use serde_json::Value;

use crate::{http, json};

/// People Data Labs.
#[derive(Debug)]
pub struct PeopleDataLabs {
    client: Client,
    base: BaseUrl,
    key: HeaderValue,
    min_likelihood: u8,
}

impl PeopleDataLabs {
    /// Where People Data Labs answers unless a setting says otherwise.
    pub const BASE_URL: &'static str = "https://api.peopledatalabs.com";

    /// How sure the vendor must be, from 1 to 10, unless a setting says otherwise. Below it a match is often another
    /// person.
    pub const MIN_LIKELIHOOD: u8 = 6;

    /// Asks with an API key for people of whom the vendor is at least this sure, from 1 to 10.
    ///
    /// # Errors
    /// [`UnusableSecret`] when the key cannot be sent in a header.
    pub fn new(client: Client, base: BaseUrl, key: &SecretString, min_likelihood: u8) -> Result<Self, UnusableSecret> {
        Ok(Self {
            client,
            base,
            key: secret_header("", key)?,
            min_likelihood,
        })
    }
}

#[async_trait]
impl EnrichmentProvider for PeopleDataLabs {
    fn name(&self) -> &'static str {
        vendor::PDL
    }

    fn fills(&self) -> Blocks {
        Blocks::NONE.with(Block::Person).with(Block::Company)
    }

    async fn look_up(&self, number: &PhoneNumber, deadline: Deadline) -> LookupOutcome {
        let mut url = self.base.join("/v5/person/enrich");
        url.query_pairs_mut()
            .append_pair("phone", number.as_e164())
            .append_pair("min_likelihood", &self.min_likelihood.to_string())
            .append_pair("titlecase", "true");
        let mut request = Request::new(Method::GET, url);
        request.headers_mut().insert("x-api-key", self.key.clone());
        match http::get(&self.client, self.name(), request, deadline).await {
            Some(answer) => decode(answer.status, &answer.body, self.min_likelihood),
            None => LookupOutcome::Transient,
        }
    }
}

/// What the vendor's answer means when matches below `min_likelihood` are not believed.
#[must_use]
pub fn decode(status: u16, body: &[u8], min_likelihood: u8) -> LookupOutcome {
    let json = json::object(body);
    let is_error = |kind: &str| {
        json.as_ref().is_some_and(|json| {
            json::each(&json["error"]["type"])
                .iter()
                .any(|error| error.as_str() == Some(kind))
        })
    };
    match (status, &json) {
        (200, Some(json)) if json["data"].is_object() => {
            let is_doubtful = json::code(&json["likelihood"]).is_some_and(|sure| sure < i64::from(min_likelihood));
            if is_doubtful {
                LookupOutcome::Miss
            } else {
                LookupOutcome::complete(found(&json["data"]))
            }
        }
        (404, _) if is_error("not_found") => LookupOutcome::Miss,
        (401..=403, _) => LookupOutcome::Denied,
        (400 | 422, Some(_)) => LookupOutcome::Invalid,
        _ => LookupOutcome::Transient,
    }
}

fn found(data: &Value) -> Enrichment {
    let name = json::text(&data["full_name"]);
    let title = json::text(&data["job_title"]);
    let employer = json::text(&data["job_company_name"]);
    let person = (name.is_some() || title.is_some()).then(|| Person {
        name,
        title,
        company: employer.clone(),
    });
    let company = employer.map(|name| Company {
        name: Some(name),
        address: address(data),
    });
    Enrichment {
        person,
        company,
        phone: None,
    }
}

/// The employer's address in one line, from its parts, or from the vendor's own line when there is no street.
fn address(data: &Value) -> Option<String> {
    let part = |name: &str| json::text(&data[format!("job_company_location_{name}")]);
    let Some(street) = part("street_address") else {
        return part("name").or_else(|| json::joined([part("locality"), part("region"), part("country")]));
    };
    let region: Vec<String> = [part("region"), part("postal_code")].into_iter().flatten().collect();
    json::joined([
        Some(street),
        part("address_line_2"),
        part("locality"),
        (!region.is_empty()).then(|| region.join(" ")),
        part("country"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_outside_the_plan_say_nothing() {
        let body = br#"{"status":200,"likelihood":9,"data":{"full_name":"Maren Okafor","job_title":true,
            "job_company_name":true,"job_company_location_name":false}}"#;
        let LookupOutcome::Hit(found) = decode(200, body, 6) else {
            panic!("a hit");
        };
        assert_eq!(found.person.and_then(|person| person.title), None);
        assert_eq!(found.company, None);
        let redacted = br#"{"status":200,"likelihood":9,"data":{"full_name":true,"job_title":true}}"#;
        assert_eq!(decode(200, redacted, 6), LookupOutcome::Miss);
    }

    #[test]
    fn a_doubtful_match_is_a_miss() {
        let body = |likelihood: &str| {
            format!(r#"{{"likelihood":{likelihood},"data":{{"full_name":"Maren Okafor"}}}}"#).into_bytes()
        };
        assert_eq!(decode(200, &body("5"), 6), LookupOutcome::Miss);
        assert_eq!(decode(200, &body("\"5\""), 6), LookupOutcome::Miss);
        assert!(matches!(decode(200, &body("6"), 6), LookupOutcome::Hit(_)));
    }

    #[test]
    fn only_the_vendors_own_404_is_a_miss() {
        assert_eq!(
            decode(404, br#"{"error":{"type":["not_found"]}}"#, 6),
            LookupOutcome::Miss
        );
        assert_eq!(decode(404, b"<html>no such route</html>", 6), LookupOutcome::Transient);
    }

    #[test]
    fn without_a_street_the_vendors_own_line_is_the_address() {
        let body =
            br#"{"data":{"job_company_name":"Harrow & Pike","job_company_location_name":"Lake Bluff, Illinois"}}"#;
        let LookupOutcome::Hit(found) = decode(200, body, 6) else {
            panic!("a hit");
        };
        let address = found.company.and_then(|company| company.address);
        assert_eq!(address.as_deref(), Some("Lake Bluff, Illinois"));
        assert_eq!(found.person, None, "nobody's employer");
    }
}
