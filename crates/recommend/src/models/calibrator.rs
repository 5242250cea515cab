//! State of the model `confidence`: the calibrator as it is kept, and what a version of it has
//! learned from.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_learn::DAY_MS;
use reeve_learn::calibrate::{Calibrator, CalibratorState, Example, GroupState};
use serde::{Deserialize, Serialize};

use crate::judgement::HORIZON_DAYS;
use crate::models::trainer::NotTrained;

/// Newest days that a version is judged by and does not learn from.
pub const HELD_OUT_DAYS: i64 = 14;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    format: u32,
    width: usize,
    all: KeptGroup,
    groups: BTreeMap<String, KeptGroup>,
    curve: [f64; 3],
    newest_ms: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptGroup {
    mean: Vec<f64>,
    precision: Vec<f64>,
    held: f64,
    count: f64,
}

/// A calibrator as the text that is kept.
#[must_use]
pub fn state_of(calibrator: &Calibrator) -> String {
    let group = |g: GroupState| KeptGroup {
        mean: g.mean,
        precision: g.precision,
        held: g.held,
        count: g.count,
    };

    let state = calibrator.state();
    let kept = Kept {
        format: 1,
        width: state.width,
        all: group(state.all),
        groups: state
            .groups
            .into_iter()
            .map(|(name, g)| (name, group(g)))
            .collect(),
        curve: state.curve,
        newest_ms: state.newest_ms,
    };

    // Numbers and texts alone: there is nothing that could fail to become JSON.
    serde_json::to_string(&kept).unwrap_or_default()
}

/// The calibrator that a kept text is.
///
/// # Errors
/// [`NotTrained`] when it is none.
pub fn calibrator_from(text: &str) -> Result<Calibrator, NotTrained> {
    let kept: Kept = serde_json::from_str(text)
        .map_err(|error| NotTrained(format!("the kept state: {error}")))?;
    if kept.format != 1 {
        return Err(NotTrained(format!(
            "the kept state has format {}, not 1",
            kept.format
        )));
    }

    let group = |g: KeptGroup| GroupState {
        mean: g.mean,
        precision: g.precision,
        held: g.held,
        count: g.count,
    };

    let state = CalibratorState {
        width: kept.width,
        all: group(kept.all),
        groups: kept
            .groups
            .into_iter()
            .map(|(name, g)| (name, group(g)))
            .collect(),
        curve: kept.curve,
        newest_ms: kept.newest_ms,
    };

    Calibrator::restore(state).map_err(|error| NotTrained(error.to_string()))
}

/// Returns `true` if a version that was trained at a time has learned from an outcome that became
/// known at another.
#[must_use]
pub fn has_seen(example: &Example, known_at: Timestamp, trained_at: Timestamp) -> bool {
    let cut = trained_at - SignedDuration::from_hours(24 * HELD_OUT_DAYS);
    known_at <= trained_at && known_before(example, cut)
}

/// Returns `true` if an example's outcome was known before a time.
#[must_use]
pub fn known_before(example: &Example, at: Timestamp) -> bool {
    example.at_ms + HORIZON_DAYS * DAY_MS <= at.as_millisecond()
}
