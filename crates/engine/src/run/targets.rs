//! Health of targets as a source of facts, for machines and for target groups.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, DescriptionStore, Document, Resource, ResourceId, ResourceKind, ResourceState,
};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::target_health::{CHANGES_WITHIN, TargetHealth, TargetsHealth};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::agent::scope::ScopeService;
use crate::run::descriptions::{complete_readings, known};

/// Name of the kind of target groups.
const TARGET_GROUP: &str = "target_group";
/// Versions of one target group that are read at most: a change every quarter of an hour for a day.
const MOST_VERSIONS: usize = 96;

/// Source of the [`TargetsHealth`] of machines and target groups.
pub struct Targets {
    scopes: Arc<ScopeService>,
    descriptions: Arc<dyn DescriptionStore>,
}

impl Targets {
    /// A source over the inventory and the versions of documents.
    #[must_use]
    pub fn new(scopes: Arc<ScopeService>, descriptions: Arc<dyn DescriptionStore>) -> Self {
        Targets {
            scopes,
            descriptions,
        }
    }
}

impl FactSource for Targets {
    fn fact_type(&self) -> FactType {
        FactType::of::<TargetsHealth>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            scopes: Arc::clone(&self.scopes),
            descriptions: Arc::clone(&self.descriptions),
            known: Mutex::default(),
        })
    }
}

/// Targets of one connection.
#[derive(Default)]
struct ConnectionTargets {
    /// Regions whose target groups the last sync has read completely.
    regions: HashSet<String>,
    by_group: HashMap<ResourceId, Vec<TargetHealth>>,
    by_machine: HashMap<ResourceId, Vec<TargetHealth>>,
}

struct Loader {
    scopes: Arc<ScopeService>,
    descriptions: Arc<dyn DescriptionStore>,
    /// Targets of each connection that the run has met.
    known: Mutex<HashMap<ConnectionId, Arc<ConnectionTargets>>>,
}

impl Loader {
    async fn of_connection(
        &self,
        connection: &ConnectionId,
        kind: ResourceKind,
        now: Timestamp,
    ) -> Result<Arc<ConnectionTargets>, EngineError> {
        let mut known = self.known.lock().await;
        if let Some(found) = known.get(connection) {
            return Ok(Arc::clone(found));
        }
        let read = Arc::new(self.read(connection, kind, now).await?);
        known.insert(connection.clone(), Arc::clone(&read));
        Ok(read)
    }

    async fn read(
        &self,
        connection: &ConnectionId,
        kind: ResourceKind,
        now: Timestamp,
    ) -> Result<ConnectionTargets, EngineError> {
        let store = &*self.descriptions;
        let mut found = ConnectionTargets::default();
        for reading in complete_readings(store, connection, &[kind]).await? {
            found.regions.insert(reading.region);
        }
        let mut groups = self.scopes.of_kinds(&[kind]).await?;
        groups.retain(|group| {
            group.connection == *connection && group.state != ResourceState::Deleted
        });
        let ids: Vec<ResourceId> = groups.iter().map(|group| group.id.clone()).collect();
        let mut current: HashMap<ResourceId, (Timestamp, String)> = HashMap::new();
        for one in known(store, connection, &ids).await? {
            current.extend(one.seen_at.zip(one.hash).map(|document| (one.id, document)));
        }

        for group in groups {
            let Some(newest) = current.remove(&group.id) else {
                continue;
            };
            let versions = self.versions(connection, &group.id, newest, now).await?;
            let versions: Vec<(Timestamp, &Value)> = versions
                .iter()
                .map(|(at, document)| (*at, document.json()))
                .collect();
            let targets = TargetHealth::of_group(&group.name, &versions, now);
            for target in targets.iter().filter(|target| target.is_machine()) {
                let machine = ResourceId::new(target.target.as_str());
                let own = found.by_machine.entry(machine).or_default();
                own.push(target.clone());
            }
            found.by_group.insert(group.id, targets);
        }
        Ok(found)
    }

    /// Returns the versions of a target group that tell of the last day, the newest first: the one
    /// with which the day began among them.
    async fn versions(
        &self,
        connection: &ConnectionId,
        group: &ResourceId,
        (seen_at, hash): (Timestamp, String),
        now: Timestamp,
    ) -> Result<Vec<(Timestamp, Document)>, EngineError> {
        let day = now - CHANGES_WITHIN;
        let mut wanted = vec![(seen_at, hash)];
        if seen_at > day {
            let versions = self.descriptions.versions(connection, group).await?;
            let of_day = versions
                .into_iter()
                .take_while(|version| version.until.is_none_or(|until| until > day))
                .filter_map(|version| Some((version.seen_at, version.hash?)));
            wanted = of_day.take(MOST_VERSIONS).collect();
        }

        let mut hashes: Vec<String> = wanted.iter().map(|(_, hash)| hash.clone()).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let documents = self.descriptions.documents(&hashes).await?;
        let documents: HashMap<String, Document> =
            documents.into_iter().map(|one| (one.hash(), one)).collect();
        let found = wanted
            .into_iter()
            .filter_map(|(at, hash)| Some((at, documents.get(&hash)?.clone())));
        Ok(found.collect())
    }
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let Some(kind) = ResourceKind::parse(TARGET_GROUP) else {
            return Ok(());
        };
        for resource in resources {
            let is_group = resource.kind == kind;
            if !is_group && resource.kind != ResourceKind::VirtualMachine {
                continue;
            }
            let known = self.of_connection(connection, kind, now).await?;
            let own = if is_group {
                &known.by_group
            } else {
                &known.by_machine
            };
            let health = TargetsHealth {
                is_current: known.regions.contains(&resource.region),
                targets: own.get(&resource.id).cloned().unwrap_or_default(),
            };
            facts.entry(resource.id.clone()).or_default().put(health);
        }
        Ok(())
    }
}
