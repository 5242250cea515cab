//! A bound for any policy: the least time without capacity that perfect foresight reaches at the
//! cost of a control and with two switches a day.
//!
//! Dynamic programming over purchases and switches, with the limit of the cost in its Lagrangian
//! dual; the value of the dual is never above the true least, so the bound is safe.

use reeve_learn::interruption::{Purchase, SPOT_PRICE, SWITCHES_PER_DAY};

use super::DAY_MS;
use crate::interruption::pools::Series;

/// Prices of a step on demand, in steps without capacity, at which the dual is evaluated.
const PRICES: [f64; 12] = [
    0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.3, 0.5, 0.7, 0.9, 1.0, 1.3,
];

/// Days without capacity, at least.
pub(super) fn least_down(series: &Series, control: &[Purchase]) -> f64 {
    let step = series.step_ms as f64 / DAY_MS as f64;
    let days = step * series.available.len() as f64;
    let switches = (SWITCHES_PER_DAY as f64 * days).round().max(2.0) as usize;
    let cost: f64 = control
        .iter()
        .zip(series.available.iter().skip(1))
        .map(|(purchase, available)| match (purchase, available) {
            (Purchase::Spot, true) => SPOT_PRICE,
            (Purchase::Spot, false) => 0.0,
            (Purchase::OnDemand, _) => 1.0,
        })
        .sum();

    let dual = |price: f64| least(&series.available, switches, price) - price * cost;
    step * PRICES.into_iter().map(dual).fold(0.0, f64::max)
}

/// Least of steps without capacity plus cost at a price, with so many switches at most.
fn least(available: &[bool], switches: usize, price: f64) -> f64 {
    const NEVER: f64 = f64::INFINITY;
    // By switches so far, and by spot (0) or on demand (1).
    let mut costs = vec![[NEVER; 2]; switches + 1];
    costs[0][0] = 0.0;

    for up in available.iter().skip(1) {
        let step = [if *up { price * SPOT_PRICE } else { 1.0 }, price];
        let mut next = vec![[NEVER; 2]; switches + 1];
        for (used, from) in costs.iter().enumerate() {
            for (now, so_far) in from.iter().enumerate() {
                for (then, cost) in step.iter().enumerate() {
                    if let Some(cell) = next.get_mut(used + usize::from(now != then)) {
                        cell[then] = cell[then].min(so_far + cost);
                    }
                }
            }
        }
        costs = next;
    }

    costs.into_iter().flatten().fold(NEVER, f64::min)
}
