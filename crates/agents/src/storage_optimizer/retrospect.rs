//! Looking back: whether an earlier proposal held in the days that followed.

use jiff::Timestamp;
use reeve_learn::Window;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Proposal;

use super::demand::StorageDemand;
use super::settings::Thresholds;
use super::{oversized, setup};
use crate::retrospect::every_day;

/// Returns `true` if the setup that was proposed at a time held every measured peak until
/// `facts.now`; `None` if the samples do not decide it.
pub(super) fn held(proposal: &Proposal, made_at: Timestamp, facts: &Facts<'_>) -> Option<bool> {
    // Whether a volume of another size would have held is not in the samples of this one alone.
    if proposal.rule == oversized::RULE {
        return None;
    }

    let settings = Thresholds::from(facts.settings);
    let before = StorageDemand::measure(
        &Facts {
            now: made_at,
            ..*facts
        },
        &settings,
    )
    .ok()?;
    let proposed = setup::gp3(facts.resource, &before.peak, settings.headroom_percent).ok()?;

    let demand = StorageDemand::measure(facts, &settings).ok()?;
    let after = Window {
        start_ms: made_at.as_millisecond(),
        end_ms: facts.now.as_millisecond(),
    };
    every_day(after, |day| {
        demand
            .peak_of_day(day)
            .map(|peak| setup::holds(&proposed, &peak))
    })
}
