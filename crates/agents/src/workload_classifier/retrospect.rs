//! Looking back: whether an earlier finding held in the days that followed.

use jiff::Timestamp;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Proposal;

use super::classify::classify;
use super::settings::WorkloadThresholds;

/// Returns `true` if the samples after a finding led to the same class again; `None` if they lead
/// to none.
pub(super) fn held(_: &Proposal, made_at: Timestamp, facts: &Facts<'_>) -> Option<bool> {
    let settings = WorkloadThresholds::from(facts.settings);
    let before = classify(
        &Facts {
            now: made_at,
            ..*facts
        },
        &settings,
    )
    .classification
    .class?;

    let after = Facts {
        unchanged_since: Some(made_at),
        ..*facts
    };
    Some(classify(&after, &settings).classification.class? == before)
}
