//! Look-ups as the cache stores them: the filled blocks as a JSON object.

use domain::enrichment::{Company, Enrichment, Line, Person};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct FoundBlocks {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<FoundPerson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    company: Option<FoundCompany>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phone: Option<FoundLine>,
}

#[derive(Serialize, Deserialize)]
struct FoundPerson {
    name: Option<String>,
    title: Option<String>,
    company: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct FoundCompany {
    name: Option<String>,
    address: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct FoundLine {
    carrier: Option<String>,
    line_type: Option<String>,
}

impl From<&Enrichment> for FoundBlocks {
    fn from(found: &Enrichment) -> Self {
        Self {
            person: found
                .person
                .clone()
                .map(|Person { name, title, company }| FoundPerson { name, title, company }),
            company: found
                .company
                .clone()
                .map(|Company { name, address }| FoundCompany { name, address }),
            phone: found
                .phone
                .clone()
                .map(|Line { carrier, line_type }| FoundLine { carrier, line_type }),
        }
    }
}

impl From<FoundBlocks> for Enrichment {
    fn from(found: FoundBlocks) -> Self {
        Self {
            person: found
                .person
                .map(|FoundPerson { name, title, company }| Person { name, title, company }),
            company: found
                .company
                .map(|FoundCompany { name, address }| Company { name, address }),
            phone: found
                .phone
                .map(|FoundLine { carrier, line_type }| Line { carrier, line_type }),
        }
    }
}
