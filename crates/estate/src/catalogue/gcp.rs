//! GCP: a machine's price is its cores and its memory at the family's prices. Predefined types come
//! from a table, custom types (`n2-custom-4-8192`) from their name. Sustained-use discounts are not
//! list prices and are left out.

use super::local_disks::has_google_ssd;
use super::table::{PriceTable, read};
use super::{CatalogueError, Discount, InstanceSpec, LocalDisks, Price, PriceOrigin};
use crate::provider::Provider;

/// A predefined machine type.
#[derive(Debug, Clone)]
struct Machine {
    name: String,
    vcpu: u32,
    billed_vcpu: f64,
    memory_gib: f64,
}

/// Machine types and the prices they are made of.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    units: PriceTable,
    machines: Vec<Machine>,
}

impl Prices {
    pub(super) fn embedded() -> Result<Self, CatalogueError> {
        let origin = PriceOrigin::bundled("Google Cloud price list", "2025-03");
        let units = PriceTable::parse(
            "gcp_unit_prices.csv",
            include_str!("../../data/gcp_unit_prices.csv"),
            origin,
        )?;

        let (_, rows) = read(
            "gcp_machines.csv",
            include_str!("../../data/gcp_machines.csv"),
        )?;
        let machines = rows
            .iter()
            .map(|row| {
                Ok(Machine {
                    name: row.text(0)?.to_owned(),
                    vcpu: row.number(1)?,
                    billed_vcpu: row.number(2)?,
                    memory_gib: row.number(3)?,
                })
            })
            .collect::<Result<_, _>>()?;

        Ok(Prices { units, machines })
    }

    /// Source and date of the prices.
    pub(super) fn origin(&self) -> &PriceOrigin {
        self.units.origin()
    }

    /// Numbers of regions and of prices.
    pub(super) fn size(&self) -> (u64, u64) {
        self.units.size()
    }

    pub(super) fn specs(&self) -> impl Iterator<Item = InstanceSpec> {
        self.machines.iter().map(|machine| InstanceSpec {
            provider: Provider::Gcp,
            name: machine.name.clone(),
            family: shape(&machine.name).to_owned(),
            vcpu: machine.vcpu,
            memory_gib: Some(machine.memory_gib),
            network_baseline_gbps: None,
            disk_baseline_mbps: None,
            disk_baseline_iops: None,
            architectures: vec!["x86_64".to_owned()],
            burstable: machine.billed_vcpu < f64::from(machine.vcpu)
                || matches!(machine.name.as_str(), "f1-micro" | "g1-small"),
            current_generation: true,
            gpus: 0,
            local_disks: if has_google_ssd(&machine.name) {
                LocalDisks::Data(None)
            } else {
                LocalDisks::None
            },
        })
    }

    /// The price of a predefined or custom type: its family's unit prices in the region.
    pub(super) fn machine(&self, region: &str, name: &str) -> Option<Price> {
        let (family, vcpu, memory_gib) = self.sizes(name)?;
        Some(
            self.units
                .as_price(self.sum(region, &family, vcpu, memory_gib)?),
        )
    }

    fn sum(&self, region: &str, family: &str, vcpu: f64, memory_gib: f64) -> Option<f64> {
        let core = self
            .units
            .exact(region, &format!("{family}/cpu/on_demand"))?;
        if matches!(family, "f1" | "g1") {
            return Some(core);
        }

        Some(
            core * vcpu
                + self
                    .units
                    .exact(region, &format!("{family}/ram/on_demand"))?
                    * memory_gib,
        )
    }

    /// Price family, billed vCPUs and memory of a type.
    fn sizes(&self, name: &str) -> Option<(String, f64, f64)> {
        if let Some(machine) = self.machines.iter().find(|m| m.name == name) {
            return Some((
                name.split('-').next()?.to_owned(),
                machine.billed_vcpu,
                machine.memory_gib,
            ));
        }

        let (family, sizes) = name.split_once("custom-")?;
        let (vcpu, memory_mib) = sizes.split_once('-')?;
        let (vcpu, memory_mib): (f64, f64) = (vcpu.parse().ok()?, memory_mib.parse().ok()?);
        let family = if family.is_empty() {
            "n1"
        } else {
            family.strip_suffix('-')?
        };

        Some((format!("{family}_custom"), vcpu, memory_mib / 1024.0))
    }

    /// The share that a committed machine saves against an on-demand one of the same family and
    /// region. The data has prices of committed cores and memory for C2 alone; other families have
    /// none, and C2's are not taken for theirs.
    pub(super) fn one_year_discount(&self, region: &str, name: &str) -> Option<Discount> {
        let (family, vcpu, memory_gib) = self.sizes(name)?;
        let unit = |part: &str| self.units.exact(region, &format!("{family}/{part}"));
        let committed = unit("cpu/1yr")? * vcpu + unit("ram/1yr")? * memory_gib;
        let share = 1.0 - committed / self.sum(region, &family, vcpu, memory_gib)?;
        let wording = format!(
            "A 1-year committed use contract at {:.0} % below on demand: Google's list prices of {} in {region}.",
            share * 100.0,
            family.to_uppercase()
        );

        Some(Discount {
            share,
            wording,
            assumed: false,
        })
    }
}

/// The name without its size: `n2-standard-4` is `n2-standard`; the shared-core `e2-small` is `e2`.
fn shape(name: &str) -> &str {
    name.rsplit_once('-').map_or(name, |(shape, _)| shape)
}
