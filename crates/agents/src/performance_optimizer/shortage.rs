//! Short capacity of machines, databases and groups: a larger size, or more members.

use jiff::SignedDuration;
use reeve_audit::Obstacle;
use reeve_estate::{Resource, ResourceKind};
use reeve_recommend::observation::{AnswerTerms, ObservationAnswer, ShortCapacity, Shortage};
use reeve_recommend::plan::relief;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::RecommendationType;

use super::{MOST_TIMES, enlarged};
use crate::anomaly_answer::{AnswerKind, answer, cannot_enlarge, shortage_facts};

/// Period for which a group keeps added members.
const MEMBERS_FOR: SignedDuration = SignedDuration::from_hours(6);

const LARGER_SIZE: AnswerKind = AnswerKind {
    kind: RecommendationType::InstanceType,
    rule: "optimize_instance_types",
};
const MORE_MEMBERS: AnswerKind = AnswerKind {
    kind: RecommendationType::AutoScaling,
    rule: "scale_before_traffic_spike",
};

type Found<'a> = (&'a Resource, Relief, AnswerKind);

/// Returns the change that gives a resource more processors, memory or members; `None` for other
/// capacities. The error is the reason why there is no change.
pub(super) fn relieve(
    shortage: &Shortage<'_>,
    terms: AnswerTerms<'_>,
) -> Option<Result<ObservationAnswer, Obstacle>> {
    let found = match shortage.capacity {
        ShortCapacity::Processors => sized(shortage, relief::Shortage::Processors, terms),
        ShortCapacity::Memory => sized(shortage, relief::Shortage::Memory, terms),
        ShortCapacity::Requests => requested(shortage, terms),
        ShortCapacity::Storage | ShortCapacity::Connections => return None,
    };

    Some(found.map(|(target, relief, kind)| {
        let facts = shortage_facts(shortage, target, terms.catalogue);
        answer(shortage.anomaly, target, relief, kind, facts, terms)
    }))
}

fn sized<'a>(
    shortage: &Shortage<'a>,
    short: relief::Shortage,
    terms: AnswerTerms<'_>,
) -> Result<Found<'a>, Obstacle> {
    let resource = shortage.resource;
    match resource.kind {
        ResourceKind::VirtualMachine if resource.group.is_some() => {
            let own = |one: &&Resource| resource.group.as_ref() == Some(&one.id);
            let group = shortage.around.iter().find(own);
            group
                .map(|group| more_members(shortage, group, terms))
                .ok_or_else(|| "its group is not known".into())
        }
        ResourceKind::ScalingGroup => Ok(more_members(shortage, resource, terms)),
        ResourceKind::VirtualMachine | ResourceKind::Database => {
            let larger =
                relief::larger_size(resource, short, terms.catalogue).map_err(Obstacle::from)?;
            Ok((resource, larger, LARGER_SIZE))
        }
        kind => Err(cannot_enlarge(kind)),
    }
}

fn requested<'a>(shortage: &Shortage<'a>, terms: AnswerTerms<'_>) -> Result<Found<'a>, Obstacle> {
    match shortage.resource.kind {
        ResourceKind::ScalingGroup => Ok(more_members(shortage, shortage.resource, terms)),
        ResourceKind::LoadBalancer => relief::group_behind(shortage.resource, shortage.around)
            .map(|group| more_members(shortage, group, terms))
            .ok_or_else(|| "the machines behind it do not belong to one scaling group".into()),
        kind => Err(cannot_enlarge(kind)),
    }
}

fn more_members<'a>(
    shortage: &Shortage<'_>,
    group: &'a Resource,
    terms: AnswerTerms<'_>,
) -> Found<'a> {
    let times = shortage.times.unwrap_or(MOST_TIMES).clamp(1.0, MOST_TIMES);
    let wanted = |desired| enlarged(desired, times);
    let until = Some(terms.now + MEMBERS_FOR);
    let relief = relief::more_members(group, wanted, terms.now, until, terms.catalogue);
    (group, relief, MORE_MEMBERS)
}
