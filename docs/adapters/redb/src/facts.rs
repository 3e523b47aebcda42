//! Facts: each in a row of its own, oldest first, and those that stand once more with their caller.
//!
//! Which facts stand, the domain's rule says; those whose key this release does not know it cannot judge, and they stay
//! as they are. What stands after new facts mostly depends on what stood before and on the new ones alone. When that
//! does not tell, or facts are taken away, the caller's newest ones are read too.

use std::cmp::Reverse;

use domain::{
    call::CallId,
    error::PortError,
    facts::{self, FactView, LOOK_BACK, SaidFact},
    identity::StatedName,
};
use redb::WriteTransaction;
use uuid::Uuid;

use crate::{
    rows::{CallRow, CallerRow, FactRow},
    schema::FACTS,
    table::{Order, View},
};

/// Adds facts to those of a call and its caller; writes neither of the two rows.
pub(crate) fn add(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    caller: &mut CallerRow,
    (id, call): (Uuid, &mut CallRow),
    said: &[SaidFact],
) -> Result<(), PortError> {
    if said.is_empty() {
        return Ok(());
    }
    let mut new = Vec::with_capacity(said.len());
    for said in said {
        let place = u32::try_from(call.facts.len()).unwrap_or(u32::MAX);
        let row = FactRow::new(said, id, call.commit, place, call.received_at_ms);
        FACTS.put(write, (tenant, number, row.order_ms, row.commit, row.place), &row)?;
        call.facts.push(row.order_ms);
        new.push(row);
    }
    if let Some(stated) = StatedName::of_call(CallId(id), said) {
        let mut trace = caller.trace();
        trace.state(stated);
        caller.set_trace(&trace);
    }
    let standing = facts::standing_with(
        judged(&caller.standing),
        judged(&new),
        |(stated, _)| *stated,
        |(_, fact)| fact.order(),
    );
    match standing.map(copied) {
        Some(standing) => keep(caller, standing),
        None => settle(caller, newest(write, tenant, number, LOOK_BACK)?),
    }
    Ok(())
}

/// Removes the facts of a call from those of its caller; writes neither of the two rows.
pub(crate) fn remove(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    caller: &mut CallerRow,
    (id, call): (Uuid, &CallRow),
) -> Result<(), PortError> {
    if call.facts.is_empty() {
        return Ok(());
    }
    for (place, order_ms) in (0..).zip(&call.facts) {
        FACTS.remove(write, (tenant, number, *order_ms, call.commit, place))?;
    }
    let mut trace = caller.trace();
    trace.forget(CallId(id));
    caller.set_trace(&trace);
    // What was taken away stands no more, whether this release can judge it or not.
    caller.standing.retain(|stood| stood.commit != call.commit);
    settle(caller, newest(write, tenant, number, LOOK_BACK)?);
    Ok(())
}

/// The facts of a caller, newest first.
pub(crate) fn newest(view: &impl View, tenant: Uuid, number: &str, most: usize) -> Result<Vec<FactRow>, PortError> {
    let range = (tenant, number, i64::MIN, 0, 0)..=(tenant, number, i64::MAX, u64::MAX, u32::MAX);
    FACTS.scan(view, range, Order::Descending, most, |_, fact| Ok(Some(fact)))
}

/// The facts of a call, in the order in which they were said.
pub(crate) fn of_call(view: &impl View, tenant: Uuid, call: &CallRow) -> Result<Vec<FactRow>, PortError> {
    let number = call.report.number.as_str();
    let key = |(place, order_ms): (u32, &i64)| (tenant, number, *order_ms, call.commit, place);
    let rows = (0..).zip(&call.facts).map(|place| FACTS.get(view, key(place)));
    rows.filter_map(Result::transpose).collect()
}

/// Keeps with `caller` what stands of what stood and what was stated last.
fn settle(caller: &mut CallerRow, newest: Vec<FactRow>) {
    let mut candidates = newest;
    candidates.extend(caller.standing.iter().cloned());
    candidates.sort_by_key(FactRow::order);
    candidates.dedup_by_key(|fact| fact.order());
    let standing = facts::standing(judged(&candidates), |(stated, _)| *stated);
    keep(caller, copied(standing));
}

/// The facts that the domain's rule can judge: those whose key this release knows.
fn judged(facts: &[FactRow]) -> Vec<(FactView<'_>, &FactRow)> {
    facts.iter().filter_map(|fact| Some((fact.stated()?, fact))).collect()
}

fn copied(facts: Vec<(FactView<'_>, &FactRow)>) -> Vec<FactRow> {
    facts.into_iter().map(|(_, fact)| fact.clone()).collect()
}

/// Keeps `standing` with `caller`, newest first. Whether a fact stands whose key this release does not know is left as
/// it is.
fn keep(caller: &mut CallerRow, mut standing: Vec<FactRow>) {
    standing.extend(caller.standing.drain(..).filter(|fact| fact.stated().is_none()));
    standing.sort_by_key(|fact| Reverse(fact.order()));
    caller.standing = standing;
}

#[cfg(test)]
mod tests {
    use domain::{facts::FactKey, memory::CallRecord};
    use redb::{Builder, backends::InMemoryBackend};
    use testkit::sample::{NOW_MS, number, record, said};

    use super::*;
    use crate::{
        end,
        schema::{self, CALLERS},
    };

    const TENANT: Uuid = Uuid::from_u128(1);

    /// A report that differs from all others by its length.
    fn ended(session: &str, arrival: u32, facts: Vec<SaidFact>) -> CallRecord {
        let mut ended = record(&number(0), session, NOW_MS + i64::from(arrival), arrival.into());
        ended.call.duration_s = arrival.into();
        ended.facts = facts;
        ended
    }

    /// The keys of what stands, newest first.
    fn standing(write: &WriteTransaction) -> Vec<String> {
        let caller = CALLERS.get(write, (TENANT, number(0).as_e164())).unwrap().unwrap();
        caller.standing.into_iter().map(|fact| fact.key).collect()
    }

    #[test]
    fn facts_of_a_newer_release_stay_as_they_are() {
        let database = Builder::new().create_with_backend(InMemoryBackend::new()).unwrap();
        let write = &database.begin_write().unwrap();
        schema::prepare(write).unwrap();
        let end = |call: &CallRecord| end::record(write, TENANT, Uuid::nil(), call).unwrap();
        let first = [
            said(FactKey::City, "Lisbon", NOW_MS),
            said(FactKey::City, "Porto", NOW_MS + 1),
            said(FactKey::Email, "ana@example.com", NOW_MS + 2),
        ];
        end(&ended("first", 1, first.to_vec()));
        // A newer release has a key for what is a city here.
        let (number, mut caller) = (
            number(0),
            CALLERS.get(write, (TENANT, number(0).as_e164())).unwrap().unwrap(),
        );
        for mut fact in newest(write, TENANT, number.as_e164(), usize::MAX).unwrap() {
            if fact.key == "city" {
                fact.key = "shoe_size".to_owned();
                FACTS
                    .put(
                        write,
                        (TENANT, number.as_e164(), fact.order_ms, fact.commit, fact.place),
                        &fact,
                    )
                    .unwrap();
            }
        }
        for fact in caller.standing.iter_mut().filter(|fact| fact.key == "city") {
            fact.key = "shoe_size".to_owned();
        }
        CALLERS.put(write, (TENANT, number.as_e164()), &caller).unwrap();

        end(&ended(
            "second",
            2,
            vec![said(FactKey::Email, "ruiz@example.com", NOW_MS + 3)],
        ));
        assert_eq!(standing(write), ["email", "shoe_size"], "after another call");
        end(&ended("second", 3, Vec::new()));
        assert_eq!(
            standing(write),
            ["email", "shoe_size"],
            "after a correction, and what stood no more does not"
        );
        end(&ended("first", 4, Vec::new()));
        assert_eq!(standing(write), [""; 0], "they go with their call");
    }
}
