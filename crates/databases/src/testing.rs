//! Observations for unit tests.

use jiff::Timestamp;

use crate::engine::Engine;
use crate::observation::{
    ActivityFacts, DatabaseColumn, DatabaseIndex, DatabaseSetting, DatabaseStatement,
    DatabaseTable, Observation, ReplicationFacts, ServerFacts, StatementSource,
};

/// An observation without statements, tables and settings, counted for thirty days.
pub(crate) fn observation(engine: Engine) -> Observation {
    Observation {
        engine,
        version: "15.1".to_owned(),
        database: "shop".to_owned(),
        observed_at: Timestamp::UNIX_EPOCH,
        server: ServerFacts {
            counted_s: Some(30.0 * 86_400.0),
            ..ServerFacts::default()
        },
        statements: StatementSource::Read {
            statements: Vec::new(),
            counted_s: Some(86_400.0),
            evicted: 0,
        },
        tables: Vec::new(),
        indexes: Vec::new(),
        settings: Vec::new(),
        activity: ActivityFacts {
            connections: Some(10.0),
            ..ActivityFacts::default()
        },
        replication: ReplicationFacts::default(),
        sequences: Vec::new(),
        extensions: Vec::new(),
        refused: Vec::new(),
    }
}

/// A table of 100,000 rows of 80 bytes, whose columns have 1,000 distinct values each.
pub(crate) fn table(name: &str, columns: &[&str]) -> DatabaseTable {
    let column = |name: &&str| DatabaseColumn {
        name: (*name).to_owned(),
        data_type: "integer".to_owned(),
        distinct_values: Some(1_000.0),
        width_bytes: Some(4.0),
    };
    DatabaseTable {
        schema: "public".to_owned(),
        name: name.to_owned(),
        live_rows: 100_000.0,
        dead_rows: Some(0.0),
        size_bytes: 8e6,
        inserts: Some(1_000.0),
        updates: Some(0.0),
        deletes: Some(0.0),
        last_analyze: Some(Timestamp::UNIX_EPOCH),
        has_primary_key: true,
        columns: columns.iter().map(column).collect(),
        ..DatabaseTable::default()
    }
}

/// A valid index of a table, without a rule and without a scan.
pub(crate) fn index(name: &str, columns: &[&str]) -> DatabaseIndex {
    DatabaseIndex {
        schema: "public".to_owned(),
        table: "orders".to_owned(),
        name: name.to_owned(),
        method: "btree".to_owned(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        included: Vec::new(),
        predicate: None,
        key_options: columns.iter().map(|_| "1:0:0".to_owned()).collect(),
        has_expressions: false,
        scans: Some(0.0),
        size_bytes: 1e6,
        definition: format!("CREATE INDEX {name} ON public.orders"),
        is_unique: false,
        is_valid: true,
        constraints: Vec::new(),
    }
}

/// A statement with a thousand calls of 20 ms.
pub(crate) fn statement(id: &str, text: &str) -> DatabaseStatement {
    DatabaseStatement {
        id: id.to_owned(),
        text: text.to_owned(),
        calls: 1_000.0,
        total_ms: 20_000.0,
        deviation_ms: None,
        rows: 1_000.0,
        rows_examined: None,
        blocks_hit: None,
        blocks_read: None,
        temporary_writes: 0.0,
        lock_ms: None,
        calls_without_index: None,
    }
}

/// Sets the statements of an observation.
pub(crate) fn with_statements(
    observation: Observation,
    read: Vec<DatabaseStatement>,
) -> Observation {
    let statements = StatementSource::Read {
        statements: read,
        counted_s: Some(86_400.0),
        evicted: 0,
    };
    Observation {
        statements,
        ..observation
    }
}

/// A setting that takes no restart.
pub(crate) fn setting(name: &str, value: &str) -> DatabaseSetting {
    DatabaseSetting {
        name: name.to_owned(),
        value: value.to_owned(),
        needs_restart: false,
    }
}
