//! Purchase of one capacity as spot or on demand, row by row, from when its pool had capacity.
//!
//! Lost capacity is replaced on demand at once. The way back is gated by two things: the allowance
//! of switches (a return needs fewer than two switches in the past day), and a rule. Rules compete:
//! hold times, calm times, and the chance of the hazard model ([`Availability`], which has a plain
//! hazard by age and a logistic regression in its ensemble) that capacity is lost again before the
//! allowance is free. Each rule is followed on paper over the whole past of the pool, and the one
//! that would have done best decides. "Return after two hours" is one of them, so that the choice
//! is never far worse than this control.
//!
//! A decision knows its own row and those before it. It serves from its row until the next.

use std::collections::VecDeque;

use super::availability::{Availability, LOSSES_PER_HOUR};
use crate::window::{DAY_MS, HOUR_MS};

/// Price of spot capacity as a share of the on-demand price: what large pools cost on average.
pub const SPOT_PRICE: f64 = 0.3;
/// Switches in a day beyond which nothing returns to spot, by default.
pub const SWITCHES_PER_DAY: usize = 2;
/// On-demand hours that an hour without capacity is worth.
const HOUR_DOWN: f64 = 10.0;
/// On-demand hours that a switch is worth: both machines run while one takes over.
const SWITCH: f64 = 0.2;
/// Hours that the losses believed of an unknown pool are worth.
const BELIEF_HOURS: f64 = 3.0;
/// Time within which the record of a rule is forgotten.
const RECORD_MS: f64 = 14.0 * DAY_MS as f64;
/// On-demand hours by which another rule must have done better than the one that decides.
const MARGIN: f64 = 1.0;
/// A silence longer than this hides whether capacity was lost.
const SILENT_MS: i64 = 6 * HOUR_MS;

/// Kind of capacity to buy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purchase {
    /// Capacity at the spot price, which may be taken back.
    Spot,
    /// Capacity at the on-demand price, which stays.
    OnDemand,
}

impl Purchase {
    /// Returns the name as it is written in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spot => "spot",
            Self::OnDemand => "on_demand",
        }
    }
}

/// Condition under which capacity returns to spot.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// So long after the fallback.
    Hold(i64),
    /// So long after capacity came back.
    Calm(i64),
    /// The chance of a loss before the allowance of switches is free is below this.
    Risk(f64),
}

/// Rules that compete; the first decides until another has shown to be better.
const RULES: [Rule; 11] = [
    Rule::Risk(0.5),
    Rule::Risk(0.2),
    Rule::Risk(0.8),
    Rule::Hold(0),
    Rule::Hold(HOUR_MS / 2),
    Rule::Hold(2 * HOUR_MS),
    Rule::Hold(6 * HOUR_MS),
    Rule::Hold(12 * HOUR_MS),
    Rule::Calm(HOUR_MS),
    Rule::Calm(3 * HOUR_MS),
    Rule::Calm(12 * HOUR_MS),
];

/// State of the pool at a row.
#[derive(Debug, Clone, Copy)]
struct View {
    at_ms: i64,
    available: bool,
    /// Time for which capacity has been available.
    calm_ms: i64,
    /// Chance of a loss within an hour.
    chance: f64,
}

/// Purchase in force, with its latest switches.
#[derive(Debug, Clone)]
struct Position {
    purchase: Purchase,
    since_ms: i64,
    switches: VecDeque<i64>,
    /// Switches in a day beyond which nothing returns to spot.
    most: usize,
}

impl Position {
    const fn new(most: usize) -> Self {
        Self {
            most,
            purchase: Purchase::Spot,
            since_ms: i64::MIN / 2,
            switches: VecDeque::new(),
        }
    }

    /// Decides by a rule at a row. Returns `true` for a switch.
    fn decide(&mut self, rule: Rule, view: &View) -> bool {
        while self
            .switches
            .front()
            .is_some_and(|at| *at <= view.at_ms - DAY_MS)
        {
            self.switches.pop_front();
        }

        let next = match self.purchase {
            Purchase::Spot if !view.available => Purchase::OnDemand,
            Purchase::OnDemand if view.available && self.may_return(rule, view) => Purchase::Spot,
            same => same,
        };

        let switched = next != self.purchase;
        if switched {
            self.switches.push_back(view.at_ms);
            (self.purchase, self.since_ms) = (next, view.at_ms);
        }
        switched
    }

    fn may_return(&self, rule: Rule, view: &View) -> bool {
        if self.switches.len() >= self.most {
            return false;
        }

        let held_ms = view.at_ms.saturating_sub(self.since_ms);
        match rule {
            Rule::Hold(hold_ms) => held_ms >= hold_ms,
            Rule::Calm(calm_ms) => view.calm_ms >= calm_ms,
            Rule::Risk(limit) => {
                let hours = (DAY_MS - held_ms).max(HOUR_MS) as f64 / HOUR_MS as f64;
                1.0 - (1.0 - view.chance).powf(hours) < limit
            }
        }
    }
}

/// A rule followed on paper.
#[derive(Debug, Clone)]
struct Candidate {
    rule: Rule,
    position: Position,
    /// On-demand hours that it would have cost, forgotten within two weeks.
    cost: f64,
}

/// Policy that buys one capacity.
#[derive(Debug, Clone)]
pub struct PurchasePolicy {
    risk: Availability,
    candidates: Vec<Candidate>,
    /// Place of the rule that decides.
    leader: usize,
    position: Position,
    last: Option<(i64, bool)>,
    available_since_ms: i64,
    hours_available: f64,
    losses: f64,
}

impl Default for PurchasePolicy {
    fn default() -> Self {
        Self::new(SWITCHES_PER_DAY)
    }
}

impl PurchasePolicy {
    /// Creates the policy of a pool of which nothing is known: it starts on spot, and returns to it
    /// after fewer than `switches_per_day` switches in the past day.
    #[must_use]
    pub fn new(switches_per_day: usize) -> Self {
        let candidate = |rule: &Rule| Candidate {
            rule: *rule,
            position: Position::new(switches_per_day),
            cost: 0.0,
        };
        Self {
            risk: Availability::new(HOUR_MS),
            candidates: RULES.iter().map(candidate).collect(),
            leader: 0,
            position: Position::new(switches_per_day),
            last: None,
            available_since_ms: 0,
            hours_available: 0.0,
            losses: 0.0,
        }
    }

    /// Takes the next row, in order of time, and decides. Where availability was not measured, the
    /// purchase in force stays.
    pub fn observe(&mut self, at_ms: i64, available: Option<bool>) -> Purchase {
        let said = self.risk.observe(at_ms, available);
        let Some(available) = available else {
            return self.position.purchase;
        };

        self.pass(at_ms, available);
        let rate =
            (self.losses + BELIEF_HOURS * LOSSES_PER_HOUR) / (self.hours_available + BELIEF_HOURS);
        let view = View {
            at_ms,
            available,
            calm_ms: at_ms.saturating_sub(self.available_since_ms),
            chance: said.unwrap_or(1.0 - (-rate).exp()),
        };

        for candidate in &mut self.candidates {
            if candidate.position.decide(candidate.rule, &view) {
                candidate.cost += SWITCH;
            }
        }
        self.elect();

        if let Some(leader) = self.candidates.get(self.leader) {
            self.position.decide(leader.rule, &view);
        }
        self.position.purchase
    }

    /// Moves on to a row: what each rule would have cost since the row before.
    fn pass(&mut self, at_ms: i64, available: bool) {
        let Some((before_ms, was)) = self.last.replace((at_ms, available)) else {
            self.available_since_ms = at_ms;
            return;
        };
        let step_ms = at_ms.saturating_sub(before_ms);
        if available && (!was || step_ms > SILENT_MS) {
            self.available_since_ms = at_ms;
        }
        if step_ms <= 0 || step_ms > SILENT_MS {
            return;
        }

        let hours = step_ms as f64 / HOUR_MS as f64;
        if was {
            self.hours_available += hours;
            self.losses += f64::from(!available);
        }
        for candidate in &mut self.candidates {
            let hour = match (candidate.position.purchase, available) {
                (Purchase::Spot, true) => SPOT_PRICE,
                (Purchase::Spot, false) => HOUR_DOWN,
                (Purchase::OnDemand, _) => 1.0,
            };
            candidate.cost = candidate.cost * (-(step_ms as f64) / RECORD_MS).exp() + hour * hours;
        }
    }

    /// Chooses the rule that decides.
    fn elect(&mut self) {
        let cost = |place: usize| self.candidates.get(place).map_or(f64::MAX, |one| one.cost);
        let best = (0..self.candidates.len()).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        if let Some(best) = best.filter(|best| cost(*best) + MARGIN < cost(self.leader)) {
            self.leader = best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_MS: i64 = 600_000;

    fn decisions(available: &[bool]) -> Vec<Purchase> {
        let mut policy = PurchasePolicy::default();
        let rows = available.iter().enumerate();
        rows.map(|(row, up)| policy.observe(row as i64 * STEP_MS, Some(*up)))
            .collect()
    }

    /// Ten days; capacity is gone for half an hour after the rows given.
    fn pool(losses: &[usize]) -> Vec<bool> {
        (0..1_440)
            .map(|row| !losses.iter().any(|loss| (*loss..loss + 3).contains(&row)))
            .collect()
    }

    #[test]
    fn lost_capacity_is_replaced_at_once_and_returns_after_a_calm_past() {
        let found = decisions(&pool(&[1_000]));
        assert!(found[..1_000].iter().all(|one| *one == Purchase::Spot));
        assert_eq!(found[1_000], Purchase::OnDemand);
        assert!(
            found[1_000..1_003]
                .iter()
                .all(|one| *one == Purchase::OnDemand)
        );
        assert_eq!(found[1_020], Purchase::Spot, "three hours later");
    }

    /// Capacity that flickers every hour for a day: a policy that returns at once would switch 48
    /// times.
    #[test]
    fn a_storm_is_waited_out_within_the_allowance_of_switches() {
        let losses: Vec<usize> = (0..24).map(|hour| 700 + hour * 6).collect();
        let found = decisions(&pool(&losses));
        let switches: Vec<usize> = (1..found.len())
            .filter(|row| found[*row] != found[row - 1])
            .collect();
        for from in 0..found.len() {
            let within = switches
                .iter()
                .filter(|row| (from..from + 144).contains(row));
            assert!(within.count() <= SWITCHES_PER_DAY + 1, "{switches:?}");
        }
        assert!(switches.len() <= 6, "{switches:?}");
        assert_eq!(found[1_300], Purchase::Spot, "three days after the storm");
    }

    #[test]
    fn without_a_bound_of_switches_it_follows_the_best_rule() {
        // Isolated losses, two a day: returning at once costs least.
        let losses: Vec<usize> = (0..18).map(|half| 100 + half * 72).collect();
        let mut policy = PurchasePolicy::new(100);
        let found: Vec<Purchase> = pool(&losses)
            .iter()
            .enumerate()
            .map(|(row, up)| policy.observe(row as i64 * STEP_MS, Some(*up)))
            .collect();
        let on_demand = |rows: &[Purchase]| {
            rows.iter()
                .filter(|one| **one == Purchase::OnDemand)
                .count()
        };
        assert_eq!(
            on_demand(&found[1_100..1_244]),
            6,
            "two outages of half an hour"
        );
    }

    #[test]
    fn only_the_past_counts_and_gaps_change_nothing() {
        let all = pool(&[300, 420, 430, 900]);
        assert_eq!(decisions(&all)[..600], decisions(&all[..600])[..]);

        let mut policy = PurchasePolicy::default();
        assert_eq!(policy.observe(0, None), Purchase::Spot);
        assert_eq!(policy.observe(STEP_MS, Some(false)), Purchase::OnDemand);
        assert_eq!(policy.observe(2 * STEP_MS, None), Purchase::OnDemand);
    }
}
