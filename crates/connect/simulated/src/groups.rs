//! Security groups of the seed: each region of an AWS account has one network, whose machines have
//! a group of the network's and one of their team's. Isolating a machine makes one more in its
//! network.

use reeve_estate::{Provider, QUARANTINE};

use crate::company::{Account, Machine};
use crate::noise::{hex, key};

pub(crate) fn id(plan: &Account, seed: u64, region: &str, name: &str) -> String {
    format!(
        "sg-{}",
        hex(
            key(seed, &format!("{}/{region}/group/{name}", plan.account)),
            17
        )
    )
}

/// The groups a machine of the company's tables has, in order. Other clouds have no such thing.
pub(crate) fn of_machine(plan: &Account, seed: u64, machine: &Machine) -> Vec<String> {
    if plan.provider != Provider::Aws {
        return Vec::new();
    }

    let mut groups = vec![
        id(plan, seed, machine.region, "network"),
        id(plan, seed, machine.region, machine.owner.team),
    ];
    groups.sort();
    groups
}

/// The isolating group of a region's network, whether it was made already or not.
pub(crate) fn isolating(plan: &Account, seed: u64, region: &str) -> String {
    id(plan, seed, region, QUARANTINE)
}
