//! Inserts of many rows with one statement: a transaction that writes a page of descriptions holds
//! the store's one writer for a handful of statements rather than for hundreds.

use sqlx::any::{Any, AnyArguments};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, SqlSafeStr as _, Transaction};

use crate::fault::Fault;

/// Parameters of one statement at most. SQLite takes 32,766, PostgreSQL 65,535.
const MOST_PARAMETERS: usize = 16_000;

/// Value of a column.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Text(String),
    Integer(i64),
    OptionalInteger(Option<i64>),
}

/// Rows to insert, all of the same columns.
#[derive(Debug)]
pub(crate) struct Insert<const COLUMNS: usize> {
    /// `INSERT INTO table (columns)`.
    head: &'static str,
    /// End of the statement (`ON CONFLICT ...`).
    tail: &'static str,
    rows: Vec<[Cell; COLUMNS]>,
}

impl<const COLUMNS: usize> Insert<COLUMNS> {
    pub(crate) fn new(head: &'static str, tail: &'static str) -> Self {
        Insert {
            head,
            tail,
            rows: Vec::new(),
        }
    }

    /// Adds a row. A statement that updates what it conflicts with must not have the same key
    /// twice.
    pub(crate) fn row(&mut self, cells: [Cell; COLUMNS]) {
        self.rows.push(cells);
    }

    /// Inserts the rows; without any, nothing is sent.
    pub(crate) async fn run(&self, tx: &mut Transaction<'_, Any>) -> Result<(), sqlx::Error> {
        for rows in self.rows.chunks(MOST_PARAMETERS / COLUMNS.max(1)) {
            self.statement(rows).execute(&mut **tx).await?;
        }
        Ok(())
    }

    /// Inserts the rows of a connection, and reports a missing connection as such.
    pub(crate) async fn run_for(
        &self,
        tx: &mut Transaction<'_, Any>,
        connection: &str,
    ) -> Result<(), Fault> {
        self.run(tx)
            .await
            .map_err(|error| Fault::or_orphan(error, "connection", connection))
    }

    fn statement(&self, rows: &[[Cell; COLUMNS]]) -> Query<'static, Any, AnyArguments> {
        let row = |number: usize| {
            let places = (1..=COLUMNS).map(|column| format!("${}", number * COLUMNS + column));
            format!("({})", places.collect::<Vec<_>>().join(", "))
        };
        let places = (0..rows.len()).map(row).collect::<Vec<_>>().join(", ");

        let sql =
            AssertSqlSafe(format!("{} VALUES {places} {}", self.head, self.tail)).into_sql_str();
        rows.iter()
            .flatten()
            .cloned()
            .fold(sqlx::query(sql), |query, cell| match cell {
                Cell::Text(text) => query.bind(text),
                Cell::Integer(number) => query.bind(number),
                Cell::OptionalInteger(number) => query.bind(number),
            })
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}
