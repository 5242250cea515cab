//! Pages and conditions of the store in memory.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

/// A page of the recommendations whose saving stands, the last changed ones first, each with the
/// action that applied it.
pub(crate) fn standing_savings(
    recommendations: &BTreeMap<String, Recommendation>,
    actions: &BTreeMap<String, Action>,
    before: Option<(Timestamp, RecommendationId)>,
    limit: u64,
) -> Vec<(Recommendation, Option<Action>)> {
    let applied = |one: &Recommendation| {
        let own = |action: &&Action| {
            action.recommendation == one.id
                && action.purpose == Purpose::Apply
                && action.status == ActionStatus::Succeeded
        };
        actions
            .values()
            .filter(own)
            .max_by_key(|action| action.started_at)
            .cloned()
    };

    let stands = |(_, action): &(Recommendation, Option<Action>)| {
        action
            .as_ref()
            .and_then(|action| action.watch.as_ref())
            .is_none_or(|watch| watch.ended.is_none())
    };

    let mut found: Vec<_> = recommendations
        .values()
        .filter(|one| one.status == Status::Succeeded)
        .filter(|one| {
            before
                .as_ref()
                .is_none_or(|(at, id)| (one.updated_at, &one.id.0) < (*at, &id.0))
        })
        .map(|one| (one.clone(), applied(one)))
        .filter(stands)
        .collect();
    found.sort_by(|(a, _), (b, _)| (b.updated_at, &b.id.0).cmp(&(a.updated_at, &a.id.0)));

    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    found
}

/// A page of what was found, with the number of all.
pub(crate) fn paged<T>(found: Vec<T>, limit: u64, offset: u64) -> (Vec<T>, u64) {
    let total = found.len() as u64;
    let limit = if limit == 0 {
        usize::MAX
    } else {
        limit as usize
    };

    (
        found
            .into_iter()
            .skip(offset as usize)
            .take(limit)
            .collect(),
        total,
    )
}

/// Returns `true` for an action that began and changed a real resource.
pub(crate) fn begun(action: &Action) -> bool {
    action.status != ActionStatus::Aborted && action.purpose != Purpose::Simulate
}
