//! The same events otherwise: at other times, or some of them left out. In which order they lie in
//! a file changes nothing in hindsight, so that their order cannot tell how much a figure owes to
//! chance.

use jiff::SignedDuration;

use super::set::Unit;
use crate::chance::Chance;

/// Variation of the data set.
#[derive(Clone, Copy)]
pub(super) enum Variation {
    /// Each recording and each test is moved by at most so many seconds. Tests that share a made-up
    /// user and one second then come one after the other.
    Moved(f64),
    /// Recordings and tests exchange their times.
    Exchanged,
    /// So large a part of the events is not there.
    Without(f64),
}

/// The set with one variation; every seed gives another one.
pub(super) fn vary(units: &[Unit], variation: Variation, seed: u64) -> Vec<Unit> {
    let mut chance = Chance::new(seed, 45);
    let begins: Vec<i64> = units.iter().map(begin).collect();
    let mut others = begins.clone();
    for at in (1..others.len()).rev() {
        others.swap(at, chance.below(at + 1));
    }

    let varied = units
        .iter()
        .zip(begins)
        .zip(others)
        .map(|((unit, begins), other)| {
            let by = match variation {
                Variation::Moved(most) => chance.between(-most, most) as i64,
                Variation::Exchanged => other - begins,
                Variation::Without(_) => 0,
            };
            let kept = unit.events.iter().filter(|_| match variation {
                Variation::Without(part) => !chance.happens(part),
                _ => true,
            });
            let mut events: Vec<_> = kept.cloned().collect();
            for entry in &mut events {
                entry.timestamp = entry
                    .timestamp
                    .saturating_add(SignedDuration::from_secs(by))
                    .unwrap_or(entry.timestamp);
            }
            Unit {
                name: unit.name.clone(),
                group: unit.group.clone(),
                label: unit.label,
                events,
            }
        });

    varied.collect()
}

/// Returns the time of a unit's first event, in seconds since the epoch.
fn begin(unit: &Unit) -> i64 {
    unit.events
        .iter()
        .map(|entry| entry.timestamp.as_second())
        .min()
        .unwrap_or(0)
}
