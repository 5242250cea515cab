//! Savings of spot machines a month: at the spot prices of the group's zones, or the average of the
//! region, after the cost of interruptions, with an interval from the hazard's and the prices'.

use reeve_estate::Money;
use reeve_estate::money::HOURS_PER_MONTH;

use super::pools::PoolCandidate;

/// Days of a month, as for all prices.
const DAYS: f64 = HOURS_PER_MONTH / 24.0;
/// Hours that an interruption costs: its replacement runs beside the machine, and starts on demand
/// where spot capacity is short.
const INTERRUPTION_HOURS: f64 = 2.0;

/// A saving a month with its 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SpotSaving {
    pub(super) value: Money,
    pub(super) low: Money,
    pub(super) high: Money,
    /// Interruptions a month that are expected.
    pub(super) interruptions: f64,
    /// Cost of the interruptions a month.
    pub(super) cost: Money,
    /// The prices are those of the group's zones.
    pub(super) is_measured: bool,
}

/// Returns the saving of so many spot machines of the types, against the first on demand.
pub(super) fn saving(types: &[PoolCandidate], spot_machines: u32) -> Option<SpotSaving> {
    let own = types.first()?;
    let count = f64::from(spot_machines);
    let mean = |read: fn(&PoolCandidate) -> f64| {
        types.iter().map(read).sum::<f64>() / types.len().max(1) as f64
    };
    let spot = mean(|one| one.spot);
    let lost = |chance: f64| chance * DAYS * count;
    let cost = |chance: f64| lost(chance) * INTERRUPTION_HOURS * own.on_demand;
    let saved = |price: f64, chance: f64| {
        Money::from_usd((own.on_demand - price) * HOURS_PER_MONTH * count - cost(chance))
    };

    let (value, low, high) = (
        mean(|one| one.day.value),
        mean(|one| one.day.low),
        mean(|one| one.day.high),
    );
    Some(SpotSaving {
        value: saved(spot, value),
        low: saved(mean(|one| one.spot_range.1), high),
        high: saved(mean(|one| one.spot_range.0), low),
        interruptions: lost(value),
        cost: Money::from_usd(cost(value)),
        is_measured: types.iter().all(|one| one.is_measured),
    })
}
