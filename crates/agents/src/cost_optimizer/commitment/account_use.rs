//! Use of an account by the hour: the sum over its machines, and the commitments simulated on it.

use std::collections::{BTreeMap, BTreeSet};

use reeve_estate::{Money, ResourceId};
use reeve_learn::Backtest;
use reeve_learn::commitment::simulate;
use reeve_recommend::judgement::portfolio::{Family, Level, Portfolio};

/// Share of the hours of a family without a single sample up to which its use is simulated.
const MOST_MISSING: f64 = 0.05;

/// Use of one machine by the hour, at on-demand list prices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HourlyUse {
    /// Machines that share commitments with it.
    pub(crate) family: Family,
    pub(crate) resource: ResourceId,
    /// US dollars of an hour in which it ran.
    pub(crate) usd: f64,
    /// Share of the list price that its use costs on demand by its bill, 0 to 1; `None` without a
    /// bill.
    pub(crate) paid_share: Option<f64>,
    /// Hours since the epoch in which it ran.
    pub(crate) hours: BTreeSet<i64>,
    /// Discount of a one-year commitment on its use, 0 to 1.
    pub(crate) discount: f64,
    /// Kind and origin of the discount.
    pub(crate) wording: String,
    /// Reservation of its family, where the price list has one that applies to every size of the
    /// family.
    pub(crate) reservation: Option<Reservation>,
}

/// Reservation that every size of a family in a region uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reservation {
    pub(crate) region: String,
    /// Family (`m5`).
    pub(crate) family: String,
    /// Share of the on-demand price that one year saves, 0 to 1.
    pub(crate) discount: f64,
    /// Share that three years save.
    pub(crate) three_years: Option<f64>,
}

/// Even use of a family in a region, which a reservation would pay for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FamilyUse {
    /// Region and family, with the discounts of the last machine: sizes of a family have the same.
    pub(crate) reservation: Reservation,
    /// Highest level that would have lost in no week.
    pub(crate) safe: Level,
    /// Saving a month of that level.
    pub(crate) saving_monthly: Money,
}

/// Simulated commitments of an account.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AccountUse {
    /// Levels of a commitment that applies to whatever runs in the account.
    pub(crate) portfolio: Portfolio,
    /// Weeks on which the safe level was tried, and those in which it would have saved.
    pub(crate) tried: Backtest,
    /// Families whose own reservation saves, the highest saving first. They pay for the same use:
    /// one or the other.
    pub(crate) families: Vec<FamilyUse>,
}

/// Sum of a family's use.
#[derive(Debug, Default)]
struct Sum {
    machines: u64,
    usd_by_hour: BTreeMap<i64, f64>,
    usd: f64,
    discounted_usd: f64,
    /// Cost of the use by the bills, US dollars.
    paid_usd: f64,
    /// `true` if a machine has a bill.
    is_billed: bool,
    /// List price of the use by the wording of its discount.
    wordings: BTreeMap<String, f64>,
    families: BTreeMap<(String, String), FamilySum>,
}

/// Sum of the use of a family in a region.
#[derive(Debug)]
struct FamilySum {
    reservation: Reservation,
    usd_by_hour: BTreeMap<i64, f64>,
}

/// Uses while they are summed up.
#[derive(Debug, Default)]
pub(crate) struct Portfolios(BTreeMap<Family, Sum>);

impl Portfolios {
    /// Adds the use of a machine.
    pub(crate) fn add(&mut self, machine: HourlyUse) {
        let sum = self.0.entry(machine.family).or_default();
        let usd = machine.usd * machine.hours.len() as f64;
        sum.machines += 1;
        sum.usd += usd;
        sum.discounted_usd += usd * machine.discount;
        sum.paid_usd += usd * machine.paid_share.unwrap_or(1.0);
        sum.is_billed |= machine.paid_share.is_some();
        *sum.wordings.entry(machine.wording).or_default() += usd;

        if let Some(reservation) = machine.reservation {
            let key = (reservation.region.clone(), reservation.family.clone());
            let new = || FamilySum {
                reservation,
                usd_by_hour: BTreeMap::new(),
            };
            let family = sum.families.entry(key).or_insert_with(new);
            machine
                .hours
                .iter()
                .for_each(|hour| *family.usd_by_hour.entry(*hour).or_default() += machine.usd);
        }

        for hour in machine.hours {
            *sum.usd_by_hour.entry(hour).or_default() += machine.usd;
        }
    }

    /// Simulates commitments for each family that was measured for three weeks at least.
    #[must_use]
    pub(crate) fn simulate(self) -> Vec<AccountUse> {
        self.0
            .into_iter()
            .filter_map(|(family, sum)| account(family, &sum))
            .collect()
    }
}

fn account(family: Family, sum: &Sum) -> Option<AccountUse> {
    let discount = sum.discounted_usd / sum.usd;
    let found = simulate(&hourly(&sum.usd_by_hour)?, discount)?;
    let mut families: Vec<FamilyUse> = sum.families.values().filter_map(family_use).collect();
    families.sort_by_key(|family| std::cmp::Reverse(family.saving_monthly));
    let portfolio = Portfolio {
        family,
        machines: sum.machines,
        hours: u32::try_from(found.hours).unwrap_or(u32::MAX),
        discount,
        wording: wording(&sum.wordings),
        use_monthly: Money::per_month(found.mean_use),
        paid_share: sum.is_billed.then_some(sum.paid_usd / sum.usd),
        levels: found.levels,
        best: found.best,
        safe: found.safe,
        held_out_saving_monthly: Money::per_month(found.held_out_saving),
    };

    Some(AccountUse {
        portfolio,
        tried: found.tried,
        families,
    })
}

fn family_use(sum: &FamilySum) -> Option<FamilyUse> {
    let found = simulate(&hourly(&sum.usd_by_hour)?, sum.reservation.discount)?;
    let saving_monthly = Money::per_month(found.safe.saving(found.mean_use));
    let reservation = sum.reservation.clone();
    (saving_monthly > Money::ZERO).then_some(FamilyUse {
        reservation,
        safe: found.safe,
        saving_monthly,
    })
}

/// The wordings of the discounts, that of most use first.
fn wording(wordings: &BTreeMap<String, f64>) -> String {
    let mut by_use: Vec<(&String, &f64)> = wordings.iter().collect();
    by_use.sort_by(|a, b| b.1.total_cmp(a.1));
    by_use
        .into_iter()
        .map(|(wording, _)| wording.as_str())
        .collect::<Vec<_>>()
        .join("; ")
}

/// The use of every hour from the first to the last whole one. An hour without any sample has the
/// use of the hour before: nothing was measured, which is not no use. `None` with too many of them.
fn hourly(usd_by_hour: &BTreeMap<i64, f64>) -> Option<Vec<f64>> {
    let (first, last) = (
        *usd_by_hour.first_key_value()?.0,
        *usd_by_hour.last_key_value()?.0,
    );
    // The last hour is not over, and not every machine has a sample of it.
    let mut before = *usd_by_hour.get(&first)?;
    let hours: Vec<f64> = (first..last)
        .map(|hour| {
            *usd_by_hour
                .get(&hour)
                .inspect(|usd| before = **usd)
                .unwrap_or(&before)
        })
        .collect();
    let missing = hours.len() + 1 - usd_by_hour.len();

    (missing as f64 <= MOST_MISSING * hours.len() as f64).then_some(hours)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::Provider;

    use super::*;

    fn machine(account: &str, usd: f64, hours: impl Iterator<Item = i64>) -> HourlyUse {
        HourlyUse {
            family: Family {
                provider: Provider::Aws,
                account: account.to_owned(),
            },
            resource: ResourceId::new("i-1"),
            usd,
            paid_share: None,
            hours: hours.collect(),
            discount: 0.28,
            wording: "assumed".to_owned(),
            reservation: None,
        }
    }

    fn accounts(machines: Vec<HourlyUse>) -> Vec<AccountUse> {
        let mut sums = Portfolios::default();
        machines.into_iter().for_each(|machine| sums.add(machine));
        sums.simulate()
    }

    fn simulated(machines: Vec<HourlyUse>) -> Vec<Portfolio> {
        accounts(machines)
            .into_iter()
            .map(|account| account.portfolio)
            .collect()
    }

    #[test]
    fn families_have_levels_of_their_own() {
        let reserved = |family: &str, usd, hours: std::ops::Range<i64>| HourlyUse {
            reservation: Some(Reservation {
                region: "us-east-1".to_owned(),
                family: family.to_owned(),
                discount: 0.4,
                three_years: Some(0.6),
            }),
            wording: family.to_owned(),
            ..machine("1", usd, hours)
        };

        let found = accounts(vec![
            reserved("m5", 1.0, 0..673),
            reserved("m5", 1.0, 0..673),
            reserved("c5", 3.0, 0..673),
        ]);

        let [one] = found.as_slice() else {
            panic!("{found:#?}")
        };

        let families: Vec<&str> = one
            .families
            .iter()
            .map(|family| family.reservation.family.as_str())
            .collect();
        assert_eq!(families, ["c5", "m5"], "the higher saving first");
        assert_eq!(
            one.families[1].saving_monthly,
            Money::from_usd(0.4 * 2.0 * 730.0)
        );
        assert_eq!(one.portfolio.wording, "c5; m5");
        assert_eq!(
            one.tried,
            Backtest {
                held: 2,
                windows: 2
            }
        );
    }

    #[test]
    fn machines_that_take_turns_are_one_even_use() {
        // Neither runs all the time, and together they always do: judged one by one, neither would
        // be committed to.
        let (days, nights) = (
            (0..673).filter(|hour| hour % 24 < 12),
            (0..673).filter(|hour| hour % 24 >= 12),
        );
        let found = simulated(vec![machine("1", 1.0, days), machine("1", 1.0, nights)]);
        let [one] = found.as_slice() else {
            panic!("{found:#?}")
        };

        assert_eq!((one.machines, one.hours), (2, 672));
        assert!(
            (one.safe.coverage - 1.0).abs() < 1e-9 && (one.safe.hourly - 0.72).abs() < 1e-9,
            "{:?}",
            one.safe
        );
        assert_eq!(one.saving_monthly(&one.safe), Money::from_usd(0.28 * 730.0));
        assert_eq!(one.held_out_saving_monthly, Money::from_usd(0.28 * 730.0));
    }

    #[test]
    fn accounts_are_simulated_by_themselves_and_only_where_enough_was_measured() {
        let found = simulated(vec![
            machine("1", 1.0, 0..673),
            machine("2", 1.0, 0..400),
            machine("3", 2.0, 0..673),
        ]);

        let accounts: Vec<&str> = found
            .iter()
            .map(|one| one.family.account.as_str())
            .collect();
        assert_eq!(accounts, ["1", "3"], "two weeks and a half are too few");

        let holes = |every: i64| machine("1", 1.0, (0..673).filter(move |hour| hour % every != 1));
        assert!(
            simulated(vec![holes(10)]).is_empty(),
            "a tenth of the hours is missing"
        );
        assert_eq!(simulated(vec![holes(50)]).len(), 1);
    }
}
