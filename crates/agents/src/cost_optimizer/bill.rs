//! Costs that a resource has while it runs, and those that remain when it is stopped.

use reeve_estate::{Charge, Money, Resource, ResourceKind};
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::words::{at_most, dollars, percent};

use super::Facts;
use super::evidence::CostEvidence;
use super::price::hourly;
use crate::discounts;

/// Returns `true` if a unit of consumption is an hour, as the clouds write it in their bills.
fn is_hour(unit: &str) -> bool {
    ["hrs", "hr", "hour", "hours"]
        .iter()
        .any(|name| unit.eq_ignore_ascii_case(name))
}

/// The parts of a resource's cost that a stop is about.
pub(super) struct MachineBill {
    /// Compute a month: at list price, else what the account says the machine costs; `None` without
    /// either.
    pub(super) compute: Option<Money>,
    /// `true` if the compute is what the bill charges for it, after discounts.
    pub(super) is_charged: bool,
    /// The list price an hour.
    hourly: Option<f64>,
    /// Disks by the month, which continue to be paid for.
    disks: Money,
    /// Storage of the snapshots a month, at most; `None` where a size or price is not known.
    snapshots: Option<Money>,
}

impl MachineBill {
    pub(super) fn from_evidence(evidence: &CostEvidence<'_>) -> Self {
        let facts = evidence.facts;
        let resource = facts.resource;
        let size = resource.specification.instance_type.as_deref();
        let hourly = size.and_then(|size| hourly(facts.catalogue, resource, size));
        let given = resource
            .monthly_cost
            .filter(|_| resource.kind == ResourceKind::VirtualMachine);

        // Storage of a database is billed by its size, and goes on being so when it is stopped.
        let by_hour = |charge: &Charge| charge.unit.as_deref().is_some_and(is_hour);
        let charged = || discounts::billed_monthly(facts.charges, by_hour);
        let snapshot = |volume: &Resource| {
            let gib = volume.specification.storage_gib?;
            Some(
                facts
                    .catalogue
                    .snapshot_monthly(volume.provider, &volume.region, gib)?
                    .cost,
            )
        };

        MachineBill {
            compute: hourly.map(Money::per_month).or(given).or_else(charged),
            is_charged: hourly.is_none() && given.is_none() && charged().is_some(),
            hourly,
            disks: facts
                .volumes
                .iter()
                .filter_map(|volume| volume.monthly_cost)
                .sum(),
            snapshots: facts.volumes.iter().map(snapshot).sum(),
        }
    }

    /// Sets what a proposal saves after discounts. What the bill charges is after them already.
    pub(super) fn apply_discounts(&self, facts: &Facts<'_>, proposal: &mut Proposal) {
        if self.is_charged {
            proposal.savings_after_discounts = proposal.savings_monthly;
        } else {
            discounts::apply(facts, self.compute, proposal);
        }
    }

    /// The saving of being off for a share of the time.
    pub(super) fn saving(&self, off_share: f64) -> Option<Money> {
        self.compute
            .map(|compute| Money::from_usd(compute.usd() * off_share))
    }

    /// The share of machine and disks together that being off for a share of the time saves,
    /// percent.
    pub(super) fn share_percent(&self, off_share: f64) -> Option<f64> {
        let compute = self.compute?.usd();
        let all = compute + self.disks.usd();
        Some(if all > 0.0 {
            compute * off_share / all * 100.0
        } else {
            0.0
        })
    }

    /// The arithmetic, written out.
    pub(super) fn words(&self, resource: &Resource, off_share: f64) -> String {
        let Some(saved) = self.saving(off_share) else {
            return format!(
                "no list price is known for {}, so no saving is claimed",
                resource.name
            );
        };

        let off = if off_share < 1.0 {
            format!(" x {} of the time", percent(off_share * 100.0))
        } else {
            String::new()
        };

        let price = match self.hourly {
            Some(hourly) => format!("${hourly:.4} an hour x 730 hours"),
            None if self.is_charged => {
                "what its bill charges by the hour, after discounts, in a month".to_owned()
            }
            None => "what the account is billed for it a month".to_owned(),
        };

        let disks = if self.disks == Money::ZERO {
            String::new()
        } else {
            let (disks, snapshots) = (dollars(self.disks), at_most(self.snapshots));
            format!(
                "; its disks are still billed ({disks} a month), the snapshots cost {snapshots}"
            )
        };

        format!("{price}{off} = {} a month saved{disks}", dollars(saved))
    }
}
