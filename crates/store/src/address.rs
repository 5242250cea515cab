//! Address of the database: `sqlite:///path/to/file` or
//! `postgres://user:password@host:port/database`.
//!
//! Anything else is refused, and so is a SQLite database in memory: readers and the writer are
//! connections of their own.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use sqlx::any::AnyConnectOptions;

use crate::open::OpenError;

/// Kind of database; both run the same statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) backend: Backend,
    /// The file, for SQLite.
    pub(crate) file: Option<PathBuf>,
    pub(crate) options: AnyConnectOptions,
    /// For messages: without user and password.
    pub(crate) shown: String,
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, OpenError> {
        if let Some(rest) = text.strip_prefix("sqlite:") {
            return Self::sqlite(Path::new(rest.strip_prefix("//").unwrap_or(rest)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Self::postgres(text);
        }
        Err(OpenError::Address(
            "must be sqlite:///path/to/file or postgres://user:password@host/database".into(),
        ))
    }

    fn sqlite(path: &Path) -> Result<Self, OpenError> {
        let Some(text) = path.to_str() else {
            return Err(OpenError::Address(
                "the path of the SQLite file must be UTF-8".into(),
            ));
        };

        if text.is_empty() || text.starts_with(":memory:") {
            return Err(OpenError::Address(
                "needs the path of a file; a SQLite database in memory is not supported".into(),
            ));
        }

        let shown = format!("sqlite://{text}");
        Ok(Address {
            backend: Backend::Sqlite,
            file: Some(path.to_owned()),
            options: sqlite_options(text)?,
            shown,
        })
    }

    /// Takes the file, which exists by now, by its absolute path: a URL would resolve `..` by its
    /// letters and read the first part of a relative path as a host.
    pub(crate) fn locate(&mut self, file: &Path) -> Result<(), OpenError> {
        let unusable = |message: String| OpenError::File {
            at: self.shown.clone(),
            message,
        };
        let absolute = std::fs::canonicalize(file).map_err(|error| unusable(error.to_string()))?;

        let text = absolute
            .to_str()
            .ok_or_else(|| unusable("its path is not UTF-8".into()))?;
        self.options = sqlite_options(text)?;
        Ok(())
    }

    fn postgres(text: &str) -> Result<Self, OpenError> {
        let options = AnyConnectOptions::from_str(text)
            .map_err(|error| OpenError::Address(error.to_string()))?;
        let url = &options.database_url;
        let port = url
            .port()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        let shown = format!(
            "postgres://{}{port}{}",
            url.host_str().unwrap_or("localhost"),
            url.path()
        );

        Ok(Address {
            backend: Backend::Postgres,
            file: None,
            options,
            shown,
        })
    }
}

fn sqlite_options(path: &str) -> Result<AnyConnectOptions, OpenError> {
    let url = format!("sqlite://{}?mode=rwc", escape(path));
    AnyConnectOptions::from_str(&url).map_err(|error| OpenError::Address(error.to_string()))
}

/// Percent-encodes what a URL would read otherwise.
fn escape(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }

    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses() {
        let cases = [
            (
                "sqlite:///var/lib/reeve/state/reeve.db",
                Some("sqlite:///var/lib/reeve/state/reeve.db"),
            ),
            ("sqlite://state/reeve.db", Some("sqlite://state/reeve.db")),
            ("sqlite:reeve.db", Some("sqlite://reeve.db")),
            (
                "sqlite:///tmp/odd name?#%.db",
                Some("sqlite:///tmp/odd name?#%.db"),
            ),
            (
                "postgres://reeve:secret@db.example.com:5433/reeve",
                Some("postgres://db.example.com:5433/reeve"),
            ),
            (
                "postgresql://reeve@localhost/reeve",
                Some("postgres://localhost/reeve"),
            ),
            ("sqlite::memory:", None),
            ("sqlite:", None),
            ("mysql://root@localhost/reeve", None),
            ("/var/lib/reeve.db", None),
            ("postgres://reeve@[broken/reeve", None),
        ];
        for (text, shown) in cases {
            assert_eq!(
                Address::parse(text)
                    .ok()
                    .map(|address| address.shown)
                    .as_deref(),
                shown,
                "{text}"
            );
        }
    }

    #[test]
    fn no_password_in_messages() {
        let address = Address::parse("postgres://reeve:sEcReT@localhost/reeve").unwrap();
        assert!(!address.shown.contains("sEcReT"));
        let error = Address::parse("postgres://reeve:sEcReT@[broken/reeve").unwrap_err();
        assert!(!error.to_string().contains("sEcReT"), "{error}");
    }
}
