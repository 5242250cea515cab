//! Runs over changes: the resources whose configuration or relations changed since the last run, and
//! those whose judgement depends on them.
//!
//! A run continues from the position that the last one left: the revision of each connection's
//! descriptions. It costs in proportion to what changed, so that it can follow every sync. What it
//! did not look at keeps its findings and its evidence.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use jiff::SignedDuration;
use reeve_estate::{ConnectionId, DescriptionStore, Resource, ResourceId};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::{Agent, Cadence, RunPosition, RunReport};
use reeve_recommend::error::EngineError;
use sha2::{Digest as _, Sha256};

use crate::agent::scope::days_since;
use crate::run::descriptions::{AT_ONCE, complete_readings};
use crate::run::findings::RunFindings;
use crate::run::judging::Judging;
use crate::run::load_history::{Key, key};
use crate::run::{CHUNK, RunService, Work, neighbourhood};

/// Changed resources from which on a full run is cheaper: it reads each row once.
const MOST_CHANGED: usize = 5_000;

/// Resources that changed since a position.
pub(super) struct Changed {
    resources: BTreeMap<ConnectionId, Vec<ResourceId>>,
    /// Position when they are judged.
    pub(super) position: RunPosition,
}

impl RunService {
    /// Returns what an agent has to judge after a sync; `None` for nothing, or where a full run is
    /// due anyway.
    pub(super) async fn work_after_sync(
        &self,
        agent: &Agent,
        full_apart: SignedDuration,
    ) -> Result<Option<Work>, EngineError> {
        let types = &self.ports.agent_types;
        let (Some(last), Some(known)) = (&agent.last_run, agent.position()) else {
            return Ok(None);
        };
        if last.error.is_some() || known.basis != types.basis(agent) {
            return Ok(None);
        }
        let Some(position) = self.position(agent).await? else {
            return Ok(None);
        };

        let since_full = self.records.clock.now().duration_since(last.started_at);
        if position.readings != known.readings && since_full >= full_apart {
            return Ok(Some(Work::Full));
        }

        Ok(match self.changed(known, position).await? {
            None => Some(Work::Full),
            Some(changed) if changed.resources.is_empty() => None,
            Some(changed) => Some(Work::Changes(changed)),
        })
    }

    /// Returns the present position of an agent that runs over changes; `None` for any other.
    pub(super) async fn position(&self, agent: &Agent) -> Result<Option<RunPosition>, EngineError> {
        let types = &self.ports.agent_types;
        let (Some(definition), Some(store)) = (
            types.judging(agent.agent_type),
            self.ports.descriptions.as_deref(),
        ) else {
            return Ok(None);
        };
        let needs = definition.needs(&agent.settings);
        if needs.cadence != Cadence::Changes {
            return Ok(None);
        }

        let (mut revisions, mut readings) = (BTreeMap::new(), Vec::new());
        for connection in self.scopes.connections().await? {
            revisions.insert(
                connection.id.clone(),
                store.description_revision(&connection.id).await?,
            );
            let complete = complete_kinds(store, &connection.id, &needs).await?;
            readings.push((
                connection.id.0,
                connection.name,
                connection.account,
                complete,
            ));
        }
        readings.sort();

        let readings = serde_json::json!(readings).to_string();
        Ok(Some(RunPosition {
            basis: types.basis(agent),
            readings: hex::encode(Sha256::digest(readings)),
            revisions,
        }))
    }

    /// Lists what changed between two positions; `None` if it is too much.
    async fn changed(
        &self,
        known: &RunPosition,
        mut now: RunPosition,
    ) -> Result<Option<Changed>, EngineError> {
        let Some(store) = self.ports.descriptions.as_deref() else {
            return Ok(None);
        };

        let (mut resources, mut count) = (BTreeMap::new(), 0);
        for (connection, revision) in &mut now.revisions {
            let since = known.revisions.get(connection).copied().unwrap_or(0);
            if *revision == since {
                continue;
            }

            let mut ids = Vec::new();
            let mut last = None;
            loop {
                let page = store
                    .changed_since(connection, since, last.as_ref(), AT_ONCE as u64)
                    .await?;
                let Some(end) = page.last().cloned() else {
                    break;
                };
                *revision = end.revision.max(*revision);
                ids.extend(page.into_iter().map(|change| change.id));
                if count + ids.len() > MOST_CHANGED {
                    return Ok(None);
                }
                last = Some(end);
            }
            count += ids.len();
            if !ids.is_empty() {
                resources.insert(connection.clone(), ids);
            }
        }

        // The kinds that are complete now are judged by the next full run.
        now.readings.clone_from(&known.readings);
        Ok(Some(Changed {
            resources,
            position: now,
        }))
    }

    /// Judges what changed and what depends on it, a page of changes at a time.
    pub(super) async fn judge_changes(
        &self,
        agent: &Agent,
        definition: &Arc<dyn AgentDefinition>,
        changed: &Changed,
        report: &mut RunReport,
        found: &mut RunFindings<'_>,
    ) -> Result<(), EngineError> {
        let Some(store) = self.ports.descriptions.as_deref() else {
            return Ok(());
        };
        let needs = definition.needs(&agent.settings);
        let mut judging = self.judging(Some(agent), definition, needs).await?;
        let connections = self.scopes.connections().await?;
        let mut judged: HashSet<Key> = HashSet::new();

        for (connection, ids) in &changed.resources {
            for ids in ids.chunks(AT_ONCE) {
                let is_judged = |resource: &_| {
                    judging.judges(resource)
                        && agent.scope.includes(resource, &connections)
                        && !judged.contains(&key(resource))
                };
                let near = neighbourhood::around(store, connection, ids, &judging.needs, is_judged)
                    .await?;

                judged.extend(near.touched.iter().map(key));
                found.look_at(connection, ids);
                judging.relations = Arc::new(near.relations);
                self.judge_touched(&judging, connection, near.touched, report, found)
                    .await?;
            }
        }

        let last = agent.last_run.as_ref();
        report.days_observed = match report.complete_since {
            Some(since) => days_since(since, report.started_at),
            None => last.map_or(0, |run| run.days_observed),
        };
        Ok(())
    }

    async fn judge_touched(
        &self,
        judging: &Judging,
        connection: &ConnectionId,
        touched: Vec<Resource>,
        report: &mut RunReport,
        found: &mut RunFindings<'_>,
    ) -> Result<(), EngineError> {
        report.resources_seen += touched.len() as u64;
        report.resources_judged = Some(report.resources_seen);
        for chunk in touched.chunks(CHUNK) {
            let (judged, _) = self
                .judge_chunk(judging, connection, chunk.to_vec(), &mut None)
                .await?;
            found.add(judged, report).await?;
        }
        Ok(())
    }
}

/// Kinds and regions of a connection that were read completely, of those that judgements relate.
async fn complete_kinds(
    store: &dyn DescriptionStore,
    connection: &ConnectionId,
    needs: &Needs,
) -> Result<Vec<(&'static str, String)>, EngineError> {
    let complete = complete_readings(store, connection, &needs.related).await?;
    Ok(complete
        .into_iter()
        .map(|reading| (reading.kind.as_str(), reading.region))
        .collect())
}
