//! One spelling for the kinds of lines, whatever a vendor writes.

/// The canonical spelling of a vendor's line type: lower case, words joined by `_`. `None` when the vendor does not
/// know; `other` for a kind that has no canonical name.
#[must_use]
pub fn canonical(text: &str) -> Option<&'static str> {
    let key: String = text
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    Some(match key.as_str() {
        "" | "unknown" | "na" | "null" | "none" | "undetermined" => return None,
        "mobile" | "wireless" => "mobile",
        "landline" | "fixedline" => "landline",
        "fixedvoip" => "fixed_voip",
        "nonfixedvoip" => "non_fixed_voip",
        "voip" | "virtual" => "voip",
        "tollfree" | "landlinetollfree" => "toll_free",
        "premium" | "premiumrate" | "landlinepremium" => "premium",
        "sharedcost" => "shared_cost",
        "personal" | "personalnumber" => "personal",
        "uan" => "uan",
        "voicemail" => "voicemail",
        "pager" => "pager",
        "fixedlineormobile" | "fixedormobile" => "fixed_or_mobile",
        _ => "other",
    })
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn every_vendors_spelling_has_one_meaning() {
        let table = [
            ("mobile", "mobile"),
            ("Mobile", "mobile"),
            ("Wireless", "mobile"),
            ("landline", "landline"),
            ("fixed line", "landline"),
            ("fixedVoip", "fixed_voip"),
            ("FixedVOIP", "fixed_voip"),
            ("nonFixedVoip", "non_fixed_voip"),
            ("NonFixedVOIP", "non_fixed_voip"),
            ("voip", "voip"),
            ("tollFree", "toll_free"),
            ("toll-free", "toll_free"),
            ("toll free", "toll_free"),
            ("toll_free", "toll_free"),
            ("premium rate", "premium"),
            ("shared cost", "shared_cost"),
            ("personal number", "personal"),
            ("uan", "uan"),
            ("Voicemail", "voicemail"),
            ("pager", "pager"),
            ("fixed line or mobile", "fixed_or_mobile"),
            ("fixed_or_mobile", "fixed_or_mobile"),
            ("payphone", "other"),
            ("Other", "other"),
            ("satellite", "other"),
        ];
        for (text, expected) in table {
            assert_eq!(canonical(text), Some(expected), "{text}");
        }
        for unknown in ["", " ", "unknown", "Unknown", "N/A", "null"] {
            assert_eq!(canonical(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn the_canonical_spelling_is_a_fixed_point() {
        for text in [
            "mobile",
            "fixed_voip",
            "non_fixed_voip",
            "toll_free",
            "shared_cost",
            "fixed_or_mobile",
            "other",
        ] {
            assert_eq!(canonical(text), Some(text));
        }
    }
}
