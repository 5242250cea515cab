//! AWS: instance types as EC2 describes them, list prices of machines and databases in all regions,
//! prices of storage and load balancers.
//!
//! The large price table is read when the first price is asked for, and stays in memory as text (5
//! MB).

use std::sync::OnceLock;

use super::bucket::BUCKET_PRICES;
use super::sorted::SortedTable;
use super::table::{PriceTable, read};
use super::unit_prices::UnitPrices;
use super::{CatalogueError, InstanceSpec, LocalDisks, PriceOrigin};
use crate::provider::Provider;

pub(super) fn specs() -> Result<Vec<InstanceSpec>, CatalogueError> {
    let (_, rows) = read(
        "aws_instances.csv",
        include_str!("../../data/aws_instances.csv"),
    )?;
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
                local_disks: LocalDisks::from_gb(row.number(10)?),
            })
        })
        .collect()
}

pub(super) fn prices() -> Result<PriceTable, CatalogueError> {
    PriceTable::parse(
        "aws_on_demand.csv",
        include_str!("../../data/aws_on_demand.csv"),
        RECENT,
    )
}

pub(super) fn unit_prices() -> Result<Vec<(UnitPrices, PriceOrigin)>, CatalogueError> {
    let pages = UnitPrices::embedded(
        "aws_unit_prices.csv",
        include_str!("../../data/aws_unit_prices.csv"),
    )?;
    let buckets = UnitPrices::embedded(
        "aws_bucket_prices.csv",
        include_str!("../../data/aws_bucket_prices.csv"),
    )?;

    Ok(vec![(pages, UNITS), (buckets, BUCKET_PRICES)])
}

/// Origin of the prices of machines and databases in all regions.
pub(super) const REGIONS: PriceOrigin = PriceOrigin::bundled("AWS price list", "2025-05-28");
/// Origin of the prices of Linux machines in the table of one region, which is newer.
pub(super) const RECENT: PriceOrigin = PriceOrigin::bundled("AWS price list", "2026-07");
/// Origin of the prices of storage and networks: the day on which they were written down from the
/// pages.
pub(super) const UNITS: PriceOrigin = PriceOrigin::bundled("AWS price pages", "2026-11");
/// Engines of which a database with a standby costs twice the database.
const DOUBLED: &[&str] = &["mysql", "postgres", "mariadb", "oracle-ee"];
/// Storage of an Aurora cluster without charges for operations, at a higher price of its instances.
const AURORA_WITHOUT_IO_CHARGES: &str = "aurora-iopt1";

/// A purchase option of the price table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terms {
    /// Without a commitment, billed by the hour.
    OnDemand,
    /// A reservation of a family in a region, one year, no upfront payment.
    Standard,
    /// A reservation that can be exchanged, one year, no upfront payment.
    Convertible,
    /// A reservation of a family in a region, three years, no upfront payment.
    ThreeYears,
    /// Average spot price over the region's zones on the day of the list.
    Spot,
}

impl Terms {
    /// Column of an operating system or engine in the price tables.
    pub(super) fn column_of(self, name: &str) -> String {
        format!("{name}/{}", self.column())
    }

    fn column(self) -> &'static str {
        match self {
            Terms::OnDemand => "on_demand",
            Terms::Standard => "standard_1y",
            Terms::Convertible => "convertible_1y",
            Terms::ThreeYears => "standard_3y",
            Terms::Spot => "spot",
        }
    }
}

/// List prices of machines and databases in all regions.
#[derive(Debug)]
pub(super) struct ListPrices {
    machines: SortedTable,
    databases: SortedTable,
}

impl ListPrices {
    /// The embedded prices, read once.
    ///
    /// # Panics
    /// The embedded data does not parse, which a unit test rules out.
    pub(super) fn embedded() -> &'static ListPrices {
        static EMBEDDED: OnceLock<ListPrices> = OnceLock::new();
        EMBEDDED.get_or_init(|| match ListPrices::parse() {
            Ok(prices) => prices,
            Err(error) => panic!("the embedded prices do not parse: {error}"),
        })
    }

    pub(super) fn parse() -> Result<ListPrices, CatalogueError> {
        let machines = include_bytes!("../../data/aws_machine_prices.csv.zst");
        let databases = include_bytes!("../../data/aws_database_prices.csv.zst");
        Ok(ListPrices {
            machines: SortedTable::parse("aws_machine_prices.csv.zst", machines)?,
            databases: SortedTable::parse("aws_database_prices.csv.zst", databases)?,
        })
    }

    /// US dollars an hour of a machine of shared tenancy.
    pub(super) fn machine(
        &self,
        region: &str,
        name: &str,
        platform: &str,
        terms: Terms,
    ) -> Option<f64> {
        self.machines.cell(region, name, &terms.column_of(platform))
    }

    /// US dollars an hour of a database instance in one zone.
    pub(super) fn database(&self, region: &str, class: &str, column: &str) -> Option<f64> {
        self.databases.cell(region, class, column)
    }

    /// Columns of the prices of machines.
    pub(super) fn machine_columns(&self) -> impl Iterator<Item = &str> {
        self.machines.price_columns()
    }

    /// Columns of the prices of databases.
    pub(super) fn database_columns(&self) -> impl Iterator<Item = &str> {
        self.databases.price_columns()
    }

    /// Numbers of regions and of prices: of machines, of databases. Counted once.
    pub(super) fn sizes(&self) -> ((u64, u64), (u64, u64)) {
        static SIZES: OnceLock<((u64, u64), (u64, u64))> = OnceLock::new();
        *SIZES.get_or_init(|| (self.machines.size(), self.databases.size()))
    }
}

/// Column of an engine's price on demand, and the number of instances that are paid for: a standby
/// doubles the price, where the engine's price list says so.
pub(super) fn database_column(
    engine: &str,
    multi_az: bool,
    storage_type: Option<&str>,
) -> Option<(String, f64)> {
    let aurora = matches!(engine, "aurora-mysql" | "aurora-postgresql");
    let engine = if aurora && storage_type == Some(AURORA_WITHOUT_IO_CHARGES) {
        AURORA_WITHOUT_IO_CHARGES
    } else {
        engine
    };

    let copies = match multi_az {
        false => 1.0,
        true if DOUBLED.contains(&engine) => 2.0,
        true => return None,
    };
    Some((Terms::OnDemand.column_of(engine), copies))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::catalogue::PriceCatalogue;

    #[test]
    fn the_prices_of_all_regions_parse() {
        let prices = ListPrices::parse().unwrap();
        assert_eq!(prices.machines.defects(), Vec::<&str>::new());
        assert_eq!(prices.databases.defects(), Vec::<&str>::new());
        assert!(prices.machines.len() > 15_000 && prices.databases.len() > 6_000);
    }

    #[test]
    fn databases_cost_what_the_price_list_says() {
        for (class, engine, multi_az, usd) in [
            ("db.t3.large", "mysql", false, 0.136),
            ("db.t3.large", "mysql", true, 0.272),
            ("db.t3.large", "postgres", false, 0.145),
            ("db.t3.large", "aurora-postgresql", false, 0.164),
            ("db.t3.large", "sqlserver-ex", false, 0.162),
            ("db.t3.large", "sqlserver-web", false, 0.232),
            ("db.m5.xlarge", "sqlserver-se", false, 1.224),
            ("db.m5.xlarge", "sqlserver-ee", false, 2.336),
            ("db.r5.large", "aurora-mysql", false, 0.29),
        ] {
            let price = PriceCatalogue::builtin()
                .aws_database("us-east-1", class, engine, multi_az, None)
                .unwrap();
            assert!(
                (price.usd_per_hour - usd).abs() < 1e-9,
                "{class} {engine}: {}",
                price.usd_per_hour
            );
        }

        let database = |engine, multi_az, storage| {
            PriceCatalogue::builtin().aws_database(
                "eu-west-1",
                "db.r5.large",
                engine,
                multi_az,
                storage,
            )
        };

        assert_eq!(
            database("aurora-mysql", false, Some("aurora-iopt1"))
                .unwrap()
                .usd_per_hour,
            0.416
        );

        assert_eq!(
            database("oracle-se2", false, None),
            None,
            "its licence may be included or not"
        );

        assert_eq!(
            database("sqlserver-se", true, None),
            None,
            "the list has no price with a standby"
        );
    }
}
