//! Patterns of statements: the ones that take the time, loops of single rows, scans, spills, locks.

use crate::advice::{AdviceCost, Area, CostUnit, DatabaseAdvice, Severity, Unjudged};
use crate::observation::{DatabaseStatement, DatabaseTable, Observation, StatementSource};
use crate::predicate::table_uses;
use crate::statement::short;
use crate::unit::{count, percent};

/// Share of all time that makes a statement a top consumer.
const TOP_SHARE: f64 = 0.2;
/// Statements below this time in all are no consumers, milliseconds.
const MIN_TIME_MS: f64 = 1_000.0;
/// Calls of a loop of single rows.
const LOOP_CALLS: f64 = 10_000.0;
/// Rows of a scanned table that a scan is worth naming for.
const SCAN_ROWS: f64 = 10_000.0;
/// Waits that are longer than one transaction should make another wait, seconds.
const LONG_WAIT_S: f64 = 5.0;

/// Returns advice on statements, tables read as a whole and sessions that wait for locks.
pub(crate) fn judge(observation: &Observation) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    let mut advice = Vec::new();
    let mut unjudged = Vec::new();
    match &observation.statements {
        StatementSource::Missing { reason, remedy } => {
            unjudged.push(Unjudged::new(Area::Query, "top_consumer", reason, remedy));
        }
        StatementSource::Read {
            statements,
            evicted,
            ..
        } => {
            let total: f64 = statements.iter().map(|one| one.total_ms).sum();
            for statement in statements {
                advice.extend(top_consumer(statement, total));
                advice.extend(single_row_loop(observation, statement));
                advice.extend(spill(observation, statement));
                advice.extend(unindexed(statement));
                advice.extend(lock_time(statement));
            }
            if *evicted > 0 {
                unjudged.push(Unjudged::new(
                    Area::Query,
                    "rare_statements",
                    format!("the server dropped statements {} times for want of room: rare slow ones may be missing", count(*evicted as f64)),
                    "raise pg_stat_statements.max",
                ));
            }
        }
    }
    advice.extend(observation.tables.iter().filter_map(full_scan));
    advice.extend(lock_waits(observation));
    (advice, unjudged)
}

/// Advice that a person follows in the application.
fn advice(
    rule: &str,
    statement: &DatabaseStatement,
    title: &str,
    severity: Severity,
    cost: AdviceCost,
    mut reasons: Vec<String>,
) -> DatabaseAdvice {
    reasons.push(short(&statement.text, 200));
    let object = statement.id.as_str();
    DatabaseAdvice::for_people(Area::Query, rule, object, title, severity, cost, reasons)
}

fn in_ms(before: f64) -> AdviceCost {
    AdviceCost {
        before,
        after: None,
        unit: CostUnit::Milliseconds,
    }
}

fn top_consumer(statement: &DatabaseStatement, total: f64) -> Option<DatabaseAdvice> {
    let share = statement.total_ms / total.max(1.0);
    if share < TOP_SHARE || statement.total_ms < MIN_TIME_MS {
        return None;
    }
    let mut reasons = vec![
        format!("{} of the time of all statements", percent(share)),
        format!(
            "{} calls of {:.1} ms each",
            count(statement.calls),
            statement.mean_ms()
        ),
        format!(
            "{:.0} rows a call",
            statement.rows / statement.calls.max(1.0)
        ),
    ];
    if let Some(deviation) = statement
        .deviation_ms
        .filter(|one| *one > 2.0 * statement.mean_ms())
    {
        reasons.push(format!(
            "calls differ by {deviation:.1} ms: values or plans of different kinds"
        ));
    }
    let title = format!("One statement takes {} of the time", percent(share));
    Some(advice(
        "top_consumer",
        statement,
        &title,
        Severity::Medium,
        in_ms(statement.total_ms),
        reasons,
    ))
}

/// One row for each call, found by a value, very often: a loop in the application.
fn single_row_loop(
    observation: &Observation,
    statement: &DatabaseStatement,
) -> Option<DatabaseAdvice> {
    let rows = statement.rows / statement.calls.max(1.0);
    let is_read = statement
        .text
        .trim_start()
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("select"));
    if !is_read || statement.calls < LOOP_CALLS || rows > 1.05 {
        return None;
    }
    let uses = table_uses(observation, &statement.text);
    let [table_use] = uses.as_slice() else {
        return None;
    };
    let column = table_use.equal.first()?;
    let reasons = vec![
        format!(
            "{} calls return {rows:.2} rows each, found by {column} of {}",
            count(statement.calls),
            table_use.table
        ),
        format!(
            "{:.0} ms in all, without the way to the server and back",
            statement.total_ms
        ),
        format!("fetch the rows with one statement: WHERE {column} = ANY(...) or a join"),
    ];
    let title = format!("Rows of {} are fetched one by one", table_use.table);
    Some(advice(
        "n_plus_one",
        statement,
        &title,
        Severity::Medium,
        in_ms(statement.total_ms),
        reasons,
    ))
}

fn spill(observation: &Observation, statement: &DatabaseStatement) -> Option<DatabaseAdvice> {
    let per_call = statement.temporary_writes / statement.calls.max(1.0);
    if statement.temporary_writes < 1_000.0 || per_call < 1.0 {
        return None;
    }
    let unit = if observation.engine.is_mysql_like() {
        "temporary tables or merges on disk"
    } else {
        "blocks of temporary files"
    };
    let reasons = vec![
        format!(
            "{} {unit} in {} calls",
            count(statement.temporary_writes),
            count(statement.calls)
        ),
        "an index in the order of the sort, fewer columns, or more memory for sorts avoids them"
            .to_owned(),
    ];
    let cost = AdviceCost {
        before: statement.temporary_writes,
        after: Some(0.0),
        unit: CostUnit::Count,
    };
    Some(advice(
        "spill",
        statement,
        "A statement sorts or hashes on disk",
        Severity::Medium,
        cost,
        reasons,
    ))
}

fn unindexed(statement: &DatabaseStatement) -> Option<DatabaseAdvice> {
    let without = statement.calls_without_index?;
    let examined = statement.rows_examined?;
    let wasted = examined / statement.rows.max(1.0);
    if without < statement.calls * 0.5 || wasted < 100.0 || examined < SCAN_ROWS {
        return None;
    }
    let reasons = vec![
        format!(
            "{} of {} calls used no index",
            count(without),
            count(statement.calls)
        ),
        format!(
            "{} rows were read for {} that were wanted",
            count(examined),
            count(statement.rows)
        ),
    ];
    let cost = AdviceCost {
        before: examined,
        after: Some(statement.rows),
        unit: CostUnit::RowsExamined,
    };
    Some(advice(
        "full_scan",
        statement,
        "A statement reads whole tables",
        Severity::Medium,
        cost,
        reasons,
    ))
}

fn lock_time(statement: &DatabaseStatement) -> Option<DatabaseAdvice> {
    let waited = statement.lock_ms?;
    if waited < MIN_TIME_MS || waited < statement.total_ms * 0.3 {
        return None;
    }
    let reasons = vec![
        format!(
            "{} of {} ms were spent waiting for locks",
            count(waited),
            count(statement.total_ms)
        ),
        "shorter transactions, and the same order of rows in all of them, shorten the waits"
            .to_owned(),
    ];
    Some(advice(
        "lock_time",
        statement,
        "A statement waits for locks most of its time",
        Severity::High,
        in_ms(waited),
        reasons,
    ))
}

fn full_scan(table: &DatabaseTable) -> Option<DatabaseAdvice> {
    let scans = table.sequential_scans?;
    let rows = table.sequential_rows?;
    if table.live_rows < SCAN_ROWS || scans < 100.0 || rows / scans.max(1.0) < table.live_rows * 0.5
    {
        return None;
    }
    let object = format!("{}.{}", table.schema, table.name);
    let title = format!("{object} is read as a whole again and again");
    Some(DatabaseAdvice::for_people(
        Area::Query,
        "full_scan",
        object,
        &title,
        Severity::Medium,
        AdviceCost {
            before: rows,
            after: None,
            unit: CostUnit::RowsExamined,
        },
        vec![
            format!(
                "{} scans of the whole table read {} rows",
                count(scans),
                count(rows)
            ),
            format!("it has {} rows", count(table.live_rows)),
        ],
    ))
}

fn lock_waits(observation: &Observation) -> Option<DatabaseAdvice> {
    let waiting = &observation.activity.waiting;
    let longest = waiting
        .iter()
        .max_by(|one, other| one.age_s.total_cmp(&other.age_s))?;
    if longest.age_s < LONG_WAIT_S {
        return None;
    }
    let blocker = longest.blocked_by.as_deref().unwrap_or("another session");
    Some(DatabaseAdvice::for_people(
        Area::Query,
        "lock_wait",
        blocker,
        &format!("{} sessions wait for locks", waiting.len()),
        Severity::High,
        AdviceCost {
            before: longest.age_s,
            after: None,
            unit: CostUnit::Seconds,
        },
        vec![
            format!(
                "session {} of {} waits for {:.0} s",
                longest.id, longest.user, longest.age_s
            ),
            format!("session {blocker} holds the lock"),
        ],
    ))
}

#[cfg(test)]
mod tests;
