//! Facts: each in a row of its own, oldest first, and those that stand once more with their caller.
//!
//! Which facts stand, the domain's rule says. What stands after new facts depends on what stood before and on the new
//! ones alone; only when facts are taken away are all of the caller read.

use domain::{
    error::PortError,
    facts::{self, SaidFact},
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
    let mut candidates = std::mem::take(&mut caller.standing);
    for said in said {
        let place = u32::try_from(call.facts.len()).unwrap_or(u32::MAX);
        let row = FactRow::new(said, id, call.commit, place, call.received_at_ms);
        FACTS.put(write, (tenant, number, row.order_ms, row.commit, row.place), &row)?;
        call.facts.push(row.order_ms);
        candidates.push(row);
    }
    caller.standing = standing(candidates);
    Ok(())
}

/// Removes the facts of a call from those of its caller; writes neither of the two rows.
pub(crate) fn remove(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    caller: &mut CallerRow,
    call: &CallRow,
) -> Result<(), PortError> {
    if call.facts.is_empty() {
        return Ok(());
    }
    for (place, order_ms) in (0..).zip(&call.facts) {
        FACTS.remove(write, (tenant, number, *order_ms, call.commit, place))?;
    }
    caller.standing = standing(newest(write, tenant, number, usize::MAX)?);
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

/// What stands of the facts of a caller, newest first. Those whose key this release does not know are not judged.
fn standing(mut facts: Vec<FactRow>) -> Vec<FactRow> {
    facts.sort_by_key(|fact| (fact.order_ms, fact.commit, fact.place));
    let judged = facts.iter().filter_map(|fact| Some((fact.key_and_value()?, fact)));
    let judged: Vec<_> = judged.collect();
    let standing = facts::standing(judged, |((key, value), _)| (*key, value));
    standing.into_iter().map(|(_, fact)| fact.clone()).collect()
}
