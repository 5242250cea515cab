//! Bills that overlap: a newer bill replaces the days that it restates, so that no charge is
//! counted twice.
//!
//! Providers deliver a period again and again until it is closed, and people put a second export
//! beside the first. FOCUS gives lines no identifier, so a line is identified by everything but its
//! amounts, quantities and tags. Lines of one provider, account, sub-account, currency and day form
//! a group. Where a newer bill has at least half of the lines of an older bill's group, it restates
//! the group, and the older lines are left out. Where it has fewer, the two are parts of one bill,
//! and both count.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use super::{Charge, CommitmentStatus, PricingCategory};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Lines of the bills seen so far, by group, as hashes.
#[derive(Debug, Default)]
pub struct Restatements {
    /// Lines of each newer bill that has the group.
    groups: HashMap<u64, Vec<HashSet<u64>>>,
    hasher: RandomState,
}

impl Restatements {
    /// Takes the next older bill, and returns those of its charges that no newer bill restates.
    #[must_use]
    pub fn add_older(&mut self, bill: Vec<Charge>) -> Vec<Charge> {
        let mut own: HashMap<u64, HashSet<u64>> = HashMap::new();
        for charge in &bill {
            own.entry(self.group(charge))
                .or_default()
                .insert(self.line(charge));
        }

        let restated = |group: &u64, lines: &HashSet<u64>| {
            let newer = self.groups.get(group).into_iter().flatten();
            newer.into_iter().any(|newer| {
                2 * lines.iter().filter(|line| newer.contains(line)).count() >= lines.len()
            })
        };

        let left_out: HashSet<u64> = own
            .iter()
            .filter(|(group, lines)| restated(group, lines))
            .map(|(group, _)| *group)
            .collect();

        // Lines that are left out still tell what they themselves restate.
        for (group, lines) in own {
            self.groups.entry(group).or_default().push(lines);
        }

        bill.into_iter()
            .filter(|charge| !left_out.contains(&self.group(charge)))
            .collect()
    }

    /// Hash of the group of lines that are restated together.
    fn group(&self, charge: &Charge) -> u64 {
        let payer = (&charge.provider, &charge.account, &charge.sub_account);
        self.hasher
            .hash_one((payer, &charge.currency, charge.start_ms.div_euclid(DAY_MS)))
    }

    /// Hash of a line's identity.
    fn line(&self, charge: &Charge) -> u64 {
        let sold = (
            &charge.service,
            &charge.service_category,
            &charge.region,
            &charge.sku,
            &charge.description,
        );

        let resource = (&charge.resource, &charge.resource_type);
        let kind = (
            charge.category.as_str(),
            charge.correction,
            charge.start_ms,
            charge.end_ms,
        );

        let pricing = (charge.pricing.map(PricingCategory::as_str), &charge.unit);
        let commitment = (
            &charge.commitment,
            charge.commitment_status.map(CommitmentStatus::as_str),
        );
        self.hasher
            .hash_one((sold, resource, kind, pricing, commitment))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Amount, focus};
    use super::*;

    /// Charges of rows `day, resource, cost, tags`.
    fn bill(rows: &[(u32, &str, &str, &str)]) -> Vec<Charge> {
        let names = [
            "BilledCost",
            "BillingCurrency",
            "ChargePeriodStart",
            "ChargePeriodEnd",
            "ChargeCategory",
            "ProviderName",
            "ServiceName",
            "SubAccountId",
            "ResourceId",
            "Tags",
        ];
        let mut reader = focus::FocusReader::from_header(names.into_iter()).unwrap();

        let charge = |(day, resource, cost, tags): &(u32, &str, &str, &str)| {
            let (start, end) = (
                format!("2026-11-{day:02}T00:00:00Z"),
                format!("2026-11-{:02}T00:00:00Z", day + 1),
            );
            let cells = [
                *cost,
                "USD",
                &start,
                &end,
                "Usage",
                "AWS",
                "EC2",
                "111122223333",
                *resource,
                *tags,
            ];
            reader.charge(|place| cells.get(place).copied()).unwrap()
        };

        rows.iter().map(charge).collect()
    }

    /// Sum of the charges that are counted of bills, given from the newest to the oldest.
    fn counted(bills: &[&[(u32, &str, &str, &str)]]) -> String {
        let mut restatements = Restatements::default();
        let kept = bills
            .iter()
            .flat_map(|rows| restatements.add_older(bill(rows)));
        kept.map(|charge| charge.billed).sum::<Amount>().to_string()
    }

    #[test]
    fn a_restated_day_replaces_the_older_one() {
        let first: &[_] = &[
            (1, "i-1", "10", "{}"),
            (1, "i-2", "5", "{}"),
            (2, "i-1", "10", "{}"),
        ];
        assert_eq!(counted(&[first, first]), "25", "the same bill twice");

        // Day 1 is restated with another amount and another tag, day 3 is new, day 2 stands in the
        // older bill alone.
        let restated: &[_] = &[
            (1, "i-1", "11", r#"{"env":"prod"}"#),
            (1, "i-2", "5", "{}"),
            (3, "i-1", "7", "{}"),
        ];
        assert_eq!(counted(&[restated, first]), "33");

        // A line that the restatement no longer has is gone, since the rest of its day is restated.
        let shorter: &[_] = &[(1, "i-1", "12", "{}")];
        assert_eq!(counted(&[shorter, first]), "22");
        assert_eq!(counted(&[shorter, restated, first]), "29");
    }

    #[test]
    fn parts_of_one_bill_are_added() {
        let one: &[_] = &[
            (1, "i-1", "1", "{}"),
            (1, "i-2", "1", "{}"),
            (1, "i-3", "1", "{}"),
        ];
        let two: &[_] = &[(1, "i-4", "1", "{}"), (1, "i-3", "1", "{}")];
        assert_eq!(
            counted(&[two, one]),
            "5",
            "one line of three in both is a boundary, not a restatement"
        );

        let twice: &[_] = &[(1, "i-1", "1", "{}"), (1, "i-1", "2", "{}")];
        assert_eq!(
            counted(&[twice]),
            "3",
            "lines of one bill are never left out"
        );
    }

    #[test]
    fn accounts_do_not_restate_each_other() {
        let mut other = bill(&[(1, "i-1", "4", "{}")]);
        other[0].sub_account = Some("444455556666".into());
        let mut restatements = Restatements::default();
        assert_eq!(restatements.add_older(other).len(), 1);
        assert_eq!(
            restatements.add_older(bill(&[(1, "i-1", "4", "{}")])).len(),
            1
        );
    }
}
