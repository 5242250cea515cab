//! Azure: prices by name; vCPUs, architecture and series read from the name, as Azure's naming
//! convention has it (family, vCPUs, constrained vCPUs, features, accelerator, memory, version).
//! Memory is not in the name and stays unknown.
//!
//! The first series (A, D and DS before v3, G) number their sizes instead of counting vCPUs; a
//! table translates them.

use super::table::PriceTable;
use super::{CatalogueError, InstanceSpec, LocalDisks, PriceOrigin};
use crate::provider::Provider;

pub(super) fn prices() -> Result<PriceTable, CatalogueError> {
    let origin = PriceOrigin::bundled("Azure price list", "2026-06");
    PriceTable::parse(
        "azure_on_demand.csv",
        include_str!("../../data/azure_on_demand.csv"),
        origin,
    )
}

/// Prices with Windows and its licence. The list is older than that of Linux: it has the sizes and
/// regions whose price of Linux has not changed since.
pub(super) fn windows_prices() -> Result<PriceTable, CatalogueError> {
    let origin = PriceOrigin::bundled("Azure price list", "2025-03");
    PriceTable::parse(
        "azure_windows.csv",
        include_str!("../../data/azure_windows.csv"),
        origin,
    )
}

pub(super) fn specs(prices: &PriceTable) -> Vec<InstanceSpec> {
    prices.names().filter_map(spec).collect()
}

/// Reads the specification out of a size's name; `None` for a name outside the convention.
fn spec(name: &str) -> Option<InstanceSpec> {
    let parts = Parts::parse(name)?;
    let arm = parts.features.contains('p');
    Some(InstanceSpec {
        provider: Provider::Azure,
        name: name.to_owned(),
        family: parts.series(),
        vcpu: parts.vcpu()?,
        memory_gib: None,
        network_baseline_gbps: None,
        disk_baseline_mbps: None,
        disk_baseline_iops: None,
        architectures: vec![if arm { "arm64" } else { "x86_64" }.to_owned()],
        burstable: parts.family == "B",
        current_generation: true,
        gpus: u32::from(parts.family.starts_with('N')),
        local_disks: parts.local_disks(),
    })
}

/// Returns the disks of the host of a size, by its name; `None` for a name outside the convention.
pub(super) fn local_disks(name: &str) -> Option<LocalDisks> {
    Parts::parse(name).map(|parts| parts.local_disks())
}

/// `Standard_E16-8as_v5` is tier `Standard`, family `E`, number 16, constrained to 8, features
/// `as`, rest `_v5`.
struct Parts<'a> {
    tier: &'a str,
    family: &'a str,
    number: u32,
    constrained: Option<u32>,
    features: &'a str,
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let (tier, size) = name.split_once('_')?;
        let (family, after) = split_while(size, |c| c.is_ascii_uppercase());
        let (digits, mut after) = split_while(after, |c| c.is_ascii_digit());
        let mut constrained = None;

        if let Some(tail) = after.strip_prefix('-') {
            let (digits, tail) = split_while(tail, |c| c.is_ascii_digit());
            constrained = Some(digits.parse().ok()?);
            after = tail;
        }

        let (features, rest) = split_while(after, |c| c.is_ascii_lowercase());
        Some(Parts {
            tier,
            family,
            number: digits.parse().ok()?,
            constrained,
            features,
            rest,
        })
    }

    fn vcpu(&self) -> Option<u32> {
        if self.constrained.is_some() {
            return self.constrained;
        }

        let versioned = self.rest.contains("_v");
        Some(match (self.family, self.number) {
            ("A", 0) => 1,
            ("A", 5) if !versioned => 2,
            ("A", 3 | 6) if !versioned => 4,
            ("A", 4 | 7 | 8 | 10) if !versioned => 8,
            ("A", 9 | 11) if !versioned => 16,
            ("D" | "DS", n) if !versioned || self.rest.contains("_v2") => *[
                (1, 1),
                (2, 2),
                (3, 4),
                (4, 8),
                (5, 16),
                (11, 2),
                (12, 4),
                (13, 8),
                (14, 16),
                (15, 20),
            ]
            .iter()
            .find_map(|(size, vcpu)| (*size == n).then_some(vcpu))?,
            ("G" | "GS", n @ 1..=5) => 1 << n,
            (_, n) => n,
        })
    }

    /// Disks of the host. Series of version 4 and later have some where their features include `d`;
    /// earlier ones had a temporary disk without saying so, as have the AMD series of version 4
    /// ("Dasv4", "Easv4") and all series with GPUs.
    fn local_disks(&self) -> LocalDisks {
        let version: u32 = self
            .rest
            .rsplit_once("_v")
            .and_then(|(_, version)| version.parse().ok())
            .unwrap_or(1);

        // The first series that came without a temporary disk, where that was before version 4.
        let without_from = match self.family {
            "B" => 2,
            "DC" | "M" => 3,
            _ => 4,
        };
        let amd_v4 =
            version == 4 && matches!(self.family, "D" | "E") && self.features.contains('a');

        match self.family {
            // Local NVMe disks for databases, and those of the clusters for parallel work.
            "L" | "HB" | "HC" | "HX" => LocalDisks::Data(None),
            family if family.starts_with('N') => LocalDisks::Temporary,
            _ if version < without_from || amd_v4 || self.features.contains('d') => {
                LocalDisks::Temporary
            }
            _ => LocalDisks::None,
        }
    }

    /// A constrained size shares its price with the full one and is nobody's neighbour.
    fn series(&self) -> String {
        let constrained = self
            .constrained
            .map(|_| format!("{}-", self.number))
            .unwrap_or_default();
        let tier = if self.tier == "Standard" {
            String::new()
        } else {
            format!("{}_", self.tier)
        };

        format!(
            "{tier}{}#{constrained}{}{}",
            self.family, self.features, self.rest
        )
    }
}

fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !keep(c)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_say_vcpus_series_and_architecture() {
        for (name, vcpu, series, arm) in [
            ("Standard_D4s_v5", 4, "D#s_v5", false),
            ("Standard_D16ps_v6", 16, "D#ps_v6", true),
            ("Standard_E16-8as_v5", 8, "E#16-as_v5", false),
            ("Standard_DS13", 8, "DS#", false),
            ("Standard_D15_v2", 20, "D#_v2", false),
            ("Standard_DS11-1_v2", 1, "DS#11-_v2", false),
            ("Standard_G5", 32, "G#", false),
            ("Standard_B1ls", 1, "B#ls", false),
            ("Basic_A3", 4, "Basic_A#", false),
            ("Standard_A8_v2", 8, "A#_v2", false),
            ("Standard_NC24ads_A100_v4", 24, "NC#ads_A100_v4", false),
        ] {
            let spec = spec(name).unwrap();
            assert_eq!(
                (
                    spec.vcpu,
                    spec.family.as_str(),
                    spec.architectures[0] == "arm64"
                ),
                (vcpu, series, arm),
                "{name}"
            );
        }
        assert_eq!(spec("Esv5_Type1"), None);
    }
}
