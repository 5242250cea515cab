//! Open facts: what single agent types need to know of a resource, by its Rust type.
//!
//! An agent type names the types that it needs ([`Needs::facts`](crate::agent::needs::Needs)).
//! A [`FactSource`] loads one of them; the program's sources are handed to the engine, which knows
//! none of them by name. A fact that no source loaded is absent.

pub mod values;

use std::any::Any;
use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, Resource, ResourceId};

use crate::agent::AgentId;
use crate::agent::needs::Needs;
use crate::error::EngineError;
use crate::ports::{LogReader, ReadError};

pub use values::{FactType, OpenFacts};

/// Need for facts of a type, with the metrics and days that they are of where the source asks for
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactNeed {
    pub fact_type: FactType,
    /// Metrics whose series the facts hold.
    pub metrics: Vec<Metric>,
    /// Days before now that the facts are of.
    pub days: i64,
}

impl FactNeed {
    /// Creates the need for facts that are values of `T`.
    #[must_use]
    pub fn of<T: Any>() -> Self {
        FactNeed {
            fact_type: FactType::of::<T>(),
            metrics: Vec::new(),
            days: 0,
        }
    }

    /// Sets the metrics.
    #[must_use]
    pub fn with_metrics(self, metrics: &[Metric]) -> Self {
        FactNeed {
            metrics: metrics.to_vec(),
            ..self
        }
    }

    /// Sets the days.
    #[must_use]
    pub fn over_days(self, days: i64) -> Self {
        FactNeed { days, ..self }
    }
}

/// Facts of resources that are judged together, by their resource.
pub type ChunkFacts = HashMap<ResourceId, OpenFacts>;

/// Source of the facts of one type.
pub trait FactSource: Send + Sync {
    /// Type of the facts that it loads.
    fn fact_type(&self) -> FactType;

    /// Begins to load for a run of an agent with these needs; `need` is the one for the source's own
    /// facts. What all resources have in common is loaded when the first resource asks for it.
    fn begin(&self, needs: &Needs, need: &FactNeed) -> Box<dyn FactLoader>;
}

/// Facts that grouped queries of the log give for many resources at once.
#[async_trait]
pub trait LogFact: Any + Clone + Send + Sync {
    /// Returns `true` for resources that have such facts.
    fn is_of(resource: &Resource) -> bool;

    /// Reads the facts of resources in the days before `now`.
    ///
    /// # Errors
    /// The log could not be read.
    async fn read(
        log: &dyn LogReader,
        resources: &[ResourceId],
        days: i64,
        now: Timestamp,
    ) -> Result<HashMap<ResourceId, Self>, ReadError>;
}

/// Loads the facts of one type in a run.
#[async_trait]
pub trait FactLoader: Send + Sync {
    /// Adds the facts of resources of one connection. `history` is the time that the run's series
    /// are of.
    ///
    /// # Errors
    /// The facts could not be read: a judgement would take the resources for ones without them.
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        history: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError>;
}

/// Keeps the outputs of one type that judgements make.
#[async_trait]
pub trait OutputKeeper: Send + Sync {
    /// Keeps the outputs of resources that an agent judged at a time; judgements without an output
    /// of the type are among them.
    ///
    /// # Errors
    /// The outputs could not be kept.
    async fn keep(
        &self,
        agent: &AgentId,
        judged_at: Timestamp,
        outputs: &[(&Resource, &OpenFacts)],
    ) -> Result<(), EngineError>;
}
