//! [Trestle Reverse Phone 3.2](https://docs.trestleiq.com/api-reference/reverse-phone-api): the line's owners, with a
//! business owner's address, and the line.
//!
//! There is no 401: a wrong, revoked or absent key is a 403, and so is an empty wallet. A source that did not answer is
//! an
//! `error` object inside a 200; the owners are then unknown, not nobody.

use domain::{
    async_trait,
    context::Deadline,
    enrichment::{Blocks, Company, Enrichment, Line, LookupOutcome, Person, line_type, vendor},
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use outgoing::{BaseUrl, Client, Method, Request, UnusableSecret, header::HeaderValue, secret_header};
use secrecy::SecretString;
use serde_json::Value;

use crate::{http, json};

/// Trestle Reverse Phone.
#[derive(Debug)]
pub struct Trestle {
    client: Client,
    base: BaseUrl,
    key: HeaderValue,
}

impl Trestle {
    /// Where Trestle answers unless a setting says otherwise.
    pub const BASE_URL: &'static str = "https://api.trestleiq.com";

    /// Asks with an API key.
    ///
    /// # Errors
    /// [`UnusableSecret`] when the key cannot be sent in a header.
    pub fn new(client: Client, base: BaseUrl, key: &SecretString) -> Result<Self, UnusableSecret> {
        let key = secret_header("", key)?;
        Ok(Self { client, base, key })
    }
}

#[async_trait]
impl EnrichmentProvider for Trestle {
    fn name(&self) -> &'static str {
        vendor::TRESTLE
    }

    fn fills(&self) -> Blocks {
        Blocks::ALL
    }

    async fn look_up(&self, number: &PhoneNumber, deadline: Deadline) -> LookupOutcome {
        let mut url = self.base.join("/3.2/phone");
        url.query_pairs_mut().append_pair("phone", number.as_e164());
        let mut request = Request::new(Method::GET, url);
        request.headers_mut().insert("x-api-key", self.key.clone());
        match http::get(&self.client, self.name(), request, deadline).await {
            Some(answer) => decode(answer.status, &answer.body),
            None => LookupOutcome::Transient,
        }
    }
}

/// What Trestle's answer means.
#[must_use]
pub fn decode(status: u16, body: &[u8]) -> LookupOutcome {
    let json = json::object(body);
    let is_quota = json
        .as_ref()
        .is_some_and(|json| json["errorCode"].as_str() == Some("QUOTA_EXCEEDED"));
    match (status, json) {
        (200, Some(json)) => found(&json),
        (401..=403, _) => LookupOutcome::Denied,
        (429, _) if is_quota => LookupOutcome::Denied,
        (400 | 422, Some(_)) => LookupOutcome::Invalid,
        _ => LookupOutcome::Transient,
    }
}

fn found(json: &Value) -> LookupOutcome {
    let is_lookup = ["is_valid", "owners", "line_type", "carrier"]
        .iter()
        .any(|key| json.get(key).is_some());
    if !is_lookup {
        return LookupOutcome::Transient;
    }

    let owners = json::each(&json["owners"]);
    let owner = |kind: &str| {
        owners.iter().find(|owner| {
            owner["type"]
                .as_str()
                .is_some_and(|owner| owner.eq_ignore_ascii_case(kind))
        })
    };
    let line_type = json["line_type"].as_str().and_then(line_type::canonical);
    let carrier = json::text(&json["carrier"]);
    let found = Enrichment {
        person: owner("Person").and_then(person),
        company: owner("Business").and_then(company),
        phone: (line_type.is_some() || carrier.is_some()).then(|| Line {
            carrier,
            line_type: line_type.map(str::to_owned),
        }),
    };
    let is_cut_off = !matches!(json["error"], Value::Null | Value::Bool(false));
    if is_cut_off {
        LookupOutcome::partial(found)
    } else if json["is_valid"] == Value::Bool(false) && found.is_empty() {
        LookupOutcome::Invalid
    } else {
        LookupOutcome::complete(found)
    }
}

fn person(owner: &Value) -> Option<Person> {
    let parts = || {
        let parts: Vec<String> = ["firstname", "middlename", "lastname"]
            .iter()
            .filter_map(|key| json::text(&owner[*key]))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    };
    let name = json::text(&owner["name"]).or_else(parts)?;
    Some(Person {
        name: Some(name),
        ..Person::default()
    })
}

fn company(owner: &Value) -> Option<Company> {
    let name = json::text(&owner["name"])?;
    let addresses = [&owner["current_addresses"], &owner["current_address"]];
    let address = addresses.into_iter().flat_map(json::each).find_map(|address| {
        let region = [json::text(&address["state_code"]), json::text(&address["postal_code"])];
        let region: Vec<String> = region.into_iter().flatten().collect();
        json::joined([
            json::text(&address["street_line_1"]),
            json::text(&address["street_line_2"]),
            json::text(&address["city"]),
            (!region.is_empty()).then(|| region.join(" ")),
            json::text(&address["country_code"]),
        ])
    });
    Some(Company {
        name: Some(name),
        address,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drifted_shape_is_still_understood() {
        let body = br#"{"is_valid":true,"line_type":"Unknown","carrier":"N/A","warnings":"one text","error":null,
            "owners":{"type":"business","name":"Harrow  &  Pike","current_address":{"street_line_1":"2207 Quarry Rd",
            "city":"Lake Bluff","state_code":"IL","postal_code":"60044","country_code":null}}}"#;
        let LookupOutcome::Hit(found) = decode(200, body) else {
            panic!("a hit");
        };
        assert_eq!(found.phone, None);
        assert_eq!(
            found.company,
            Some(Company {
                name: Some("Harrow & Pike".to_owned()),
                address: Some("2207 Quarry Rd, Lake Bluff, IL 60044".to_owned()),
            })
        );
    }

    #[test]
    fn an_answer_cut_off_is_never_a_miss() {
        let body = br#"{"is_valid":true,"line_type":null,"carrier":null,"owners":[],"error":{"name":"InternalError"}}"#;
        assert_eq!(decode(200, body), LookupOutcome::Transient);
    }
}
