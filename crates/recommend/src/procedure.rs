//! The plans: steps in the order the clouds demand.

use reeve_estate::{Provider, Resource, ResourceKind, ResourceState};

use super::proposal::Proposal;
use crate::plan::{Plan, Step, StepKind};
use crate::recommendation::Subject;

/// The subject of a proposal.
pub fn subject(resource: &Resource, target: Option<String>) -> Subject {
    Subject {
        connection: resource.connection.clone(),
        id: resource.id.clone(),
        name: resource.name.clone(),
        kind: resource.kind,
        provider: resource.provider,
        account: resource.account.clone(),
        region: resource.region.clone(),
        service: resource.service.clone(),
        instance_type: resource.specification.instance_type.clone(),
        target_type: target,
    }
}

/// A step on a resource, with the values that it expects to find afterwards.
#[must_use]
pub fn step(kind: StepKind, resource: &Resource, description: String, expect: &[(&str, &str)]) -> Step {
    let expect = expect.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Step { kind, description, resource: resource.id.0.clone(), instance_type: None, expect }
}

/// A step that checks that the resource is still in the state, and of the size, that the plan was made for.
#[must_use]
pub fn precondition(resource: &Resource, from: Option<&str>) -> Step {
    let state = resource.state.as_str();
    let mut expect = vec![("state", state)];
    expect.extend(from.map(|size| ("instance_type", size)));
    let size = from.map_or(String::new(), |size| format!(" and is {size}"));
    step(StepKind::Precondition, resource, format!("Check that {} is still {state}{size}", resource.id), &expect)
}

/// Another size. Machines: record, stop, modify, start, verify. RDS changes the class of a running database itself, with
/// a restart of its own, so there is no stop; a snapshot is taken first.
pub fn resize(resource: &Resource, from: &str, to: &str) -> Plan {
    let id = &resource.id;
    let running = ResourceState::Running.as_str();
    let mut modify = step(StepKind::Modify, resource, format!("Change {id} from {from} to {to}"), &[]);
    modify.instance_type = Some(to.to_owned());
    let verify = |state| {
        let description = format!("Check that {id} is {to} and {state}");
        step(StepKind::Verify, resource, description, &[("instance_type", to), ("state", state)])
    };
    let snapshot = |description| step(StepKind::Snapshot, resource, description, &[]);
    let steps = if resource.kind == ResourceKind::Database {
        let state = resource.state.as_str();
        vec![precondition(resource, Some(from)), snapshot(format!("Snapshot database {id}")), modify, verify(state)]
    } else {
        vec![
            precondition(resource, Some(from)),
            snapshot(format!("Record the state of {id} before the change")),
            step(StepKind::Stop, resource, format!("Stop {id}"), &[("state", "stopped")]),
            modify,
            step(StepKind::Start, resource, format!("Start {id}"), &[("state", running)]),
            verify(running),
        ]
    };
    Plan::new(steps, true, true)
}

/// Stopping something idle: nothing is deleted, and every disk is snapshotted first.
pub fn stop_idle(resource: &Resource, volumes: &[Resource]) -> Plan {
    let id = &resource.id;
    let from = resource.specification.instance_type.as_deref();
    let mut steps = vec![precondition(resource, from)];
    if resource.kind == ResourceKind::Database {
        steps.push(step(StepKind::Snapshot, resource, format!("Snapshot database {id}"), &[]));
    } else {
        steps.push(step(StepKind::Snapshot, resource, format!("Record the state of {id} before the change"), &[]));
        steps.extend(
            volumes
                .iter()
                .map(|volume| step(StepKind::Snapshot, volume, format!("Snapshot volume {} of {id}", volume.id), &[])),
        );
    }
    steps.push(step(StepKind::Stop, resource, format!("Stop {id}; nothing is deleted"), &[("state", "stopped")]));
    steps.push(step(StepKind::Verify, resource, format!("Check that {id} is stopped"), &[("state", "stopped")]));
    Plan::new(steps, true, false)
}

/// Snapshotting a volume that nothing is attached to. Deleting it is for a person.
pub fn keep_unattached(volume: &Resource) -> Plan {
    let id = &volume.id;
    let steps = vec![
        precondition(volume, None),
        step(StepKind::Snapshot, volume, format!("Snapshot volume {id}; it is not deleted"), &[]),
        step(StepKind::Verify, volume, format!("Check that {id} is still unattached"), &[("state", "unattached")]),
    ];
    Plan::new(steps, false, false)
}

/// What a person can do where infrastructure as code owns the resource.
pub fn iac_note(proposal: &mut Proposal, tag: &str) {
    proposal.reason_codes.push("iac_managed".to_owned());
    let note = format!("It is managed by infrastructure as code ({tag}): change it there, or the tool undoes it");
    proposal.explanation.factors.push(note);
}

/// Whether the cloud restarts a stopped database by itself after a week.
pub fn restarts_by_itself(resource: &Resource) -> bool {
    resource.kind == ResourceKind::Database && resource.provider == Provider::Aws
}
