//! Pins: the configuration of a scope as it is now becomes its baseline.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{Connection, ConnectionId, ResourceId, StoreError};
use reeve_recommend::caller::Caller;
use reeve_recommend::drift::{
    BaselineId, BaselineScope, Drift, DriftBaseline, DriftFilter, DriftState, Observed,
    ObservedFilter, PinnedDocument, ReadPlaces, Resolution,
};
use reeve_recommend::error::EngineError;

use super::{DriftService, PAGE, log_entry};
use crate::records::fresh_id;

const LONGEST_NAME: usize = 100;
const LONGEST_DESCRIPTION: usize = 2000;
/// Resources that are pinned by their identifiers at once.
const MOST_RESOURCES: usize = 1000;
/// States of drifts that a pin resolves.
const UNRESOLVED: [DriftState; 2] = [DriftState::Open, DriftState::Accepted];

/// A baseline as given.
#[derive(Debug, Clone, Default)]
pub struct BaselineInput {
    pub name: String,
    pub description: String,
    pub scope: BaselineScope,
}

impl DriftService {
    /// Pins the configuration of a scope as it is now.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field.
    pub async fn pin(
        &self,
        input: BaselineInput,
        caller: &Caller,
    ) -> Result<DriftBaseline, EngineError> {
        let _turn = self.turn.lock().await;
        let connections = self.ports.estate.connection_list().await?;
        let others = self.ports.drifts.baseline_list().await?;
        let errors = faults(&input, &connections, &others);
        if !errors.is_empty() {
            return Err(EngineError::Invalid(errors));
        }

        let now = self.records.clock.now();
        let baseline = DriftBaseline {
            id: BaselineId(fresh_id()),
            name: input.name.trim().to_owned(),
            description: input.description.trim().to_owned(),
            scope: input.scope,
            pinned_by: caller.name.clone(),
            pinned_at: now,
            revision: 1,
            resources: 0,
            read: Vec::new(),
        };
        self.pin_scope(baseline, &connections, caller).await
    }

    /// Pins the scope of a baseline anew: what differs now is the new normal.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Invalid`] if the scope has no configuration now.
    pub async fn pin_again(
        &self,
        id: &BaselineId,
        caller: &Caller,
    ) -> Result<DriftBaseline, EngineError> {
        let _turn = self.turn.lock().await;
        let baseline = self.ports.drifts.baseline_get(id).await?;
        let connections = self.ports.estate.connection_list().await?;
        let next = DriftBaseline {
            pinned_by: caller.name.clone(),
            pinned_at: self.records.clock.now(),
            revision: baseline.revision + 1,
            ..baseline
        };
        let pinned = self.pin_scope(next, &connections, caller).await?;

        let unresolved = self.unresolved(&pinned.id, &[]).await?;
        self.resolve(&pinned, unresolved, Resolution::Pinned, caller)
            .await?;
        Ok(pinned)
    }

    /// Pins single resources of a baseline as they are now; one that is gone leaves the baseline.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::Invalid`] with the resources that are not known.
    pub async fn pin_resources(
        &self,
        id: &BaselineId,
        resources: &[ResourceId],
        caller: &Caller,
    ) -> Result<DriftBaseline, EngineError> {
        let _turn = self.turn.lock().await;
        let baseline = self.ports.drifts.baseline_get(id).await?;
        if resources.is_empty() || resources.len() > MOST_RESOURCES {
            let message = format!("must name 1 to {MOST_RESOURCES} resources");
            return Err(invalid("resources", FieldCode::OutOfRange, message));
        }

        let seen = self.seen(&baseline, resources).await?;
        let unknown = resources.iter().enumerate().filter(|(_, id)| {
            let is_known = |one: &&Observed| one.resource.id == **id;
            seen.iter().find(is_known).is_none()
        });
        let unknown: Vec<FieldError> = unknown
            .map(|(at, id)| {
                let message = format!("{id} has no configuration in the baseline’s connections");
                FieldError::new(format!("resources[{at}]"), FieldCode::InvalidValue, message)
            })
            .collect();
        if !unknown.is_empty() {
            return Err(EngineError::Invalid(unknown));
        }

        let now = self.records.clock.now();
        let pinned: Vec<PinnedDocument> = seen
            .iter()
            .filter_map(|one| document(one, caller, now))
            .collect();
        let mut gone: BTreeMap<&ConnectionId, Vec<ResourceId>> = BTreeMap::new();
        for one in seen.iter().filter(|one| one.hash.is_none()) {
            let resource = &one.resource;
            let of_connection = gone.entry(&resource.connection).or_default();
            of_connection.push(resource.id.clone());
        }

        let entry = log_entry::pinned(&baseline, Some(resources), caller);
        let written = self
            .records
            .change(entry, self.put_resources(baseline, &pinned, &gone))
            .await?;
        let unresolved = self.unresolved(&written.id, resources).await?;
        self.resolve(&written, unresolved, Resolution::Pinned, caller)
            .await?;
        Ok(written)
    }

    /// Removes a baseline with its drifts.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn remove(&self, id: &BaselineId, caller: &Caller) -> Result<(), EngineError> {
        let _turn = self.turn.lock().await;
        let baseline = self.ports.drifts.baseline_get(id).await?;
        let entry = log_entry::removed(&baseline, caller);
        self.records
            .change(entry, self.ports.drifts.baseline_delete(id))
            .await
    }

    /// Pins all of a scope under the revision of the baseline, then makes that revision the
    /// baseline's: readers see the earlier one until then.
    async fn pin_scope(
        &self,
        baseline: DriftBaseline,
        connections: &[Connection],
        caller: &Caller,
    ) -> Result<DriftBaseline, EngineError> {
        let (id, revision) = (baseline.id.clone(), baseline.revision);
        let written = self.write_scope(baseline, connections, caller).await;
        if written.is_err() {
            self.ports.drifts.pinned_discard(&id, revision).await?;
        }
        written
    }

    async fn write_scope(
        &self,
        mut baseline: DriftBaseline,
        connections: &[Connection],
        caller: &Caller,
    ) -> Result<DriftBaseline, EngineError> {
        let drifts = &self.ports.drifts;
        (baseline.read, baseline.resources) = (Vec::new(), 0);
        for connection in connections {
            if !baseline.scope.has_connection(&connection.id) {
                continue;
            }
            let readings = self.ports.descriptions.readings(&connection.id).await?;
            let places = ReadPlaces::of(&connection.id, &readings);
            baseline.read.extend(places);
            self.write_connection(&baseline, connection, caller).await?;
        }
        // A resource that changes meanwhile is read twice and pinned once.
        baseline.resources = drifts.pinned_count(&baseline.id, baseline.revision).await?;
        if baseline.resources == 0 {
            let message = "includes no resource whose configuration was read; sync its connections first, or widen it";
            return Err(invalid(
                "scope",
                FieldCode::InvalidValue,
                message.to_owned(),
            ));
        }

        let entry = log_entry::pinned(&baseline, None, caller);
        self.records
            .change(entry, drifts.baseline_put(&baseline))
            .await?;
        Ok(baseline)
    }

    /// Pins the resources of a connection that the scope includes.
    async fn write_connection(
        &self,
        baseline: &DriftBaseline,
        connection: &Connection,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let drifts = &self.ports.drifts;
        let mut filter = ObservedFilter {
            kinds: baseline.scope.kinds.clone(),
            limit: PAGE,
            ..ObservedFilter::default()
        };
        loop {
            let page = drifts.observed(&connection.id, &filter).await?;
            let Some(last) = page.last() else { break };
            filter.after = Some((last.seen_at, last.resource.id.clone()));
            let pinned: Vec<PinnedDocument> = page
                .iter()
                .filter(|one| baseline.scope.covers(&one.resource))
                .filter_map(|one| document(one, caller, baseline.pinned_at))
                .collect();
            drifts
                .pinned_put(&baseline.id, baseline.revision, &pinned)
                .await?;
        }

        // The next comparison needs to know since when the pinned documents were agreed on.
        let last_sync = connection.last_sync.as_ref();
        if let Some(sync) = last_sync
            && drifts.compared_until(&connection.id).await?.is_none()
        {
            drifts.compared_put(&connection.id, sync.started_at).await?;
        }
        Ok(())
    }

    async fn put_resources(
        &self,
        baseline: DriftBaseline,
        pinned: &[PinnedDocument],
        gone: &BTreeMap<&ConnectionId, Vec<ResourceId>>,
    ) -> Result<DriftBaseline, StoreError> {
        let (drifts, id, revision) = (&self.ports.drifts, &baseline.id, baseline.revision);
        drifts.pinned_put(id, revision, pinned).await?;
        for (connection, resources) in gone {
            drifts
                .pinned_remove(id, revision, connection, resources)
                .await?;
        }

        let resources = drifts.pinned_count(id, revision).await?;
        let baseline = DriftBaseline {
            resources,
            ..baseline
        };
        drifts.baseline_put(&baseline).await?;
        Ok(baseline)
    }

    /// Returns resources as last seen in the connections of a baseline.
    async fn seen(
        &self,
        baseline: &DriftBaseline,
        resources: &[ResourceId],
    ) -> Result<Vec<Observed>, EngineError> {
        let filter = ObservedFilter {
            ids: resources.to_vec(),
            ..ObservedFilter::default()
        };
        let mut seen = Vec::new();
        for connection in self.ports.estate.connection_list().await? {
            if baseline.scope.has_connection(&connection.id) {
                seen.extend(self.ports.drifts.observed(&connection.id, &filter).await?);
            }
        }
        Ok(seen)
    }

    async fn unresolved(
        &self,
        baseline: &BaselineId,
        resources: &[ResourceId],
    ) -> Result<Vec<Drift>, EngineError> {
        let filter = DriftFilter {
            baseline: Some(baseline.clone()),
            states: UNRESOLVED.to_vec(),
            resources: resources.to_vec(),
            ..DriftFilter::default()
        };
        Ok(self.ports.drifts.drift_list(&filter).await?.0)
    }
}

fn document(seen: &Observed, caller: &Caller, now: Timestamp) -> Option<PinnedDocument> {
    Some(PinnedDocument {
        subject: (&seen.resource).into(),
        hash: seen.hash.clone()?,
        by: caller.name.clone(),
        at: now,
    })
}

fn invalid(field: &str, code: FieldCode, message: String) -> EngineError {
    EngineError::Invalid(vec![FieldError::new(field, code, message)])
}

fn faults(
    input: &BaselineInput,
    connections: &[Connection],
    others: &[DriftBaseline],
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = input.name.trim();
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) {
        let message = format!("must have 1 to {LONGEST_NAME} characters");
        errors.push(FieldError::new("name", FieldCode::OutOfRange, message));
    } else if others
        .iter()
        .any(|other| other.name.to_lowercase() == name.to_lowercase())
    {
        let message = "is the name of another baseline";
        errors.push(FieldError::new("name", FieldCode::InvalidValue, message));
    }

    if input.description.chars().count() > LONGEST_DESCRIPTION {
        let message = format!("must have at most {LONGEST_DESCRIPTION} characters");
        errors.push(FieldError::new(
            "description",
            FieldCode::OutOfRange,
            message,
        ));
    }

    for (at, id) in input.scope.connections.iter().enumerate() {
        if !connections.iter().any(|connection| connection.id == *id) {
            let field = format!("scope.connections[{at}]");
            let message = format!("there is no connection {id}");
            errors.push(FieldError::new(field, FieldCode::InvalidValue, message));
        }
    }
    errors
}
