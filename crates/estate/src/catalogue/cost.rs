//! Monthly cost of a resource at list price. Covers only what the catalogue has prices for: no
//! spot, no traffic.

use super::{MonthlyCost, PriceCatalogue};
use crate::kind::ResourceKind;
use crate::money::{HOURS_PER_MONTH, Money};
use crate::provider::Provider;
use crate::resource::{Purchase, Resource, ResourceState};

impl PriceCatalogue {
    /// The price of a volume a month: storage, provisioned IOPS and provisioned throughput (3,000
    /// and 125 MiB/s of a gp3 are free). `None` for a type without a price. Only AWS volumes have
    /// prices.
    #[must_use]
    pub fn volume_monthly(
        &self,
        provider: Provider,
        region: &str,
        volume_type: &str,
        gib: f64,
        iops: Option<u64>,
        throughput_mibps: Option<u64>,
    ) -> Option<MonthlyCost> {
        if provider != Provider::Aws {
            return None;
        }

        let mut month = self.aws_month(region, volume_type, "gib_month", gib)?;
        for (unit, amount) in [("iops_month", iops), ("mibps_month", throughput_mibps)] {
            // A type that is billed by operations must have their price too, in this region.
            if let Some(amount) = amount.filter(|_| self.has_unit(volume_type, unit)) {
                month = month.and(self.aws_month(region, volume_type, unit, amount as f64)?);
            }
        }

        Some(month)
    }

    /// The price of snapshot storage a month. Snapshots are incremental, so this is an upper bound
    /// for one.
    #[must_use]
    pub fn snapshot_monthly(
        &self,
        provider: Provider,
        region: &str,
        gib: f64,
    ) -> Option<MonthlyCost> {
        self.volume_monthly(provider, region, "snapshot", gib, None, None)
    }

    /// The price of an RDS instance's storage a month, a standby's included; `None` where there is
    /// no fact.
    #[must_use]
    pub fn database_storage_monthly(&self, database: &Resource) -> Option<MonthlyCost> {
        let spec = &database.specification;
        if database.kind != ResourceKind::Database || database.provider != Provider::Aws {
            return None;
        }

        let name = format!("rds.{}", spec.storage_type.as_deref()?);
        let copies = if spec.multi_az == Some(true) {
            2.0
        } else {
            1.0
        };

        self.aws_month(
            &database.region,
            &name,
            "gib_month",
            spec.storage_gib? * copies,
        )
    }

    /// The cost of a resource a month at list price, as it is now: what is deleted costs nothing,
    /// and neither does a stopped machine (its volumes are resources of their own). A load
    /// balancer's cost is that of its hours, without traffic, a bucket's that of its storage,
    /// without requests. `None` where there is no fact.
    #[must_use]
    pub fn monthly_cost(&self, resource: &Resource) -> Option<MonthlyCost> {
        let spec = &resource.specification;
        // The removal of a volume, an address or a gateway would otherwise be measured as a saving
        // of nothing.
        if resource.state == ResourceState::Deleted {
            return Some(MonthlyCost {
                cost: Money::ZERO,
                origins: Vec::new(),
            });
        }

        match resource.kind {
            ResourceKind::VirtualMachine => self.machine_monthly(resource),
            ResourceKind::Database => self.database_monthly(resource),
            ResourceKind::Volume => self.volume_monthly(
                resource.provider,
                &resource.region,
                spec.storage_type.as_deref()?,
                spec.storage_gib?,
                spec.iops,
                spec.throughput_mibps,
            ),
            ResourceKind::LoadBalancer if resource.provider == Provider::Aws => {
                let name = format!("load_balancer.{}", spec.instance_type.as_deref()?);
                self.aws_month(&resource.region, &name, "hour", HOURS_PER_MONTH)
            }
            // A public address costs the same whether something has it or not, a gateway its hours
            // beside the traffic.
            ResourceKind::IpAddress | ResourceKind::NatGateway
                if resource.provider == Provider::Aws =>
            {
                self.aws_month(
                    &resource.region,
                    resource.kind.as_str(),
                    "hour",
                    HOURS_PER_MONTH,
                )
            }
            ResourceKind::Bucket if resource.provider == Provider::Aws => {
                self.bucket_storage_monthly(&resource.region, spec.contents.as_ref()?)
            }
            // A group's cost is its members'; the catalogue has no prices of other kinds.
            _ => None,
        }
    }

    fn machine_monthly(&self, resource: &Resource) -> Option<MonthlyCost> {
        if resource.purchase == Some(Purchase::Spot) {
            return None;
        }

        let spec = &resource.specification;
        if resource.state == ResourceState::Stopped {
            return Some(MonthlyCost {
                cost: Money::ZERO,
                origins: Vec::new(),
            });
        }

        let price = self.hourly_for(resource, spec.instance_type.as_deref()?)?;
        Some(MonthlyCost {
            cost: Money::per_month(price.usd_per_hour),
            origins: vec![price.origin],
        })
    }

    /// Instance and storage of a database. Without a price of either there is none of both: a part
    /// would look like the whole.
    fn database_monthly(&self, database: &Resource) -> Option<MonthlyCost> {
        let storage = self.database_storage_monthly(database)?;
        if database.state == ResourceState::Stopped {
            return Some(storage);
        }

        let price = self.hourly_for(database, database.specification.instance_type.as_deref()?)?;
        let instance = MonthlyCost {
            cost: Money::per_month(price.usd_per_hour),
            origins: vec![price.origin],
        };
        Some(instance.and(storage))
    }

    /// The cost of an amount of a unit, where the region has its price.
    fn aws_month(&self, region: &str, name: &str, unit: &str, amount: f64) -> Option<MonthlyCost> {
        let (usd, origin) = self.aws_unit(region, name, unit, amount)?;
        Some(MonthlyCost {
            cost: Money::from_usd(usd),
            origins: vec![origin],
        })
    }
}

impl MonthlyCost {
    /// The sum of two costs.
    fn and(mut self, other: MonthlyCost) -> MonthlyCost {
        for origin in other.origins {
            if !self.origins.contains(&origin) {
                self.origins.push(origin);
            }
        }
        MonthlyCost {
            cost: self.cost + other.cost,
            origins: self.origins,
        }
    }
}
