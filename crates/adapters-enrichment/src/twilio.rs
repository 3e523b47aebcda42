//! [Twilio Lookup v2](https://www.twilio.com/docs/lookup/v2-api): [line type and
//! carrier](https://www.twilio.com/docs/lookup/v2-api/line-type-intelligence), and [caller
//! name](https://www.twilio.com/docs/lookup/v2-api/caller-name). The page of each error code is
//! `https://www.twilio.com/docs/api/errors/CODE`, for example [60600](https://www.twilio.com/docs/api/errors/60600).
//!
//! An invalid number is a 200 with `valid: false`. Each package carries an error code of its own, and a code does not
//! mean that there is no value beside it: a degraded source answers with fallback data.

use domain::{
    async_trait,
    context::Deadline,
    enrichment::{Blocks, Company, Enrichment, Line, LookupOutcome, Person, cnam, line_type, vendor},
    phone::PhoneNumber,
    port::EnrichmentProvider,
};
use outgoing::{
    BaseUrl, Client, Method, Request, UnusableSecret, basic_header,
    header::{AUTHORIZATION, HeaderValue},
};
use secrecy::SecretString;
use serde_json::Value;

use crate::{http, json};

/// Twilio Lookup v2.
#[derive(Debug)]
pub struct Twilio {
    client: Client,
    base: BaseUrl,
    authorization: HeaderValue,
}

impl Twilio {
    /// Where Twilio answers unless a setting says otherwise.
    pub const BASE_URL: &'static str = "https://lookups.twilio.com";

    /// Asks with an account SID and its token, or with an API key's SID and secret.
    ///
    /// # Errors
    /// [`UnusableSecret`] when the user name holds a colon, which Basic authentication cannot carry.
    pub fn new(client: Client, base: BaseUrl, user: &str, password: &SecretString) -> Result<Self, UnusableSecret> {
        let authorization = basic_header(&client, user, password)?;
        Ok(Self {
            client,
            base,
            authorization,
        })
    }
}

#[async_trait]
impl EnrichmentProvider for Twilio {
    fn name(&self) -> &'static str {
        vendor::TWILIO
    }

    fn fills(&self) -> Blocks {
        Blocks::ALL
    }

    async fn look_up(&self, number: &PhoneNumber, deadline: Deadline) -> LookupOutcome {
        let mut url = self.base.join(&format!("/v2/PhoneNumbers/{}", number.as_e164()));
        url.query_pairs_mut()
            .append_pair("Fields", "line_type_intelligence,caller_name");
        let mut request = Request::new(Method::GET, url);
        request.headers_mut().insert(AUTHORIZATION, self.authorization.clone());
        match http::get(&self.client, self.name(), request, deadline).await {
            Some(answer) => decode(answer.status, &answer.body),
            None => LookupOutcome::Transient,
        }
    }
}

/// What Twilio's answer means.
#[must_use]
pub fn decode(status: u16, body: &[u8]) -> LookupOutcome {
    let json = json::object(body);
    let code = json.as_ref().and_then(|json| json::code(&json["code"]));
    match (status, json) {
        (200, Some(json)) => found(&json),
        (401..=403, _) => LookupOutcome::Denied,
        (400 | 404, Some(_)) if code == Some(60600) => LookupOutcome::Miss,
        // 20404 is also what another host answers, so it is nothing to remember.
        (400 | 404, Some(_)) if code.is_some() => LookupOutcome::Invalid,
        _ => LookupOutcome::Transient,
    }
}

fn found(json: &Value) -> LookupOutcome {
    let is_lookup = ["valid", "line_type_intelligence", "caller_name"]
        .iter()
        .any(|key| json.get(key).is_some());
    if !is_lookup {
        return LookupOutcome::Transient;
    }
    if json["valid"] == Value::Bool(false) {
        return LookupOutcome::Invalid;
    }

    let line = &json["line_type_intelligence"];
    let line_type = line["type"].as_str().and_then(line_type::canonical);
    let carrier = json::text(&line["carrier_name"]);
    let mut found = Enrichment::default();
    if line_type.is_some() || carrier.is_some() {
        found.phone = Some(Line {
            carrier,
            line_type: line_type.map(str::to_owned),
        });
    }

    let caller = &json["caller_name"];
    let name = json::text(&caller["caller_name"]);
    match (caller["caller_type"].as_str().map(str::to_uppercase).as_deref(), name) {
        (Some("CONSUMER"), Some(name)) => {
            found.person = cnam::person(&name).map(|name| Person {
                name: Some(name),
                ..Person::default()
            });
        }
        (Some("BUSINESS"), Some(name)) => {
            found.company = cnam::business(&name).map(|name| Company {
                name: Some(name),
                address: None,
            });
        }
        _ => {}
    }

    // A value counts before its package's code: fallback data comes with a code.
    let line_gap = found.phone.is_none().then(|| gap(line)).flatten();
    let has_name = found.person.is_some() || found.company.is_some();
    let name_gap = (!has_name).then(|| gap(caller)).flatten();
    match (line_gap, name_gap) {
        (Some(Gap::Passing), _) | (_, Some(Gap::Passing)) => LookupOutcome::partial(found),
        (Some(Gap::Account), Some(Gap::Account)) => LookupOutcome::Denied,
        _ => LookupOutcome::complete(found),
    }
}

/// Why a package is empty, when it is not that nothing is known.
#[derive(Clone, Copy)]
enum Gap {
    /// Another time there may be an answer.
    Passing,
    /// The account has not got the package, or has used it up.
    Account,
}

fn gap(package: &Value) -> Option<Gap> {
    Some(match json::code(&package["error_code"])? {
        // No information, no approval for Canada, no provider, no coverage, not mobile, incomplete carrier data.
        60600 | 60601 | 60607 | 60610 | 60612 | 60620 | 60621 => return None,
        // Not enabled, quota used up, wrong region.
        60606 | 60611 | 60614 | 60619 => Gap::Account,
        _ => Gap::Passing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_before_its_packages_code() {
        let body = br#"{"valid":true,"caller_name":null,"line_type_intelligence":
            {"error_code":60613,"carrier_name":"Northwind Wireless","type":"mobile"}}"#;
        assert!(matches!(decode(200, body), LookupOutcome::Hit(found) if found.phone.is_some()));
    }

    #[test]
    fn an_account_without_any_package_is_denied_and_a_passing_gap_is_partial() {
        let body = |line: &str, name: &str| {
            format!(r#"{{"valid":true,"line_type_intelligence":{line},"caller_name":{name}}}"#).into_bytes()
        };
        let line = r#"{"type":"mobile","carrier_name":null,"error_code":null}"#;
        let none = r#"{"error_code":null}"#;
        let code = |code: u32| format!(r#"{{"error_code":{code}}}"#);
        assert_eq!(decode(200, &body(&code(60606), &code(60611))), LookupOutcome::Denied);
        assert!(matches!(decode(200, &body(line, &code(60606))), LookupOutcome::Hit(_)));
        assert!(matches!(
            decode(200, &body(line, &code(60608))),
            LookupOutcome::Partial(_)
        ));
        assert_eq!(decode(200, &body(&code(60608), none)), LookupOutcome::Transient);
        assert_eq!(decode(200, &body(&code(60600), &code(60607))), LookupOutcome::Miss);
        assert_eq!(decode(200, &body(none, none)), LookupOutcome::Miss);
    }
}
