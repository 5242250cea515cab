//! Instance specifications and list prices, built from published facts and embedded in the program.
//!
//! The facts are in `data/`, their sources in `data/SOURCE.md`. What is not there has no price: the
//! catalogue answers `None` and never guesses. A price is of one provider, region, size, operating
//! system and tenancy; another region's is never given in its place, because a saving computed from
//! it would be untrue. One answer is more than a fact and says so: a discount that is an assumption
//! ([`Discount::assumed`]).

mod aws;
mod azure;
pub mod bucket;
mod cost;
mod gcp;
mod host;
mod imported;
mod local_disks;
mod origin;
pub mod price_file;
mod sorted;
mod table;
mod unit_prices;
pub mod volume;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::kind::ResourceKind;
use crate::provider::Provider;
use crate::resource::Resource;
pub use imported::{PriceFiles, PriceTableInfo};
pub use local_disks::LocalDisks;
pub use origin::PriceOrigin;
pub use price_file::{PriceFile, PriceFileError, PriceKind};
use table::PriceTable;

/// Operating system of machines that cost no licence.
const LINUX: &str = "linux";
/// Windows with its licence, without further licensed software.
const WINDOWS: &str = "windows";

/// Capacity of an instance type. Baselines are sustained rates, not the "up to" figures.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceSpec {
    pub provider: Provider,
    /// Name (`m5.large`, `Standard_D4s_v5`, `n2-standard-4`).
    pub name: String,
    /// The sizes it can be exchanged with are those of the same family (`m5`, `D#s_v5`,
    /// `n2-standard`).
    pub family: String,
    /// Number of virtual CPUs.
    pub vcpu: u32,
    /// Memory, GiB. `None` for Azure: the data has no memory sizes.
    pub memory_gib: Option<f64>,
    /// Sustained network bandwidth, gigabits per second.
    pub network_baseline_gbps: Option<f64>,
    /// Sustained disk bandwidth, megabits per second.
    pub disk_baseline_mbps: Option<f64>,
    /// Sustained disk operations per second.
    pub disk_baseline_iops: Option<f64>,
    /// `x86_64`, `arm64`; several for old types (`i386`).
    pub architectures: Vec<String>,
    /// Earns and spends CPU credits.
    pub burstable: bool,
    /// Sold to new customers; `true` where the data does not say (Azure, GCP).
    pub current_generation: bool,
    /// Number of GPUs; 1 means "at least one" on Azure's N series.
    pub gpus: u32,
    /// Disks of the host that machines of the size come with.
    pub local_disks: LocalDisks,
}

/// Capacity of a database class.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseSpec {
    /// Name of the class, such as `db.m5.large`.
    pub name: String,
    /// The machine under it.
    pub machine: InstanceSpec,
}

/// List price by the hour, with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// US dollars an hour.
    pub usd_per_hour: f64,
    /// Source and date of the price.
    pub origin: PriceOrigin,
}

/// The discount of a one-year commitment that applies to whatever runs in the account.
#[derive(Debug, Clone, PartialEq)]
pub struct Discount {
    /// Share of the on-demand price that is saved, 0 to 1.
    pub share: f64,
    /// Kind and origin of the discount, as a sentence for people.
    pub wording: String,
    /// `true` for an assumption that is not published. Presentations must then show `wording`.
    pub assumed: bool,
}

/// A month's cost at list price.
#[derive(Debug, Clone, PartialEq)]
pub struct MonthlyCost {
    /// The cost of 730 hours.
    pub cost: crate::money::Money,
    /// Source and date of the prices that it is the sum of; empty where nothing is paid.
    pub origins: Vec<PriceOrigin>,
}

/// Embedded data that does not read; a defect of the build, held off by a unit test.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {message}")]
pub struct CatalogueError {
    /// The file under `data/`.
    pub file: &'static str,
    /// Faulty line and the reason.
    pub message: String,
}

/// The catalogue. Imported prices ([`PriceCatalogue::set_imported`]) are those of one value; a clone has
/// its own from then on.
#[derive(Debug, Clone)]
pub struct PriceCatalogue {
    specs: BTreeMap<(Provider, String), InstanceSpec>,
    aws_prices: PriceTable,
    /// Embedded prices by amounts, each with its origin; the first that has a price is used.
    aws_units: Vec<(unit_prices::UnitPrices, PriceOrigin)>,
    azure_prices: PriceTable,
    azure_windows: PriceTable,
    gcp: gcp::Prices,
    discounts: BTreeMap<Provider, Discount>,
    imported: imported::Imported,
}

impl PriceCatalogue {
    /// The catalogue of the embedded facts, parsed once.
    ///
    /// # Panics
    /// The embedded data does not parse, which a unit test rules out.
    #[must_use]
    pub fn builtin() -> &'static PriceCatalogue {
        static BUILTIN: OnceLock<PriceCatalogue> = OnceLock::new();
        BUILTIN.get_or_init(|| match PriceCatalogue::embedded() {
            Ok(catalogue) => catalogue,
            Err(error) => panic!("the embedded catalogue does not parse: {error}"),
        })
    }

    fn embedded() -> Result<PriceCatalogue, CatalogueError> {
        let azure_prices = azure::prices()?;
        let gcp = gcp::Prices::embedded()?;
        let discounts = table::assumed_discounts()?;
        let specs = aws::specs()?
            .into_iter()
            .chain(azure::specs(&azure_prices))
            .chain(gcp.specs())
            .map(|spec| ((spec.provider, spec.name.clone()), spec))
            .collect();

        Ok(PriceCatalogue {
            specs,
            aws_prices: aws::prices()?,
            aws_units: aws::unit_prices()?,
            azure_prices,
            azure_windows: azure::windows_prices()?,
            gcp,
            discounts,
            imported: imported::Imported::default(),
        })
    }

    /// Returns the specification of an instance type; `None` for an unknown name.
    #[must_use]
    pub fn instance(&self, provider: Provider, name: &str) -> Option<&InstanceSpec> {
        self.specs.get(&(provider, name.to_owned()))
    }

    /// Returns the specification of an RDS class: `db.x` runs on the machine `x`.
    #[must_use]
    pub fn database(&self, class: &str) -> Option<DatabaseSpec> {
        let machine = self
            .instance(Provider::Aws, class.strip_prefix("db.")?)?
            .clone();
        Some(DatabaseSpec {
            name: class.to_owned(),
            machine,
        })
    }

    /// The on-demand list price of a machine of shared tenancy in a region: of an imported file,
    /// else of the embedded tables. There AWS has prices of Linux (`None` or `linux`), Windows and
    /// licensed Linux, Azure of Linux and Windows, Google Cloud of Linux alone; databases, unknown names and regions that
    /// the data does not have are `None`.
    #[must_use]
    pub fn hourly_usd(
        &self,
        provider: Provider,
        region: &str,
        name: &str,
        platform: Option<&str>,
    ) -> Option<Price> {
        let platform = Self::platform(platform);
        let linux = platform == LINUX;
        let bundled = || match provider {
            Provider::Aws => self.aws_hourly(region, name, &platform),
            Provider::Azure if platform == WINDOWS => self.azure_windows.price(region, name),
            Provider::Azure => self.azure_prices.price(region, name).filter(|_| linux),
            Provider::Gcp => self.gcp.machine(region, name).filter(|_| linux),
            Provider::Database => None,
        };

        self.imported_machine(provider, region, name, &platform, aws::Terms::OnDemand)
            .or_else(bundled)
    }

    fn aws_hourly(&self, region: &str, name: &str, platform: &str) -> Option<Price> {
        let recent = self
            .aws_prices
            .price(region, name)
            .filter(|_| platform == LINUX);
        let listed = || {
            let usd_per_hour = aws::ListPrices::embedded().machine(
                region,
                name,
                platform,
                aws::Terms::OnDemand,
            )?;
            Some(Price {
                usd_per_hour,
                origin: aws::REGIONS,
            })
        };

        recent.or_else(listed)
    }

    /// Operating system as the price tables name it.
    fn platform(name: Option<&str>) -> String {
        match name.map(str::to_ascii_lowercase) {
            None => LINUX.to_owned(),
            Some(name) if name == "linux/unix" => LINUX.to_owned(),
            Some(name) => name,
        }
    }

    /// The average spot price of a machine over the zones of its region on the day of the price
    /// list. Spot prices move: a figure from it is about right at best, and a presentation must
    /// name the day.
    #[must_use]
    pub fn spot_average(
        &self,
        provider: Provider,
        region: &str,
        name: &str,
        platform: Option<&str>,
    ) -> Option<Price> {
        let (platform, terms) = (Self::platform(platform), aws::Terms::Spot);
        let bundled = || {
            let usd_per_hour =
                aws::ListPrices::embedded().machine(region, name, &platform, terms)?;
            (provider == Provider::Aws).then_some(Price {
                usd_per_hour,
                origin: aws::REGIONS,
            })
        };

        self.imported_machine(provider, region, name, &platform, terms)
            .or_else(bundled)
    }

    /// Smaller sizes of the same family and architecture, the next smaller first. Each has no
    /// dimension larger than `name` has. Bare-metal sizes are left out. Empty when the name is
    /// unknown.
    #[must_use]
    pub fn smaller_in_family(&self, provider: Provider, name: &str) -> Vec<&InstanceSpec> {
        let Some(machine) = self.instance(provider, name) else {
            return Vec::new();
        };

        let mut found: Vec<_> = self
            .siblings(machine)
            .filter(|s| fits_within(s, machine))
            .collect();
        found.sort_by(|a, b| by_size(b, a));
        found
    }

    /// Larger sizes of the same family and architecture, the next larger first; otherwise as
    /// [`Self::smaller_in_family`].
    #[must_use]
    pub fn larger_in_family(&self, provider: Provider, name: &str) -> Vec<&InstanceSpec> {
        let Some(machine) = self.instance(provider, name) else {
            return Vec::new();
        };

        let mut found: Vec<_> = self
            .siblings(machine)
            .filter(|s| fits_within(machine, s))
            .collect();
        found.sort_by(|a, b| by_size(a, b));
        found
    }

    /// The on-demand list price of a size for a machine or an AWS database as it is: its region,
    /// operating system or engine, tenancy and standby. `None` where the data does not have it, and
    /// for machines on dedicated hardware.
    #[must_use]
    pub fn hourly_for(&self, resource: &Resource, size: &str) -> Option<Price> {
        let spec = &resource.specification;
        let platform = spec.platform.as_deref();

        if resource.kind == ResourceKind::Database {
            let engine = platform.filter(|_| resource.provider == Provider::Aws)?;
            let (multi_az, storage) = (spec.multi_az == Some(true), spec.storage_type.as_deref());
            return self.aws_database(&resource.region, size, engine, multi_az, storage);
        }

        let shared = spec
            .tenancy
            .as_deref()
            .is_none_or(|tenancy| tenancy == "default");
        shared
            .then(|| self.hourly_usd(resource.provider, &resource.region, size, platform))
            .flatten()
    }

    /// Sizes of any family of the same purpose that boot the same images. GPUs of another number,
    /// bare metal, and what is no longer sold to new customers are left out.
    #[must_use]
    pub fn exchangeable(&self, provider: Provider, name: &str) -> Vec<&InstanceSpec> {
        let Some(machine) = self.instance(provider, name) else {
            return Vec::new();
        };

        let others = self.specs.values().filter(|spec| {
            spec.provider == machine.provider
                && spec.name != machine.name
                && spec.current_generation
                && spec.gpus == machine.gpus
                && !spec.name.contains("metal")
                && purpose(spec) == purpose(machine)
                && runs_same_images(spec, machine)
                && keeps_local_disks(machine, spec)
        });

        others.collect()
    }

    /// The discount of a one-year commitment that applies to whatever runs in the account, for a
    /// size in a region and an operating system; `None` where there is neither a fact nor an
    /// assumption for its family.
    #[must_use]
    pub fn reservation_discount(
        &self,
        provider: Provider,
        region: &str,
        name: &str,
        platform: Option<&str>,
    ) -> Option<Discount> {
        match provider {
            Provider::Aws => {
                let listed = self.listed_discount(region, name, platform, aws::Terms::Convertible);
                let listed = listed.map(|(share, origin)| Discount {
                    share,
                    wording: format!(
                        "Rate of a one-year convertible reservation without upfront payment ({origin}), about that of a Compute Savings Plan"
                    ),
                    assumed: false,
                });
                listed.or_else(|| self.discounts.get(&provider).cloned())
            }
            Provider::Gcp => self.gcp.one_year_discount(region, name),
            Provider::Azure | Provider::Database => None,
        }
    }

    /// The share of the on-demand price that a reservation of one family in one region saves, one
    /// year and no upfront payment. Only AWS has these prices.
    #[must_use]
    pub fn family_discount(
        &self,
        provider: Provider,
        region: &str,
        name: &str,
        platform: Option<&str>,
    ) -> Option<f64> {
        let terms = aws::Terms::Standard;
        let listed = self
            .listed_discount(region, name, platform, terms)
            .filter(|_| provider == Provider::Aws);
        listed.map(|(share, _)| share)
    }

    /// The share for three years; otherwise as [`Self::family_discount`].
    #[must_use]
    pub fn family_discount_three_years(
        &self,
        provider: Provider,
        region: &str,
        name: &str,
        platform: Option<&str>,
    ) -> Option<f64> {
        let terms = aws::Terms::ThreeYears;
        let listed = self
            .listed_discount(region, name, platform, terms)
            .filter(|_| provider == Provider::Aws);
        listed.map(|(share, _)| share)
    }

    fn siblings<'a>(&'a self, machine: &'a InstanceSpec) -> impl Iterator<Item = &'a InstanceSpec> {
        self.specs.values().filter(move |s| {
            s.provider == machine.provider
                && s.family == machine.family
                && s.name != machine.name
                && !s.name.contains("metal")
                && runs_same_images(s, machine)
                && keeps_local_disks(machine, s)
        })
    }
}

/// The letters that a family's name begins with, one and the same for the families of general use:
/// burstable, balanced, and those with more processors or more memory. Accelerators, storage and
/// clusters are for a purpose of their own.
fn purpose(spec: &InstanceSpec) -> &str {
    let end = spec
        .family
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(spec.family.len());
    let letters = &spec.family[..end];
    let general: &[&str] = match spec.provider {
        Provider::Aws => &["t", "m", "c", "r"],
        Provider::Gcp => &["e", "n", "c"],
        Provider::Azure => &["A", "B", "D", "E", "F"],
        Provider::Database => &[],
    };
    if general.contains(&letters) {
        "general"
    } else {
        letters
    }
}

/// Returns `true` if an image that boots on one type boots on the other; 32-bit support does not
/// count.
fn runs_same_images(a: &InstanceSpec, b: &InstanceSpec) -> bool {
    a.architectures
        .iter()
        .any(|x| x != "i386" && b.architectures.contains(x))
}

/// Returns `true` if programs find the disks of the host that they had.
fn keeps_local_disks(from: &InstanceSpec, to: &InstanceSpec) -> bool {
    from.local_disks
        .may_become(to.local_disks, from.provider == Provider::Azure)
}

fn fits_within(small: &InstanceSpec, large: &InstanceSpec) -> bool {
    let memory = (
        small.memory_gib.unwrap_or(0.0),
        large.memory_gib.unwrap_or(0.0),
    );
    small.vcpu <= large.vcpu
        && memory.0 <= memory.1
        && small.gpus <= large.gpus
        && by_size(small, large).is_lt()
}

fn by_size(a: &InstanceSpec, b: &InstanceSpec) -> std::cmp::Ordering {
    let memory = |s: &InstanceSpec| s.memory_gib.unwrap_or(0.0);
    a.vcpu
        .cmp(&b.vcpu)
        .then(memory(a).total_cmp(&memory(b)))
        .then(a.gpus.cmp(&b.gpus))
}

#[cfg(test)]
mod tests;
