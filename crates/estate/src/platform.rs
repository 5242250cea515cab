//! Platforms by family. Providers name operating systems and engines in words of their own; this is
//! the one place that reads them.

use crate::Specification;

/// Family of an operating system or database engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Windows, with or without licensed software.
    Windows,
    /// PostgreSQL, and Aurora with its compatibility.
    Postgres,
    /// MySQL or MariaDB, Aurora's included.
    MySql,
    /// Any other: Linux, licensed databases.
    Other,
}

impl Specification {
    /// Returns the family of the platform; `None` where the cloud named none.
    #[must_use]
    pub fn platform_family(&self) -> Option<Platform> {
        let name = self.platform.as_deref()?.to_ascii_lowercase();
        Some(match name.as_str() {
            name if name.starts_with("windows") => Platform::Windows,
            name if name.contains("postgres") => Platform::Postgres,
            name if name.contains("mysql") || name.contains("mariadb") => Platform::MySql,
            _ => Platform::Other,
        })
    }

    /// Returns `true` for engines whose instances are always members of a cluster: Aurora,
    /// DocumentDB, Neptune.
    #[must_use]
    pub fn is_clustered_engine(&self) -> bool {
        ["aurora", "docdb", "neptune"]
            .iter()
            .any(|engine| self.platform_begins(engine))
    }

    /// Returns `true` for the editions of SQL Server on RDS.
    #[must_use]
    pub fn is_sql_server(&self) -> bool {
        self.platform_begins("sqlserver")
    }

    fn platform_begins(&self, beginning: &str) -> bool {
        self.platform
            .as_deref()
            .is_some_and(|name| name.to_ascii_lowercase().starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_names_have_a_family() {
        let family = |name: &str| {
            Specification {
                platform: Some(name.to_owned()),
                ..Specification::default()
            }
            .platform_family()
        };

        for (name, expected) in [
            ("windows", Platform::Windows),
            ("Windows", Platform::Windows),
            ("windows_with_sql_server_standard", Platform::Windows),
            ("aurora-postgresql", Platform::Postgres),
            ("mariadb", Platform::MySql),
            ("aurora-mysql", Platform::MySql),
            ("linux", Platform::Other),
        ] {
            assert_eq!(family(name), Some(expected), "{name}");
        }

        assert_eq!(Specification::default().platform_family(), None);
    }
}
