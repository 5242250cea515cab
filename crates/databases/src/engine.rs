//! Engines of database servers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Engine of a database server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    Postgresql,
    Mariadb,
    Mysql,
}

impl Engine {
    /// Returns `true` for MariaDB and MySQL, which share their dialect and their statistics.
    #[must_use]
    pub const fn is_mysql_like(self) -> bool {
        matches!(self, Engine::Mariadb | Engine::Mysql)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Postgresql => "PostgreSQL",
            Engine::Mariadb => "MariaDB",
            Engine::Mysql => "MySQL",
        })
    }
}
