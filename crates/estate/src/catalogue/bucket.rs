//! List prices of S3 by storage class: storage, reads, retrieval and transitions.
//!
//! Source: the public price page of Amazon S3 (`data/SOURCE.md`). AWS counts the tiers of storage
//! over all buckets of an account; here each bucket begins at the first tier, so that the cost of a
//! small bucket of a large account is up to 9 % too high. The monitoring of INTELLIGENT_TIERING is
//! no part of storage: CloudWatch does not count its objects apart from the others.

use std::sync::OnceLock;

use super::table::TierTable;
use super::{Catalogue, CatalogueError, MonthlyCost, PriceOrigin};
use crate::bucket::BucketContents;
use crate::money::Money;

/// Origin of the prices.
pub const BUCKET_PRICES: PriceOrigin = PriceOrigin::bundled("table of Amazon S3 prices", "2026-07");
/// Classes by the names of CloudWatch's storage types. Overheads of GLACIER and DEEP_ARCHIVE are
/// billed partly in STANDARD, and so are parts of uploads to them.
const CLASSES: &[(&str, &str)] = &[
    ("StandardStorage", "STANDARD"),
    ("StandardIAStorage", "STANDARD_IA"),
    ("StandardIASizeOverhead", "STANDARD_IA"),
    ("OneZoneIAStorage", "ONEZONE_IA"),
    ("OneZoneIASizeOverhead", "ONEZONE_IA"),
    ("GlacierInstantRetrievalStorage", "GLACIER_IR"),
    ("GlacierInstantRetrievalSizeOverhead", "GLACIER_IR"),
    ("GlacierStorage", "GLACIER"),
    ("GlacierObjectOverhead", "GLACIER"),
    ("GlacierS3ObjectOverhead", "STANDARD"),
    ("GlacierStagingStorage", "STANDARD"),
    ("DeepArchiveStorage", "DEEP_ARCHIVE"),
    ("DeepArchiveObjectOverhead", "DEEP_ARCHIVE"),
    ("DeepArchiveS3ObjectOverhead", "STANDARD"),
    ("DeepArchiveStagingStorage", "STANDARD"),
    ("IntelligentTieringFAStorage", "INTELLIGENT_TIERING"),
    (
        "IntelligentTieringIAStorage",
        "INTELLIGENT_TIERING.infrequent",
    ),
    (
        "IntelligentTieringAIAStorage",
        "INTELLIGENT_TIERING.archive_instant",
    ),
    ("IntelligentTieringAAStorage", "INTELLIGENT_TIERING.archive"),
    (
        "IntelligentTieringDAAStorage",
        "INTELLIGENT_TIERING.deep_archive",
    ),
    ("IntAAObjectOverhead", "INTELLIGENT_TIERING.archive"),
    ("IntAAS3ObjectOverhead", "STANDARD"),
    ("IntDAAObjectOverhead", "INTELLIGENT_TIERING.deep_archive"),
    ("IntDAAS3ObjectOverhead", "STANDARD"),
];

/// Prices of S3.
#[derive(Debug)]
pub struct BucketPrices {
    table: TierTable,
}

impl BucketPrices {
    /// The embedded prices, read once.
    ///
    /// # Panics
    /// The embedded data does not parse, which a unit test rules out.
    #[must_use]
    pub fn embedded() -> &'static BucketPrices {
        static EMBEDDED: OnceLock<BucketPrices> = OnceLock::new();
        EMBEDDED.get_or_init(|| match BucketPrices::parse() {
            Ok(prices) => prices,
            Err(error) => panic!("the embedded prices do not parse: {error}"),
        })
    }

    fn parse() -> Result<BucketPrices, CatalogueError> {
        let table = TierTable::parse(
            "aws_bucket_prices.csv",
            include_str!("../../data/aws_bucket_prices.csv"),
        )?;
        Ok(BucketPrices { table })
    }

    /// Numbers of regions and of prices.
    pub(super) fn size(&self) -> (u64, u64) {
        self.table.size()
    }

    /// Returns `true` for a region with prices.
    #[must_use]
    pub fn has_region(&self, region: &str) -> bool {
        region == self.table.region()
    }

    /// US dollars of an amount of a unit of a class in a region: `gib_month`, `object_month`,
    /// `read`, `retrieved_gib`, `transition`, `write`. `None` in a region without prices; a unit
    /// that the class does not charge costs nothing.
    #[must_use]
    pub fn usd(&self, region: &str, class: &str, unit: &str, amount: f64) -> Option<f64> {
        self.has_region(region)
            .then(|| self.table.usd(region, class, unit, amount).unwrap_or(0.0))
    }

    /// Returns `true` if a class is charged by a unit.
    pub(super) fn has(&self, class: &str, unit: &str) -> bool {
        self.table.has(class, unit)
    }

    /// Begin and price of the first tier of a class by a unit.
    pub(super) fn first_tier(&self, class: &str, unit: &str) -> Option<(f64, f64)> {
        self.table.first(class, unit)
    }
}

/// Prefix of the classes of S3 in price files of units: `s3.STANDARD`.
pub(super) const IN_FILES: &str = "s3.";

impl Catalogue {
    /// US dollars of an amount of a unit of a class of S3 in a region, with the origin of the
    /// price: of an imported file, else of the embedded table. `None` without a price of a unit
    /// that the class charges; a unit that it does not charge costs nothing.
    #[must_use]
    pub fn bucket_usd(
        &self,
        region: &str,
        class: &str,
        unit: &str,
        amount: f64,
    ) -> Option<(f64, PriceOrigin)> {
        let embedded = BucketPrices::embedded();
        if let Some(price) = self.imported_unit(region, &format!("{IN_FILES}{class}"), unit, amount)
        {
            return Some(price);
        }

        if embedded.has_region(region) {
            return Some((embedded.usd(region, class, unit, amount)?, BUCKET_PRICES));
        }

        let (_, origin) = self.imported_unit(region, "s3.STANDARD", "gib_month", 0.0)?;
        // A row that the file lacks would otherwise make a transition or a retrieval free.
        (!embedded.has(class, unit)).then_some((0.0, origin))
    }

    /// Storage of a bucket a month. `None` in a region without prices, and where a storage type is
    /// unknown: the cost of a part would look like that of the whole.
    #[must_use]
    pub fn bucket_storage_monthly(
        &self,
        region: &str,
        contents: &BucketContents,
    ) -> Option<MonthlyCost> {
        let class = |name: &str| {
            CLASSES
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, class)| *class)
        };

        let mut by_class: Vec<(&str, f64)> = Vec::new();
        for (name, gib) in &contents.gib {
            let class = class(name)?;
            match by_class.iter_mut().find(|(known, _)| *known == class) {
                Some((_, sum)) => *sum += gib,
                None => by_class.push((class, *gib)),
            }
        }

        let (_, origin) = self.bucket_usd(region, "STANDARD", "gib_month", 0.0)?;
        let (mut storage, mut origins) = (0.0, vec![origin]);

        for (class, gib) in by_class {
            let (usd, origin) = self.bucket_usd(region, class, "gib_month", gib)?;
            storage += usd;
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }

        Some(MonthlyCost {
            cost: Money::from_usd(storage),
            origins,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cost(gib: &[(&str, f64)]) -> Option<f64> {
        let gib = gib
            .iter()
            .map(|(name, gib)| ((*name).to_owned(), *gib))
            .collect();
        let contents = BucketContents {
            measured_at: jiff::Timestamp::UNIX_EPOCH,
            objects: Some(20_000),
            gib,
        };

        Catalogue::builtin()
            .bucket_storage_monthly("us-east-1", &contents)
            .map(|month| month.cost.usd_cents())
    }

    /// The figures for whole amounts are those that Infracost's tests record from AWS's price list
    /// (`s3_bucket_test.golden`).
    #[test]
    fn storage_costs_what_the_price_list_says() {
        assert_eq!(cost(&[("StandardStorage", 10_000.0)]), Some(230.0));
        assert_eq!(cost(&[("StandardIAStorage", 30_000.0)]), Some(375.0));
        assert_eq!(cost(&[("OneZoneIAStorage", 40_000.0)]), Some(400.0));
        assert_eq!(cost(&[("GlacierStorage", 50_000.0)]), Some(180.0));
        assert_eq!(cost(&[("DeepArchiveStorage", 60_000.0)]), Some(59.4));
        assert_eq!(
            cost(&[("IntelligentTieringFAStorage", 20_000.0)]),
            Some(460.0)
        );
        assert_eq!(
            cost(&[("StandardStorage", 60_000.0)]),
            Some(1371.2),
            "the second tier"
        );

        assert_eq!(
            cost(&[
                ("StandardStorage", 500.0),
                ("GlacierS3ObjectOverhead", 500.0)
            ]),
            Some(23.0)
        );

        assert_eq!(
            cost(&[("StandardStorage", 500.0), ("NewStorage", 1.0)]),
            None,
            "a part is not the whole"
        );
        assert_eq!(cost(&[]), Some(0.0));
    }

    #[test]
    fn other_regions_and_classes_without_a_charge_are_told_apart() {
        let prices = BucketPrices::embedded();
        assert_eq!(prices.usd("eu-west-1", "STANDARD", "gib_month", 1.0), None);
        assert_eq!(
            prices.usd("us-east-1", "STANDARD", "retrieved_gib", 1.0),
            Some(0.0)
        );
        assert_eq!(
            prices.usd("us-east-1", "GLACIER_IR", "retrieved_gib", 100.0),
            Some(3.0)
        );
        assert_eq!(
            prices
                .usd("us-east-1", "STANDARD_IA", "transition", 30_000.0)
                .map(|usd| (usd * 100.0).round()),
            Some(30.0)
        );
    }
}
