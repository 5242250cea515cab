//! The plans of predictive rules: what the clouds offer without a person's hand, in the order they demand.

use jiff::Timestamp;
use reeve_estate::{Capacity, Resource, ResourceKind};

use reeve_recommend::plan::{Plan, Step, StepKind};
use reeve_recommend::{precondition, step};

/// The same step, expecting more.
fn expecting(mut step: Step, more: &[(&str, &str)]) -> Step {
    step.expect.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    step
}

/// More storage, while it is in use. No cloud takes storage back, so there is no way back; a database is kept in a snapshot
/// first all the same.
#[must_use]
pub fn grow(resource: &Resource, from_gib: u32, to_gib: u32) -> Plan {
    let (id, from, to) = (&resource.id, from_gib.to_string(), to_gib.to_string());
    let target = [("storage_gib", to.as_str())];
    let mut check = expecting(precondition(resource, None), &[("storage_gib", &from)]);
    check.description = format!("{} and has {from} GiB", check.description);
    let mut steps = vec![check];
    if resource.kind == ResourceKind::Database {
        steps.push(step(StepKind::Snapshot, resource, format!("Snapshot database {id}"), &[]));
    }
    steps.push(step(StepKind::Grow, resource, format!("Grow {id} from {from} to {to} GiB; it cannot shrink"), &target));
    let verify = step(StepKind::Verify, resource, format!("Check that {id} has {to} GiB"), &target);
    steps.push(expecting(verify, &[("state", resource.state.as_str())]));
    Plan::new(steps, false, false)
}

/// More members of a group until a time, and what it had after it.
#[must_use]
pub fn scale_until(group: &Resource, now: Capacity, members: u32, until: Timestamp) -> Plan {
    let id = &group.id;
    let capacity = |min: u32, desired: u32| [min.to_string(), desired.to_string()];
    let (before, peak) = (capacity(now.min, now.desired), capacity(members, members));
    let pairs = |of: &[String; 2]| {
        [("min_size".to_owned(), of[0].clone()), ("desired_capacity".to_owned(), of[1].clone())].to_vec()
    };
    let scale = |description: String, of: &[String; 2]| Step {
        expect: pairs(of),
        ..step(StepKind::Scale, group, description, &[])
    };
    let verify = |description: String, min: &str| {
        step(StepKind::Verify, group, description, &[("min_size", min), ("state", group.state.as_str())])
    };
    let time = until.to_string();
    let back = format!("Scale {id} back to at least {} members; to {} where nobody has moved it", now.min, now.desired);
    let steps = vec![
        expecting(precondition(group, None), &[("min_size", &before[0])]),
        scale(format!("Scale {id} from {} to {members} members", now.desired), &peak),
        verify(format!("Check that {id} has its members"), &peak[0]),
        step(StepKind::Hold, group, format!("Leave {id} so until {time}"), &[("until", &time)]),
        scale(back, &before),
        verify(format!("Check that {id} is back"), &before[0]),
    ];
    Plan::new(steps, true, false)
}

/// The standby of a database takes over now. Connections break for a minute or two.
#[must_use]
pub fn fail_over(database: &Resource, from: &str, to: &str) -> Plan {
    let id = &database.id;
    let state = database.state.as_str();
    let steps = vec![
        expecting(precondition(database, None), &[("zone", from)]),
        step(StepKind::FailOver, database, format!("Let the standby of {id} in {to} take over"), &[("zone", to)]),
        step(
            StepKind::Verify,
            database,
            format!("Check that {id} serves from {to}"),
            &[("zone", to), ("state", state)],
        ),
    ];
    Plan::new(steps, true, true)
}

/// A replica that takes reads. Undoing removes it again.
#[must_use]
pub fn replicate(database: &Resource, name: &str) -> Plan {
    let id = &database.id;
    let state = database.state.as_str();
    let expect = [("replica", name)];
    let verify = step(StepKind::Verify, database, format!("Check that {id} has the replica {name}"), &expect);
    let steps = vec![
        precondition(database, database.specification.instance_type.as_deref()),
        step(StepKind::Replicate, database, format!("Make the read replica {name} of {id}"), &expect),
        expecting(verify, &[("state", state)]),
    ];
    Plan::new(steps, true, false)
}
