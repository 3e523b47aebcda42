//! The clauses of [`SpendAdmin`].

use std::{collections::BTreeMap, sync::Arc};

use domain::port::{AdminError, CapChange, CapChanges, DailyCaps, Day, Purchase, SpendAdmin, Usage};

use super::{SpendFixture, at_once, promptly};
use crate::sample::{ample, passed};

const TODAY: Day = Day(20_727);

/// Counts one look-up of `vendor` for the tenant of this index, `ago` days before [`TODAY`].
async fn buy(fixture: &SpendFixture, tenant: usize, vendor: &str, ago: i32, price_micro_usd: u64) {
    let purchase = Purchase {
        tenant: fixture.tenants[tenant].0,
        vendor: vendor.to_owned(),
        day: Day(TODAY.0 - ago),
        price_micro_usd,
    };
    let reserved = fixture.ledger.reserve(&purchase, ample()).await;
    assert!(matches!(reserved, Ok(true)), "{reserved:?}");
}

async fn usage(admin: &dyn SpendAdmin, tenant: Option<&str>, since: Day) -> Vec<Usage> {
    let usage = admin.usage(tenant.map(str::to_owned), since, ample()).await;
    usage.expect("a healthy ledger lists")
}

async fn change(admin: &dyn SpendAdmin, tenant: &str, changes: CapChanges) -> DailyCaps {
    let caps = admin.change_caps(tenant, changes, ample()).await;
    caps.expect("a healthy ledger changes caps")
}

const fn changes(lookups: CapChange, spend_micro_usd: CapChange) -> CapChanges {
    CapChanges {
        lookups,
        spend_micro_usd,
    }
}

const fn caps(lookups: Option<u64>, spend_micro_usd: Option<u64>) -> DailyCaps {
    DailyCaps {
        lookups,
        spend_micro_usd,
    }
}

/// Usage is listed by day, tenant and vendor, with the sums of each; nothing that was not bought is listed.
pub async fn usage_is_listed_by_day_tenant_and_vendor(fixture: &SpendFixture) {
    assert_eq!(usage(&*fixture.admin, None, Day(0)).await, []);
    for (tenant, vendor, ago, price) in [
        (1, "twilio", 0, 5_000),
        (0, "twilio", 0, 5_000),
        (0, "pdl", 0, 280_000),
        (0, "twilio", 1, 0),
        (0, "twilio", 0, 8_000),
    ] {
        buy(fixture, tenant, vendor, ago, price).await;
    }
    let [one, two] = fixture.tenants.each_ref().map(|(_, name)| name.clone());
    let row = |ago, tenant: &str, vendor: &str, lookups, spend_micro_usd| Usage {
        tenant: tenant.to_owned(),
        vendor: vendor.to_owned(),
        day: Day(TODAY.0 - ago),
        lookups,
        spend_micro_usd,
    };
    let mut expected = vec![
        row(1, &one, "twilio", 1, 0),
        row(0, &one, "pdl", 1, 280_000),
        row(0, &one, "twilio", 2, 13_000),
        row(0, &two, "twilio", 1, 5_000),
    ];
    expected.sort_by(|a, b| (a.day, &a.tenant, &a.vendor).cmp(&(b.day, &b.tenant, &b.vendor)));
    assert_eq!(usage(&*fixture.admin, None, Day(0)).await, expected);
    expected.retain(|row| row.tenant == one);
    assert_eq!(usage(&*fixture.admin, Some(&one), Day(0)).await, expected);
}

/// Usage begins with the day that is asked for, which is included.
pub async fn usage_begins_with_the_day(fixture: &SpendFixture) {
    for ago in [0, 1, 2, 400] {
        buy(fixture, 0, "twilio", ago, 1).await;
    }
    let name = fixture.tenants[0].1.as_str();
    for (since, count) in [(i32::MIN, 4), (TODAY.0 - 2, 3), (TODAY.0, 1), (TODAY.0 + 1, 0)] {
        for tenant in [None, Some(name)] {
            let listed = usage(&*fixture.admin, tenant, Day(since)).await;
            assert_eq!(listed.len(), count, "since {since}");
            assert!(listed.is_sorted_by_key(|row| row.day));
        }
    }
}

/// A tenant that does not exist is named; one that bought nothing is not taken for such a one.
pub async fn an_unknown_tenant_is_named(fixture: &SpendFixture) {
    buy(fixture, 0, "twilio", 0, 1).await;
    let listed = fixture.admin.usage(Some("nobody".to_owned()), Day(0), ample()).await;
    assert!(
        matches!(&listed, Err(AdminError::UnknownTenant(name)) if name == "nobody"),
        "{listed:?}"
    );
    let set = changes(CapChange::Set(1), CapChange::Keep);
    let changed = fixture.admin.change_caps("nobody", set, ample()).await;
    assert!(
        matches!(&changed, Err(AdminError::UnknownTenant(name)) if name == "nobody"),
        "{changed:?}"
    );
    assert_eq!(usage(&*fixture.admin, Some(&fixture.tenants[1].1), Day(0)).await, []);
}

/// A change sets, lifts or keeps each cap by itself, for its tenant alone, and tells the caps as they are then.
pub async fn each_cap_is_changed_by_itself(fixture: &SpendFixture) {
    use CapChange::{Keep, Lift, Set};

    let [(_, one), (_, two)] = &fixture.tenants;
    for (change_to, expected) in [
        (changes(Keep, Keep), caps(None, None)),
        (changes(Set(500), Keep), caps(Some(500), None)),
        (changes(Keep, Set(2_500_000)), caps(Some(500), Some(2_500_000))),
        (changes(Set(0), Keep), caps(Some(0), Some(2_500_000))),
        (changes(Lift, Keep), caps(None, Some(2_500_000))),
        (changes(Set(7), Lift), caps(Some(7), None)),
        (changes(Keep, Lift), caps(Some(7), None)),
    ] {
        assert_eq!(change(&*fixture.admin, one, change_to).await, expected, "{change_to:?}");
    }
    assert_eq!(
        change(&*fixture.admin, two, changes(Keep, Keep)).await,
        DailyCaps::default()
    );
}

/// The caps that are listed are those of the tenants that have any.
pub async fn caps_are_listed_by_tenant(fixture: &SpendFixture) {
    use CapChange::{Keep, Lift, Set};

    let [(_, one), (_, two)] = &fixture.tenants;
    let listed = async || fixture.admin.caps(ample()).await.expect("a healthy ledger lists");
    assert_eq!(listed().await, BTreeMap::new());
    change(&*fixture.admin, one, changes(Set(0), Keep)).await;
    change(&*fixture.admin, two, changes(Keep, Set(9))).await;
    let both = BTreeMap::from([(one.clone(), caps(Some(0), None)), (two.clone(), caps(None, Some(9)))]);
    assert_eq!(listed().await, both);
    change(&*fixture.admin, two, changes(Keep, Lift)).await;
    assert_eq!(listed().await, BTreeMap::from([(one.clone(), caps(Some(0), None))]));
}

/// Simultaneous changes of a tenant's two caps both take effect.
pub async fn simultaneous_changes_take_effect(fixture: &SpendFixture) {
    let tenant = fixture.tenants[0].1.clone();
    for round in 1..=5 {
        let both = [
            changes(CapChange::Set(round), CapChange::Keep),
            changes(CapChange::Keep, CapChange::Set(round)),
        ];
        at_once(both.map(|one| {
            let (admin, tenant) = (Arc::clone(&fixture.admin), tenant.clone());
            async move { change(&*admin, &tenant, one).await }
        }))
        .await;
        let now = change(&*fixture.admin, &tenant, CapChanges::default()).await;
        assert_eq!(now, caps(Some(round), Some(round)));
    }
}

/// With a deadline that has passed, every command says so promptly and changes nothing.
pub async fn every_command_keeps_its_deadline(fixture: &SpendFixture) {
    let admin = &fixture.admin;
    let tenant = fixture.tenants[0].1.as_str();
    let set = changes(CapChange::Set(1), CapChange::Set(1));
    let late = |error: Option<AdminError>| matches!(error, Some(AdminError::Port(_)));
    assert!(late(promptly("usage", admin.usage(None, Day(0), passed())).await.err()));
    assert!(late(
        promptly("change_caps", admin.change_caps(tenant, set, passed()))
            .await
            .err()
    ));
    assert!(late(promptly("caps", admin.caps(passed())).await.err()));
    assert_eq!(admin.caps(ample()).await.unwrap(), BTreeMap::new());
}

/// Expands to the contract suite of [`SpendAdmin`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`SpendFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! spend_admin_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, spend_admin:
            usage_is_listed_by_day_tenant_and_vendor,
            usage_begins_with_the_day,
            an_unknown_tenant_is_named,
            each_cap_is_changed_by_itself,
            caps_are_listed_by_tenant,
            simultaneous_changes_take_effect,
            every_command_keeps_its_deadline,
        }
    };
}
