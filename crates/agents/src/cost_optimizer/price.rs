//! Cost of a size and saving of a change, at list price.

use reeve_estate::{Money, PriceCatalogue, Resource, ResourceKind};

use reeve_recommend::words::{dollars, percent};

/// Prices of now and of the target.
#[derive(Debug, Clone)]
pub(super) struct PriceStep {
    /// A month at the size it has.
    pub(super) now: Money,
    /// A month at the target.
    pub(super) target: Money,
    /// US dollars an hour of one machine: now, target.
    pub(super) hourly: (f64, f64),
    pub(super) machines: u32,
}

impl PriceStep {
    /// Prices of so many machines.
    pub(super) fn times(self, machines: u32) -> PriceStep {
        let all = |one: Money| Money::from_usd(one.usd() * f64::from(machines));
        PriceStep {
            now: all(self.now),
            target: all(self.target),
            machines,
            ..self
        }
    }

    /// Savings a month; negative when the target costs more.
    pub(super) fn savings(&self) -> Money {
        self.now - self.target
    }

    /// Change in percent of the price now; negative saves.
    pub(super) fn percent(&self) -> f64 {
        if self.now == Money::ZERO {
            0.0
        } else {
            (self.target.usd() / self.now.usd() - 1.0) * 100.0
        }
    }

    /// The arithmetic, written out.
    pub(super) fn words(&self) -> String {
        let (now, target) = self.hourly;
        let rises = self.savings() < Money::ZERO;
        let (more, less, unit) = if rises {
            (target, now, "a month more")
        } else {
            (now, target, "a month")
        };

        let saved = Money::from_usd(self.savings().usd().abs());
        let count = if self.machines > 1 {
            format!("{} x ", self.machines)
        } else {
            String::new()
        };

        format!(
            "{count}(${more:.4} - ${less:.4}) an hour x 730 hours = {} {unit}, {} of {}",
            dollars(saved),
            percent(self.percent().abs()),
            dollars(self.now)
        )
    }
}

/// The price of a machine or database an hour by the list of its region; `None` for whatever has
/// none.
pub(super) fn hourly(catalogue: &PriceCatalogue, resource: &Resource, size: &str) -> Option<f64> {
    if !matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Database
    ) {
        return None;
    }
    Some(catalogue.hourly_for(resource, size)?.usd_per_hour)
}

/// Returns the cost difference of a change of size.
pub(super) fn change(
    catalogue: &PriceCatalogue,
    resource: &Resource,
    from: &str,
    to: &str,
) -> Option<PriceStep> {
    let (now, target) = (
        hourly(catalogue, resource, from)?,
        hourly(catalogue, resource, to)?,
    );
    Some(PriceStep {
        now: Money::per_month(now),
        target: Money::per_month(target),
        hourly: (now, target),
        machines: 1,
    })
}
