//! Plans of format 1, which had steps with names and values in words and no typed change. This is
//! the one place that reads them: a stored plan becomes the typed change that makes exactly its
//! steps, or is shown and not executed (docs/formats/plan.md).

use std::sync::Arc;

use reeve_estate::{Capacity, Resource, ResourceState};

use crate::change::{
    Change, FailOver, GrowStorage, Isolate, PlanError, Procedure, Replicate, ResizeDatabase,
    ResizeMachine, ScaleGroup, SnapshotVolume, StopMachine,
};
use crate::plan::{Plan, PlanStep, StepKind};

/// Reads a plan of format 1. It keeps the words of its steps, which its hash covers.
pub(super) fn procedure(plan: &Plan) -> Result<Procedure, PlanError> {
    let change = change(&plan.steps).ok_or(PlanError::UnknownSteps)?;
    let target = plan
        .steps
        .first()
        .map(|step| step.resource.clone())
        .unwrap_or_default();
    let mut tasks = change.tasks(&target);
    let same = |step: &PlanStep, made: &PlanStep| {
        let (what, wanted) = (
            (step.kind, &step.resource),
            (&step.instance_type, &step.expect),
        );
        (what, wanted)
            == (
                (made.kind, &made.resource),
                (&made.instance_type, &made.expect),
            )
    };

    let all = tasks.len() == plan.steps.len()
        && plan
            .steps
            .iter()
            .zip(&tasks)
            .all(|(step, task)| same(step, &task.step()));

    if !all {
        return Err(PlanError::UnknownSteps);
    }

    for (task, step) in tasks.iter_mut().zip(&plan.steps) {
        task.description.clone_from(&step.description);
    }

    Ok(Procedure::from_parts(plan.clone(), change, tasks))
}

fn value<'a>(step: &'a PlanStep, name: &str) -> Option<&'a str> {
    step.expect
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

fn number(step: &PlanStep, name: &str) -> Option<u32> {
    value(step, name)?.parse().ok()
}

/// The typed change of these steps.
fn change(steps: &[PlanStep]) -> Option<Arc<dyn Change>> {
    let first = |kind: StepKind| steps.iter().find(|step| step.kind == kind);
    let check = first(StepKind::Precondition)?;

    if first(StepKind::Isolate).is_some() {
        let groups = value(check, "security_groups")?;
        return Some(Arc::new(Isolate {
            security_groups: groups.split(',').map(str::to_owned).collect(),
        }));
    }

    let state = ResourceState::parse(value(check, "state")?)?;
    let size = value(check, "instance_type").map(str::to_owned);

    if let Some(up) = first(StepKind::Scale) {
        let back = steps.iter().rfind(|step| step.kind == StepKind::Scale)?;
        return Some(Arc::new(ScaleGroup {
            state,
            min: number(back, "min_size")?,
            desired: number(back, "desired_capacity")?,
            members: number(up, "desired_capacity")?,
            until: value(first(StepKind::Hold)?, "until")?.parse().ok()?,
        }));
    }

    if let Some(over) = first(StepKind::FailOver) {
        let (from, to) = (
            value(check, "zone")?.to_owned(),
            value(over, "zone")?.to_owned(),
        );
        return Some(Arc::new(FailOver { state, from, to }));
    }

    if let Some(made) = first(StepKind::Replicate) {
        return Some(Arc::new(Replicate {
            state,
            size,
            replica: value(made, "replica")?.to_owned(),
        }));
    }

    if let Some(grown) = first(StepKind::Grow) {
        let (from_gib, to_gib) = (number(check, "storage_gib")?, number(grown, "storage_gib")?);
        let database = first(StepKind::Snapshot).is_some();
        return Some(Arc::new(GrowStorage {
            state,
            from_gib,
            to_gib,
            database,
        }));
    }

    match (first(StepKind::Modify), first(StepKind::Stop)) {
        (Some(modify), Some(_)) => Some(Arc::new(ResizeMachine {
            state,
            from: size?,
            to: modify.instance_type.clone()?,
        })),
        (Some(modify), None) => Some(Arc::new(ResizeDatabase {
            state,
            from: size?,
            to: modify.instance_type.clone()?,
        })),
        // The steps of a database are those of a machine without volumes, to the letter.
        (None, Some(_)) => Some(Arc::new(StopMachine {
            state,
            size,
            volumes: volumes(steps, &check.resource),
        })),
        (None, None) => Some(Arc::new(SnapshotVolume { state })),
    }
}

fn volumes(steps: &[PlanStep], target: &str) -> Vec<String> {
    let kept = steps
        .iter()
        .filter(|step| step.kind == StepKind::Snapshot && step.resource != target);
    kept.map(|step| step.resource.clone()).collect()
}

/// State before an action of format 1, which kept names and values in words: the resource as it is
/// known, with those values.
#[must_use]
pub fn prior(before: &[(String, String)], resource: &Resource) -> Resource {
    let mut prior = resource.clone();
    let spec = &mut prior.specification;
    let mut capacity = spec.capacity.unwrap_or(Capacity {
        min: 0,
        desired: 0,
        max: u32::MAX,
    });
    let mut scaled = false;

    for (name, value) in before {
        let members = value.parse::<u32>().ok();
        match (name.as_str(), members) {
            ("state", _) => prior.state = ResourceState::parse(value).unwrap_or(prior.state),
            ("instance_type", _) => spec.instance_type = Some(value.clone()),
            ("storage_gib", _) => spec.storage_gib = value.parse().ok().or(spec.storage_gib),
            ("min_size", Some(members)) => (capacity.min, scaled) = (members, true),
            ("desired_capacity", Some(members)) => (capacity.desired, scaled) = (members, true),
            ("zone", _) => spec.zone = Some(value.clone()),
            ("security_groups", _) => {
                spec.security_groups = value.split(',').map(str::to_owned).collect()
            }
            ("isolated", _) => spec.isolated = value == "true",
            _ => {}
        }
    }

    if scaled {
        spec.capacity = Some(capacity);
    }

    prior
}
