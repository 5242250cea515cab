//! Open facts: what single agent types need to know of a resource, by its Rust type.
//!
//! An agent type names the types that it needs ([`Needs::facts`](crate::agent::needs::Needs)).
//! A [`FactSource`] loads one of them; the program's sources are handed to the engine, which knows
//! none of them by name. A fact that no source loaded is absent.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, Resource, ResourceId};

use crate::agent::AgentId;
use crate::agent::needs::Needs;
use crate::error::EngineError;

/// Type of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactType {
    id: TypeId,
    name: &'static str,
}

impl FactType {
    /// Returns the type of the facts that are values of `T`.
    #[must_use]
    pub fn of<T: Any>() -> Self {
        FactType {
            id: TypeId::of::<T>(),
            name: type_name::<T>(),
        }
    }
}

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

/// Facts of one resource, at most one of each type.
#[derive(Clone, Default)]
pub struct OpenFacts(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl OpenFacts {
    /// No facts.
    #[must_use]
    pub fn none() -> &'static OpenFacts {
        static NONE: LazyLock<OpenFacts> = LazyLock::new(OpenFacts::default);
        &NONE
    }

    /// Adds a fact; one of the same type is replaced.
    pub fn put<T: Any + Send + Sync>(&mut self, fact: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(fact));
    }

    /// Returns the facts with one more.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, fact: T) -> Self {
        self.put(fact);
        self
    }

    /// Returns the fact of a type.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

impl fmt::Debug for OpenFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenFacts")
            .field("facts", &self.0.len())
            .finish_non_exhaustive()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_has_one_fact_of_each_type() {
        let facts = OpenFacts::default().with(1_u8).with("a").with(2_u8);
        assert_eq!(
            (facts.get::<u8>(), facts.get::<&str>()),
            (Some(&2), Some(&"a"))
        );
        assert_eq!(facts.get::<u16>(), None);
        assert_eq!(OpenFacts::none().get::<u8>(), None);
        assert_eq!(FactType::of::<u8>(), FactType::of::<u8>());
        assert_ne!(FactType::of::<u8>(), FactType::of::<u16>());
    }
}
