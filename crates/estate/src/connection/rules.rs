//! Rules of connections: names, regions and keys that are taken, times of syncs, and the fields
//! that a sync owns.

use jiff::{SignedDuration, Timestamp};

use super::{Connection, ConnectionCredentials, ConnectionStatus, SyncReport};
use crate::provider::Provider;

/// Regions of a connection at most.
pub const MAX_REGIONS: usize = 40;
/// Longest user name and password of a database server, bytes.
const MAX_LOGIN: usize = 1_000;
/// Longest name of a connection, characters.
pub const MAX_NAME: usize = 100;

/// Rule that a field of a connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRule {
    /// The value cannot be taken.
    Invalid,
    /// The value is needed.
    Missing,
    /// This release does not serve the value.
    NotAvailable,
}

/// A field of a connection that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct InvalidConnection {
    /// Path of the field, such as `regions[2]`.
    pub field: String,
    pub rule: BrokenRule,
    /// Sentence for people that follows the field.
    pub message: String,
}

fn invalid(field: impl Into<String>, message: impl Into<String>) -> InvalidConnection {
    InvalidConnection {
        field: field.into(),
        rule: BrokenRule::Invalid,
        message: message.into(),
    }
}

/// Reads the provider of a new connection.
///
/// # Errors
/// The name is no provider, or no connector of this release reaches it.
pub fn read_provider(name: &str) -> Result<Provider, InvalidConnection> {
    match Provider::parse(name) {
        Some(provider @ (Provider::Aws | Provider::Database)) => Ok(provider),
        Some(other) => Err(InvalidConnection {
            field: "provider".to_owned(),
            rule: BrokenRule::NotAvailable,
            message: format!(
                "{other} connections are not available in this release; aws and database are"
            ),
        }),
        None => Err(invalid(
            "provider",
            format!("{name:?} is not one of aws, azure, gcp, database"),
        )),
    }
}

/// Reads the name of a connection.
///
/// # Errors
/// The name is empty or too long.
pub fn read_name(name: &str) -> Result<String, InvalidConnection> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME {
        return Err(invalid(
            "name",
            format!("must have 1 to {MAX_NAME} characters"),
        ));
    }
    Ok(name.to_owned())
}

/// Checks the regions of a connection.
///
/// # Errors
/// There are none or too many, or one is no name of a region.
pub fn check_regions(regions: &[String]) -> Result<(), InvalidConnection> {
    if regions.is_empty() || regions.len() > MAX_REGIONS {
        return Err(invalid(
            "regions",
            format!("name 1 to {MAX_REGIONS} regions"),
        ));
    }

    let is_name = |region: &String| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !region.is_empty() && region.len() <= 40 && region.bytes().all(plain)
    };

    match regions
        .iter()
        .enumerate()
        .find(|(_, region)| !is_name(region))
    {
        Some((index, region)) => Err(invalid(
            format!("regions[{index}]"),
            format!("{region:?} is not a region name"),
        )),
        None => Ok(()),
    }
}

/// Checks what a connection to a database has beside its name: an endpoint of a known scheme with
/// the name of a database, a login, and nothing of a cloud.
///
/// # Errors
/// A field is missing, or one does not belong to a database.
pub fn check_database(connection: &Connection) -> Result<(), InvalidConnection> {
    let missing = |field: &str, message: &str| InvalidConnection {
        field: field.to_owned(),
        rule: BrokenRule::Missing,
        message: message.to_owned(),
    };
    let Some(endpoint) = &connection.endpoint else {
        return Err(missing(
            "endpoint",
            "is needed, such as postgres://db.example.com:5432/shop",
        ));
    };
    let parts = database_endpoint(endpoint);
    let is_complete = parts.is_some_and(|(_, rest)| {
        let (host, name) = rest.split_once('/').unwrap_or_default();
        !host.is_empty() && !name.is_empty() && !rest.contains(['@', '?', '#'])
    });
    if !is_complete {
        return Err(invalid(
            "endpoint",
            "must be postgres://host:port/database or mysql://host:port/database, without a user",
        ));
    }
    if !matches!(connection.credentials, ConnectionCredentials::Login { .. }) {
        return Err(missing(
            "login",
            "is needed: a user of the database that may read statistics",
        ));
    }
    if connection.assume_role.is_some() || connection.external_id.is_some() {
        return Err(invalid("assume_role", "belongs to connections of aws"));
    }
    Ok(())
}

/// Returns the scheme of a database's endpoint and what follows it; `None` for other addresses.
#[must_use]
pub fn database_endpoint(endpoint: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = endpoint.split_once("://")?;
    matches!(scheme, "postgres" | "postgresql" | "mysql" | "mariadb").then_some((scheme, rest))
}

/// Reads the ARN of a role to assume; an empty text is none.
///
/// # Errors
/// The text is not the ARN of a role.
pub fn read_role(given: Option<String>) -> Result<Option<String>, InvalidConnection> {
    let given = given.filter(|text| !text.is_empty());
    match &given {
        Some(arn) if !(arn.starts_with("arn:") && arn.contains(":role/")) => {
            let message = "is not the ARN of a role, such as arn:aws:iam::123456789012:role/reeve";
            Err(invalid("assume_role", message))
        }
        _ => Ok(given),
    }
}

impl ConnectionCredentials {
    /// Reads an access key.
    ///
    /// # Errors
    /// The identifier cannot be one of a key, or the secret is missing.
    pub fn access_key(
        id: &str,
        secret_access_key: String,
        session_token: Option<String>,
    ) -> Result<ConnectionCredentials, InvalidConnection> {
        let id = id.trim();
        if id.is_empty()
            || id.len() > 128
            || !id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(invalid(
                "credentials.access_key_id",
                "is not an access key id",
            ));
        }

        if secret_access_key.is_empty() {
            let field = "credentials.secret_access_key".to_owned();
            return Err(InvalidConnection {
                field,
                rule: BrokenRule::Missing,
                message: "is needed".to_owned(),
            });
        }

        Ok(ConnectionCredentials::AccessKey {
            access_key_id: id.to_owned(),
            secret_access_key,
            session_token: session_token.filter(|token| !token.is_empty()),
        })
    }

    /// Reads the login of a database server.
    ///
    /// # Errors
    /// The user or the password is missing, or one is too long.
    pub fn login(user: &str, password: String) -> Result<ConnectionCredentials, InvalidConnection> {
        let missing = |field: &str| InvalidConnection {
            field: field.to_owned(),
            rule: BrokenRule::Missing,
            message: "is needed".to_owned(),
        };
        let user = user.trim();
        if user.is_empty() {
            return Err(missing("login.user"));
        }
        if password.is_empty() {
            return Err(missing("login.password"));
        }
        if user.len() > MAX_LOGIN || password.len() > MAX_LOGIN {
            return Err(invalid(
                "login",
                format!("has at most {MAX_LOGIN} bytes each"),
            ));
        }
        Ok(ConnectionCredentials::Login {
            user: user.to_owned(),
            password,
        })
    }

    /// Returns `true` if the credentials hold a secret that was given for one endpoint.
    #[must_use]
    pub const fn is_secret(&self) -> bool {
        matches!(
            self,
            ConnectionCredentials::AccessKey { .. } | ConnectionCredentials::Login { .. }
        )
    }

    /// Returns the name of the kind of credentials.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            ConnectionCredentials::AccessKey { .. } => "access_key",
            ConnectionCredentials::Login { .. } => "login",
            ConnectionCredentials::Ambient => "ambient",
            ConnectionCredentials::Simulated => "simulated",
        }
    }

    /// Returns the last characters of the access key's identifier, by which people know it.
    #[must_use]
    pub fn masked_key_id(&self) -> Option<String> {
        let ConnectionCredentials::AccessKey { access_key_id, .. } = self else {
            return None;
        };
        let shown = access_key_id.len().saturating_sub(4);
        Some(format!("...{}", &access_key_id[shown..]))
    }
}

impl Connection {
    /// Checks a change of a connection. A key that was given for one endpoint is not sent to
    /// another: whoever may change the endpoint need not know the key.
    ///
    /// # Errors
    /// The endpoint changes and the credentials were not given again.
    pub fn check_change(
        &self,
        after: &Connection,
        gives_credentials: bool,
    ) -> Result<(), InvalidConnection> {
        let keeps_key = !gives_credentials && self.credentials.is_secret();
        if keeps_key && self.endpoint != after.endpoint {
            return Err(InvalidConnection {
                field: "credentials".to_owned(),
                rule: BrokenRule::Missing,
                message: "must be given again: the endpoint changes, and the key was given for the one before"
                    .to_owned(),
            });
        }

        Ok(())
    }

    /// Switches the connection on or off.
    pub fn enable(&mut self, enabled: bool) {
        match enabled {
            false => self.status = ConnectionStatus::Disabled,
            true if self.status == ConnectionStatus::Disabled => {
                self.status = ConnectionStatus::New
            }
            true => {}
        }
    }

    /// Returns `true` if the last sync ended at least `pause` ago. A connection that is switched
    /// off is never due, and one whose first sync failed waits for a user.
    #[must_use]
    pub fn is_due(&self, pause: SignedDuration, now: Timestamp) -> bool {
        match (self.status, &self.last_sync) {
            (ConnectionStatus::Disabled, _) | (ConnectionStatus::Failed, None) => false,
            (_, None) => true,
            (_, Some(last)) => now.duration_since(last.finished_at) >= pause,
        }
    }

    /// Returns the connection after a sync of `account`. It is called on the stored connection:
    /// settings that were changed during the sync stay, and a connection that was switched off
    /// meanwhile stays off.
    #[must_use]
    pub fn after_sync(self, account: &str, outcome: Result<&SyncReport, &str>) -> Connection {
        let status = match (self.status, outcome) {
            (ConnectionStatus::Disabled, _) => ConnectionStatus::Disabled,
            (_, Ok(_)) => ConnectionStatus::Ready,
            (_, Err(_)) => ConnectionStatus::Failed,
        };
        let account = account.to_owned();

        match outcome {
            Ok(report) => Connection {
                account,
                status,
                last_sync: Some(report.clone()),
                last_error: None,
                ..self
            },
            Err(message) => Connection {
                account,
                status,
                last_error: Some(message.to_owned()),
                ..self
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::ConnectionId;
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn report(second: i64) -> SyncReport {
        let (started_at, finished_at) = (at(second), at(second));
        SyncReport {
            started_at,
            finished_at,
            resources: 1,
            samples: 2,
            denied: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn connection() -> Connection {
        Connection {
            id: ConnectionId("c".into()),
            name: "acme".into(),
            provider: Provider::Aws,
            account: String::new(),
            regions: vec!["us-east-1".into()],
            credentials: ConnectionCredentials::access_key(
                "AKIA1234",
                "secret".into(),
                Some(String::new()),
            )
            .unwrap(),
            assume_role: None,
            external_id: None,
            endpoint: None,
            allow_actions: false,
            status: ConnectionStatus::New,
            last_sync: None,
            last_error: None,
            created_at: at(0),
        }
    }

    #[test]
    fn wrong_fields_are_named() {
        assert_eq!(
            read_provider("azure").unwrap_err().rule,
            BrokenRule::NotAvailable
        );
        assert_eq!(read_provider("acme").unwrap_err().field, "provider");
        assert_eq!(read_name(" acme ").unwrap(), "acme");
        assert!(read_name(" ").is_err() && read_name(&"a".repeat(MAX_NAME + 1)).is_err());

        for (regions, field) in [
            (vec![], "regions"),
            (vec!["us-east-1", "US"], "regions[1]"),
            (vec![""], "regions[0]"),
        ] {
            let regions: Vec<String> = regions.into_iter().map(str::to_owned).collect();
            assert_eq!(check_regions(&regions).unwrap_err().field, field);
        }

        assert!(check_regions(&vec!["us-east-1".to_owned(); MAX_REGIONS + 1]).is_err());
        assert_eq!(read_role(Some(String::new())).unwrap(), None);
        assert_eq!(
            read_role(Some("reeve".into())).unwrap_err().field,
            "assume_role"
        );
        assert_eq!(
            ConnectionCredentials::access_key("A B", "s".into(), None)
                .unwrap_err()
                .field,
            "credentials.access_key_id"
        );

        assert_eq!(
            ConnectionCredentials::access_key("AB", String::new(), None)
                .unwrap_err()
                .rule,
            BrokenRule::Missing
        );

        let credentials = connection().credentials;
        assert_eq!(
            (credentials.kind(), credentials.masked_key_id().as_deref()),
            ("access_key", Some("...1234"))
        );
    }

    #[test]
    fn a_key_is_not_sent_to_another_endpoint() {
        let before = connection();
        let moved = Connection {
            endpoint: Some("https://elsewhere.example".into()),
            ..before.clone()
        };
        assert_eq!(
            before.check_change(&moved, false).unwrap_err().field,
            "credentials"
        );
        before.check_change(&moved, true).unwrap();
        before.check_change(&before, false).unwrap();
        Connection {
            credentials: ConnectionCredentials::Ambient,
            ..before
        }
        .check_change(&moved, false)
        .unwrap();
    }

    #[test]
    fn a_connection_is_due_a_pause_after_its_last_sync() {
        let pause = SignedDuration::from_secs(60);
        let due = |status, last: Option<i64>| {
            Connection {
                status,
                last_sync: last.map(report),
                ..connection()
            }
            .is_due(pause, at(100))
        };
        assert!(due(ConnectionStatus::New, None) && due(ConnectionStatus::Ready, Some(40)));

        assert!(
            !due(ConnectionStatus::Ready, Some(41)) && !due(ConnectionStatus::Disabled, Some(0))
        );
        assert!(!due(ConnectionStatus::Failed, None) && due(ConnectionStatus::Failed, Some(0)));
    }

    #[test]
    fn a_sync_writes_its_own_fields_alone() {
        let renamed = Connection {
            name: "renamed".into(),
            status: ConnectionStatus::Syncing,
            ..connection()
        };
        let after = renamed.clone().after_sync("1234", Ok(&report(5)));
        assert_eq!(
            (after.name.as_str(), after.account.as_str(), after.status),
            ("renamed", "1234", ConnectionStatus::Ready)
        );

        let failed = after.after_sync("1234", Err("no"));
        assert_eq!(
            (failed.status, failed.last_error.as_deref()),
            (ConnectionStatus::Failed, Some("no"))
        );
        assert_eq!(failed.last_sync, Some(report(5)), "the last report stays");

        let off = Connection {
            status: ConnectionStatus::Disabled,
            ..renamed
        };
        assert_eq!(
            off.after_sync("1234", Ok(&report(5))).status,
            ConnectionStatus::Disabled
        );
    }
}
