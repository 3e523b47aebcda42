//! The clauses of [`AccessAdmin`].

use std::{num::NonZeroU32, sync::Arc};

use domain::{
    access::{
        DEFAULT_TENANT, KeyId, KeyInfo, NewKey, OnRefusedConsent, Scope, Scopes, SettingsChange, Tenant, TenantSettings,
    },
    caller::Change,
    error::PortError,
    identity::IdentityMode,
    phone::Region,
    port::{AccessAdmin, AdminError, access::NewTenant},
    time_zone::TimeZone,
};
use uuid::Uuid;

use super::{AccessFixture, at_once, promptly};
use crate::sample::{NOW_MS, ample, new_key, new_tenant, passed};

/// How many replicas start at once.
const REPLICAS: usize = 8;

/// The store with the tenant `acme`.
async fn with_acme(fixture: &AccessFixture) -> &dyn AccessAdmin {
    let admin = &*fixture.admin;
    admin.create_tenant(&new_tenant("acme"), NOW_MS, ample()).await.unwrap();
    admin
}

async fn keys(admin: &dyn AccessAdmin, tenant: &str) -> Vec<KeyInfo> {
    admin.keys(tenant, ample()).await.expect("the tenant exists")
}

/// A created tenant is returned and listed with everything it was given.
pub async fn tenants_are_created_and_listed_by_name(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    assert_eq!(admin.tenants(ample()).await.unwrap(), []);
    let mut created: Vec<Tenant> = Vec::new();
    for (i, name) in ["zulu", "acme", "mike"].into_iter().enumerate() {
        let asked = NewTenant {
            settings: TenantSettings {
                region: (i == 1).then(|| region("GB")),
                rate_per_second: NonZeroU32::new(u32::try_from(i).unwrap()),
                rate_burst: NonZeroU32::new(u32::try_from(i * 1_000).unwrap()),
                time_zone: (i == 2).then(|| time_zone("Asia/Kolkata")),
                identity: (i == 0).then_some(IdentityMode::Strict),
                on_refused_consent: (i == 0).then_some(OnRefusedConsent::MetadataOnly),
            },
            ..new_tenant(name)
        };
        let now_ms = NOW_MS + i64::try_from(i).unwrap();
        let tenant = admin.create_tenant(&asked, now_ms, ample()).await.unwrap();
        let expected = Tenant {
            id: tenant.id,
            name: asked.name,
            settings: asked.settings,
            created_at_ms: now_ms,
        };
        assert_eq!(tenant, expected);
        created.push(tenant);
    }
    created.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(admin.tenants(ample()).await.unwrap(), created);
    assert!(created[0].id != created[1].id && created[1].id != created[2].id);
}

/// A name is taken once, also when several ask for it at once.
pub async fn a_tenant_of_a_taken_name_is_refused(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let again = admin.create_tenant(&new_tenant("acme"), NOW_MS + 1, ample()).await;
    assert!(matches!(again, Err(AdminError::TenantExists(name)) if name == "acme"));

    let answers = at_once((0..REPLICAS).map(|_| {
        let admin = Arc::clone(&fixture.admin);
        async move { admin.create_tenant(&new_tenant("bolt"), NOW_MS, ample()).await }
    }))
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let refused = answers
        .iter()
        .filter(|answer| matches!(answer, Err(AdminError::TenantExists(_))));
    assert_eq!(
        refused.count(),
        REPLICAS - 1,
        "the others learn that it exists: {answers:?}"
    );
    assert_eq!(admin.tenants(ample()).await.unwrap().len(), 2);
}

fn region(code: &str) -> Region {
    code.parse().expect("a region")
}

fn time_zone(name: &str) -> TimeZone {
    name.parse().expect("a time zone")
}

fn rate(rate: u32) -> Change<NonZeroU32> {
    Change::Set(NonZeroU32::new(rate).expect("a rate is at least 1"))
}

/// MUST 2: a change touches what it names, and no other tenant.
pub async fn a_tenant_changes_as_it_is_told(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let bolt = NewTenant {
        settings: TenantSettings {
            region: Some(region("GB")),
            ..TenantSettings::default()
        },
        ..new_tenant("bolt")
    };
    let bolt = admin.create_tenant(&bolt, NOW_MS, ample()).await.unwrap();
    let mut expected = admin.tenants(ample()).await.unwrap()[0].clone();
    let steps = [
        SettingsChange {
            region: Change::Set(region("MX")),
            identity: Change::Set(IdentityMode::Strict),
            rate_per_second: rate(7),
            rate_burst: rate(u32::MAX),
            time_zone: Change::Set(time_zone("America/New_York")),
            on_refused_consent: Change::Set(OnRefusedConsent::MetadataOnly),
        },
        SettingsChange {
            rate_per_second: rate(8),
            ..SettingsChange::default()
        },
        SettingsChange {
            time_zone: Change::Set(time_zone("Europe/Berlin")),
            ..SettingsChange::default()
        },
        SettingsChange {
            region: Change::Clear,
            rate_burst: Change::Clear,
            ..SettingsChange::default()
        },
        SettingsChange::default(),
        SettingsChange {
            region: Change::Set(region("JP")),
            identity: Change::Set(IdentityMode::Off),
            rate_per_second: Change::Clear,
            rate_burst: rate(1),
            time_zone: Change::Clear,
            on_refused_consent: Change::Set(OnRefusedConsent::Store),
        },
    ];
    for change in steps {
        expected.settings = change.clone().apply(expected.settings);
        let changed = admin.change_tenant("acme", &change, ample()).await.unwrap();
        assert_eq!(changed, expected, "{change:?}");
        let stored = admin.tenants(ample()).await.unwrap();
        assert_eq!(stored, [expected.clone(), bolt.clone()], "{change:?}");
    }
    let unknown = admin.change_tenant("ACME", &SettingsChange::default(), ample()).await;
    assert!(matches!(unknown, Err(AdminError::UnknownTenant(name)) if name == "ACME"));
}

/// MUST 2: keys that exist already are granted with the tenant's new settings.
pub async fn a_changed_tenant_shows_in_its_grants(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    for change in [
        SettingsChange {
            region: Change::Set(region("GB")),
            identity: Change::Set(IdentityMode::Strict),
            rate_per_second: rate(3),
            rate_burst: rate(5),
            time_zone: Change::Set(time_zone("Asia/Kolkata")),
            on_refused_consent: Change::Set(OnRefusedConsent::MetadataOnly),
        },
        SettingsChange {
            region: Change::Clear,
            identity: Change::Clear,
            rate_per_second: Change::Clear,
            rate_burst: Change::Clear,
            time_zone: Change::Clear,
            on_refused_consent: Change::Clear,
        },
    ] {
        let tenant = admin.change_tenant("acme", &change, ample()).await.unwrap();
        let found = fixture.keys.find_key(&new_key(0).hash, ample()).await.unwrap();
        let principal = found.expect("the key is valid").principal;
        assert_eq!(principal.settings, tenant.settings);
    }
}

/// MUST 2: of simultaneous changes to different settings, each stands.
pub async fn simultaneous_changes_of_a_tenant_all_stand(fixture: &AccessFixture) {
    with_acme(fixture).await;
    let changes = [
        SettingsChange {
            region: Change::Set(region("GB")),
            ..SettingsChange::default()
        },
        SettingsChange {
            rate_per_second: rate(3),
            ..SettingsChange::default()
        },
        SettingsChange {
            rate_burst: rate(5),
            ..SettingsChange::default()
        },
        SettingsChange {
            time_zone: Change::Set(time_zone("Asia/Kolkata")),
            ..SettingsChange::default()
        },
        SettingsChange {
            identity: Change::Set(IdentityMode::Off),
            ..SettingsChange::default()
        },
        SettingsChange {
            on_refused_consent: Change::Set(OnRefusedConsent::MetadataOnly),
            ..SettingsChange::default()
        },
    ];
    let answers = at_once(changes.into_iter().map(|change| {
        let admin = Arc::clone(&fixture.admin);
        async move { admin.change_tenant("acme", &change, ample()).await }
    }))
    .await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let tenant = fixture.admin.tenants(ample()).await.unwrap().remove(0);
    let expected = TenantSettings {
        region: Some(region("GB")),
        rate_per_second: NonZeroU32::new(3),
        rate_burst: NonZeroU32::new(5),
        time_zone: Some(time_zone("Asia/Kolkata")),
        identity: Some(IdentityMode::Off),
        on_refused_consent: Some(OnRefusedConsent::MetadataOnly),
    };
    assert_eq!(tenant.settings, expected);
}

/// Keys of a tenant that does not exist are neither created nor listed.
pub async fn an_unknown_tenant_is_named(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let created = admin.create_key("acmé", &new_key(0), NOW_MS, ample()).await;
    assert!(matches!(created, Err(AdminError::UnknownTenant(name)) if name == "acmé"));
    let listed = admin.keys("ACME", ample()).await;
    assert!(matches!(listed, Err(AdminError::UnknownTenant(name)) if name == "ACME"));
    let found = fixture.keys.find_key(&new_key(0).hash, ample()).await;
    assert!(matches!(found, Ok(None)), "{found:?}");
}

/// A created key is returned and listed with everything it was given, the oldest first, each with its tenant's.
pub async fn keys_are_created_and_listed_oldest_first(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    admin.create_tenant(&new_tenant("bolt"), NOW_MS, ample()).await.unwrap();
    assert_eq!(keys(admin, "acme").await, []);
    let mut created = Vec::new();
    for i in 0..4 {
        let asked = NewKey {
            scopes: Scope::ALL.into_iter().take(i).collect(),
            label: (i > 1).then(|| format!("label {i}: it's \"quoted\" ü 🙂")),
            expires_at_ms: (i > 2).then_some(NOW_MS + 86_400_000),
            ..new_key(i)
        };
        let now_ms = NOW_MS + i64::try_from(i).unwrap();
        let info = admin.create_key("acme", &asked, now_ms, ample()).await.unwrap();
        let expected = KeyInfo {
            id: info.id,
            tenant: "acme".to_owned(),
            shown: asked.shown,
            scopes: asked.scopes,
            label: asked.label,
            created_at_ms: now_ms,
            expires_at_ms: asked.expires_at_ms,
            revoked_at_ms: None,
        };
        assert_eq!(info, expected);
        created.push(info);
    }
    assert_eq!(keys(admin, "acme").await, created);
    assert_eq!(keys(admin, "bolt").await, [], "another tenant's keys are not listed");
}

/// A revoked key stays listed; revoking it again changes nothing.
pub async fn revoking_is_idempotent(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let key = admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    let other = admin
        .create_key("acme", &new_key(1), NOW_MS + 1, ample())
        .await
        .unwrap();
    let revoked = admin.revoke_key(key.id, NOW_MS + 5, ample()).await.unwrap();
    let expected = KeyInfo {
        revoked_at_ms: Some(NOW_MS + 5),
        ..key.clone()
    };
    assert_eq!(revoked, expected);
    let again = admin.revoke_key(key.id, NOW_MS + 9, ample()).await.unwrap();
    assert_eq!(again, expected, "it stays as it is");
    assert_eq!(keys(admin, "acme").await, [expected, other]);
}

/// Revoking or rotating a key that does not exist names its id.
pub async fn an_unknown_key_is_named(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let id = KeyId(Uuid::now_v7());
    let revoked = admin.revoke_key(id, NOW_MS, ample()).await;
    assert!(matches!(revoked, Err(AdminError::UnknownKey(unknown)) if unknown == id));
    let rotated = admin.rotate_key(id, &new_key(0), NOW_MS, NOW_MS, ample()).await;
    assert!(matches!(rotated, Err(AdminError::UnknownKey(unknown)) if unknown == id));
    let found = fixture.keys.find_key(&new_key(0).hash, ample()).await;
    assert!(
        matches!(found, Ok(None)),
        "no successor without a predecessor: {found:?}"
    );
}

/// Rotating gives a successor with the tenant, scopes, label and expiry of the old key, and both are valid for a while.
pub async fn rotating_gives_a_successor_like_the_old_key(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let asked = NewKey {
        scopes: [Scope::CallsWrite].into_iter().collect(),
        label: Some("the platform".to_owned()),
        expires_at_ms: Some(NOW_MS + 100_000),
        ..new_key(0)
    };
    let old = admin.create_key("acme", &asked, NOW_MS, ample()).await.unwrap();
    let other = NewKey {
        scopes: Scopes::all(),
        label: Some("not looked at".to_owned()),
        expires_at_ms: None,
        ..new_key(1)
    };
    let (now_ms, ends_at_ms) = (NOW_MS + 1_000, NOW_MS + 50_000);
    let successor = admin
        .rotate_key(old.id, &other, now_ms, ends_at_ms, ample())
        .await
        .unwrap();
    let expected = KeyInfo {
        id: successor.id,
        created_at_ms: now_ms,
        shown: other.shown,
        ..old.clone()
    };
    assert_eq!(successor, expected);
    assert_ne!(successor.id, old.id);
    let ending = KeyInfo {
        expires_at_ms: Some(ends_at_ms),
        ..old.clone()
    };
    assert_eq!(keys(admin, "acme").await, [ending, successor.clone()]);

    let tenant_id = admin.tenants(ample()).await.unwrap()[0].id;
    for (hash, id, expires_at_ms) in [
        (asked.hash, old.id, Some(ends_at_ms)),
        (other.hash, successor.id, asked.expires_at_ms),
    ] {
        let grant = fixture
            .keys
            .find_key(&hash, ample())
            .await
            .unwrap()
            .expect("both keys are found");
        assert_eq!((grant.principal.key_id, grant.expires_at_ms), (id, expires_at_ms));
        assert_eq!(
            (grant.principal.tenant_id, grant.principal.scopes),
            (tenant_id, asked.scopes)
        );
    }
}

/// Rotating never lets the old key live longer than it would have; a key without expiry gets one, its successor none.
pub async fn rotating_never_prolongs_the_old_key(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let ending = NewKey {
        expires_at_ms: Some(NOW_MS + 10),
        ..new_key(0)
    };
    let ending = admin.create_key("acme", &ending, NOW_MS, ample()).await.unwrap();
    let endless = admin
        .create_key("acme", &new_key(1), NOW_MS + 1, ample())
        .await
        .unwrap();
    let grace_ms = NOW_MS + 5_000;
    let first = admin
        .rotate_key(ending.id, &new_key(2), NOW_MS + 2, grace_ms, ample())
        .await
        .unwrap();
    let second = admin
        .rotate_key(endless.id, &new_key(3), NOW_MS + 3, grace_ms, ample())
        .await
        .unwrap();
    assert_eq!((first.expires_at_ms, second.expires_at_ms), (Some(NOW_MS + 10), None));
    let ends: Vec<_> = keys(admin, "acme").await.iter().map(|key| key.expires_at_ms).collect();
    assert_eq!(ends, [Some(NOW_MS + 10), Some(grace_ms), Some(NOW_MS + 10), None]);
}

/// A revoked key has no successor.
pub async fn a_revoked_key_is_not_rotated(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let key = admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    admin.revoke_key(key.id, NOW_MS, ample()).await.unwrap();
    let rotated = admin.rotate_key(key.id, &new_key(1), NOW_MS, NOW_MS + 1, ample()).await;
    assert!(matches!(rotated, Err(AdminError::KeyRevoked(id)) if id == key.id));
    assert_eq!(keys(admin, "acme").await.len(), 1);
}

/// MUST 3: a rotated key has one successor, which can be rotated in its turn.
pub async fn a_key_is_rotated_once(fixture: &AccessFixture) {
    let admin = with_acme(fixture).await;
    let key = admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    let grace_ms = NOW_MS + 5_000;
    let rotate = async |id, n: u8| {
        admin
            .rotate_key(id, &new_key(n.into()), NOW_MS + i64::from(n), grace_ms, ample())
            .await
    };
    let second = rotate(key.id, 1).await.unwrap();
    assert_eq!(second.id, key.id.successor());
    let again = rotate(key.id, 2).await;
    assert!(
        matches!(again, Err(AdminError::KeyRotated(id)) if id == key.id),
        "{again:?}"
    );
    let third = rotate(second.id, 3).await.unwrap();
    assert_eq!((third.id, third.expires_at_ms), (second.id.successor(), None));
    assert_eq!(keys(admin, "acme").await.len(), 3);
}

/// The first start on an empty store creates the tenant `default` and its key; the next one leaves them alone.
pub async fn the_first_start_stores_one_key(fixture: &AccessFixture) {
    let admin = &*fixture.admin;
    assert!(admin.bootstrap(&new_key(0), false, NOW_MS, ample()).await.unwrap());
    let tenants = admin.tenants(ample()).await.unwrap();
    assert_eq!(tenants.len(), 1);
    assert_eq!(
        (tenants[0].name.as_str(), tenants[0].created_at_ms),
        (DEFAULT_TENANT, NOW_MS)
    );
    let grant = fixture
        .keys
        .find_key(&new_key(0).hash, ample())
        .await
        .unwrap()
        .expect("it is stored");
    assert_eq!(grant.principal.tenant_id, tenants[0].id);
    assert_eq!(grant.principal.scopes, Scopes::all());

    assert!(!admin.bootstrap(&new_key(1), false, NOW_MS + 1, ample()).await.unwrap());
    assert_eq!(
        keys(admin, DEFAULT_TENANT).await.len(),
        1,
        "the second key is not stored"
    );
    assert_eq!(admin.tenants(ample()).await.unwrap(), tenants);
}

/// A key that must exist is stored once, whether the tenant is new or not.
pub async fn a_key_that_must_exist_is_stored_once(fixture: &AccessFixture) {
    let admin = &*fixture.admin;
    for (i, (key, is_stored)) in [(0, true), (0, false), (1, true), (0, false), (1, false)]
        .into_iter()
        .enumerate()
    {
        let now_ms = NOW_MS + i64::try_from(i).unwrap();
        let stored = admin.bootstrap(&new_key(key), true, now_ms, ample()).await.unwrap();
        assert_eq!(stored, is_stored, "start {i} with key {key}");
    }
    assert_eq!(keys(admin, DEFAULT_TENANT).await.len(), 2);
}

/// A tenant `default` that somebody created by hand gets no key by itself.
pub async fn an_existing_default_tenant_gets_no_key(fixture: &AccessFixture) {
    let admin = &*fixture.admin;
    admin
        .create_tenant(&new_tenant(DEFAULT_TENANT), NOW_MS, ample())
        .await
        .unwrap();
    assert!(!admin.bootstrap(&new_key(0), false, NOW_MS, ample()).await.unwrap());
    assert_eq!(keys(admin, DEFAULT_TENANT).await, []);
}

/// When several replicas start at once, at most one stores its key.
pub async fn replicas_that_start_at_once_store_one_key(fixture: &AccessFixture) {
    let stored = at_once((0..REPLICAS).map(|i| {
        let admin = Arc::clone(&fixture.admin);
        async move {
            admin
                .bootstrap(&new_key(i), false, NOW_MS, ample())
                .await
                .expect("a start succeeds")
        }
    }))
    .await;
    assert_eq!(stored.iter().filter(|stored| **stored).count(), 1);
    assert_eq!(fixture.admin.tenants(ample()).await.unwrap().len(), 1);
    assert_eq!(keys(&*fixture.admin, DEFAULT_TENANT).await.len(), 1);
    let winner = stored
        .iter()
        .position(|stored| *stored)
        .expect("one replica stored its key");
    let found = fixture.keys.find_key(&new_key(winner).hash, ample()).await.unwrap();
    assert!(
        found.is_some(),
        "the key that was reported as stored is the one that is"
    );
}

/// When several replicas start at once with a key that must exist, exactly one stores it.
pub async fn replicas_with_one_key_store_it_once(fixture: &AccessFixture) {
    let stored = at_once((0..REPLICAS).map(|_| {
        let admin = Arc::clone(&fixture.admin);
        async move {
            admin
                .bootstrap(&new_key(0), true, NOW_MS, ample())
                .await
                .expect("a start succeeds")
        }
    }))
    .await;
    assert_eq!(stored.iter().filter(|stored| **stored).count(), 1);
    assert_eq!(keys(&*fixture.admin, DEFAULT_TENANT).await.len(), 1);
}

/// With a deadline that has passed, every method says so promptly and does nothing by half.
pub async fn every_command_keeps_its_deadline(fixture: &AccessFixture) {
    fn is_unavailable<T>(answer: &Result<T, AdminError>) -> bool {
        matches!(answer, Err(AdminError::Port(PortError::Unavailable(_))))
    }

    let admin = with_acme(fixture).await;
    let key = admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    let (bolt, successor) = (new_tenant("bolt"), new_key(2));
    let answer = promptly("create_tenant", admin.create_tenant(&bolt, NOW_MS, passed())).await;
    assert!(is_unavailable(&answer), "create_tenant: {answer:?}");
    let change = SettingsChange {
        region: Change::Set(region("GB")),
        ..SettingsChange::default()
    };
    let answer = promptly("change_tenant", admin.change_tenant("acme", &change, passed())).await;
    assert!(is_unavailable(&answer), "change_tenant: {answer:?}");
    let answer = promptly("tenants", admin.tenants(passed())).await;
    assert!(is_unavailable(&answer), "tenants: {answer:?}");
    let answer = promptly("create_key", admin.create_key("acme", &new_key(1), NOW_MS, passed())).await;
    assert!(is_unavailable(&answer), "create_key: {answer:?}");
    let answer = promptly("keys", admin.keys("acme", passed())).await;
    assert!(is_unavailable(&answer), "keys: {answer:?}");
    let rotation = admin.rotate_key(key.id, &successor, NOW_MS, NOW_MS, passed());
    let answer = promptly("rotate_key", rotation).await;
    assert!(is_unavailable(&answer), "rotate_key: {answer:?}");
    let answer = promptly("revoke_key", admin.revoke_key(key.id, NOW_MS, passed())).await;
    assert!(is_unavailable(&answer), "revoke_key: {answer:?}");
    let answer = promptly("bootstrap", admin.bootstrap(&new_key(3), true, NOW_MS, passed())).await;
    assert!(is_unavailable(&answer), "bootstrap: {answer:?}");

    // Each of them may have been done all the same, but as a whole.
    let listed = keys(admin, "acme").await;
    let ended = listed
        .iter()
        .any(|listed| listed.id == key.id && listed.expires_at_ms.is_some());
    let succeeded = fixture
        .keys
        .find_key(&new_key(2).hash, ample())
        .await
        .unwrap()
        .is_some();
    assert_eq!(ended, succeeded, "a rotated key ends when its successor begins");
    let has_default = admin
        .tenants(ample())
        .await
        .unwrap()
        .iter()
        .any(|tenant| tenant.name == DEFAULT_TENANT);
    let has_key = fixture
        .keys
        .find_key(&new_key(3).hash, ample())
        .await
        .unwrap()
        .is_some();
    assert_eq!(has_default, has_key, "the first tenant comes with its key");
}

/// Expands to the contract suite of [`AccessAdmin`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`AccessFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! access_admin_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, access_admin:
            tenants_are_created_and_listed_by_name,
            a_tenant_of_a_taken_name_is_refused,
            a_tenant_changes_as_it_is_told,
            a_changed_tenant_shows_in_its_grants,
            simultaneous_changes_of_a_tenant_all_stand,
            an_unknown_tenant_is_named,
            keys_are_created_and_listed_oldest_first,
            revoking_is_idempotent,
            an_unknown_key_is_named,
            rotating_gives_a_successor_like_the_old_key,
            rotating_never_prolongs_the_old_key,
            a_revoked_key_is_not_rotated,
            a_key_is_rotated_once,
            the_first_start_stores_one_key,
            a_key_that_must_exist_is_stored_once,
            an_existing_default_tenant_gets_no_key,
            replicas_that_start_at_once_store_one_key,
            replicas_with_one_key_store_it_once,
            every_command_keeps_its_deadline,
        }
    };
}
