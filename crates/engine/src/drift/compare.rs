//! Comparison of what changed in a connection with the baselines that cover it.
//!
//! A comparison reads the resources whose document is new since the last one, or that are missing
//! since: its cost follows from the changes, not from the size of the estate. Documents are read
//! only where hashes differ.

use std::collections::{BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, Document, ResourceId};
use reeve_recommend::caller::Caller;
use reeve_recommend::drift::cause::{self, DriftCause};
use reeve_recommend::drift::comparison::{ChangedMember, agrees, changed_members, is_covered};
use reeve_recommend::drift::unstable;
use reeve_recommend::drift::{
    Drift, DriftBaseline, DriftFilter, DriftId, DriftKind, DriftState, Observed, ObservedFilter,
    PinnedDocument, Resolution,
};
use reeve_recommend::error::EngineError;
use serde_json::Value;

use super::{AT_ONCE, DriftService, PAGE, log_entry};
use crate::records::fresh_id;

/// Time before the last comparison that is looked at again: a version has the time of its reading,
/// and is written later.
const OVERLAP: SignedDuration = SignedDuration::from_hours(1);
/// Drifts of one comparison whose cause is looked up for the log at most: each is a search.
const MOST_LOOKUPS: usize = 200;

type Documents = HashMap<String, Document>;

/// Result of comparing one resource.
enum Finding {
    Agrees,
    Differs(DriftKind),
    /// Nothing can be said: the resource was not read, or is no part of the baseline.
    Unknown,
}

/// Result of comparing a page of resources.
#[derive(Default)]
struct Changes {
    detected: Vec<(Drift, Vec<ChangedMember>)>,
    resolved: Vec<Drift>,
    /// Drifts that somebody had accepted and whose resource changed further.
    reopened: Vec<Drift>,
    /// Open drifts whose resource changed further.
    updated: Vec<Drift>,
}

impl DriftService {
    /// Compares what a sync found, which began at a time, with the baselines.
    ///
    /// # Errors
    /// The store or the log failed. The next comparison looks at the same changes again.
    pub async fn compare(
        &self,
        connection: &ConnectionId,
        synced_at: Timestamp,
    ) -> Result<(), EngineError> {
        let _turn = self.turn.lock().await;
        let baselines = self.ports.drifts.baseline_list().await?;
        let baselines: Vec<&DriftBaseline> = baselines
            .iter()
            .filter(|one| one.scope.has_connection(connection))
            .collect();
        let since = self.ports.drifts.compared_until(connection).await?;
        if !baselines.is_empty() {
            self.compare_with(&baselines, connection, since).await?;
        }

        Ok(self
            .ports
            .drifts
            .compared_put(connection, synced_at)
            .await?)
    }

    /// Compares what changed in a connection since a time with baselines; `None` is all.
    async fn compare_with(
        &self,
        baselines: &[&DriftBaseline],
        connection: &ConnectionId,
        since: Option<Timestamp>,
    ) -> Result<(), EngineError> {
        let mut filter = ObservedFilter {
            since: since.map(|since| since.checked_sub(OVERLAP).unwrap_or(since)),
            limit: PAGE,
            ..ObservedFilter::default()
        };
        let mut lookups = 0;
        loop {
            let page = self.ports.drifts.observed(connection, &filter).await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            filter.after = Some((last.seen_at, last.resource.id.clone()));
            for baseline in baselines {
                let changes = self.judge(baseline, connection, &page, since).await?;
                self.keep(baseline, changes, &mut lookups).await?;
            }
        }
    }

    async fn judge(
        &self,
        baseline: &DriftBaseline,
        connection: &ConnectionId,
        page: &[Observed],
        agreed_at: Option<Timestamp>,
    ) -> Result<Changes, EngineError> {
        let ids: Vec<ResourceId> = page.iter().map(|one| one.resource.id.clone()).collect();
        let drifts = &self.ports.drifts;
        let pinned = drifts
            .pinned_of(&baseline.id, baseline.revision, connection, &ids)
            .await?;
        let pinned: HashMap<ResourceId, PinnedDocument> = pinned
            .into_iter()
            .map(|one| (one.subject.resource.clone(), one))
            .collect();
        let unresolved = DriftFilter {
            baseline: Some(baseline.id.clone()),
            connection: Some(connection.clone()),
            states: vec![DriftState::Open, DriftState::Accepted],
            resources: ids,
            ..DriftFilter::default()
        };
        let (known, _) = drifts.drift_list(&unresolved).await?;
        let mut known: HashMap<ResourceId, Drift> = known
            .into_iter()
            .map(|drift| (drift.subject.resource.clone(), drift))
            .collect();
        let documents = self.documents(page, &pinned, &known).await?;

        let mut changes = Changes::default();
        for one in page {
            let id = &one.resource.id;
            let pin = pinned.get(id);
            let finding = compared(baseline, one, pin, &documents);
            let known = known.remove(id);
            changes.add(baseline, (one, pin), known, finding, agreed_at, &documents);
        }
        Ok(changes)
    }

    /// Reads the documents of a page that hashes alone do not decide about.
    async fn documents(
        &self,
        page: &[Observed],
        pinned: &HashMap<ResourceId, PinnedDocument>,
        known: &HashMap<ResourceId, Drift>,
    ) -> Result<Documents, EngineError> {
        let mut hashes: BTreeSet<&String> = BTreeSet::new();
        for one in page {
            let (pin, known) = (pinned.get(&one.resource.id), known.get(&one.resource.id));
            let Some(now) = &one.hash else { continue };
            if pin.is_none_or(|pin| pin.hash == *now) && known.is_none() {
                continue;
            }
            hashes.insert(now);
            hashes.extend(pin.map(|pin| &pin.hash));
            hashes.extend(known.into_iter().flat_map(Drift::hashes));
        }

        let hashes: Vec<String> = hashes.into_iter().cloned().collect();
        let mut documents = Documents::new();
        for some in hashes.chunks(AT_ONCE) {
            let found = self.ports.descriptions.documents(some).await?;
            documents.extend(found.into_iter().map(|one| (one.hash(), one)));
        }
        Ok(documents)
    }

    /// Records what a page led to, then writes it.
    async fn keep(
        &self,
        baseline: &DriftBaseline,
        changes: Changes,
        lookups: &mut usize,
    ) -> Result<(), EngineError> {
        let caller = Caller::system();
        for mut some in in_parts(changes.detected) {
            let mut entries = Vec::new();
            for (drift, members) in &mut some {
                let cause = self.cause(drift, lookups).await;
                let entry = log_entry::detected(drift, baseline, members, cause.as_ref(), &caller);
                drift.event_id = entry.event_id.to_string();
                entries.push(entry);
            }
            self.records.record(entries).await?;
            let drifts: Vec<Drift> = some.into_iter().map(|(drift, _)| drift).collect();
            self.ports.drifts.drift_put(&drifts).await?;
        }

        for some in in_parts(changes.reopened) {
            let entries = some.iter().map(|drift| {
                log_entry::reopened(drift, baseline, "the resource changed further", &caller)
            });
            self.records.record(entries.collect()).await?;
            self.ports.drifts.drift_put(&some).await?;
        }

        self.ports.drifts.drift_put(&changes.updated).await?;
        self.resolve(baseline, changes.resolved, Resolution::Agrees, &caller)
            .await
    }

    /// Looks up who caused a drift, as far as the log says now.
    async fn cause(&self, drift: &Drift, lookups: &mut usize) -> Option<DriftCause> {
        *lookups += 1;
        if *lookups > MOST_LOOKUPS {
            return None;
        }
        let found = self
            .ports
            .log
            .newest(cause::query(drift), cause::MOST_READ)
            .await;
        match found {
            Ok(entries) => {
                let entries = entries.iter().map(|(_, entry)| entry);
                let causes = cause::causes(drift.form, entries);
                causes.into_iter().next().filter(|cause| cause.is_change)
            }
            Err(error) => {
                tracing::warn!(%error, "the cause of a drift could not be looked up");
                None
            }
        }
    }
}

fn in_parts<T>(mut all: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || {
        let rest = all.split_off(all.len().min(AT_ONCE));
        let part = std::mem::replace(&mut all, rest);
        (!part.is_empty()).then_some(part)
    })
}

fn compared(
    baseline: &DriftBaseline,
    seen: &Observed,
    pinned: Option<&PinnedDocument>,
    documents: &Documents,
) -> Finding {
    match (pinned, &seen.hash) {
        (Some(pinned), Some(hash)) if pinned.hash == *hash => Finding::Agrees,
        (Some(pinned), Some(hash)) => match (documents.get(&pinned.hash), documents.get(hash)) {
            (Some(before), Some(now)) if agrees(seen.resource.kind, before.json(), now.json()) => {
                Finding::Agrees
            }
            (Some(_), Some(_)) => Finding::Differs(DriftKind::Changed),
            _ => Finding::Unknown,
        },
        (Some(_), None) if seen.is_read && !is_transient(seen) => Finding::Differs(DriftKind::Gone),
        (Some(_), None) => Finding::Unknown,
        (None, Some(_)) if baseline.would_have_pinned(&seen.resource) && !is_transient(seen) => {
            Finding::Differs(DriftKind::Appeared)
        }
        (None, Some(_)) => Finding::Unknown,
        // It was never pinned, and it is gone: as when the baseline was pinned.
        (None, None) => Finding::Agrees,
    }
}

fn is_transient(seen: &Observed) -> bool {
    let resource = &seen.resource;
    unstable::is_transient(resource.kind, resource.group.is_some(), &resource.tags)
}

impl Changes {
    fn add(
        &mut self,
        baseline: &DriftBaseline,
        (seen, pinned): (&Observed, Option<&PinnedDocument>),
        known: Option<Drift>,
        finding: Finding,
        agreed_at: Option<Timestamp>,
        documents: &Documents,
    ) {
        match (known, finding) {
            (_, Finding::Unknown) | (None, Finding::Agrees) => {}
            (Some(known), Finding::Agrees) => self.resolved.push(known),
            (None, Finding::Differs(form)) => {
                let members = pinned.map_or_else(Vec::new, |pinned| {
                    members(seen, Some(&pinned.hash), documents)
                });
                let drift = found(baseline, seen, pinned, form, agreed_at);
                self.detected.push((drift, members));
            }
            (Some(known), Finding::Differs(form)) => {
                if known.hash == seen.hash && known.form == form {
                    return;
                }
                let is_further = known.form != form || !is_same(&known, seen, documents);
                let next = Drift {
                    form,
                    subject: (&seen.resource).into(),
                    hash: seen.hash.clone(),
                    changed_at: if is_further {
                        seen.seen_at
                    } else {
                        known.changed_at
                    },
                    ..known
                };
                if next.state == DriftState::Accepted && !is_accepted(&next, documents) {
                    self.reopened.push(Drift {
                        state: DriftState::Open,
                        ..next
                    });
                } else {
                    self.updated.push(next);
                }
            }
        }
    }
}

fn found(
    baseline: &DriftBaseline,
    seen: &Observed,
    pinned: Option<&PinnedDocument>,
    form: DriftKind,
    agreed_at: Option<Timestamp>,
) -> Drift {
    Drift {
        id: DriftId(fresh_id()),
        baseline: baseline.id.clone(),
        subject: (&seen.resource).into(),
        form,
        state: DriftState::Open,
        pinned_hash: pinned.map(|pinned| pinned.hash.clone()),
        pinned_at: pinned.map_or(baseline.pinned_at, |pinned| pinned.at),
        hash: seen.hash.clone(),
        agreed_at: agreed_at.map(|at| at.min(seen.seen_at)),
        detected_at: seen.seen_at,
        changed_at: seen.seen_at,
        acceptance: None,
        resolution: None,
        resolved_at: None,
        event_id: String::new(),
    }
}

fn members(seen: &Observed, pinned: Option<&String>, documents: &Documents) -> Vec<ChangedMember> {
    match (json(pinned, documents), json(seen.hash.as_ref(), documents)) {
        (Some(pinned), Some(now)) => changed_members(seen.resource.kind, pinned, now).0,
        _ => Vec::new(),
    }
}

fn json<'d>(hash: Option<&String>, documents: &'d Documents) -> Option<&'d Value> {
    Some(documents.get(hash?)?.json())
}

/// Returns `true` if a resource differs from a baseline as a drift says already: only members that
/// are not compared changed since.
fn is_same(known: &Drift, seen: &Observed, documents: &Documents) -> bool {
    let before = json(known.hash.as_ref(), documents);
    let now = json(seen.hash.as_ref(), documents);
    matches!((before, now), (Some(before), Some(now)) if agrees(seen.resource.kind, before, now))
}

/// Returns `true` if what differs was accepted: a resource that is gone, or members that have the
/// accepted values.
fn is_accepted(drift: &Drift, documents: &Documents) -> bool {
    let Some(acceptance) = &drift.acceptance else {
        return false;
    };
    if acceptance.hash == drift.hash {
        return true;
    }

    let kind = drift.subject.kind;
    let accepted = json(acceptance.hash.as_ref(), documents);
    let now = json(drift.hash.as_ref(), documents);
    match (json(drift.pinned_hash.as_ref(), documents), accepted, now) {
        (Some(pinned), Some(accepted), Some(now)) => is_covered(kind, pinned, accepted, now),
        // A resource that was not there: accepted as it was then.
        (None, Some(accepted), Some(now)) => agrees(kind, accepted, now),
        _ => false,
    }
}
