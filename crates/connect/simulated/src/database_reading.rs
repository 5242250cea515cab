//! Reading of a simulated database, as a session with it would answer: a shop's orders with statements that
//! lack an index, indexes that stand twice, and a buffer that is too small.

use jiff::Timestamp;
use reeve_databases::{
    ActivityFacts, DatabaseColumn, DatabaseIndex, DatabaseReading, DatabaseSetting,
    DatabaseStatement, DatabaseTable, Engine, IndexTrial, Observation, ReplicationFacts,
    ServerFacts, StatementCost, StatementSource, TrialMethod, candidates,
};
use reeve_estate::Resource;

/// The database that is read; the company has given no login for the others.
pub(crate) const READ: &str = "shop-orders";
const GIB: f64 = 1_073_741_824.0;
const DAY: f64 = 86_400.0;
/// Cost of the planner for one call without and with an index.
const COSTS: (f64, f64) = (412_000.0, 310.0);

/// Returns the reading of a database; `None` for one without a login.
pub(crate) fn of(resource: &Resource, now: Timestamp) -> Option<DatabaseReading> {
    if resource.name != READ {
        return None;
    }
    let observation = Observation {
        engine: Engine::Postgresql,
        version: "15.8".to_owned(),
        database: "shop".to_owned(),
        observed_at: now,
        server: ServerFacts {
            counted_s: Some(41.0 * DAY),
            blocks_hit: Some(8.2e9),
            blocks_read: Some(9.1e8),
            temporary_bytes: Some(40.0 * GIB),
            size_bytes: Some(260.0 * GIB),
            memory_bytes: Some(64.0 * GIB),
            transaction_age: Some(1.9e8),
            checkpoints: Some((11_000.0, 240.0)),
            ..ServerFacts::default()
        },
        statements: StatementSource::Read {
            statements: statements(),
            counted_s: Some(41.0 * DAY),
            evicted: 0,
        },
        tables: vec![orders(now), customers(now)],
        indexes: indexes(),
        settings: settings(),
        activity: ActivityFacts {
            connections: Some(140.0),
            active: Some(9.0),
            ..ActivityFacts::default()
        },
        replication: ReplicationFacts::default(),
        sequences: Vec::new(),
        extensions: vec!["pg_stat_statements".to_owned(), "hypopg".to_owned()],
        refused: Vec::new(),
    };
    let trials = trials(&observation);
    Some(DatabaseReading::Read {
        observation: Box::new(observation),
        trials,
    })
}

/// The planner takes the index on the customers of orders, and no other.
fn trials(observation: &Observation) -> Vec<IndexTrial> {
    let trial = |candidate: reeve_databases::IndexCandidate| {
        let is_chosen = candidate.columns.first().map(String::as_str) == Some("customer_id");
        let cost = |statement_id: &String| StatementCost {
            statement_id: statement_id.clone(),
            before: COSTS.0,
            after: if is_chosen { COSTS.1 } else { COSTS.0 },
        };
        IndexTrial {
            method: TrialMethod::Hypothetical,
            size_bytes: Some(0.9 * GIB),
            costs: candidate.statement_ids.iter().map(cost).collect(),
            candidate,
        }
    };
    candidates(observation).into_iter().map(trial).collect()
}

/// Statements with their totals of 41 days.
pub(crate) fn statements() -> Vec<DatabaseStatement> {
    let statement = |id: &str, text: &str, calls: f64, mean_ms: f64, rows: f64| DatabaseStatement {
        id: id.to_owned(),
        text: text.to_owned(),
        calls,
        total_ms: calls * mean_ms,
        deviation_ms: None,
        rows: calls * rows,
        rows_examined: None,
        blocks_hit: None,
        blocks_read: None,
        temporary_writes: 0.0,
        lock_ms: None,
        calls_without_index: None,
    };
    vec![
        statement(
            "8124770",
            "SELECT id, status, total FROM orders WHERE customer_id = $1 ORDER BY placed_at DESC LIMIT $2",
            2_700_000.0,
            184.0,
            12.0,
        ),
        statement(
            "2204913",
            "SELECT email, name FROM customers WHERE id = $1",
            48_000_000.0,
            1.2,
            1.0,
        ),
        statement(
            "5518002",
            "INSERT INTO orders (customer_id, status, placed_at, total) VALUES ($1, $2, $3, $4)",
            2_600_000.0,
            0.4,
            1.0,
        ),
    ]
}

fn table(name: &str, rows: f64, columns: &[(&str, &str, f64)], now: Timestamp) -> DatabaseTable {
    let column = |(name, data_type, distinct): &(&str, &str, f64)| DatabaseColumn {
        name: (*name).to_owned(),
        data_type: (*data_type).to_owned(),
        distinct_values: Some(*distinct),
        width_bytes: Some(8.0),
    };
    DatabaseTable {
        schema: "public".to_owned(),
        name: name.to_owned(),
        live_rows: rows,
        dead_rows: Some(rows * 0.02),
        size_bytes: rows * 120.0,
        inserts: Some(2.6e6),
        updates: Some(4.1e6),
        updates_without_index: Some(3.9e6),
        deletes: Some(0.0),
        last_vacuum: Some(now),
        last_analyze: Some(now),
        has_primary_key: true,
        columns: columns.iter().map(column).collect(),
        ..DatabaseTable::default()
    }
}

fn orders(now: Timestamp) -> DatabaseTable {
    let columns = [
        ("id", "bigint", 4.1e7),
        ("customer_id", "bigint", 2.2e6),
        ("status", "text", 6.0),
        ("placed_at", "timestamp with time zone", 4.0e7),
        ("total", "numeric", 90_000.0),
    ];
    table("orders", 4.1e7, &columns, now)
}

fn customers(now: Timestamp) -> DatabaseTable {
    let columns = [
        ("id", "bigint", 2.2e6),
        ("email", "text", 2.2e6),
        ("name", "text", 1.9e6),
    ];
    table("customers", 2.2e6, &columns, now)
}

fn indexes() -> Vec<DatabaseIndex> {
    let index = |table: &str, name: &str, columns: &[&str], scans: f64, gib: f64| DatabaseIndex {
        schema: "public".to_owned(),
        table: table.to_owned(),
        name: name.to_owned(),
        method: "btree".to_owned(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        included: Vec::new(),
        predicate: None,
        key_options: columns.iter().map(|_| "default".to_owned()).collect(),
        has_expressions: false,
        scans: Some(scans),
        size_bytes: gib * GIB,
        definition: format!(
            "CREATE INDEX {name} ON public.{table} USING btree ({})",
            columns.join(", ")
        ),
        is_unique: false,
        is_valid: true,
        constraints: Vec::new(),
    };
    let key = |table: &str, gib: f64| DatabaseIndex {
        is_unique: true,
        constraints: vec![reeve_databases::Constraint::PrimaryKey],
        ..index(table, &format!("{table}_pkey"), &["id"], 6.0e7, gib)
    };
    vec![
        key("orders", 0.9),
        key("customers", 0.05),
        index(
            "orders",
            "orders_placed_at_idx",
            &["placed_at"],
            88_000.0,
            0.9,
        ),
        index(
            "orders",
            "orders_placed_at_status_idx",
            &["placed_at", "status"],
            410_000.0,
            1.2,
        ),
        index("orders", "orders_total_idx", &["total"], 0.0, 1.0),
    ]
}

fn settings() -> Vec<DatabaseSetting> {
    let setting = |name: &str, value: &str, needs_restart| DatabaseSetting {
        name: name.to_owned(),
        value: value.to_owned(),
        needs_restart,
    };
    vec![
        setting("shared_buffers", "8589934592", true),
        setting("effective_cache_size", "48318382080", false),
        setting("work_mem", "16777216", false),
        setting("max_wal_size", "8589934592", false),
        setting("max_connections", "400", true),
        setting("fsync", "on", true),
        setting("full_page_writes", "on", false),
        setting("autovacuum", "on", false),
    ]
}
