//! The clauses of [`SpendLedger`].

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    access::TenantId,
    error::PortError,
    port::{CapChange, CapChanges, Day, NoSuchTenant, Purchase, SpendAdmin, SpendLedger},
};
use uuid::Uuid;

use super::{GRACE, SpendFixture, at_once, is_unavailable, promptly};
use crate::sample::{ample, passed, within};

/// The day of the purchases.
const TODAY: Day = Day(20_727);

fn purchase(tenant: TenantId, vendor: &str, price_micro_usd: u64) -> Purchase {
    Purchase {
        tenant,
        vendor: vendor.to_owned(),
        day: TODAY,
        price_micro_usd,
    }
}

/// Whether the purchase is let through.
async fn buys(ledger: &dyn SpendLedger, purchase: &Purchase) -> bool {
    let reserved = ledger.reserve(purchase, ample()).await;
    reserved.expect("a healthy ledger answers")
}

/// The number of `vendor`'s look-ups of the tenant on [`TODAY`], and their price.
async fn bought(admin: &dyn SpendAdmin, tenant: &str, vendor: &str) -> (u64, u64) {
    let usage = admin.usage(Some(tenant.to_owned()), TODAY, ample()).await;
    let usage = usage.expect("a healthy ledger lists");
    let counted = usage.iter().find(|row| row.vendor == vendor && row.day == TODAY);
    counted.map_or((0, 0), |row| (row.lookups, row.spend_micro_usd))
}

async fn cap(fixture: &SpendFixture, lookups: CapChange, spend_micro_usd: CapChange) {
    let changes = CapChanges {
        lookups,
        spend_micro_usd,
    };
    let (_, tenant) = &fixture.tenants[0];
    let caps = fixture.admin.change_caps(tenant, changes, ample()).await;
    caps.expect("a healthy ledger changes caps");
}

/// The ledger of this process and that of another, or the same twice when there is no other.
fn processes(fixture: &SpendFixture) -> [Arc<dyn SpendLedger>; 2] {
    let other = fixture.other_process.as_ref().unwrap_or(&fixture.ledger);
    [Arc::clone(&fixture.ledger), Arc::clone(other)]
}

/// How many of `count` simultaneous purchases in two processes are let through.
async fn bought_at_once(fixture: &SpendFixture, count: usize, purchase: &Purchase) -> u64 {
    let processes = processes(fixture);
    let purchases = (0..count).map(|i| {
        let (ledger, purchase) = (Arc::clone(&processes[i % 2]), purchase.clone());
        async move { u64::from(buys(&*ledger, &purchase).await) }
    });
    at_once(purchases).await.into_iter().sum()
}

/// MUST 2: each purchase that is let through is counted once with its price, one that costs nothing included.
pub async fn each_purchase_is_counted_once(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    for price in [8_000, 0, 1, 8_000] {
        assert!(buys(&*fixture.ledger, &purchase(*id, "twilio", price)).await);
    }
    assert_eq!(bought(&*fixture.admin, name, "twilio").await, (4, 16_001));
    assert!(buys(&*fixture.ledger, &purchase(*id, "pdl", 0)).await);
    assert_eq!(bought(&*fixture.admin, name, "pdl").await, (1, 0));
}

/// MUST 2: a purchase that is refused is not counted, and does not stand in the way of later ones.
pub async fn a_refused_purchase_is_not_counted(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    cap(fixture, CapChange::Keep, CapChange::Set(10_000)).await;
    assert!(buys(&*fixture.ledger, &purchase(*id, "twilio", 6_000)).await);
    for _ in 0..5 {
        assert!(!buys(&*fixture.ledger, &purchase(*id, "twilio", 6_000)).await);
        assert!(!buys(&*fixture.ledger, &purchase(*id, "pdl", 4_001)).await);
    }
    assert_eq!(bought(&*fixture.admin, name, "twilio").await, (1, 6_000));
    assert_eq!(bought(&*fixture.admin, name, "pdl").await, (0, 0));
    assert!(
        buys(&*fixture.ledger, &purchase(*id, "pdl", 4_000)).await,
        "what still fits is let through"
    );
}

/// MUST 3: a cap on look-ups is for all vendors together, whatever they cost; it can be reached and not passed.
pub async fn a_cap_on_look_ups_is_reached_and_not_passed(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    cap(fixture, CapChange::Set(3), CapChange::Keep).await;
    for (vendor, price) in [("twilio", 5), ("pdl", 280_000), ("twilio", 0)] {
        assert!(buys(&*fixture.ledger, &purchase(*id, vendor, price)).await);
    }
    for vendor in ["twilio", "pdl", "telnyx"] {
        assert!(!buys(&*fixture.ledger, &purchase(*id, vendor, 0)).await, "{vendor}");
    }
    assert_eq!(bought(&*fixture.admin, name, "twilio").await, (2, 5));
}

/// MUST 3: a cap on spending is for all vendors together; it can be reached to the micro-dollar and not passed.
pub async fn a_cap_on_spending_is_reached_and_not_passed(fixture: &SpendFixture) {
    let id = fixture.tenants[0].0;
    cap(fixture, CapChange::Keep, CapChange::Set(20_000)).await;
    assert!(!buys(&*fixture.ledger, &purchase(id, "pdl", 20_001)).await);
    assert!(buys(&*fixture.ledger, &purchase(id, "pdl", 19_999)).await);
    assert!(!buys(&*fixture.ledger, &purchase(id, "twilio", 2)).await);
    assert!(buys(&*fixture.ledger, &purchase(id, "twilio", 1)).await);
    assert!(!buys(&*fixture.ledger, &purchase(id, "telnyx", 1)).await);
    assert!(
        buys(&*fixture.ledger, &purchase(id, "telnyx", 0)).await,
        "what costs nothing always fits"
    );
}

/// MUST 3: a cap of nothing forbids the first purchase already.
pub async fn a_cap_of_nothing_forbids_everything(fixture: &SpendFixture) {
    let id = fixture.tenants[0].0;
    cap(fixture, CapChange::Set(0), CapChange::Keep).await;
    assert!(!buys(&*fixture.ledger, &purchase(id, "twilio", 0)).await);
    cap(fixture, CapChange::Lift, CapChange::Set(0)).await;
    assert!(!buys(&*fixture.ledger, &purchase(id, "twilio", 1)).await);
}

/// MUST 3: caps that are raised, lowered or lifted hold for the next purchase, in every process.
pub async fn caps_hold_as_they_are_at_the_moment(fixture: &SpendFixture) {
    let price = purchase(fixture.tenants[0].0, "twilio", 100);
    for ledger in processes(fixture) {
        cap(fixture, CapChange::Set(0), CapChange::Lift).await;
        assert!(!buys(&*ledger, &price).await);
        cap(fixture, CapChange::Set(100), CapChange::Keep).await;
        assert!(buys(&*ledger, &price).await);
        cap(fixture, CapChange::Keep, CapChange::Set(1)).await;
        assert!(!buys(&*ledger, &price).await, "lowered below what was spent already");
        cap(fixture, CapChange::Lift, CapChange::Lift).await;
        assert!(buys(&*ledger, &price).await);
        cap(fixture, CapChange::Set(u64::MAX), CapChange::Set(u64::MAX)).await;
        assert!(buys(&*ledger, &price).await, "the highest cap is no obstacle");
    }
}

/// MUST 4: simultaneous purchases in several processes reach a cap on look-ups exactly.
pub async fn simultaneous_purchases_keep_the_cap_on_look_ups(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    cap(fixture, CapChange::Set(17), CapChange::Keep).await;
    assert_eq!(bought_at_once(fixture, 40, &purchase(*id, "twilio", 5_000)).await, 17);
    assert_eq!(bought(&*fixture.admin, name, "twilio").await, (17, 85_000));
}

/// MUST 4: simultaneous purchases in several processes reach a cap on spending exactly.
pub async fn simultaneous_purchases_keep_the_cap_on_spending(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    cap(fixture, CapChange::Keep, CapChange::Set(52_000)).await;
    assert_eq!(bought_at_once(fixture, 40, &purchase(*id, "pdl", 5_000)).await, 10);
    assert_eq!(bought(&*fixture.admin, name, "pdl").await, (10, 50_000));
}

/// MUST 2 and 4: of simultaneous purchases without a cap every one is let through and counted.
pub async fn simultaneous_purchases_are_all_counted(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    assert_eq!(bought_at_once(fixture, 40, &purchase(*id, "twilio", 3)).await, 40);
    assert_eq!(bought(&*fixture.admin, name, "twilio").await, (40, 120));
}

/// MUST 5: a tenant's caps and counts are its own, and each day has its own; each vendor is counted by itself.
pub async fn tenants_vendors_and_days_stay_apart(fixture: &SpendFixture) {
    let [(one, one_name), (two, two_name)] = &fixture.tenants;
    cap(fixture, CapChange::Set(1), CapChange::Keep).await;
    assert!(buys(&*fixture.ledger, &purchase(*one, "twilio", 7)).await);
    assert!(!buys(&*fixture.ledger, &purchase(*one, "twilio", 7)).await);
    for vendor in ["twilio", "twilio", "pdl"] {
        assert!(
            buys(&*fixture.ledger, &purchase(*two, vendor, 11)).await,
            "another tenant's cap is no cap"
        );
    }
    for day in [Day(TODAY.0 - 1), Day(TODAY.0 + 1)] {
        let another = Purchase {
            day,
            ..purchase(*one, "twilio", 7)
        };
        assert!(buys(&*fixture.ledger, &another).await, "each day begins with nothing");
        assert!(!buys(&*fixture.ledger, &another).await);
    }
    assert_eq!(bought(&*fixture.admin, one_name, "twilio").await, (1, 7));
    assert_eq!(bought(&*fixture.admin, two_name, "twilio").await, (2, 22));
    assert_eq!(bought(&*fixture.admin, two_name, "pdl").await, (1, 11));
}

/// MUST 6: a purchase for a tenant that does not exist is refused, with the tenant named, and no tenant's count grows.
/// What a ledger counts under the id that nobody has is not checked: no port shows it.
pub async fn a_purchase_for_nobody_is_refused(fixture: &SpendFixture) {
    let nobody = TenantId(Uuid::now_v7());
    for ledger in processes(fixture) {
        match ledger.reserve(&purchase(nobody, "twilio", 1), ample()).await {
            Err(PortError::Internal(cause)) => assert_eq!(cause.downcast_ref(), Some(&NoSuchTenant(nobody))),
            other => panic!("a purchase for nobody is {other:?}"),
        }
    }
    let usage = fixture.admin.usage(None, TODAY, ample()).await;
    assert_eq!(usage.expect("a healthy ledger lists"), []);
}

/// MUST 1: with a deadline that has passed, the method says so promptly and counts nothing; with a tight one, it
/// returns by it, and what it could not do by then is counted at most once.
pub async fn reserve_keeps_its_deadline(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    let price = purchase(*id, "twilio", 1);
    let late = promptly("reserve", fixture.ledger.reserve(&price, passed())).await;
    assert!(is_unavailable(&late), "reserve with a passed deadline: {late:?}");
    assert_eq!(bought(&*fixture.admin, name, "twilio").await, (0, 0));

    let (mut tried, mut reserved) = (0, 0);
    for micros in [50, 200, 500, 1_000, 2_000, 5_000] {
        let time = Duration::from_micros(micros);
        let began = Instant::now();
        let answer = fixture.ledger.reserve(&price, within(time)).await;
        assert!(began.elapsed() < time + GRACE, "reserve is late");
        assert!(
            is_unavailable(&answer) || matches!(answer, Ok(true)),
            "a missed deadline is {answer:?}"
        );
        tried += 1;
        reserved += u64::from(answer.is_ok());
    }
    // It waits for whatever of the others is still under way.
    assert!(buys(&*fixture.ledger, &price).await);
    let (counted, _) = bought(&*fixture.admin, name, "twilio").await;
    assert!(
        (reserved + 1..=tried + 1).contains(&counted),
        "{counted} counted, {reserved} of {tried} reserved before the last"
    );
}

/// MUST 1: a reservation that is cancelled at any moment is counted once or not, and holds up nobody.
pub async fn a_cancelled_reservation_is_counted_once_or_not(fixture: &SpendFixture) {
    let (id, name) = &fixture.tenants[0];
    let price = purchase(*id, "twilio", 1);
    let (mut tried, mut reserved) = (0, 0);
    for micros in [0, 30, 100, 300, 600, 1_000, 2_000, 4_000] {
        let reserving = fixture.ledger.reserve(&price, ample());
        let answer = tokio::time::timeout(Duration::from_micros(micros), reserving).await;
        tried += 1;
        reserved += u64::from(answer.is_ok());
    }
    assert!(buys(&*fixture.ledger, &price).await, "the ledger goes on");
    let (counted, _) = bought(&*fixture.admin, name, "twilio").await;
    assert!(
        (reserved + 1..=tried + 1).contains(&counted),
        "{counted} counted, {reserved} of {tried} reserved before the last"
    );
}

/// Expands to the contract suite of [`SpendLedger`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`SpendFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! spend_ledger_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, spend_ledger:
            each_purchase_is_counted_once,
            a_refused_purchase_is_not_counted,
            a_cap_on_look_ups_is_reached_and_not_passed,
            a_cap_on_spending_is_reached_and_not_passed,
            a_cap_of_nothing_forbids_everything,
            caps_hold_as_they_are_at_the_moment,
            simultaneous_purchases_keep_the_cap_on_look_ups,
            simultaneous_purchases_keep_the_cap_on_spending,
            simultaneous_purchases_are_all_counted,
            tenants_vendors_and_days_stay_apart,
            a_purchase_for_nobody_is_refused,
            reserve_keeps_its_deadline,
            a_cancelled_reservation_is_counted_once_or_not,
        }
    };
}
