//! Spot or on demand: the policy of `reeve analyze interruptions --policy` beside its controls, on
//! recorded fleets and generated pools.
//!
//! A purchase decided at a row serves until the next: spot whose capacity is gone at the next row
//! was without capacity for the step between. Constants were chosen on the p3 fleet and on the
//! generated pools of seeds 31 to 34; the others were looked at once.

use std::collections::BTreeMap;

use anyhow::Result;
use reeve_learn::interruption::{Purchase, PurchasePolicy, SPOT_PRICE, SWITCHES_PER_DAY};

use crate::data::Data;
use crate::interruption::pools::{Series, generated, ordinary, recorded};

mod foresight;

const DAY_MS: i64 = 86_400_000;
const HOLD_MS: i64 = 2 * 3_600_000;
const POLICIES: [&str; 6] = [
    "ours",
    "ours, up to eight switches a day",
    "always spot",
    "always on demand",
    "fall back, return at once",
    "fall back, return after two hours",
];

/// Sums over the series of a group.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    days: f64,
    /// Days without capacity.
    down: f64,
    /// Days at the on-demand price.
    cost: f64,
    switches: f64,
    /// Most switches in any 24 hours.
    most: usize,
}

/// Prints the tables.
pub(crate) fn run(data: &Data) -> Result<()> {
    let all = recorded(data)?;
    let (chosen, confirmed): (Vec<Series>, Vec<Series>) = all
        .into_iter()
        .partition(|series| series.group.starts_with("parcae"));
    table(
        "chosen on",
        chosen
            .into_iter()
            .chain(generated(31..35))
            .chain(ordinary(31..35)),
    );
    table(
        "confirmed on",
        confirmed
            .into_iter()
            .chain(generated(41..45))
            .chain(ordinary(41..45)),
    );
    Ok(())
}

fn table(name: &str, series: impl Iterator<Item = Series>) {
    let mut groups: BTreeMap<String, ([Tally; 6], f64)> = BTreeMap::new();
    for one in series {
        let (tallies, foresight) = groups.entry(one.group.clone()).or_default();
        let all = policies(&one);
        *foresight += foresight::least_down(&one, &all[5]);
        for (tally, purchases) in tallies.iter_mut().zip(all) {
            tally.add(&one, &purchases);
        }
    }

    println!("\n### {name}\n");
    println!(
        "| group | days | policy | without capacity | cost (always on demand: 100) | switches a day | most in 24 h |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (group, (tallies, foresight)) in &groups {
        for (policy, tally) in POLICIES.iter().zip(tallies) {
            println!(
                "| {group} | {:.0} | {policy} | {:.2} % | {:.1} | {:.2} | {} |",
                tally.days,
                100.0 * tally.down / tally.days,
                100.0 * tally.cost / tally.days,
                tally.switches / tally.days,
                tally.most,
            );
        }
        println!(
            "| {group} | {:.0} | foresight at the cost of the line above, two switches a day | at least {:.2} % | | | |",
            tallies[5].days,
            100.0 * foresight / tallies[5].days,
        );
    }
}

fn policies(series: &Series) -> [Vec<Purchase>; 6] {
    let rows = series.available.len();
    [
        ours(series, SWITCHES_PER_DAY),
        ours(series, 8),
        vec![Purchase::Spot; rows],
        vec![Purchase::OnDemand; rows],
        fall_back(series, 0),
        fall_back(series, HOLD_MS),
    ]
}

fn ours(series: &Series, switches_per_day: usize) -> Vec<Purchase> {
    let mut policy = PurchasePolicy::new(switches_per_day);
    let rows = series.available.iter().enumerate();
    rows.map(|(row, available)| policy.observe(row as i64 * series.step_ms, Some(*available)))
        .collect()
}

/// Falls back at once, and returns so long after the fallback as capacity is there.
fn fall_back(series: &Series, hold_ms: i64) -> Vec<Purchase> {
    let (mut purchase, mut since) = (Purchase::Spot, 0);
    let decide = |(row, available): (usize, &bool)| {
        let at_ms = row as i64 * series.step_ms;
        purchase = match (purchase, available) {
            (Purchase::Spot, false) => {
                since = at_ms;
                Purchase::OnDemand
            }
            (Purchase::OnDemand, true) if at_ms - since >= hold_ms => Purchase::Spot,
            (same, _) => same,
        };
        purchase
    };
    series.available.iter().enumerate().map(decide).collect()
}

impl Tally {
    fn add(&mut self, series: &Series, purchases: &[Purchase]) {
        let step = series.step_ms as f64 / DAY_MS as f64;
        let mut switches: Vec<i64> = Vec::new();
        for row in 1..purchases.len() {
            self.days += step;
            match (purchases[row - 1], series.available[row]) {
                (Purchase::Spot, true) => self.cost += SPOT_PRICE * step,
                (Purchase::Spot, false) => self.down += step,
                (Purchase::OnDemand, _) => self.cost += step,
            }
            if purchases[row] != purchases[row - 1] {
                let at = row as i64 * series.step_ms;
                switches.push(at);
                let day = switches.iter().filter(|one| at - **one < DAY_MS).count();
                self.most = self.most.max(day);
            }
        }
        self.switches += switches.len() as f64;
    }
}
