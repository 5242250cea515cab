//! Related resources: the measured resource is not always the one to change. Requests are counted
//! at the balancer and served by the group; a machine's storage is its disk's.

use reeve_estate::{Resource, ResourceKind};

/// The group that all of a balancer's targets belong to; none where there are several, or machines
/// of their own.
#[must_use]
pub fn group_behind<'a>(balancer: &Resource, all: &'a [Resource]) -> Option<&'a Resource> {
    let of = |one: &&Resource| {
        one.connection == balancer.connection && balancer.attached_to.contains(&one.id)
    };
    let mut groups = all.iter().filter(of).map(|target| target.group.as_ref());
    let first = groups.next()??;

    if groups.any(|group| group != Some(first)) {
        return None;
    }

    all.iter()
        .find(|one| one.kind == ResourceKind::ScalingGroup && one.id == *first)
}

/// The disk of a machine that has one alone.
#[must_use]
pub fn only_disk<'a>(machine: &Resource, all: &'a [Resource]) -> Option<&'a Resource> {
    let of = |one: &&Resource| {
        one.kind == ResourceKind::Volume
            && one.connection == machine.connection
            && one.attached_to.contains(&machine.id)
    };
    let mut disks = all.iter().filter(of);
    disks.next().filter(|_| disks.next().is_none())
}
