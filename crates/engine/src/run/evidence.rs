//! Results of checks that a run keeps: what differs from before, each with the entry that records
//! it.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use reeve_audit::{ActionStatus, Entry, EventType, Json, ResourceRef, events};
use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::evidence::{
    CheckResult, EvidenceKey, EvidenceStore, JudgementEvidence,
};

use crate::finding::expiry::Seen;
use crate::finding::judged::Judged;
use crate::log_entry;
use crate::records::Records;
use crate::run::load_history::{Key, key as resource_key};

/// Event type of results that differ from before.
const EVIDENCE: EventType = events::EVIDENCE.event_type();
/// Results that one entry names: with their reasons some 200 KiB.
const IN_ONE_ENTRY: usize = 500;

/// Evidence of a run in progress.
pub(crate) struct RunEvidence<'a> {
    agent: &'a Agent,
    store: &'a dyn EvidenceStore,
    records: &'a Records,
    /// Keys that were judged, to tell those that are judged no more.
    judged: HashSet<EvidenceKey>,
}

impl<'a> RunEvidence<'a> {
    pub(crate) fn new(
        agent: &'a Agent,
        store: &'a dyn EvidenceStore,
        records: &'a Records,
    ) -> RunEvidence<'a> {
        RunEvidence {
            agent,
            store,
            records,
            judged: HashSet::new(),
        }
    }

    /// Keeps the results about these resources that differ from those before.
    pub(crate) async fn keep(&mut self, judged: &[Judged]) -> Result<(), EngineError> {
        let checked: Vec<&Judged> = judged
            .iter()
            .filter(|one| !one.judgement.evidence.is_empty())
            .collect();
        if checked.is_empty() {
            return Ok(());
        }

        let before = self.before(&checked).await?;
        let now = self.records.clock.now();
        let mut changed = Vec::new();
        for one in checked {
            for result in &one.judgement.evidence {
                let key = key(one, result);
                let known = before.get(&key);
                if known.is_none_or(|known| known.result != *result) {
                    changed.push(evidence(&self.agent.id, one, result, known, now));
                }
                self.judged.insert(key);
            }
        }

        // One entry is about one account, so that a reader of one account may see it.
        changed.sort_by(|a, b| a.account.cmp(&b.account));
        let by_account = changed.chunk_by_mut(|a, b| a.account == b.account);
        for some in by_account.flat_map(|all| all.chunks_mut(IN_ONE_ENTRY)) {
            let entry = entry(self.agent, some, &before);
            for one in some.iter_mut() {
                entry.event_id.as_str().clone_into(&mut one.event_id);
            }
            self.records.record(vec![entry]).await?;
            self.store.evidence_put(some).await?;
        }
        Ok(())
    }

    async fn before(
        &self,
        checked: &[&Judged],
    ) -> Result<HashMap<EvidenceKey, JudgementEvidence>, EngineError> {
        let resources = checked.iter().map(|one| resource_key(&one.resource));
        let known = self.stored(resources).await?;
        Ok(known.into_iter().map(|one| (one.key(), one)).collect())
    }

    /// Ends a run: results of what it looked for and did not judge are removed, and stay in the
    /// history.
    pub(crate) async fn finish(self, seen: &Seen) -> Result<(), EngineError> {
        let known = match seen.looked_at() {
            Some(looked_at) => self.keys_of(looked_at).await?,
            None => self.store.evidence_keys(&self.agent.id).await?,
        };
        let ended: Vec<EvidenceKey> = known
            .into_iter()
            .filter(|key| !self.judged.contains(key))
            .collect();
        let now = self.records.clock.now();
        for some in ended.chunks(IN_ONE_ENTRY) {
            self.store.evidence_remove(some, now).await?;
        }
        Ok(())
    }

    /// Keys of the agent's own results about resources.
    async fn keys_of(&self, resources: &HashSet<Key>) -> Result<Vec<EvidenceKey>, EngineError> {
        let known = self.stored(resources.iter().cloned()).await?;
        let own = known.into_iter().filter(|one| one.agent == self.agent.id);
        Ok(own.map(|one| one.key()).collect())
    }

    async fn stored(
        &self,
        resources: impl Iterator<Item = Key>,
    ) -> Result<Vec<JudgementEvidence>, EngineError> {
        let mut by_connection: BTreeMap<ConnectionId, Vec<ResourceId>> = BTreeMap::new();
        for (connection, id) in resources {
            by_connection.entry(connection).or_default().push(id);
        }

        let mut found = Vec::new();
        for (connection, ids) in by_connection {
            found.extend(self.store.evidence_of(&connection, &ids).await?);
        }
        Ok(found)
    }
}

fn key(one: &Judged, result: &CheckResult) -> EvidenceKey {
    (
        one.resource.connection.clone(),
        one.resource.id.clone(),
        result.check.clone(),
    )
}

fn evidence(
    agent: &AgentId,
    one: &Judged,
    result: &CheckResult,
    known: Option<&JudgementEvidence>,
    now: Timestamp,
) -> JudgementEvidence {
    let resource = &one.resource;
    let since = known
        .filter(|known| known.result.answer == result.answer)
        .map_or(now, |known| known.since);

    JudgementEvidence {
        agent: agent.clone(),
        connection: resource.connection.clone(),
        resource: resource.id.clone(),
        kind: resource.kind,
        name: resource.name.clone(),
        account: resource.account.clone(),
        region: resource.region.clone(),
        result: result.clone(),
        since,
        at: now,
        event_id: String::new(),
    }
}

/// The entry of results: which check answered what about which document.
fn entry(
    agent: &Agent,
    changed: &[JudgementEvidence],
    before: &HashMap<EvidenceKey, JudgementEvidence>,
) -> Entry {
    let rows = changed.iter().map(|one| {
        let was = before
            .get(&one.key())
            .map(|known| known.result.answer.as_str());
        Json::object([
            ("check", Json::from(one.result.check.clone())),
            ("resource", Json::from(one.resource.0.clone())),
            ("result", Json::from(one.result.answer.as_str())),
            ("was", Json::from(was.map(str::to_owned))),
            ("why", Json::from(one.result.why.clone())),
            ("document", Json::from(one.result.document.clone())),
        ])
    });

    let caller = Caller::agent(&agent.id);
    let account = changed.first().map(|one| one.account.clone());
    let resource = ResourceRef {
        account_id: account.filter(|account| !account.is_empty()),
        ..ResourceRef::new("agent", agent.id.0.clone())
    };
    log_entry::entry(EVIDENCE, "check_results", ActionStatus::Success, &caller)
        .on(resource)
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("results", changed.len() as u64)
        .after(Json::object([(
            "results",
            Json::from(rows.collect::<Vec<_>>()),
        )]))
}
