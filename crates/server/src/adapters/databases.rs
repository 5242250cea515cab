//! Database servers of connections: observed as one resource each, and read for judgements.
//!
//! A server is reached at an address that the guard for outbound calls admits. Where plain HTTP may
//! not go, the session is encrypted.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_connect_databases::{DatabaseAddress, DatabaseSession, change_database};
use reeve_connect_outbound::{Outbound, OutboundPolicy};
use reeve_databases::{DatabaseReading, candidates};
use reeve_estate::connection::rules::database_endpoint;
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, Connection, ConnectionCredentials, ConnectionId,
    DatabaseState, EstateStore, Inventory, Observe, ObserveError, ObserveErrorKind, Observed,
    Operation, Provider, Resource, ResourceId, ResourceKind, ResourceSnapshot, ResourceState,
    SampleBatch, SampleQuery, Specification,
};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use tokio::time::timeout;

use crate::adapters::clouds::CloudRegistry;

/// Longest time that a database is read for.
const READING: Duration = Duration::from_secs(180);

/// Judges the endpoint of a connection, that of a database included.
pub(crate) fn check_given(policy: &OutboundPolicy, endpoint: &str) -> Result<(), Obstacle> {
    match database_endpoint(endpoint) {
        Some((_, rest)) => policy.check_given(&format!("https://{rest}")),
        None => policy.check_given(endpoint),
    }
}

/// The database server of a connection.
pub(crate) struct DatabaseServer {
    connection: Connection,
    address: DatabaseAddress,
    host: String,
    port: u16,
    outbound: Outbound,
}

impl DatabaseServer {
    /// Reads the address of a connection; nothing is reached.
    pub(crate) fn new(connection: &Connection, outbound: Outbound) -> Result<Self, Obstacle> {
        let endpoint = connection.endpoint.as_deref().unwrap_or_default();
        let Some((scheme, rest)) = database_endpoint(endpoint) else {
            return Err(Obstacle::of(
                "the endpoint of the connection is none of a database",
            ));
        };
        let ConnectionCredentials::Login { user, password } = &connection.credentials else {
            return Err(Obstacle::of("the connection has no login; give it again"));
        };
        let address = DatabaseAddress::parse(endpoint).map_err(Obstacle::of)?;

        let authority = rest.split('/').next().unwrap_or_default();
        let default_port = match scheme.starts_with("postgres") {
            true => 5_432,
            false => 3_306,
        };
        let (host, port) = host_and_port(authority, default_port);
        Ok(DatabaseServer {
            connection: connection.clone(),
            address: address.with_login(user, password),
            host,
            port,
            outbound,
        })
    }

    /// The address with the host as the guard resolved it.
    async fn reachable(&self) -> Result<DatabaseAddress, ObserveError> {
        let (host, port) = (&self.host, self.port);
        let judged = self.outbound.address_of(host, port).await;
        let address = judged.map_err(unreachable)?.ip();
        let is_encrypted = !self.outbound.allows_plain(address);
        Ok(self.address.clone().at(address, is_encrypted))
    }

    /// Opens a session that only reads.
    pub(crate) async fn session(&self) -> Result<DatabaseSession, ObserveError> {
        self.open().await
    }

    async fn open(&self) -> Result<DatabaseSession, ObserveError> {
        let address = self.reachable().await?;
        DatabaseSession::open(&address).await.map_err(unreachable)
    }

    fn observed(&self, session: &DatabaseSession, state: Option<Arc<DatabaseState>>) -> Observed {
        let mut resource = self.resource(&session.engine().to_string());
        resource.specification.database = state;
        Observed {
            state: resource.state,
            instance_type: None,
            resource,
        }
    }

    /// Reads the database, and tries candidates for indexes.
    async fn read(&self) -> DatabaseReading {
        let reading = async {
            let mut session = self.open().await.map_err(Obstacle::of)?;
            let observed = session.observe(&mut |_: &str| {}).await;
            let observation = observed.map_err(Obstacle::of)?;
            let candidates = candidates(&observation);
            let trials = session.try_indexes(&observation, &candidates).await;
            Ok::<_, Obstacle>((Box::new(observation), trials.map_err(Obstacle::of)?))
        };
        match timeout(READING, reading).await {
            Ok(Ok((observation, trials))) => DatabaseReading::Read {
                observation,
                trials,
            },
            Ok(Err(obstacle)) => DatabaseReading::Failed(obstacle.to_string()),
            Err(_) => DatabaseReading::Failed(format!(
                "reading it took longer than {} s",
                READING.as_secs()
            )),
        }
    }

    fn resource(&self, engine: &str) -> Resource {
        let endpoint = self.connection.endpoint.clone().unwrap_or_default();
        let name = endpoint.rsplit('/').next().unwrap_or_default().to_owned();
        let region = self.connection.regions.first().cloned();
        Resource {
            id: ResourceId(endpoint),
            connection: self.connection.id.clone(),
            provider: Provider::Database,
            account: self.account(),
            region: region.unwrap_or_default(),
            service: engine.to_lowercase(),
            kind: ResourceKind::Database,
            name,
            state: ResourceState::Running,
            specification: Specification {
                platform: Some(engine.to_lowercase()),
                ..Specification::default()
            },
            purchase: None,
            tags: Default::default(),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: None,
            observed_at: Timestamp::now(),
        }
    }

    fn account(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

fn unreachable(error: impl ToString) -> ObserveError {
    ObserveError {
        kind: ObserveErrorKind::Unreachable,
        message: error.to_string(),
    }
}

/// Splits an authority; an address of version 6 stands in brackets.
fn host_and_port(authority: &str, default_port: u16) -> (String, u16) {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
        _ => (authority, None),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (host.to_owned(), port.unwrap_or(default_port))
}

#[async_trait]
impl Observe for DatabaseServer {
    async fn identity(&self) -> Result<String, ObserveError> {
        self.open().await?;
        Ok(self.account())
    }

    async fn inventory(&self) -> Result<Inventory, ObserveError> {
        let session = self.open().await?;
        Ok(Inventory {
            resources: vec![self.resource(&session.engine().to_string())],
            complete: vec![ResourceKind::Database],
            ..Inventory::default()
        })
    }

    async fn samples(&self, _: &[SampleQuery]) -> Result<SampleBatch, ObserveError> {
        Ok(SampleBatch::default())
    }
}

#[async_trait]
impl Act for DatabaseServer {
    async fn observe(&self, _: &Resource) -> Result<Observed, ActError> {
        let session = self.open().await.map_err(unreached)?;
        Ok(self.observed(&session, None))
    }

    async fn observe_configuration(&self, _: &Resource) -> Result<Observed, ActError> {
        let mut session = self.open().await.map_err(unreached)?;
        let state = session.state().await.map_err(unreached)?;
        Ok(self.observed(&session, Some(Arc::new(state))))
    }

    async fn volumes_of(&self, _: &Resource) -> Result<Vec<Resource>, ActError> {
        Ok(Vec::new())
    }

    async fn apply(&self, _: &Resource, operation: &dyn Operation) -> Result<Applied, ActError> {
        let address = self.reachable().await.map_err(unreached)?;
        change_database(&address, operation).await
    }

    async fn snapshot_complete(
        &self,
        _: &ResourceId,
        _: &str,
        _: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        Err(ActError {
            kind: ActErrorKind::NotFound,
            message: "a database server makes no snapshots".to_owned(),
        })
    }
}

fn unreached(error: impl ToString) -> ActError {
    ActError {
        kind: ActErrorKind::Unknown,
        message: error.to_string(),
    }
}

/// Source of the readings of databases, each read anew for a run.
pub(crate) struct DatabaseReadings {
    estate: Arc<dyn EstateStore>,
    clouds: Arc<CloudRegistry>,
}

impl DatabaseReadings {
    /// Creates the source over the connections and their servers.
    pub(crate) fn new(estate: Arc<dyn EstateStore>, clouds: Arc<CloudRegistry>) -> Self {
        DatabaseReadings { estate, clouds }
    }
}

impl FactSource for DatabaseReadings {
    fn fact_type(&self) -> FactType {
        FactType::of::<DatabaseReading>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            estate: Arc::clone(&self.estate),
            clouds: Arc::clone(&self.clouds),
        })
    }
}

struct Loader {
    estate: Arc<dyn EstateStore>,
    clouds: Arc<CloudRegistry>,
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        _: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let is_read = |resource: &&Resource| {
            resource.kind == ResourceKind::Database && resource.state != ResourceState::Deleted
        };
        let databases: Vec<&Resource> = resources.iter().filter(is_read).collect();
        if databases.is_empty() {
            return Ok(());
        }

        let connection = self.estate.connection_get(connection).await?;
        for resource in databases {
            if let Some(reading) = self.read(&connection, resource).await {
                facts.entry(resource.id.clone()).or_default().put(reading);
            }
        }
        Ok(())
    }
}

impl Loader {
    /// Reads a database of a connection; `None` where the connection reaches only the cloud that
    /// runs it.
    async fn read(&self, connection: &Connection, resource: &Resource) -> Option<DatabaseReading> {
        if let Some(account) = self.clouds.simulated(connection) {
            return account.database_reading(resource, Timestamp::now());
        }
        if resource.provider != Provider::Database {
            return None;
        }
        Some(match self.clouds.database(connection) {
            Ok(server) => server.read().await,
            Err(error) => DatabaseReading::Failed(error.message),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_or_the_engine_s_own() {
        for (authority, expected) in [
            ("db.example", ("db.example", 5_432)),
            ("db.example:6543", ("db.example", 6_543)),
            ("[::1]:6543", ("::1", 6_543)),
            ("[::1]", ("::1", 5_432)),
        ] {
            let (host, port) = host_and_port(authority, 5_432);
            assert_eq!((host.as_str(), port), expected, "{authority}");
        }
    }

    #[test]
    fn the_endpoint_of_a_database_is_judged_like_others() {
        let policy = OutboundPolicy::default();
        assert!(check_given(&policy, "postgres://db.example:5432/shop").is_ok());
        assert!(check_given(&policy, "postgres://127.0.0.1:5432/shop").is_err());
        assert!(check_given(&policy, "postgres://user@db.example/shop").is_err());
        assert!(check_given(&policy, "gopher://db.example/shop").is_err());
    }
}
