//! From a connection to the cloud behind it: AWS through its SDK, or the simulated estate.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_connect_aws::{AwsConnection, TargetGroups};
use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
use reeve_connect_simulated::SimulatedEstate;
use reeve_estate::{
    Act, Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, DescriptionSink,
    EstateStore, KindReader, Observe, ObserveError, ObserveErrorKind, PriceCatalogue, Provider,
};
use reeve_recommend::ports::Clouds;

use crate::active::{Deadline, Fenced};
use crate::adapters::databases::DatabaseServer;

/// Time for which an account stays open. Keys of a role end sooner, and the session renews them.
const OPEN_FOR: Duration = Duration::from_secs(3600);

/// An account that is open: its session keeps connections to the cloud, and the keys of the role that
/// it assumed.
struct OpenAccount {
    /// The connection as it was opened, without what changes by itself.
    connection: Connection,
    session: AwsConnection,
    opened_at: Instant,
}

/// Opens clouds. Before [`CloudRegistry::over`] it knows no connections.
pub(crate) struct CloudRegistry {
    estate: Option<Arc<dyn EstateStore>>,
    outbound: Outbound,
    catalogue: Option<Arc<PriceCatalogue>>,
    simulated: Option<Arc<SimulatedEstate>>,
    readers: Vec<Arc<dyn KindReader>>,
    /// Target groups that were read a moment ago, for all sessions of AWS.
    target_groups: Arc<TargetGroups>,
    /// Accounts of AWS that are open.
    accounts: Mutex<HashMap<ConnectionId, OpenAccount>>,
    /// Deadline that changes are made before.
    deadline: Option<Arc<Deadline>>,
    /// A cloud that a test made up; it is behind every connection.
    #[cfg(test)]
    made_up: Option<Arc<dyn Act>>,
}

impl CloudRegistry {
    /// Creates the clouds without the simulated one.
    pub(crate) fn real() -> Self {
        CloudRegistry {
            estate: None,
            outbound: outbound(OutboundPolicy::default()),
            catalogue: None,
            simulated: None,
            readers: Vec::new(),
            target_groups: Arc::default(),
            accounts: Mutex::default(),
            deadline: None,
            #[cfg(test)]
            made_up: None,
        }
    }

    /// With a simulated estate beside them.
    pub(crate) fn with_simulated(simulated: Arc<SimulatedEstate>) -> Self {
        CloudRegistry {
            simulated: Some(simulated),
            ..CloudRegistry::real()
        }
    }

    /// With readers of further kinds, which every connection is read by.
    pub(crate) fn with_readers(self, readers: Vec<Arc<dyn KindReader>>) -> Self {
        CloudRegistry { readers, ..self }
    }

    /// Reads the descriptions of a connection's resources, by its cloud's connector and by the
    /// further readers.
    pub(crate) async fn describe(
        &self,
        connection: &Connection,
        observer: &dyn Observe,
        sink: &dyn DescriptionSink,
    ) -> Result<(), Obstacle> {
        observer
            .describe(sink)
            .await
            .map_err(|error| Obstacle::from(error.message))?;
        for reader in &self.readers {
            reader.read(connection, sink).await.map_err(Obstacle::of)?;
        }

        Ok(())
    }

    /// A cloud that a test made up.
    #[cfg(test)]
    pub(crate) fn made_up(cloud: Arc<dyn Act>) -> Self {
        CloudRegistry {
            made_up: Some(cloud),
            ..CloudRegistry::real()
        }
    }

    /// Over the store that knows the connections, whose own endpoints are reached as the policy
    /// allows.
    pub(crate) fn over(self, estate: Arc<dyn EstateStore>, policy: OutboundPolicy) -> Self {
        CloudRegistry {
            estate: Some(estate),
            outbound: outbound(policy),
            ..self
        }
    }

    /// Behind the deadline of the active server: a change is refused after it.
    pub(crate) fn with_deadline(self, deadline: &Arc<Deadline>) -> Self {
        CloudRegistry {
            deadline: Some(deadline.clone()),
            ..self
        }
    }

    /// With the catalogue that the resources of real accounts are priced by.
    pub(crate) fn with_catalogue(self, catalogue: Arc<PriceCatalogue>) -> Self {
        CloudRegistry {
            catalogue: Some(catalogue),
            ..self
        }
    }

    /// Judges the endpoint of a connection before anything is asked there.
    pub(crate) fn check_endpoint(&self, url: &str) -> Result<(), Obstacle> {
        super::databases::check_given(self.outbound.policy(), url)
    }

    /// Returns the open account of a connection to AWS, or opens it. A connection whose settings have
    /// changed is opened again.
    pub(crate) async fn aws(&self, connection: &Connection) -> Result<AwsConnection, ObserveError> {
        let connection = as_opened(connection);
        if let Some(session) = self.open_session(&connection) {
            return Ok(session);
        }

        let opened = AwsConnection::open(&connection, &self.outbound).await?;
        let opened = opened.with_target_groups(self.target_groups.clone());
        let session = match &self.catalogue {
            Some(catalogue) => opened.with_catalogue(catalogue.clone()),
            None => opened,
        };

        let account = OpenAccount {
            session: session.clone(),
            opened_at: Instant::now(),
            connection,
        };
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.insert(account.connection.id.clone(), account);
        Ok(session)
    }

    /// Closes the account of a connection, so that its credentials are read and its role is assumed
    /// anew.
    pub(crate) fn close(&self, connection: &ConnectionId) {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.remove(connection);
    }

    fn open_session(&self, connection: &Connection) -> Option<AwsConnection> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.retain(|_, account| account.opened_at.elapsed() < OPEN_FOR);
        let account = accounts.get(&connection.id)?;
        (account.connection == *connection).then(|| account.session.clone())
    }

    /// The observing side of a connection.
    pub(crate) async fn observer(
        &self,
        connection: &Connection,
    ) -> Result<Arc<dyn Observe>, ObserveError> {
        match (&connection.credentials, connection.provider) {
            (ConnectionCredentials::Simulated, _) => {
                let cloud = self
                    .simulated(connection)
                    .ok_or_else(|| no("the simulated estate only exists in `reeve demo`"))?;
                Ok(cloud)
            }
            (_, Provider::Aws) => Ok(Arc::new(self.aws(connection).await?)),
            (_, Provider::Database) => Ok(Arc::new(self.database(connection)?)),
            (_, other) => Err(no(&format!(
                "{other} connections are not available in this release"
            ))),
        }
    }

    /// The database server of a connection; it is reached when it is read.
    pub(crate) fn database(&self, connection: &Connection) -> Result<DatabaseServer, ObserveError> {
        DatabaseServer::new(connection, self.outbound.clone()).map_err(|error| no(error.as_str()))
    }

    fn fenced(&self, actor: Arc<dyn Act>) -> Arc<dyn Act> {
        match &self.deadline {
            Some(deadline) => Arc::new(Fenced::<dyn Act>::new(deadline, actor)),
            None => actor,
        }
    }

    /// Returns the simulated account of a connection; `None` outside the demonstration.
    pub(crate) fn simulated(
        &self,
        connection: &Connection,
    ) -> Option<Arc<reeve_connect_simulated::SimulatedAccount>> {
        self.simulated.as_ref()?.account(&connection.id)
    }
}

/// A connection without what its tests and syncs change.
fn as_opened(connection: &Connection) -> Connection {
    Connection {
        status: ConnectionStatus::New,
        last_sync: None,
        last_error: None,
        ..connection.clone()
    }
}

/// The guarded client for clouds' endpoints. How long an attempt may take is the SDK's to say.
fn outbound(policy: OutboundPolicy) -> Outbound {
    Outbound::new(
        policy,
        OutboundLimits {
            time: Duration::from_secs(300),
            body: 64 << 20,
            redirects: 0,
        },
    )
}

fn no(message: &str) -> ObserveError {
    ObserveError {
        kind: ObserveErrorKind::Other,
        message: message.to_owned(),
    }
}

#[async_trait]
impl Clouds for CloudRegistry {
    async fn actor(&self, id: &ConnectionId) -> Result<(Connection, Arc<dyn Act>), Obstacle> {
        let Some(estate) = &self.estate else {
            return Err(Obstacle::of("no connections are known yet"));
        };

        let connection = estate.connection_get(id).await.map_err(Obstacle::of)?;
        if connection.status == ConnectionStatus::Disabled {
            return Err(Obstacle::of(format_args!(
                "connection {} is switched off",
                connection.name
            )));
        }

        if !connection.allow_actions {
            return Err(Obstacle::of(format_args!(
                "connection {} does not allow changes; set allow_actions on it first",
                connection.name
            )));
        }

        #[cfg(test)]
        if let Some(cloud) = &self.made_up {
            return Ok((connection, self.fenced(Arc::clone(cloud))));
        }

        let actor: Arc<dyn Act> = match (&connection.credentials, connection.provider) {
            (ConnectionCredentials::Simulated, _) => match self.simulated(&connection) {
                Some(cloud) => cloud,
                None => {
                    return Err(Obstacle::of(
                        "the simulated estate only exists in `reeve demo`",
                    ));
                }
            },
            (_, Provider::Aws) => Arc::new(
                self.aws(&connection)
                    .await
                    .map_err(|error| Obstacle::from(error.message))?,
            ),
            (_, Provider::Database) => Arc::new(
                self.database(&connection)
                    .map_err(|error| Obstacle::from(error.message))?,
            ),
            (_, other) => {
                return Err(Obstacle::of(format_args!(
                    "{other} connections are not available in this release"
                )));
            }
        };

        Ok((connection, self.fenced(actor)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use reeve_estate::Observe as _;

    use super::*;
    use crate::adapters::doors::connection;

    const KEYS: &str = "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId>\
        <SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>\
        </Credentials></AssumeRoleResult></AssumeRoleResponse>";
    const IDENTITY: &str = "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>111122223333</Account>\
        </GetCallerIdentityResult></GetCallerIdentityResponse>";

    /// A security token service on this machine. Returns its address, and how often the role was
    /// assumed.
    async fn token_service() -> (String, Arc<AtomicUsize>) {
        let assumed = Arc::new(AtomicUsize::new(0));
        let counter = assumed.clone();
        let answer = move |body: String| {
            let assumes = body.contains("Action=AssumeRole");
            counter.fetch_add(usize::from(assumes), Ordering::SeqCst);
            std::future::ready(if assumes { KEYS } else { IDENTITY })
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        (url, assumed)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_account_stays_open_until_its_connection_changes() {
        let (url, assumed) = token_service().await;
        let here = OutboundPolicy {
            allow: vec!["127.0.0.0/8".parse().unwrap()],
            ..OutboundPolicy::default()
        };
        let clouds = CloudRegistry {
            outbound: outbound(here),
            ..CloudRegistry::real()
        };
        let asked = async |connection: &Connection| {
            let account = clouds.aws(connection).await.unwrap();
            assert_eq!(account.identity().await.unwrap(), "111122223333");
            assumed.load(Ordering::SeqCst)
        };

        let mut connection = connection(&url, true);
        assert_eq!(asked(&connection).await, 1);
        connection.status = ConnectionStatus::Ready;
        connection.last_error = Some("a part was denied".to_owned());
        assert_eq!(asked(&connection).await, 1, "no setting of it has changed");

        connection.external_id = Some("another".to_owned());
        assert_eq!(asked(&connection).await, 2);
        clouds.close(&connection.id);
        assert_eq!(asked(&connection).await, 3);
    }
}
