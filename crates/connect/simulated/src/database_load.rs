//! Load of a simulated database at any time: its sessions by wait, the use of its statements, and
//! their plans. A pure function of the time, as the metrics are.

use jiff::Timestamp;
use reeve_estate::database_load::{
    KnownStatement, LOAD_INTERVAL_S, PlanDetail, PlanNode, StatementPlan, StatementUse,
};
use reeve_estate::{DatabaseLoad, Resource};

use crate::database_reading::{READ, statements};
use crate::noise::{key, smooth, unit};

/// Looks at the sessions in an interval.
const LOOKS: u64 = 60;
const DAY_S: f64 = 86_400.0;
/// Days that the totals of the reading are of.
const COUNTED_DAYS: f64 = 41.0;

/// Waits with the mean number of sessions at the busiest time of the day. Their sum is the time of
/// the statements.
const WAITS: [(&str, f64); 7] = [
    ("CPU", 0.09),
    ("IO:DataFileRead", 0.11),
    ("LWLock:BufferMapping", 0.016),
    ("Lock:transactionid", 0.012),
    ("IO:WALSync", 0.012),
    ("IO:DataFileExtend", 0.004),
    ("Client:ClientWrite", 0.006),
];

/// Returns the load of the interval of a time with the texts of its statements; `None` for a
/// database without a login.
pub(crate) fn of(
    resource: &Resource,
    at: Timestamp,
) -> Option<(DatabaseLoad, Vec<KnownStatement>)> {
    if resource.name != READ {
        return None;
    }
    let mut load = DatabaseLoad::at(at);
    let interval = load.start.as_second().div_euclid(LOAD_INTERVAL_S);
    let busy = busy(load.start);
    load.looks = LOOKS;
    for (wait, most) in WAITS {
        let noise = 0.5 + smooth(key(0x10ad, wait), interval, 6);
        // Sessions are whole: a rare wait is in some of the looks.
        let chance = unit(key(0x10b0, wait), interval);
        let sessions = (most * busy * noise * LOOKS as f64 + chance).floor() as u64;
        if sessions > 0 {
            let _ = load.waits.insert(wait.to_owned(), sessions);
        }
    }

    load.counted_s = LOAD_INTERVAL_S as f64;
    let share = LOAD_INTERVAL_S as f64 / (COUNTED_DAYS * DAY_S);
    let uses = statements().into_iter().map(|statement| {
        let noise = 0.6 + 0.8 * smooth(key(0x10ae, &statement.id), interval, 4);
        let calls = (statement.calls * share * busy * 1.6 * noise).ceil();
        let slow = 0.8 + 0.4 * smooth(key(0x10af, &statement.id), interval, 12);
        let rows = statement.rows / statement.calls;
        let blocks = blocks(&statement.id);
        StatementUse {
            calls,
            total_ms: calls * statement.mean_ms() * slow,
            rows: calls * rows,
            rows_examined: None,
            blocks_hit: Some((calls * blocks.0).round()),
            blocks_read: Some((calls * blocks.1).round()),
            temporary_writes: 0.0,
            id: statement.id,
        }
    });
    load.statements = uses.collect();
    load.limit();

    let start = load.start;
    let known = statements().into_iter().map(|statement| KnownStatement {
        plan: plan(&statement.id).map(|root| StatementPlan {
            taken_at: start,
            root,
        }),
        id: statement.id,
        text: statement.text,
        seen_at: start,
    });
    Some((load, known.collect()))
}

/// Share of the busiest hour, which is the afternoon in UTC.
fn busy(at: Timestamp) -> f64 {
    let hour = at.as_second().rem_euclid(86_400) as f64 / 3_600.0;
    let wave = ((hour - 15.0) / 24.0 * std::f64::consts::TAU).cos();
    0.25 + 0.75 * (0.5 + 0.5 * wave)
}

/// Blocks of a call, found in the buffer and read from outside of it.
fn blocks(id: &str) -> (f64, f64) {
    match id {
        "8124770" => (31_000.0, 9_400.0),
        "2204913" => (4.0, 0.02),
        _ => (9.0, 0.3),
    }
}

fn plan(id: &str) -> Option<PlanNode> {
    match id {
        "8124770" => Some(orders_of_a_customer()),
        "2204913" => Some(PlanNode {
            operation: "Index Scan".to_owned(),
            table: Some("customers".to_owned()),
            index: Some("customers_pkey".to_owned()),
            details: vec![detail("Index Cond", "(id = $1)")],
            startup_cost: 0.43,
            total_cost: 8.45,
            rows: 1.0,
            width_bytes: 45.0,
            children: Vec::new(),
        }),
        _ => None,
    }
}

fn orders_of_a_customer() -> PlanNode {
    let scan = PlanNode {
        operation: "Seq Scan".to_owned(),
        table: Some("orders".to_owned()),
        details: vec![detail("Filter", "(customer_id = $1)")],
        startup_cost: 0.0,
        total_cost: 408_900.0,
        rows: 19.0,
        width_bytes: 26.0,
        ..PlanNode::default()
    };
    let sort = PlanNode {
        operation: "Sort".to_owned(),
        details: vec![detail("Sort Key", "placed_at DESC")],
        startup_cost: 410_900.0,
        total_cost: 411_300.0,
        rows: 19.0,
        width_bytes: 26.0,
        children: vec![scan],
        ..PlanNode::default()
    };
    PlanNode {
        operation: "Limit".to_owned(),
        startup_cost: 410_900.0,
        total_cost: 412_000.0,
        rows: 12.0,
        width_bytes: 26.0,
        children: vec![sort],
        ..PlanNode::default()
    }
}

fn detail(name: &str, text: &str) -> PlanDetail {
    PlanDetail {
        name: name.to_owned(),
        text: text.to_owned(),
    }
}
