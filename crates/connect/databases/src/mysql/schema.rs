//! Tables, columns and indexes of MariaDB and MySQL.

use std::collections::{HashMap, HashSet};

use reeve_databases::{Constraint, DatabaseColumn, DatabaseIndex, DatabaseTable, Sequence};

use super::{AnswerRow, MysqlSession, quoted};
use crate::error::DatabaseError;

/// An index with the parts of its definition.
struct IndexParts {
    index: DatabaseIndex,
    keys: Vec<String>,
}

impl MysqlSession {
    /// Reads the tables with their columns, and the counters of automatic columns.
    pub(super) async fn tables(
        &mut self,
    ) -> Result<(Vec<DatabaseTable>, Vec<Sequence>), DatabaseError> {
        let rows = self.rows("tables", include_str!("tables.sql")).await?;
        let mut counters = HashMap::new();
        let mut tables: Vec<DatabaseTable> = Vec::new();
        for row in &rows {
            let (Some(schema), Some(name)) = (row.text(0), row.text(1)) else {
                continue;
            };
            if let Some(next) = row.number(5) {
                counters.insert(name.clone(), next);
            }
            tables.push(DatabaseTable {
                schema,
                name,
                live_rows: row.number(2).unwrap_or_default(),
                size_bytes: row.number(3).unwrap_or_default(),
                has_primary_key: row.flag(4),
                ..DatabaseTable::default()
            });
        }

        let mut sequences = Vec::new();
        let rows = self.rows("columns", include_str!("columns.sql")).await?;
        for row in &rows {
            let (Some(table), Some(name), Some(data_type)) =
                (row.text(0), row.text(1), row.text(2))
            else {
                continue;
            };
            let is_automatic = row
                .text(4)
                .is_some_and(|extra| extra.contains("auto_increment"));
            if let (true, Some(next)) = (is_automatic, counters.get(&table)) {
                let is_unsigned = row.text(3).is_some_and(|text| text.contains("unsigned"));
                sequences.push(Sequence {
                    name: format!("{table}.{name}"),
                    last_value: next - 1.0,
                    max_value: greatest(&data_type, is_unsigned),
                });
            }
            if let Some(owner) = tables.iter_mut().find(|one| one.name == table) {
                let column = DatabaseColumn {
                    name,
                    data_type,
                    ..DatabaseColumn::default()
                };
                owner.columns.push(column);
            }
        }
        Ok((tables, sequences))
    }

    /// Reads the indexes; the number of distinct values of a leading column is noted with it.
    pub(super) async fn indexes(
        &mut self,
        tables: &mut [DatabaseTable],
    ) -> Result<Vec<DatabaseIndex>, DatabaseError> {
        let foreign = self
            .rows("foreign keys", include_str!("foreign_keys.sql"))
            .await?;
        let foreign: HashSet<(String, String)> = foreign
            .iter()
            .filter_map(|row| Some((row.text(0)?, row.text(1)?)))
            .collect();

        let rows = self.rows("indexes", include_str!("indexes.sql")).await?;
        let mut parts: Vec<IndexParts> = Vec::new();
        for row in &rows {
            let (Some(table), Some(name)) = (row.text(0), row.text(1)) else {
                continue;
            };
            let is_next = parts
                .last()
                .is_some_and(|last| last.index.table == table && last.index.name == name);
            if !is_next {
                note_distinct(tables, &table, row);
                parts.push(begin(tables, table, name, row));
            }
            if let Some(last) = parts.last_mut() {
                add_key(last, row);
            }
        }
        Ok(parts
            .into_iter()
            .map(|parts| finish(parts, &foreign))
            .collect())
    }

    /// Counts writes of tables and scans of indexes.
    pub(super) async fn count_uses(
        &mut self,
        tables: &mut [DatabaseTable],
        indexes: &mut [DatabaseIndex],
        refused: &mut Vec<String>,
    ) -> Result<(), DatabaseError> {
        let writes = self
            .rows("writes of tables", include_str!("writes.sql"))
            .await;
        for row in &crate::postgresql::or_refused(writes, refused) {
            let name = row.text(0).unwrap_or_default();
            if let Some(table) = tables.iter_mut().find(|table| table.name == name) {
                table.inserts = row.number(1);
                table.updates = row.number(2);
                table.deletes = row.number(3);
            }
        }

        let scans = self
            .rows("scans of indexes", include_str!("scans.sql"))
            .await;
        for row in &crate::postgresql::or_refused(scans, refused) {
            let (table, name) = (
                row.text(0).unwrap_or_default(),
                row.text(1).unwrap_or_default(),
            );
            let mut of_name = indexes
                .iter_mut()
                .filter(|index| index.table == table && index.name == name);
            if let Some(index) = of_name.next() {
                index.scans = row.number(2);
            }
        }
        Ok(())
    }
}

/// Greatest value of an automatic column.
fn greatest(data_type: &str, is_unsigned: bool) -> f64 {
    let bits = match data_type {
        "tinyint" => 8,
        "smallint" => 16,
        "mediumint" => 24,
        "int" => 32,
        _ => 64,
    };
    2_f64.powi(if is_unsigned { bits } else { bits - 1 }) - 1.0
}

/// The cardinality of a leading column is the number of its distinct values.
fn note_distinct(tables: &mut [DatabaseTable], table: &str, row: &AnswerRow) {
    let name = row.text(2).unwrap_or_default();
    let table = tables.iter_mut().find(|one| one.name == table);
    let column = table.and_then(|table| table.columns.iter_mut().find(|one| one.name == name));
    if let Some(column) = column {
        column.distinct_values = column.distinct_values.or_else(|| row.number(7));
    }
}

fn begin(tables: &[DatabaseTable], table: String, name: String, row: &AnswerRow) -> IndexParts {
    let is_unique = row.number(3) == Some(0.0);
    let owner = tables.iter().find(|one| one.name == table);
    let constraint = match (name.as_str(), is_unique) {
        ("PRIMARY", _) => Some(Constraint::PrimaryKey),
        (_, true) => Some(Constraint::Unique),
        _ => None,
    };
    let index = DatabaseIndex {
        schema: owner.map(|one| one.schema.clone()).unwrap_or_default(),
        method: row.text(4).unwrap_or_default().to_lowercase(),
        columns: Vec::new(),
        included: Vec::new(),
        predicate: None,
        key_options: Vec::new(),
        has_expressions: false,
        scans: None,
        size_bytes: 0.0,
        definition: String::new(),
        is_unique,
        is_valid: true,
        constraints: constraint.into_iter().collect(),
        table,
        name,
    };
    IndexParts {
        index,
        keys: Vec::new(),
    }
}

fn add_key(parts: &mut IndexParts, row: &AnswerRow) {
    let column = row.text(2);
    let length = row.text(5);
    parts.index.has_expressions |= column.is_none();
    let name = column.unwrap_or_else(|| "(expression)".to_owned());
    let key = match &length {
        Some(length) => format!("{}({length})", quoted(&name)),
        None => quoted(&name),
    };
    let options = format!(
        "{}:{}",
        length.unwrap_or_default(),
        row.text(6).unwrap_or_default()
    );
    parts.keys.push(key);
    parts.index.key_options.push(options);
    parts.index.columns.push(name);
}

fn finish(parts: IndexParts, foreign: &HashSet<(String, String)>) -> DatabaseIndex {
    let IndexParts { mut index, keys } = parts;
    let leading = index.columns.first().cloned().unwrap_or_default();
    if foreign.contains(&(index.table.clone(), leading)) {
        index.constraints.push(Constraint::ForeignKey);
    }
    index.definition = format!(
        "ALTER TABLE {}.{} ADD INDEX {} ({})",
        quoted(&index.schema),
        quoted(&index.table),
        quoted(&index.name),
        keys.join(", ")
    );
    index
}
