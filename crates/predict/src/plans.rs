//! Plans of predictive rules: changes that the clouds offer without a person's hand.

use jiff::Timestamp;
use reeve_estate::{Capacity, Resource, ResourceKind};
use reeve_recommend::change::{FailOver, GrowStorage, Replicate, ScaleGroup};
use reeve_recommend::plan::Plan;

/// More storage, while it is in use.
#[must_use]
pub fn grow(resource: &Resource, from_gib: u32, to_gib: u32) -> Plan {
    let database = resource.kind == ResourceKind::Database;
    let change = GrowStorage { state: resource.state, from_gib, to_gib, database };
    Plan::of(&change, resource.id.as_str())
}

/// More members of a group until a time, and the members it had after it.
#[must_use]
pub fn scale_until(group: &Resource, now: Capacity, members: u32, until: Timestamp) -> Plan {
    let change = ScaleGroup { state: group.state, min: now.min, desired: now.desired, members, until };
    Plan::of(&change, group.id.as_str())
}

/// The standby of a database takes over now.
#[must_use]
pub fn fail_over(database: &Resource, from: &str, to: &str) -> Plan {
    let change = FailOver { state: database.state, from: from.to_owned(), to: to.to_owned() };
    Plan::of(&change, database.id.as_str())
}

/// A replica that takes reads.
#[must_use]
pub fn replicate(database: &Resource, name: &str) -> Plan {
    let size = database.specification.instance_type.clone();
    let change = Replicate { state: database.state, size, replica: name.to_owned() };
    Plan::of(&change, database.id.as_str())
}
