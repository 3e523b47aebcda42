//! The clauses of [`KeyStore`].

use domain::{
    access::{KeyGrant, NewKey, OnRefusedConsent, Principal, Scope, Scopes, TenantSettings},
    identity::IdentityMode,
    port::{KeyStore, access::NewTenant},
};

use super::{AccessFixture, is_unavailable, promptly};
use crate::sample::{NOW_MS, ample, key_hash, new_key, new_tenant, passed};

async fn found(keys: &dyn KeyStore, key: &NewKey) -> Option<KeyGrant> {
    keys.find_key(&key.hash, ample())
        .await
        .expect("a healthy store answers")
}

/// A stored key is found with its tenant, the tenant's settings, its scopes and its expiry.
pub async fn a_stored_key_is_found_with_its_grant(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    let tenant = NewTenant {
        name: "acme".to_owned(),
        settings: TenantSettings {
            region: Some("GB".parse().expect("GB is a region")),
            rate_per_second: std::num::NonZeroU32::new(7),
            rate_burst: std::num::NonZeroU32::new(u32::MAX),
            time_zone: Some("America/New_York".parse().expect("New York is a time zone")),
            identity: Some(IdentityMode::Strict),
            on_refused_consent: Some(OnRefusedConsent::MetadataOnly),
        },
    };
    let tenant = admin.create_tenant(&tenant, NOW_MS, ample()).await.unwrap();
    for (i, scopes) in [
        Scopes::all(),
        Scopes::default(),
        [Scope::Recall].into_iter().collect(),
        [Scope::CallsWrite, Scope::CallersRead].into_iter().collect(),
    ]
    .into_iter()
    .enumerate()
    {
        let key = NewKey {
            scopes,
            expires_at_ms: (i % 2 == 0).then_some(NOW_MS + 1_000),
            ..new_key(i)
        };
        let info = admin.create_key("acme", &key, NOW_MS, ample()).await.unwrap();
        let expected = KeyGrant {
            principal: Principal {
                key_id: info.id,
                tenant_id: tenant.id,
                scopes,
                settings: tenant.settings,
            },
            expires_at_ms: key.expires_at_ms,
        };
        assert_eq!(found(&*fixture.keys, &key).await, Some(expected));
    }
}

/// A hash that nobody stored is not found, however near it is to one that is stored.
pub async fn an_unknown_key_is_not_found(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    assert_eq!(found(&*fixture.keys, &new_key(0)).await, None, "in an empty store");
    admin.create_tenant(&new_tenant("acme"), NOW_MS, ample()).await.unwrap();
    let key = new_key(0);
    admin.create_key("acme", &key, NOW_MS, ample()).await.unwrap();
    let mut near = key.hash;
    near.0[31] ^= 1;
    for hash in [near, key_hash(""), key_hash(&key.shown)] {
        let answer = fixture.keys.find_key(&hash, ample()).await;
        assert!(matches!(answer, Ok(None)), "{answer:?}");
    }
}

/// A revoked key is found no more, from the moment that the revocation is acknowledged; other keys are.
pub async fn a_revoked_key_is_not_found(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    admin.create_tenant(&new_tenant("acme"), NOW_MS, ample()).await.unwrap();
    let revoked = admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    admin.create_key("acme", &new_key(1), NOW_MS, ample()).await.unwrap();
    assert!(found(&*fixture.keys, &new_key(0)).await.is_some());
    admin.revoke_key(revoked.id, NOW_MS + 1, ample()).await.unwrap();
    assert_eq!(found(&*fixture.keys, &new_key(0)).await, None);
    assert!(found(&*fixture.keys, &new_key(1)).await.is_some());
}

/// An expired key is found with its expiry, which is the caller's to check.
pub async fn an_expired_key_is_found_with_its_expiry(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    admin.create_tenant(&new_tenant("acme"), NOW_MS, ample()).await.unwrap();
    let key = NewKey {
        expires_at_ms: Some(1),
        ..new_key(0)
    };
    admin.create_key("acme", &key, 0, ample()).await.unwrap();
    assert_eq!(found(&*fixture.keys, &key).await.unwrap().expires_at_ms, Some(1));
}

/// Each key speaks for its own tenant.
pub async fn keys_speak_for_their_own_tenant(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    for (i, name) in ["acme", "bolt"].into_iter().enumerate() {
        let tenant = admin.create_tenant(&new_tenant(name), NOW_MS, ample()).await.unwrap();
        admin.create_key(name, &new_key(i), NOW_MS, ample()).await.unwrap();
        let grant = found(&*fixture.keys, &new_key(i)).await.unwrap();
        assert_eq!(grant.principal.tenant_id, tenant.id);
    }
}

/// With a deadline that has passed, the method says so promptly, and never that there is no such key.
pub async fn find_key_keeps_its_deadline(fixture: &AccessFixture) {
    let admin = &fixture.admin;
    admin.create_tenant(&new_tenant("acme"), NOW_MS, ample()).await.unwrap();
    admin.create_key("acme", &new_key(0), NOW_MS, ample()).await.unwrap();
    for i in [0, 1] {
        let answer = promptly("find_key", fixture.keys.find_key(&new_key(i).hash, passed())).await;
        assert!(is_unavailable(&answer), "find_key with a passed deadline: {answer:?}");
    }
}

/// Expands to the contract suite of [`KeyStore`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`AccessFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! key_store_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, key_store:
            a_stored_key_is_found_with_its_grant,
            an_unknown_key_is_not_found,
            a_revoked_key_is_not_found,
            an_expired_key_is_found_with_its_expiry,
            keys_speak_for_their_own_tenant,
            find_key_keeps_its_deadline,
        }
    };
}
