//! Default name of a rollout: the change, the number and kind of the resources, and their place.

use reeve_estate::{Kinds, ResourceKind};

use crate::recommendation::RecommendationType;
use crate::rollout::WaveCandidate;

/// `Resize 12 virtual machines in production`. The place is said where it holds for every one of
/// them.
#[must_use]
pub fn name(kind: RecommendationType, carried: &[WaveCandidate]) -> String {
    use RecommendationType as Type;

    let (count, noun) = (carried.len(), noun(carried));
    let change = match kind {
        Type::RightSize => format!("Resize {count} {noun}"),
        Type::ReservedInstances => format!("Reserve {count} {noun}"),
        Type::SpotInstances => format!("Move {count} {noun} to spot capacity"),
        Type::StorageOptimization => format!("Optimize the storage of {count} {noun}"),
        Type::IdleResourceCleanup => format!("Clean up {count} idle {noun}"),
        Type::AutoScaling => format!("Set the scaling of {count} {noun}"),
        Type::InstanceType => format!("Change the instance type of {count} {noun}"),
        Type::DatabaseTuning => format!("Tune {count} {noun}"),
        Type::CachingStrategy => format!("Set up caching for {count} {noun}"),
        Type::SecurityGroup => format!("Change the security groups of {count} {noun}"),
        Type::Encryption => format!("Encrypt {count} {noun}"),
        Type::IamOptimization => format!("Tighten the permissions of {count} {noun}"),
        Type::PatchManagement => format!("Patch {count} {noun}"),
        Type::StorageExpansion => format!("Expand the storage of {count} {noun}"),
        Type::LimitIncrease => format!("Raise the limits of {count} {noun}"),
        Type::Failover => format!("Fail over {count} {noun}"),
        Type::HighAvailability => format!("Add redundancy to {count} {noun}"),
        Type::Compliance => format!("Correct the configuration of {count} {noun}"),
        Type::KnownIssue => format!("Mend a known issue of {count} {noun}"),
        Type::FailurePrevention => format!("Prevent the failure of {count} {noun}"),
        Type::ResourceTagging => format!("Tag {count} {noun}"),
    };

    if carried.iter().all(|one| one.production) {
        change + " in production"
    } else if carried.iter().all(|one| one.non_production) {
        change + " outside production"
    } else {
        change
    }
}

/// Returns the noun for the members' resources: `resources` if their kinds differ.
fn noun(carried: &[WaveCandidate]) -> String {
    let plain = || {
        if carried.len() == 1 {
            "resource"
        } else {
            "resources"
        }
        .to_owned()
    };
    common(carried).map_or_else(plain, |kind| Kinds::builtin().get(kind).noun(carried.len()))
}

fn common(carried: &[WaveCandidate]) -> Option<ResourceKind> {
    let first = carried.first()?.recommendation.subject.kind;
    carried
        .iter()
        .all(|one| one.recommendation.subject.kind == first)
        .then_some(first)
}
