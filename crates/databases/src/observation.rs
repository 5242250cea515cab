//! Facts that a connector read of one database of a server.
//!
//! Counters are totals since [`ServerFacts::counted_s`] seconds ago. A value that the engine or the
//! user's permissions do not give is `None` or an empty list, and never zero.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// Everything that is judged of one database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub engine: Engine,
    /// Version as the server says it.
    pub version: String,
    /// Name of the database.
    pub database: String,
    pub observed_at: Timestamp,
    pub server: ServerFacts,
    pub statements: StatementSource,
    pub tables: Vec<DatabaseTable>,
    pub indexes: Vec<DatabaseIndex>,
    pub settings: Vec<DatabaseSetting>,
    pub activity: ActivityFacts,
    pub replication: ReplicationFacts,
    pub sequences: Vec<Sequence>,
    /// Extensions or plugins that are installed.
    pub extensions: Vec<String>,
    /// Reads that the server refused, in words.
    pub refused: Vec<String>,
}

/// Counters of the server as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// Time since the counters were last reset, seconds.
    pub counted_s: Option<f64>,
    /// `true` for a standby, whose own counters differ from those of its primary.
    pub is_standby: bool,
    /// Blocks that were found in the buffer.
    pub blocks_hit: Option<f64>,
    /// Blocks that were read from outside of the buffer.
    pub blocks_read: Option<f64>,
    /// Statements that read, since the counters were reset.
    pub read_statements: Option<f64>,
    /// Statements that write, since the counters were reset.
    pub write_statements: Option<f64>,
    /// Checkpoints by time and on request.
    pub checkpoints: Option<(f64, f64)>,
    /// Bytes of temporary files.
    pub temporary_bytes: Option<f64>,
    /// Size of the database, bytes.
    pub size_bytes: Option<f64>,
    /// Physical memory of the machine, bytes. No engine says it: a person or an inventory does.
    pub memory_bytes: Option<f64>,
    /// Age of the oldest unfrozen transaction of any database.
    pub transaction_age: Option<f64>,
}

/// Statistics of statements, or the reason why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum StatementSource {
    Read {
        statements: Vec<DatabaseStatement>,
        /// Time that the totals are of, seconds.
        counted_s: Option<f64>,
        /// Statements that the server dropped for want of room.
        evicted: u64,
    },
    Missing {
        reason: String,
        remedy: String,
    },
}

impl Observation {
    /// Returns the statements that were read.
    #[must_use]
    pub fn statements(&self) -> &[DatabaseStatement] {
        match &self.statements {
            StatementSource::Read { statements, .. } => statements,
            StatementSource::Missing { .. } => &[],
        }
    }

    /// Returns a setting by its name.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&DatabaseSetting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Returns the table of a schema and a name.
    #[must_use]
    pub fn table(&self, schema: &str, name: &str) -> Option<&DatabaseTable> {
        let is_it = |table: &&DatabaseTable| table.schema == schema && table.name == name;
        self.tables.iter().find(is_it)
    }

    /// Iterates over the indexes of a table.
    pub fn indexes_of<'o>(
        &'o self,
        table: &'o DatabaseTable,
    ) -> impl Iterator<Item = &'o DatabaseIndex> {
        let is_of =
            |index: &&DatabaseIndex| index.schema == table.schema && index.table == table.name;
        self.indexes.iter().filter(is_of)
    }
}

/// A normalized statement with its totals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseStatement {
    /// Identifier that the server gives it.
    pub id: String,
    /// Text with placeholders in the place of values.
    pub text: String,
    pub calls: f64,
    pub total_ms: f64,
    /// Standard deviation of one call, milliseconds.
    pub deviation_ms: Option<f64>,
    /// Rows that were returned or changed.
    pub rows: f64,
    /// Rows that were read to find them; PostgreSQL does not count them.
    pub rows_examined: Option<f64>,
    pub blocks_hit: Option<f64>,
    pub blocks_read: Option<f64>,
    /// Blocks of temporary files that were written, or sorts on disk.
    pub temporary_writes: f64,
    /// Time that calls waited for locks, milliseconds.
    pub lock_ms: Option<f64>,
    /// Calls that used no index.
    pub calls_without_index: Option<f64>,
}

impl DatabaseStatement {
    /// Mean time of a call, milliseconds.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        self.total_ms / self.calls.max(1.0)
    }
}

/// A table with its statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DatabaseTable {
    pub schema: String,
    pub name: String,
    pub live_rows: f64,
    pub dead_rows: Option<f64>,
    pub size_bytes: f64,
    pub sequential_scans: Option<f64>,
    pub sequential_rows: Option<f64>,
    pub inserts: Option<f64>,
    pub updates: Option<f64>,
    /// Updates that touched no index.
    pub updates_without_index: Option<f64>,
    pub deletes: Option<f64>,
    pub last_vacuum: Option<Timestamp>,
    pub last_analyze: Option<Timestamp>,
    pub has_primary_key: bool,
    pub columns: Vec<DatabaseColumn>,
}

impl DatabaseTable {
    /// Writes to an index of the table since the counters were reset; `None` if they are not
    /// counted.
    #[must_use]
    pub fn index_writes(&self) -> Option<f64> {
        let updates = self.updates? - self.updates_without_index.unwrap_or_default();
        Some(self.inserts? + updates.max(0.0))
    }

    /// Returns the column of a name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&DatabaseColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A column with the statistics of its values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DatabaseColumn {
    pub name: String,
    pub data_type: String,
    /// Number of distinct values; `None` before the table was analyzed.
    pub distinct_values: Option<f64>,
    /// Mean width of a value, bytes.
    pub width_bytes: Option<f64>,
}

/// Rule of the data that an index enforces or serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    PrimaryKey,
    Unique,
    Exclusion,
    /// A foreign key of another table refers to it, or one of its own needs it.
    ForeignKey,
    /// Logical replication finds rows by it.
    ReplicaIdentity,
    /// The table is ordered by it.
    Clustered,
    /// It is a part of the index of a partitioned table, and goes with it.
    Partition,
}

/// An index of a table, with how often it was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseIndex {
    pub schema: String,
    pub table: String,
    pub name: String,
    /// Access method, such as `btree`.
    pub method: String,
    /// Key columns in their order; an expression stands as its text.
    pub columns: Vec<String>,
    /// Columns that are stored beside the key.
    pub included: Vec<String>,
    /// Condition of a partial index.
    pub predicate: Option<String>,
    /// Operator class, collation and order of each key column, as text: two indexes that differ in
    /// them are no duplicates.
    pub key_options: Vec<String>,
    pub has_expressions: bool,
    /// Scans since the counters were reset; `None` where they are not counted.
    pub scans: Option<f64>,
    pub size_bytes: f64,
    /// Statement that creates it again.
    pub definition: String,
    pub is_unique: bool,
    pub is_valid: bool,
    pub constraints: Vec<Constraint>,
}

/// A setting of the server in its base unit: bytes for sizes, milliseconds for times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseSetting {
    pub name: String,
    /// Value as text: a number in the base unit, or a word.
    pub value: String,
    /// `true` if a change takes a restart of the server.
    pub needs_restart: bool,
}

impl DatabaseSetting {
    /// Returns the value as a number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        self.value
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
    }

    /// Returns `true` if the setting is switched off.
    #[must_use]
    pub fn is_off(&self) -> bool {
        matches!(
            self.value.to_ascii_lowercase().as_str(),
            "off" | "0" | "false"
        )
    }
}

/// Sessions at the time of the observation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ActivityFacts {
    /// Open sessions of clients.
    pub connections: Option<f64>,
    /// Sessions that execute a statement.
    pub active: Option<f64>,
    /// Most sessions that were open at once, where the server remembers it.
    pub peak_connections: Option<f64>,
    /// Sessions with a transaction older than a minute, the oldest first.
    pub long_transactions: Vec<BackendSession>,
    /// Sessions that wait for a lock.
    pub waiting: Vec<BackendSession>,
}

/// A session of the server; never its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackendSession {
    pub id: String,
    pub user: String,
    /// State, such as `idle in transaction`.
    pub state: String,
    /// Age of its transaction, or of its wait, seconds.
    pub age_s: f64,
    /// Session that holds the lock.
    pub blocked_by: Option<String>,
}

/// Replication of the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicationFacts {
    /// Replicas that are connected.
    pub replicas: Option<u32>,
    /// Greatest lag of a replica, seconds.
    pub lag_s: Option<f64>,
    /// Slots without a reader, and the bytes that they keep.
    pub inactive_slots: Vec<(String, f64)>,
}

/// A sequence or the counter of an automatic column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    pub name: String,
    pub last_value: f64,
    pub max_value: f64,
}
