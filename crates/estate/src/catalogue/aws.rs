//! AWS: instance types as EC2 describes them, on-demand prices, prices of storage and load balancers.

use super::table::{PriceTable, TierTable, read};
use super::{CatalogueError, InstanceSpec};
use crate::provider::Provider;

pub(super) fn specs() -> Result<Vec<InstanceSpec>, CatalogueError> {
    let (_, rows) = read("aws_instances.csv", include_str!("../../data/aws_instances.csv"))?;
    rows.iter()
        .map(|row| {
            let name = row.text(0)?;
            Ok(InstanceSpec {
                provider: Provider::Aws,
                name: name.to_owned(),
                family: name.split('.').next().unwrap_or(name).to_owned(),
                vcpu: row.number(1)?,
                memory_gib: row.optional(2)?,
                network_baseline_gbps: row.optional(3)?,
                disk_baseline_mbps: row.optional(4)?,
                disk_baseline_iops: row.optional(5)?,
                architectures: row.text(6)?.split('/').map(str::to_owned).collect(),
                burstable: row.flag(7)?,
                current_generation: row.flag(8)?,
                gpus: row.number(9)?,
            })
        })
        .collect()
}

pub(super) fn prices() -> Result<PriceTable, CatalogueError> {
    PriceTable::parse("aws_on_demand.csv", include_str!("../../data/aws_on_demand.csv"))
}

pub(super) fn unit_prices() -> Result<TierTable, CatalogueError> {
    TierTable::parse("aws_unit_prices.csv", include_str!("../../data/aws_unit_prices.csv"))
}
