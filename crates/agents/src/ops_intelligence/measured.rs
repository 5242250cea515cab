//! Measurements that a forecast rests on: enough days, and none too old.

use reeve_learn::{DAY_MS, HOUR_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::recommendation::RecommendationType;

use super::settings::Thresholds;
use crate::confidence::DAY_COVERAGE;
use crate::load::Load;

/// A newest sample older than this says nothing about what comes.
const STALE_MS: i64 = 6 * HOUR_MS;

/// Returns the points of a load within the history and the days that were measured well enough.
///
/// A rate that was seen for some hours (an upgrade, a nightly job, the start of a machine) is none
/// that lasts, so that nothing is forecast before the days of the setting.
pub(super) fn enough(
    facts: &Facts<'_>,
    settings: &Thresholds,
    kind: RecommendationType,
    load: &Load,
) -> Result<(Window, u64), Abstention> {
    let now_ms = facts.now.as_millisecond();
    let history = Window::ending(now_ms, settings.history_days * DAY_MS);
    let days = history
        .blocks(DAY_MS)
        .into_iter()
        .filter(|day| {
            load.summary(*day)
                .is_some_and(|summary| summary.coverage >= DAY_COVERAGE)
        })
        .count() as u64;

    if (days as i64) < settings.measured_days {
        let detail = format!(
            "{days} days were measured, {} are needed before a rate is one that lasts",
            settings.measured_days
        );
        return Err(Abstention::unjudged(kind, "thin_data", detail));
    }

    let newest = load.points.last().map_or(i64::MIN, |(at, _)| *at);
    let age_ms = now_ms.saturating_sub(newest);
    if age_ms > STALE_MS {
        let detail = format!("the newest sample is {} hours old", age_ms / HOUR_MS);
        return Err(Abstention::unjudged(kind, "stale", detail));
    }

    Ok((history, days))
}
