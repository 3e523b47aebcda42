//! How an agreement stands, as a person reads it.

/// What `status` and `when` of a fact come to: "moved to 2026-11-24 10:00", or "cancelled, was for 2026-11-23".
pub(super) fn text(status: &str, when: Option<&str>) -> String {
    let Some(when) = when.map(|when| when.replace('T', " ")) else {
        return status.to_owned();
    };
    match status {
        "cancelled" => format!("cancelled, was for {when}"),
        "moved" => format!("moved to {when}"),
        status => format!("{status} for {when}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agreement_is_told_with_its_time() {
        let when = Some("2026-11-24T10:00");
        for (status, when, told) in [
            ("agreed", when, "agreed for 2026-11-24 10:00"),
            ("requested", Some("2026-11-24"), "requested for 2026-11-24"),
            ("moved", when, "moved to 2026-11-24 10:00"),
            ("cancelled", when, "cancelled, was for 2026-11-24 10:00"),
            ("cancelled", None, "cancelled"),
        ] {
            assert_eq!(text(status, when), told);
        }
    }
}
