//! `do-not-call`: who does not want to be called, listed, given to a dialler, and changed by hand.

use clap::{Args, Subcommand};
use domain::{caller::DoNotCall, phone::PhoneNumber};
use serde::Serialize;

use super::{
    caller::{
        MarkJson,
        tenant::{Callers, TenantArgs, number},
    },
    failure::Failure,
    output,
    store::{deadline, now_ms, unusable},
};

/// How many callers are read at a time.
const PAGE: u32 = 1_000;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the callers who do not want to be called, by number
    List(TenantArgs),
    /// Print them as CSV (or with --json as a JSON array) for a dialler: number, when it was said, call, words
    Export(TenantArgs),
    /// Mark a caller as one who does not want to be called; creates a caller that is unknown
    Set(One),
    /// Take the mark of a caller away; a wish in a later call sets it again
    Clear(One),
}

#[derive(Debug, Args)]
pub(super) struct One {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    #[command(flatten)]
    of: TenantArgs,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::List(of) => list(&of),
        Command::Export(of) => export(&of),
        Command::Set(one) => set(&one),
        Command::Clear(one) => clear(&one),
    }
}

fn list(of: &TenantArgs) -> Result<(), Failure> {
    if of.common.json {
        return json(of);
    }
    let none = "nobody asked not to be called";
    let mut is_empty = true;
    each_page(of, |page| {
        is_empty = false;
        let rows: Vec<_> = page
            .iter()
            .map(|(number, mark)| {
                let quote = mark.quote.as_deref().unwrap_or("(noted by an operator)");
                [
                    number.as_e164().to_owned(),
                    output::moment(mark.at_ms),
                    output::printable(quote),
                ]
            })
            .collect();
        output::print(&output::table(["NUMBER", "SINCE", "WORDS"], &rows))
    })?;
    if is_empty {
        output::print(none)?;
    }
    Ok(())
}

fn export(of: &TenantArgs) -> Result<(), Failure> {
    if of.common.json {
        return json(of);
    }
    output::print("phone_number,at_ms,call_id,quote")?;
    each_page(of, |page| {
        let lines: Vec<String> = page.iter().map(|(number, mark)| row(number, mark)).collect();
        output::print(&lines.join("\n"))
    })
}

/// A line of CSV. The words cannot begin a formula where a spreadsheet reads them.
fn row(number: &PhoneNumber, mark: &DoNotCall) -> String {
    let call = mark.call_id.map_or(String::new(), |call| call.to_string());
    let words = output::printable(mark.quote.as_deref().unwrap_or_default());
    let guard = if words.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    let words = words.replace('"', "\"\"");
    format!("{},{},{call},\"{guard}{words}\"", number.as_e164(), mark.at_ms)
}

/// One JSON array, written page by page.
fn json(of: &TenantArgs) -> Result<(), Failure> {
    let mut before = "[";
    each_page(of, |page| {
        for (number, mark) in page {
            let marked = Marked {
                phone_number: number.as_e164(),
                mark: mark.into(),
            };
            let text = serde_json::to_string(&marked).map_err(|error| Failure::Failed(error.to_string()))?;
            output::print_json(&format!("{before}{text}"))?;
            before = ",";
        }
        Ok(())
    })?;
    output::print(if before == "[" { "[]" } else { "]" })
}

#[derive(Serialize)]
struct Marked<'a> {
    phone_number: &'a str,
    #[serde(flatten)]
    mark: MarkJson<'a>,
}

/// Gives `show` the marked callers of the tenant a page at a time, however many there are.
fn each_page(
    of: &TenantArgs,
    mut show: impl FnMut(&[(PhoneNumber, DoNotCall)]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    of.with_callers(async |Callers { admin, tenant, .. }| {
        let mut after = None;
        loop {
            let page = admin.do_not_call(tenant, after.as_ref(), PAGE, deadline()).await;
            let page = page.map_err(|error| unusable(&error))?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            show(&page)?;
            after = Some(last.clone());
        }
    })
}

fn set(One { number, of }: &One) -> Result<(), Failure> {
    let mark = DoNotCall {
        at_ms: now_ms(),
        quote: None,
        call_id: None,
    };
    let (number, stored) = marked(number, of, Some(mark.clone()))?;
    if of.common.json {
        return output::json(&Marked {
            phone_number: number.as_e164(),
            mark: stored.as_ref().unwrap_or(&mark).into(),
        });
    }
    let number = number.as_e164();
    output::print(&match stored {
        Some(stored) => format!("{number} is marked since {}", output::moment(stored.at_ms)),
        None => format!("{number} is marked: every recall says that this caller does not want to be called"),
    })
}

fn clear(One { number, of }: &One) -> Result<(), Failure> {
    let (number, stored) = marked(number, of, None)?;
    let Some(stored) = stored else {
        return Err(Failure::Failed(format!(
            "{} is not marked; `caller-memory do-not-call list` shows who is",
            number.as_e164()
        )));
    };
    if of.common.json {
        return output::json(&Marked {
            phone_number: number.as_e164(),
            mark: (&stored).into(),
        });
    }
    output::print(&format!("{} may be called again", number.as_e164()))
}

/// Changes the mark of one caller: the number, and the mark that there was.
fn marked(text: &str, of: &TenantArgs, mark: Option<DoNotCall>) -> Result<(PhoneNumber, Option<DoNotCall>), Failure> {
    of.with_callers(
        async |Callers {
                   admin, tenant, region, ..
               }| {
            let number = number(text, region)?;
            let stored = admin.mark_do_not_call(tenant, &number, mark, deadline()).await;
            Ok((number, stored.map_err(|error| unusable(&error))?))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_csv_and_no_formula() {
        let number = PhoneNumber::from_e164("+12025550142").unwrap();
        let mark = |quote: &str| DoNotCall {
            at_ms: 7,
            quote: Some(quote.to_owned()),
            call_id: None,
        };
        assert_eq!(
            row(&number, &mark("stop, \"now\"")),
            "+12025550142,7,,\"stop, \"\"now\"\"\""
        );
        assert_eq!(row(&number, &mark("=1+1")), "+12025550142,7,,\"'=1+1\"");
    }
}
