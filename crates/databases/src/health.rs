//! Health: settings that risk data, transaction identifiers, dead rows, sequences, keys, lag.

use crate::advice::{AdviceCost, Area, CostUnit, DatabaseAdvice, Severity, Unjudged};
use crate::engine::Engine;
use crate::observation::{DatabaseTable, Observation, Sequence};
use crate::parameter::is_switched_off;
use crate::quote;
use crate::unit::{bytes, count, percent};

/// Age at which PostgreSQL stops accepting writes, transactions.
const WRAPAROUND: f64 = 2_147_483_648.0;
/// Lag of a replica, seconds.
const LAG_S: f64 = 30.0;
/// Age of a transaction, seconds.
const LONG_TRANSACTION_S: f64 = 900.0;
/// Dead rows that are worth a vacuum.
const DEAD_ROWS: f64 = 10_000.0;
const DEAD_SHARE: f64 = 0.2;
/// Share of a sequence that is used up.
const SEQUENCE_SHARE: f64 = 0.75;

/// Settings that lose committed data at a crash when they are off.
const SAFETY: &[(&str, &str)] = &[
    ("fsync", "a crash of the machine corrupts the database"),
    (
        "full_page_writes",
        "a crash during a write leaves torn pages",
    ),
    (
        "innodb_doublewrite",
        "a crash during a write leaves torn pages",
    ),
    (
        "autovacuum",
        "dead rows and transaction ages grow without a bound",
    ),
];

/// Judges the health of the server and of its tables.
pub(crate) fn judge(observation: &Observation) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    let mut advice: Vec<DatabaseAdvice> = Vec::new();
    for (name, consequence) in SAFETY {
        if is_switched_off(observation, name) {
            advice.push(unsafe_setting(observation.engine, name, consequence));
        }
    }
    advice.extend(relaxed_flush(observation));
    advice.extend(wraparound(observation));
    advice.extend(long_transaction(observation));
    advice.extend(observation.sequences.iter().filter_map(ending_sequence));
    for table in &observation.tables {
        advice.extend(dead_rows(observation.engine, table));
        advice.extend(missing_key(table));
        advice.extend(never_analyzed(observation.engine, table));
    }
    advice.extend(lag(observation));
    advice.extend(
        observation
            .replication
            .inactive_slots
            .iter()
            .map(|(name, kept)| inactive_slot(name, *kept)),
    );

    let refused = observation.refused.iter().map(|reason| {
        Unjudged::new(
            Area::Health,
            "permissions",
            reason,
            permission_remedy(observation.engine),
        )
    });
    (advice, refused.collect())
}

fn permission_remedy(engine: Engine) -> &'static str {
    match engine {
        Engine::Postgresql => "GRANT pg_monitor TO the user",
        Engine::Mariadb | Engine::Mysql => {
            "GRANT SELECT, PROCESS, REPLICATION CLIENT ON *.* TO the user"
        }
    }
}

/// Advice of this area; the other fields are set where it is made.
fn advice(
    rule: &str,
    object: &str,
    title: &str,
    severity: Severity,
    cost: AdviceCost,
    reasons: Vec<String>,
) -> DatabaseAdvice {
    DatabaseAdvice::for_people(Area::Health, rule, object, title, severity, cost, reasons)
}

fn cost(before: f64, after: Option<f64>, unit: CostUnit) -> AdviceCost {
    AdviceCost {
        before,
        after,
        unit,
    }
}

fn unsafe_setting(engine: Engine, name: &str, consequence: &str) -> DatabaseAdvice {
    let (statements, undo) = match engine {
        Engine::Postgresql => (
            vec![
                format!("ALTER SYSTEM SET {name} = on"),
                "SELECT pg_reload_conf()".to_owned(),
            ],
            vec![
                format!("ALTER SYSTEM SET {name} = off"),
                "SELECT pg_reload_conf()".to_owned(),
            ],
        ),
        Engine::Mariadb | Engine::Mysql => (Vec::new(), Vec::new()),
    };
    DatabaseAdvice {
        statements,
        undo,
        needs_restart: engine.is_mysql_like(),
        ..advice(
            "unsafe_setting",
            name,
            &format!("Switch {name} on"),
            Severity::Critical,
            cost(0.0, Some(1.0), CostUnit::Value),
            vec![format!("{name} is off: {consequence}")],
        )
    }
}

fn relaxed_flush(observation: &Observation) -> Option<DatabaseAdvice> {
    const NAME: &str = "innodb_flush_log_at_trx_commit";
    let value = observation.setting(NAME)?.number()?;
    (value != 1.0).then(|| DatabaseAdvice {
        statements: vec![format!("SET GLOBAL {NAME} = 1")],
        undo: vec![format!("SET GLOBAL {NAME} = {value:.0}")],
        ..advice(
            "unsafe_setting",
            NAME,
            "Flush the log at each commit",
            Severity::High,
            cost(value, Some(1.0), CostUnit::Value),
            vec![format!(
                "{NAME} is {value:.0}: a crash loses up to a second of commits"
            )],
        )
    })
}

fn wraparound(observation: &Observation) -> Option<DatabaseAdvice> {
    let age = observation.server.transaction_age?;
    let share = age / WRAPAROUND;
    (share >= 0.25).then(|| {
        advice(
            "wraparound",
            &observation.database,
            &format!("Freeze old rows: {} of transaction identifiers are used", percent(share)),
            if share >= 0.5 { Severity::Critical } else { Severity::High },
            cost(age, Some(0.0), CostUnit::Count),
            vec![
                format!("the oldest unfrozen transaction is {} transactions old", count(age)),
                format!("writes stop at {}", count(WRAPAROUND)),
                "look for long transactions, abandoned slots and prepared transactions, then VACUUM (FREEZE)".to_owned(),
            ],
        )
    })
}

fn long_transaction(observation: &Observation) -> Option<DatabaseAdvice> {
    let oldest = observation.activity.long_transactions.first()?;
    (oldest.age_s >= LONG_TRANSACTION_S).then(|| {
        advice(
            "long_transaction",
            &oldest.id,
            &format!("A transaction is open for {:.0} minutes", oldest.age_s / 60.0),
            Severity::High,
            cost(oldest.age_s, None, CostUnit::Seconds),
            vec![
                format!("session {} of {} is {}", oldest.id, oldest.user, oldest.state),
                "rows that were deleted since cannot be removed, and no index can be built meanwhile".to_owned(),
            ],
        )
    })
}

fn ending_sequence(sequence: &Sequence) -> Option<DatabaseAdvice> {
    let share = sequence.last_value / sequence.max_value.max(1.0);
    (share >= SEQUENCE_SHARE).then(|| {
        advice(
            "sequence_end",
            &sequence.name,
            &format!(
                "{} has used {} of its numbers",
                sequence.name,
                percent(share)
            ),
            if share >= 0.9 {
                Severity::Critical
            } else {
                Severity::High
            },
            cost(share * 100.0, None, CostUnit::Percent),
            vec![
                format!(
                    "{} of {}",
                    count(sequence.last_value),
                    count(sequence.max_value)
                ),
                "inserts fail at its end: change the column to bigint, and the sequence with it"
                    .to_owned(),
            ],
        )
    })
}

fn dead_rows(engine: Engine, table: &DatabaseTable) -> Option<DatabaseAdvice> {
    let dead = table.dead_rows?;
    let share = dead / (dead + table.live_rows).max(1.0);
    if engine != Engine::Postgresql || dead < DEAD_ROWS || share < DEAD_SHARE {
        return None;
    }
    let name = quote::qualified(engine, &table.schema, &table.name);
    Some(DatabaseAdvice {
        statements: vec![
            format!("VACUUM (ANALYZE) {name}"),
            format!("ALTER TABLE {name} SET (autovacuum_vacuum_scale_factor = 0.02)"),
        ],
        undo: vec![format!(
            "ALTER TABLE {name} RESET (autovacuum_vacuum_scale_factor)"
        )],
        ..advice(
            "dead_rows",
            &format!("{}.{}", table.schema, table.name),
            &format!(
                "Vacuum {}: {} of its rows are dead",
                table.name,
                percent(share)
            ),
            Severity::Medium,
            cost(dead, Some(0.0), CostUnit::Count),
            vec![
                format!(
                    "{} dead rows beside {} live ones in {}",
                    count(dead),
                    count(table.live_rows),
                    bytes(table.size_bytes)
                ),
                match table.last_vacuum {
                    Some(at) => format!(
                        "the last vacuum was at {}",
                        at.strftime("%Y-%m-%d %H:%M UTC")
                    ),
                    None => "it was never vacuumed".to_owned(),
                },
            ],
        )
    })
}

fn missing_key(table: &DatabaseTable) -> Option<DatabaseAdvice> {
    (!table.has_primary_key && table.live_rows >= 1_000.0).then(|| {
        advice(
            "missing_primary_key",
            &format!("{}.{}", table.schema, table.name),
            &format!("Give {} a primary key", table.name),
            Severity::Medium,
            cost(table.live_rows, None, CostUnit::Count),
            vec![
                format!("{} rows cannot be distinguished", count(table.live_rows)),
                "logical replication, and replicas that apply rows, scan the table for each change"
                    .to_owned(),
            ],
        )
    })
}

fn never_analyzed(engine: Engine, table: &DatabaseTable) -> Option<DatabaseAdvice> {
    if engine != Engine::Postgresql || table.last_analyze.is_some() || table.live_rows < 10_000.0 {
        return None;
    }
    let name = quote::qualified(engine, &table.schema, &table.name);
    Some(DatabaseAdvice {
        statements: vec![format!("ANALYZE {name}")],
        ..advice(
            "stale_statistics",
            &format!("{}.{}", table.schema, table.name),
            &format!(
                "Analyze {}: the planner has no statistics of it",
                table.name
            ),
            Severity::Medium,
            cost(table.live_rows, None, CostUnit::Count),
            vec![format!(
                "{} rows, and no ANALYZE is known",
                count(table.live_rows)
            )],
        )
    })
}

fn lag(observation: &Observation) -> Option<DatabaseAdvice> {
    let lag = observation.replication.lag_s?;
    (lag >= LAG_S).then(|| {
        advice(
            "replication_lag",
            &observation.database,
            &format!("A replica is {lag:.0} s behind"),
            if lag >= 300.0 {
                Severity::Critical
            } else {
                Severity::High
            },
            cost(lag, None, CostUnit::Seconds),
            vec!["readers of the replica see old rows, and a failover loses them".to_owned()],
        )
    })
}

fn inactive_slot(name: &str, kept: f64) -> DatabaseAdvice {
    advice(
        "inactive_slot",
        name,
        &format!("The replication slot {name} has no reader"),
        Severity::High,
        cost(kept, Some(0.0), CostUnit::Bytes),
        vec![
            format!(
                "it keeps {} of write-ahead log, until the disk is full",
                bytes(kept)
            ),
            "start its reader, or drop it with pg_drop_replication_slot".to_owned(),
        ],
    )
}

#[cfg(test)]
mod tests;
