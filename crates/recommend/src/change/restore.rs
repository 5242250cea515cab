//! Power and size, which most changes touch on their way: the steps, the way back, and the
//! simulated twin.

use reeve_estate::{
    ActError, ActErrorKind, Mutation, Operation, PriceCatalogue, Provider, Resource, ResourceKind,
    ResourceState,
};

use crate::change::task::settled;
use crate::change::{Expectation, Task, TaskReach, foreign, refused};
use crate::plan::StepKind;

pub(super) fn stop(target: &str, description: String) -> Task {
    let stopped = vec![Expectation::state(ResourceState::Stopped)];
    let goal = TaskReach::by("the stop", Mutation::Stop, stopped.clone());
    Task::of_kind(StepKind::Stop, target, description, goal).expecting(stopped)
}

pub(super) fn start(target: &str, description: String) -> Task {
    let running = vec![Expectation::state(ResourceState::Running)];
    let goal = TaskReach::by("the start", Mutation::Start, running.clone());
    Task::of_kind(StepKind::Start, target, description, goal).expecting(running)
}

/// Changes the size. A database comes back to the state it was in; a machine stays stopped.
pub(super) fn modify(
    target: &str,
    description: String,
    size: &str,
    database: Option<ResourceState>,
) -> Task {
    let expect = vec![Expectation::size(size)];
    let expect = database.map_or_else(|| expect.clone(), |state| settled(state, expect.clone()));
    let goal = TaskReach::by(
        "the new size",
        Mutation::Resize {
            instance_type: size.to_owned(),
        },
        expect,
    );

    Task {
        size: Some(size.to_owned()),
        ..Task::of_kind(StepKind::Modify, target, description, goal)
    }
}

/// Next step back to size and state before, whatever was done or half done; `None` once both are
/// what they were.
#[must_use]
pub fn restore(prior: &Resource, seen: &Resource) -> Option<Task> {
    let id = seen.id.as_str();
    let size = prior.specification.instance_type.as_deref();
    if let Some(size) =
        size.filter(|size| seen.specification.instance_type.as_deref() != Some(*size))
    {
        if seen.kind == ResourceKind::VirtualMachine && seen.state == ResourceState::Running {
            return Some(stop(id, format!("Stop {id} to undo the change")));
        }
        let database = (seen.kind == ResourceKind::Database).then_some(prior.state);
        return Some(modify(
            id,
            format!("Change {id} back to {size}"),
            size,
            database,
        ));
    }

    match (prior.state, seen.state) {
        (ResourceState::Running | ResourceState::Available, ResourceState::Stopped) => {
            Some(start(id, format!("Start {id} again")))
        }
        (ResourceState::Stopped, ResourceState::Running) => {
            Some(stop(id, format!("Stop {id} again")))
        }
        _ => None,
    }
}

/// Stop, start and resize on the simulated twin, refused where a cloud refuses them.
///
/// # Errors
/// The refusal; [`ActErrorKind::Other`] for any other operation.
pub fn power(
    operation: &dyn Operation,
    twin: &mut Resource,
    catalogue: &PriceCatalogue,
) -> Result<(), ActError> {
    let mut moved = |from: ResourceState, to: ResourceState| {
        if twin.state != from {
            return Err(refused(
                ActErrorKind::WrongState,
                format_args!("it is {}, not {from}", twin.state),
            ));
        }
        twin.state = to;
        Ok(())
    };
    match operation.downcast_ref::<Mutation>() {
        Some(Mutation::Stop) => moved(ResourceState::Running, ResourceState::Stopped),
        Some(Mutation::Start) => moved(ResourceState::Stopped, ResourceState::Running),
        Some(Mutation::Resize { instance_type }) => resize(twin, instance_type, catalogue),
        _ => Err(foreign(operation)),
    }
}

fn resize(twin: &mut Resource, size: &str, catalogue: &PriceCatalogue) -> Result<(), ActError> {
    let database = twin.kind == ResourceKind::Database;
    let ready = if database {
        ResourceState::Running
    } else {
        ResourceState::Stopped
    };

    if twin.state != ready {
        let said = format!("it is {}; a size changes while it is {ready}", twin.state);
        return Err(refused(ActErrorKind::WrongState, said));
    }

    let spec = match (twin.kind, twin.provider) {
        (ResourceKind::Database, Provider::Aws) => {
            catalogue.database(size).map(|class| class.machine)
        }
        _ => catalogue.instance(twin.provider, size).cloned(),
    };

    let Some(spec) = spec else {
        return Err(refused(
            ActErrorKind::InvalidType,
            format_args!("the catalogue knows no size {size}"),
        ));
    };

    let image = twin.specification.architecture.as_ref();
    if let Some(image) = image.filter(|image| !spec.architectures.iter().any(|own| own == *image)) {
        return Err(refused(
            ActErrorKind::InvalidType,
            format_args!("{size} does not run {image} images"),
        ));
    }

    twin.specification.instance_type = Some(size.to_owned());
    Ok(())
}
