//! [`CallerAdmin`]: what an operator says of callers and looks at.

use std::collections::BTreeMap;

use domain::{
    access::TenantId,
    async_trait,
    caller::{
        Caller, DoNotCall, HISTORY_CALLS, HISTORY_FACTS, History, HistoryCall, HistoryFact, ImportCounts,
        ProfileChange, ProfileEdit,
    },
    context::Deadline,
    error::PortError,
    phone::PhoneNumber,
    port::{CallerAdmin, ChangeError},
};

use crate::{
    Redb, calls, facts,
    rows::{self, CallerRow, FactRow},
    schema::CALLERS,
    table::{LAST_TEXT, Order},
};

#[async_trait]
impl CallerAdmin for Redb {
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<ImportCounts, PortError> {
        let profiles = profiles.clone();
        let write = move |write: &_| {
            let mut imported = ImportCounts::default();
            for (number, change) in profiles {
                let key = (tenant.0, number.as_e164());
                let stored = CALLERS.get(write, key)?;
                let is_new = stored.is_none();
                let mut row = stored.unwrap_or_else(|| CallerRow::new(now_ms));
                let before = row.profile();
                let after = change.apply(before.clone());
                let is_changed = before != after;
                if is_new || is_changed {
                    row.set_profile(after);
                    CALLERS.put(write, key, &row)?;
                }
                *match (is_new, is_changed) {
                    (true, _) => &mut imported.created,
                    (false, true) => &mut imported.updated,
                    (false, false) => &mut imported.unchanged,
                } += 1;
            }
            Ok(imported)
        };
        self.store.write("import", deadline, write).await
    }

    async fn change(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        edit: ProfileEdit,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Caller, ChangeError> {
        let number = number.clone();
        let write = move |write: &_| {
            let key = (tenant.0, number.as_e164());
            let stored = CALLERS.get(write, key)?;
            let mut row = stored.unwrap_or_else(|| CallerRow::new(now_ms));
            let before = row.profile();
            let after = edit(before.clone())?;
            if after.corrections != before.corrections {
                row.changed(now_ms);
                row.work.due_ms = Some(now_ms);
                row.work.attempts = 0;
            }
            row.set_profile(after);
            CALLERS.put(write, key, &row)?;
            Ok(row.kept())
        };
        self.store.write("change", deadline, write).await
    }

    async fn history(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<History>, PortError> {
        let number = number.clone();
        let read = move |view: &_| {
            let Some(row) = CALLERS.get(view, (tenant.0, number.as_e164()))? else {
                return Ok(None);
            };
            let latest = calls::latest(view, tenant.0, number.as_e164(), HISTORY_CALLS)?;
            let shown = latest.into_iter().map(|(id, call)| HistoryCall {
                agent_metadata: call.report.agent_metadata(),
                call: call.recent(id),
            });
            Ok(Some(History {
                caller: row.kept(),
                calls: shown.collect(),
            }))
        };
        self.store.read("history", deadline, read).await
    }

    async fn facts(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<HistoryFact>, PortError> {
        let number = number.clone();
        let read = move |view: &_| {
            let Some(row) = CALLERS.get(view, (tenant.0, number.as_e164()))? else {
                return Ok(Vec::new());
            };
            let standing = row.heard();
            let newest = facts::newest(view, tenant.0, number.as_e164(), HISTORY_FACTS)?;
            let known = newest.iter().filter_map(FactRow::known);
            let shown = known.map(|fact| HistoryFact {
                stands: standing.contains(&fact),
                fact,
            });
            Ok(shown.collect())
        };
        self.store.read("facts", deadline, read).await
    }

    async fn mark_do_not_call(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        mark: Option<DoNotCall>,
        deadline: Deadline,
    ) -> Result<Option<DoNotCall>, PortError> {
        let number = number.clone();
        let write = move |write: &_| {
            let key = (tenant.0, number.as_e164());
            let row = CALLERS.get(write, key)?;
            let row = row.or_else(|| mark.as_ref().map(|mark| CallerRow::new(mark.at_ms)));
            let Some(mut row) = row else { return Ok(None) };
            let stored = row.do_not_call();
            row.set_do_not_call(mark.map(|mark| stored.clone().unwrap_or(mark)));
            CALLERS.put(write, key, &row)?;
            Ok(stored)
        };
        self.store.write("mark do not call", deadline, write).await
    }

    async fn do_not_call(
        &self,
        tenant: TenantId,
        after: Option<&PhoneNumber>,
        most: u32,
        deadline: Deadline,
    ) -> Result<Vec<(PhoneNumber, DoNotCall)>, PortError> {
        let after = after.map_or(String::new(), |after| after.as_e164().to_owned());
        let read = move |view: &_| {
            let range = (tenant.0, after.as_str())..=(tenant.0, LAST_TEXT);
            CALLERS.scan(view, range, Order::Ascending, most as usize, |(_, number), row| {
                let mark = row.do_not_call().filter(|_| number != after);
                mark.map(|mark| Ok((rows::number(number)?, mark))).transpose()
            })
        };
        self.store.read("do not call", deadline, read).await
    }
}
