//! Facts about spot capacity: what is known of interruptions, and the notices of one machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource, ResourceId, StoreError, named};
use reeve_learn::interruption::{Instance, InterruptionModel, Risk};
use serde::{Deserialize, Serialize};

use super::spot_market::SpotMarket;

named!(
    /// Kind of an announcement about spot capacity.
    NoticeKind {
        /// The provider takes the machine back two minutes later.
        Interruption => "interruption",
        /// The provider sees an elevated risk for the machine. It is no order.
        Rebalance => "rebalance",
        /// The machine changed its state.
        StateChange => "state_change",
    }
);

/// An event about a machine as its provider sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpotNotice {
    /// Identifier that the provider gave the event.
    pub event: String,
    pub kind: NoticeKind,
    pub resource: ResourceId,
    /// Time of the event.
    pub at: Timestamp,
    /// Time at which it was read.
    pub received_at: Timestamp,
    /// State that a state change names, or the action that an interruption announces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Pool and start of the machine as the inventory had them; `None` for one that it did not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<SpotLife>,
    /// Scaling group of the machine, which replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<ResourceId>,
    /// Machine that took its place, once it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<ResourceId>,
}

/// Life of a spot machine, as far as a notice tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpotLife {
    pub instance_type: String,
    /// Zone; the region where the zone is not known.
    pub zone: String,
    pub started_at: Option<Timestamp>,
}

impl SpotLife {
    /// Returns the life of a machine; `None` where its type is not known.
    #[must_use]
    pub fn of_machine(machine: &Resource) -> Option<Self> {
        let spec = &machine.specification;
        Some(SpotLife {
            instance_type: spec.instance_type.clone()?,
            zone: spec.zone.clone().unwrap_or_else(|| machine.region.clone()),
            started_at: machine.created_at,
        })
    }

    /// Returns the name of its pool.
    #[must_use]
    pub fn pool(&self) -> String {
        pool(&self.instance_type, &self.zone)
    }
}

/// Queue of a connection that notices come from, as its last reading left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotSource {
    pub connection: ConnectionId,
    pub queue_url: String,
    /// Reason why the last reading failed; empty after one that did not.
    pub failure: String,
    pub read_at: Option<Timestamp>,
    /// Time of the newest notice.
    pub newest_at: Option<Timestamp>,
    /// Notices that were read, each once.
    pub notices: u64,
    /// Events of other kinds by their name, which were counted and deleted.
    pub others: BTreeMap<String, u64>,
    /// Messages that are no events.
    pub unreadable: u64,
}

impl SpotSource {
    /// Creates the source of a queue that was not read yet.
    #[must_use]
    pub fn new(connection: ConnectionId, queue_url: String) -> Self {
        SpotSource {
            connection,
            queue_url,
            failure: String::new(),
            read_at: None,
            newest_at: None,
            notices: 0,
            others: BTreeMap::new(),
            unreadable: 0,
        }
    }
}

/// Port of stored notices and of the queues that they come from.
#[async_trait]
pub trait SpotStore: Send + Sync {
    /// Stores notices, all or none. Tells of each whether it is new: `false` where its event is
    /// stored already.
    async fn spot_notices_put(
        &self,
        connection: &ConnectionId,
        notices: &[SpotNotice],
    ) -> Result<Vec<bool>, StoreError>;

    /// Stores one notice; `false` where its event is stored already.
    async fn spot_notice_put(
        &self,
        connection: &ConnectionId,
        notice: &SpotNotice,
    ) -> Result<bool, StoreError> {
        let stored = self
            .spot_notices_put(connection, std::slice::from_ref(notice))
            .await?;
        Ok(stored.first() == Some(&true))
    }

    /// Keeps what was learned of a stored notice later: the successor of its machine.
    async fn spot_notice_update(
        &self,
        connection: &ConnectionId,
        notice: &SpotNotice,
    ) -> Result<(), StoreError>;

    /// Notices of a connection since a time, the oldest first.
    async fn spot_notices(
        &self,
        connection: &ConnectionId,
        since: Timestamp,
    ) -> Result<Vec<SpotNotice>, StoreError>;

    /// Removes notices of before a time. Returns their number.
    async fn spot_notice_expire(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Sets the queue of a connection.
    async fn spot_source_put(&self, source: &SpotSource) -> Result<(), StoreError>;

    /// Keeps the state of a reading, unless the connection has another queue by now.
    async fn spot_source_read(&self, source: &SpotSource) -> Result<(), StoreError>;

    async fn spot_source_delete(&self, connection: &ConnectionId) -> Result<(), StoreError>;

    async fn spot_sources(&self) -> Result<Vec<SpotSource>, StoreError>;

    /// Keeps the market of a region as a reading left it.
    async fn spot_market_put(&self, market: &SpotMarket) -> Result<(), StoreError>;

    /// Markets of a connection by their region.
    async fn spot_markets(&self, connection: &ConnectionId) -> Result<Vec<SpotMarket>, StoreError>;

    /// Queue of one connection; `None` where it has none.
    async fn spot_source(
        &self,
        connection: &ConnectionId,
    ) -> Result<Option<SpotSource>, StoreError> {
        let all = self.spot_sources().await?;
        Ok(all.into_iter().find(|one| one.connection == *connection))
    }
}

/// Risk of interruptions in the estate, learned from its own machines and notices.
#[derive(Debug, Clone)]
pub struct SpotRisk {
    pub model: Arc<InterruptionModel>,
    /// Interruptions that it has learned from.
    pub interruptions: usize,
    /// Lives of spot machines that it has learned from, those without an interruption included.
    pub lives: usize,
    /// Days of the history that it has learned from.
    pub history_days: i64,
    /// Interruptions of the resource's pool, the oldest first.
    pub losses: Vec<Timestamp>,
}

/// Name of the pool of machines of a type in a zone.
#[must_use]
pub fn pool(instance_type: &str, zone: &str) -> String {
    format!("{instance_type}/{zone}")
}

/// Returns the family of an instance type: `m5` of `m5.large`.
#[must_use]
pub fn family(instance_type: &str) -> &str {
    instance_type
        .split_once('.')
        .map_or(instance_type, |(family, _)| family)
}

impl SpotRisk {
    /// Returns the risk of a machine of a type in a zone.
    #[must_use]
    pub fn risk(
        &self,
        instance_type: &str,
        zone: &str,
        (started, now): (Option<Timestamp>, Timestamp),
    ) -> Risk {
        let age = started.map_or(0, |at| now.duration_since(at).as_millis().max(0));
        let instance = Instance {
            pool: pool(instance_type, zone),
            family: family(instance_type).to_owned(),
            age_ms: i64::try_from(age).unwrap_or(i64::MAX),
            availability: None,
            price_ratio: None,
        };
        self.model.risk(&instance, now.as_millisecond())
    }

    /// Returns the risk of a spot machine; its region stands for a zone that is not known.
    #[must_use]
    pub fn risk_of(&self, machine: &Resource, now: Timestamp) -> Option<Risk> {
        let life = SpotLife::of_machine(machine)?;
        Some(self.risk(&life.instance_type, &life.zone, (life.started_at, now)))
    }
}
