//! Address of a database: a URL with the user and the password.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr as _;

use sqlx::mysql::{MySqlConnectOptions, MySqlSslMode};
use sqlx::postgres::{PgConnectOptions, PgSslMode};

use crate::error::DatabaseError;

/// Address of a database with its secret. It is never printed as a whole.
#[derive(Clone)]
pub struct DatabaseAddress {
    pub(crate) options: AddressOptions,
    /// Host and database, without user and password.
    shown: String,
}

/// Use of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionUse {
    /// Reads alone, within short limits.
    Reading,
    /// Changes, with the rights of the user.
    Changing,
}

/// Options of the driver of an engine.
#[derive(Clone)]
pub(crate) enum AddressOptions {
    Postgresql(Box<PgConnectOptions>),
    Mysql(Box<MySqlConnectOptions>),
}

impl DatabaseAddress {
    /// Reads a URL: `postgres://` or `postgresql://`, `mysql://` or `mariadb://`.
    ///
    /// # Errors
    /// The text is no such URL, or it names no database.
    pub fn parse(url: &str) -> Result<DatabaseAddress, DatabaseError> {
        let unreadable = |error: sqlx::Error| DatabaseError::Address(crate::error::words(&error));
        let (scheme, rest) = url
            .split_once("://")
            .ok_or_else(|| DatabaseError::Address("it has no scheme".to_owned()))?;
        match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => {
                let options = PgConnectOptions::from_str(url).map_err(unreadable)?;
                let name = options.get_database().ok_or_else(no_database)?;
                let shown = format!("{}/{name}", options.get_host());
                let options =
                    AddressOptions::Postgresql(Box::new(options.application_name("reeve")));
                Ok(DatabaseAddress { options, shown })
            }
            "mysql" | "mariadb" => {
                let url = format!("mysql://{rest}");
                let options = MySqlConnectOptions::from_str(&url).map_err(unreadable)?;
                let name = options.get_database().ok_or_else(no_database)?;
                let shown = format!("{}/{name}", options.get_host());
                // A change of the session's mode would only matter to statements that write.
                let options = options.pipes_as_concat(false).no_engine_substitution(false);
                Ok(DatabaseAddress {
                    options: AddressOptions::Mysql(Box::new(options)),
                    shown,
                })
            }
            _ => Err(DatabaseError::Address(
                "the scheme is neither postgres nor mysql".to_owned(),
            )),
        }
    }

    /// Sets the user and the password.
    #[must_use]
    pub fn with_login(self, user: &str, password: &str) -> DatabaseAddress {
        let options = match self.options {
            AddressOptions::Postgresql(options) => {
                AddressOptions::Postgresql(Box::new(options.username(user).password(password)))
            }
            AddressOptions::Mysql(options) => {
                AddressOptions::Mysql(Box::new(options.username(user).password(password)))
            }
        };
        DatabaseAddress { options, ..self }
    }

    /// Sets the address that the host was resolved to, so that no other one is reached. With
    /// `is_encrypted` the server must offer TLS; its certificate is not compared with a name.
    #[must_use]
    pub fn at(self, address: IpAddr, is_encrypted: bool) -> DatabaseAddress {
        let host = address.to_string();
        let options = match self.options {
            AddressOptions::Postgresql(options) => {
                let mode = match is_encrypted {
                    true => PgSslMode::Require,
                    false => PgSslMode::Prefer,
                };
                AddressOptions::Postgresql(Box::new(options.host(&host).ssl_mode(mode)))
            }
            AddressOptions::Mysql(options) => {
                let mode = match is_encrypted {
                    true => MySqlSslMode::Required,
                    false => MySqlSslMode::Preferred,
                };
                AddressOptions::Mysql(Box::new(options.host(&host).ssl_mode(mode)))
            }
        };
        DatabaseAddress { options, ..self }
    }
}

fn no_database() -> DatabaseError {
    DatabaseError::Address("it names no database".to_owned())
}

impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseAddress({})", self.shown)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secret() {
        let address =
            DatabaseAddress::parse("postgres://reader:secret@db.example:5432/shop").unwrap();
        assert_eq!(address.to_string(), "db.example/shop");
        assert!(!format!("{address:?}").contains("secret"));
        let address = DatabaseAddress::parse("mariadb://reader:secret@db.example/shop").unwrap();
        assert_eq!(address.to_string(), "db.example/shop");
    }

    #[test]
    fn other_urls_are_refused_without_repeating_them() {
        for url in [
            "db.example/shop",
            "http://u:secret@db.example/shop",
            "mysql://u:secret@db.example",
        ] {
            let message = DatabaseAddress::parse(url).unwrap_err().to_string();
            assert!(
                message.contains("postgres://user:password@host"),
                "{message}"
            );
            assert!(!message.contains("secret"), "{message}");
        }
    }
}
