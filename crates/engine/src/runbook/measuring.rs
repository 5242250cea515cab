//! Measurements that the conditions of runbooks read: only the metrics and days of the log that a
//! runbook names, and only of the resources that it is for.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, Metric, Resource, ResourceId, ResourceKind};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource as _, LogFact as _,
};
use reeve_recommend::judgement::service_load::ServiceLoad;
use reeve_recommend::runbook::Runbook;
use reeve_recommend::runbook::condition::{Measurements, SeriesOf};
use tokio::sync::OnceCell;

use super::RunbookPorts;
use crate::run::judging::{by_resource, machine_of};
use crate::run::machines::Machines;
use crate::run::service_loads::ServiceLoads;

/// Time before the lookback of a condition that is read too: an issue that is not over may have
/// begun long ago.
const BEFORE: SignedDuration = SignedDuration::from_hours(72);

/// Loads measurements for some runbooks.
pub(super) struct Measuring {
    ports: RunbookPorts,
    runbooks: Vec<Arc<Runbook>>,
    own: Vec<Metric>,
    machines: Box<dyn FactLoader>,
    balancers: Box<dyn FactLoader>,
    /// Volumes of each machine, counted where a runbook reads a machine's series.
    volumes: OnceCell<HashMap<(ConnectionId, ResourceId), usize>>,
}

impl Measuring {
    /// Creates the loader for runbooks.
    pub(super) fn new(ports: &RunbookPorts, runbooks: Vec<Arc<Runbook>>) -> Self {
        let metrics = |wanted: SeriesOf| -> Vec<Metric> {
            let all = runbooks.iter().flat_map(|runbook| runbook.metrics());
            let of = all
                .filter(|(of, _)| *of == wanted)
                .map(|(_, metric)| metric);
            of.collect::<BTreeSet<Metric>>().into_iter().collect()
        };
        let needs = Needs::default();
        let (machine, balancer) = (metrics(SeriesOf::Machine), metrics(SeriesOf::Balancer));
        let machine = FactNeed::of::<MachineSeries>().with_metrics(&machine);
        let balancer = FactNeed::of::<ServiceLoad>().with_metrics(&balancer);
        Measuring {
            machines: Machines::new(ports.samples.clone()).begin(&needs, &machine),
            balancers: ServiceLoads::new(ports.scopes.clone(), ports.samples.clone())
                .begin(&needs, &balancer),
            own: metrics(SeriesOf::Own),
            ports: ports.clone(),
            runbooks,
            volumes: OnceCell::new(),
        }
    }

    /// Returns the runbooks that are for a resource.
    pub(super) fn of(&self, resource: &Resource) -> impl Iterator<Item = &Arc<Runbook>> {
        let (kind, provider) = (resource.kind, resource.provider);
        self.runbooks
            .iter()
            .filter(move |runbook| runbook.covers(kind, provider))
    }

    /// Returns the time from which samples are read for a decision at a time.
    pub(super) fn start(&self, now: Timestamp) -> Timestamp {
        let spans = self.runbooks.iter().map(|one| one.lookback().seconds());
        let longest = i64::try_from(spans.max().unwrap_or(0)).unwrap_or(i64::MAX / 2);
        now - BEFORE - SignedDuration::from_secs(longest)
    }

    /// Loads the measurements of resources of one connection.
    pub(super) async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        history: (Timestamp, Timestamp),
    ) -> Result<HashMap<ResourceId, Measurements>, EngineError> {
        let reading = |of: SeriesOf| -> Vec<Resource> {
            let reads = |one: &&Resource| self.of(one).any(|runbook| runbook.reads(of));
            resources.iter().filter(reads).cloned().collect()
        };
        let mut found: HashMap<ResourceId, Measurements> = HashMap::new();
        let (start, now) = history;

        let own: Vec<ResourceId> = reading(SeriesOf::Own)
            .into_iter()
            .map(|one| one.id)
            .collect();
        if !own.is_empty() {
            let series = self
                .ports
                .samples
                .sample_series(connection, &own, &self.own, start, now)
                .await?;
            for (id, series) in by_resource(series) {
                found.entry(id).or_default().own = series;
            }
        }

        let mut around = ChunkFacts::new();
        let volumes = self.only_volumes(reading(SeriesOf::Machine)).await?;
        self.machines
            .load(connection, &volumes, history, &mut around)
            .await?;
        let groups = reading(SeriesOf::Balancer);
        self.balancers
            .load(connection, &groups, history, &mut around)
            .await?;
        for (id, facts) in around {
            let measured = found.entry(id).or_default();
            measured.machine = facts.get::<MachineSeries>().map(|series| series.0.clone());
            measured.balancer =
                facts
                    .get::<ServiceLoad>()
                    .and_then(|load| match load.balancers.as_slice() {
                        [only] if load.shared.is_empty() => Some(only.series.clone()),
                        _ => None,
                    });
        }

        self.count_uses(resources, now, &mut found).await?;
        Ok(found)
    }

    /// Returns the volumes that are the only ones of their machine.
    async fn only_volumes(&self, mut volumes: Vec<Resource>) -> Result<Vec<Resource>, EngineError> {
        if volumes.is_empty() {
            return Ok(volumes);
        }
        let counts = self
            .volumes
            .get_or_try_init(|| self.volume_counts())
            .await?;
        volumes.retain(|volume| {
            let machine = (volume.connection.clone(), machine_of(volume).clone());
            !volume.attached_to.is_empty() && counts.get(&machine) == Some(&1)
        });
        Ok(volumes)
    }

    async fn volume_counts(
        &self,
    ) -> Result<HashMap<(ConnectionId, ResourceId), usize>, EngineError> {
        let mut counts = HashMap::new();
        for volume in self.ports.scopes.of_kinds(&[ResourceKind::Volume]).await? {
            for machine in &volume.attached_to {
                let key = (volume.connection.clone(), machine.clone());
                *counts.entry(key).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// Counts the uses in the log, one reading for each number of days.
    async fn count_uses(
        &self,
        resources: &[Resource],
        now: Timestamp,
        found: &mut HashMap<ResourceId, Measurements>,
    ) -> Result<(), EngineError> {
        let all = self.runbooks.iter().flat_map(|runbook| runbook.log_days());
        for days in all.collect::<BTreeSet<u32>>() {
            let counts = |one: &&Resource| {
                self.of(one)
                    .any(|runbook| runbook.log_days().any(|own| own == days))
            };
            let ids: Vec<ResourceId> = resources
                .iter()
                .filter(counts)
                .map(|one| one.id.clone())
                .collect();
            if ids.is_empty() {
                continue;
            }
            let uses = Activity::read(&*self.ports.log, &ids, i64::from(days), now).await;
            let uses = uses.map_err(|error| EngineError::Store(error.to_string()))?;
            for (id, activity) in uses {
                found.entry(id).or_default().uses.insert(days, activity);
            }
        }
        Ok(())
    }
}
