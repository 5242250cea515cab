//! Search for the probable cause of an anomaly: the map around its resource, the changes on it and
//! the measurements of its resources.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use reeve_dependencies::{DependencyBounds, DependencyMap, NodeKind};
use reeve_estate::{Attribute, Metric, Resource, ResourceId, SampleSeries};
use reeve_recommend::action::{Action, Purpose};
use reeve_recommend::agent::AgentType;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::totals::ActionFilter;
use reeve_recommend::words::minute;

use super::super::cause::{SHORTLY, changed, ended, together};
use super::super::changes::by_others;
use super::super::investigation::InvestigationLink;
use super::super::pace::POINT;
use super::super::probable_cause::{
    CauseChange, CauseFacts, CauseGrade, NEEDED, ProbableCause, judge,
};
use super::super::record::{Anomaly, AnomalyClass};
use super::super::related_entries::{self, MOST_READ, described};
use super::AnomalyService;

/// Setting of `ops_intelligence` that lets the map be walked.
const DEPENDENCY_MAPPING: &str = "dependency_mapping";
/// Bounds of the map that causes are sought on.
const BOUNDS: DependencyBounds = DependencyBounds {
    hops: 3,
    nodes: 100,
    days: 7,
};
/// Bounds of the map around a changed resource: its dependents.
const BOUNDS_OF_CHANGED: DependencyBounds = DependencyBounds {
    hops: 1,
    nodes: 30,
    days: 7,
};
/// Changed resources whose dependents are read.
const MOST_CHANGED: usize = 5;
/// Resources that the log is searched for.
const MOST_SEARCHED: usize = 40;
/// Resources that became anomalous at the same time and are compared too.
const MOST_OTHERS: usize = 10;
/// Time after the start up to which the judgement may become more certain.
const YOUNG: SignedDuration = SignedDuration::from_mins(30);

type Changes = BTreeMap<String, Vec<CauseChange>>;

impl AnomalyService {
    /// Judges the probable cause; `None` for spending, behavior and places that are no resource.
    /// A failure to read does not delay the alert.
    pub(super) async fn probable_cause(
        &self,
        anomaly: &Anomaly,
        known: Option<&Resource>,
        others: &[Anomaly],
    ) -> Option<ProbableCause> {
        let is_measured = matches!(
            anomaly.class,
            AnomalyClass::Performance | AnomalyClass::Operational
        );
        let known = known.filter(|_| is_measured)?;
        match self.sought(anomaly, known, others).await {
            Ok(found) => Some(found),
            Err(error) => {
                tracing::warn!(%error, anomaly = anomaly.id.0, "the probable cause of an anomaly could not be sought");
                None
            }
        }
    }

    /// Judges the probable cause of a young anomaly again as more points of it arrive. Returns the
    /// judgement if it names a resource where the one before named none.
    pub(super) async fn surer_cause(
        &self,
        anomaly: &Anomaly,
    ) -> Result<Option<ProbableCause>, EngineError> {
        let before = anomaly
            .investigation
            .as_ref()
            .and_then(|investigation| investigation.probable_cause.as_ref());
        let is_young = anomaly.last_at.duration_since(anomaly.started_at) <= YOUNG;
        if !is_young || before.is_none_or(|cause| cause.grade > CauseGrade::Inconclusive) {
            return Ok(None);
        }

        let (known, others) = self.surroundings(anomaly).await?;
        let found = self.probable_cause(anomaly, known.as_ref(), &others).await;
        Ok(found.filter(|found| found.grade > CauseGrade::Inconclusive))
    }

    async fn sought(
        &self,
        anomaly: &Anomaly,
        known: &Resource,
        others: &[Anomaly],
    ) -> Result<ProbableCause, EngineError> {
        let now = self.ports.clock.now();
        let mut limits = Vec::new();
        let mut bounds = BOUNDS;
        if !self.maps_dependencies(known).await? {
            limits.push(format!(
                "{DEPENDENCY_MAPPING} is off in the agents of this resource"
            ));
            (bounds.hops, bounds.nodes) = (0, 1);
        }
        let mut map = self.ports.maps.around(known, bounds, now).await?;

        let together = together(anomaly, others);
        let elsewhere: BTreeMap<String, (String, String)> = together
            .iter()
            .filter(|other| other.place.account.as_deref() == Some(known.account.as_str()))
            .take(MOST_OTHERS)
            .map(|other| {
                let place = &other.place;
                (place.id.clone(), (place.name.clone(), place.kind.clone()))
            })
            .collect();

        let ids = resources(&map);
        let changes = self.changes_of(known, &map, &ids, anomaly).await?;
        let entries = self.entries_of(known, &ids, anomaly).await;
        if entries.is_none() {
            limits.push("the log could not be searched for changes".to_owned());
        }
        let mut full = changes.clone();
        for (id, change) in entries.unwrap_or_default() {
            full.entry(id).or_default().push(change);
        }
        for changes in full.values_mut() {
            changes.sort_by_key(|change| change.at);
        }
        self.add_dependents(&mut map, full.keys(), known, now)
            .await?;

        let series = self
            .series_of(known, &map, elsewhere.keys(), anomaly)
            .await?;
        let facts = CauseFacts {
            place: &anomaly.place,
            metric: anomaly.readings.iter().find_map(|reading| reading.metric),
            started_at: anomaly.started_at,
            map: &map,
            series: &series,
            others: &elsewhere,
            changes: &changes,
            limits: &limits,
        };
        let mut found = judge(&facts, now);
        if full != changes {
            let with = CauseFacts {
                changes: &full,
                ..facts
            };
            found.with_entries = Some(Box::new(judge(&with, now)));
        }
        Ok(found)
    }

    /// Returns `true` unless every agent of `ops_intelligence` that the resource is in the scope of
    /// has the map switched off.
    async fn maps_dependencies(&self, resource: &Resource) -> Result<bool, EngineError> {
        let of_type = AgentType::OPS_INTELLIGENCE;
        let settings = self.ports.agent_types.settings(of_type);
        let Some(setting) = settings.iter().find(|one| one.path == DEPENDENCY_MAPPING) else {
            return Ok(true);
        };

        let agents = self.ports.agents.agent_list(Some(of_type)).await?;
        let connections = self.ports.estate.connection_list().await?;
        let mut own = agents
            .iter()
            .filter(|agent| agent.scope.includes(resource, &connections))
            .peekable();
        Ok(own.peek().is_none() || own.any(|agent| agent.settings.flag(setting)))
    }

    /// Reads the changes that every reader of the anomaly may see: actions by Reeve, differences
    /// between inventories, and new versions of configurations.
    async fn changes_of(
        &self,
        known: &Resource,
        map: &DependencyMap,
        ids: &[ResourceId],
        anomaly: &Anomaly,
    ) -> Result<Changes, EngineError> {
        let (from, to) = span(anomaly);
        let mut found = Changes::new();
        let mut add = |id: &ResourceId, change: CauseChange| {
            if (from..=to).contains(&change.at) {
                found.entry(id.0.clone()).or_default().push(change);
            }
        };

        let filter = ActionFilter {
            resources: ids.to_vec(),
            purpose: Some(Purpose::Apply),
            since: Some(from),
            ..ActionFilter::default()
        };
        let (actions, _) = self.ports.agents.action_page(&filter).await?;
        for action in &actions {
            add(&action.resource, by_reeve(action));
        }

        let seen = self
            .ports
            .estate
            .resource_changes(&known.connection, ids, from)
            .await?;
        let mut explained: BTreeSet<ResourceId> = actions
            .iter()
            .map(|action| action.resource.clone())
            .collect();
        for change in by_others(&seen, &actions) {
            if change.attribute != Attribute::Tags {
                explained.insert(change.resource.clone());
                add(
                    &change.resource,
                    CauseChange {
                        at: change.seen_at,
                        text: changed(&[change]),
                        link: Some(InvestigationLink::Resource(change.resource.0.clone())),
                        entry: None,
                    },
                );
            }
        }

        for node in &map.nodes {
            let id = ResourceId::new(node.id.clone());
            let at = node.configured_at.filter(|at| (from..=to).contains(at));
            let Some(at) = at.filter(|_| !explained.contains(&id)) else {
                continue;
            };
            let versions = self
                .ports
                .descriptions
                .versions(&known.connection, &id)
                .await?;
            // The first version is no change, and neither is the return of a resource.
            if versions.get(1).is_some_and(|before| before.hash.is_some()) {
                let text = format!("its configuration was changed, as read at {}", minute(at));
                let link = Some(InvestigationLink::Resource(id.0.clone()));
                add(
                    &id,
                    CauseChange {
                        at,
                        text,
                        link,
                        entry: None,
                    },
                );
            }
        }
        for changes in found.values_mut() {
            changes.sort_by_key(|change| change.at);
        }
        Ok(found)
    }

    /// Reads the entries of the log about these resources; `None` if it could not be read.
    async fn entries_of(
        &self,
        known: &Resource,
        ids: &[ResourceId],
        anomaly: &Anomaly,
    ) -> Option<Vec<(String, CauseChange)>> {
        let searched = &ids[..ids.len().min(MOST_SEARCHED)];
        let query = related_entries::changes_of(searched, span(anomaly));
        let found = match self.ports.log.newest(query, MOST_READ).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, anomaly = anomaly.id.0, "the log could not be searched for the probable cause of an anomaly");
                return None;
            }
        };

        let mut changes = Vec::new();
        for (sequence, entry) in found {
            let account = entry.resource.account_id.as_deref();
            let is_own = account.is_none_or(|account| account == known.account);
            let named = entry.resource.id.as_deref();
            let is = |id: &&ResourceId| {
                let database = id.database_name().map(|database| database.name);
                named == Some(id.as_str()) || (named.is_some() && named == database)
            };
            let resource = searched.iter().find(is);
            let Some(resource) = resource.filter(|_| is_own) else {
                continue;
            };
            if related_entries::changes_something(&entry) {
                let entry = related_entries::related_entry(sequence, entry);
                let change = CauseChange {
                    at: entry.at,
                    text: described(&entry),
                    link: Some(InvestigationLink::Entry(entry.event_id.clone())),
                    entry: Some(entry),
                };
                changes.push((resource.0.clone(), change));
            }
        }
        Some(changes)
    }

    /// Adds the dependents of changed resources to the map: a security group or key has many, and
    /// the map does not follow it otherwise.
    async fn add_dependents(
        &self,
        map: &mut DependencyMap,
        changed: impl Iterator<Item = &String>,
        known: &Resource,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        for id in changed.take(MOST_CHANGED) {
            let resource = map.node(id).and_then(|node| node.resource.clone());
            if let Some(resource) = resource.filter(|one| one.id != known.id) {
                let around = self.ports.maps.around(&resource, BOUNDS_OF_CHANGED, now);
                map.extend(around.await?);
            }
        }
        Ok(())
    }

    async fn series_of(
        &self,
        known: &Resource,
        map: &DependencyMap,
        others: impl Iterator<Item = &String>,
        anomaly: &Anomaly,
    ) -> Result<Vec<SampleSeries>, EngineError> {
        let mut ids: BTreeSet<ResourceId> = others.map(ResourceId::new).collect();
        let mut metrics: BTreeSet<Metric> = known.kind.metrics().iter().copied().collect();
        for resource in map.nodes.iter().filter_map(|node| node.resource.as_ref()) {
            if !resource.kind.metrics().is_empty() {
                ids.insert(resource.id.clone());
                metrics.extend(resource.kind.metrics());
            }
        }

        let from = anomaly
            .started_at
            .checked_sub(NEEDED)
            .unwrap_or(Timestamp::MIN);
        let to = anomaly.started_at + YOUNG + POINT;
        let (ids, metrics): (Vec<_>, Vec<_>) =
            (ids.into_iter().collect(), metrics.into_iter().collect());
        let read = self
            .ports
            .samples
            .sample_series(&known.connection, &ids, &metrics, from, to)
            .await?;
        Ok(read)
    }
}

fn by_reeve(action: &Action) -> CauseChange {
    let at = ended(action);
    CauseChange {
        at,
        text: format!("action {} of Reeve ended at {}", action.id.0, minute(at)),
        link: Some(InvestigationLink::Action(action.id.clone())),
        entry: None,
    }
}

/// Time in which a change may be the cause.
fn span(anomaly: &Anomaly) -> (Timestamp, Timestamp) {
    let from = anomaly
        .started_at
        .checked_sub(SHORTLY)
        .unwrap_or(Timestamp::MIN);
    (from, anomaly.started_at + POINT)
}

/// Resources of a map, the nearest first.
fn resources(map: &DependencyMap) -> Vec<ResourceId> {
    let resources = map
        .nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Resource);
    resources
        .map(|node| ResourceId::new(node.id.clone()))
        .collect()
}
