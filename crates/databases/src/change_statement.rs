//! Statements that change a server: advice shows them, and a connector executes them.

use crate::engine::Engine;
use crate::quote::{name as quoted, qualified};

/// Writes the statement that builds an index while its table is read and written.
#[must_use]
pub fn build_index(
    engine: Engine,
    schema: &str,
    table: &str,
    name: &str,
    columns: &[String],
) -> String {
    let (table, name) = (qualified(engine, schema, table), quoted(engine, name));
    let columns = column_list(engine, columns);
    match engine {
        Engine::Postgresql => format!("CREATE INDEX CONCURRENTLY {name} ON {table} ({columns})"),
        Engine::Mariadb | Engine::Mysql => {
            format!(
                "ALTER TABLE {table} ADD INDEX {name} ({columns}), ALGORITHM=INPLACE, LOCK=NONE"
            )
        }
    }
}

/// Writes the statement that drops an index while its table is read and written.
#[must_use]
pub fn drop_index(engine: Engine, schema: &str, table: &str, name: &str) -> String {
    match engine {
        Engine::Postgresql => {
            format!(
                "DROP INDEX CONCURRENTLY {}",
                qualified(engine, schema, name)
            )
        }
        Engine::Mariadb | Engine::Mysql => format!(
            "ALTER TABLE {} DROP INDEX {}, ALGORITHM=INPLACE, LOCK=NONE",
            qualified(engine, schema, table),
            quoted(engine, name)
        ),
    }
}

/// Returns the statement that builds an index of PostgreSQL again without blocking writes, from the
/// definition that `pg_get_indexdef` writes.
#[must_use]
pub fn rebuild_index(definition: &str) -> String {
    definition.replacen("CREATE INDEX ", "CREATE INDEX CONCURRENTLY ", 1)
}

/// Writes the statements that set a parameter for the running server, and where the engine keeps
/// such a value, for its next start. A size is in bytes.
#[must_use]
pub fn set_parameter(engine: Engine, name: &str, value: f64, is_size: bool) -> Vec<String> {
    match engine {
        Engine::Postgresql => {
            let written = match is_size {
                true => format!("'{}kB'", (value / 1_024.0).round()),
                false => format!("{value:.0}"),
            };
            vec![
                format!("ALTER SYSTEM SET {name} = {written}"),
                "SELECT pg_reload_conf()".to_owned(),
            ]
        }
        Engine::Mariadb => vec![format!("SET GLOBAL {name} = {value:.0}")],
        Engine::Mysql => vec![format!("SET PERSIST {name} = {value:.0}")],
    }
}

pub(crate) fn column_list(engine: Engine, columns: &[String]) -> String {
    let columns: Vec<_> = columns
        .iter()
        .map(|column| quoted(engine, column))
        .collect();
    columns.join(", ")
}
