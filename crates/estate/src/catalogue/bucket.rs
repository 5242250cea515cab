//! List prices of S3 by storage class: storage, reads, retrieval and transitions.
//!
//! Source: the public price page of Amazon S3 (`data/SOURCE.md`). AWS counts the tiers of storage
//! over all buckets of an account; here each bucket begins at the first tier, so that the cost of a
//! small bucket of a large account is up to 9 % too high. The monitoring of INTELLIGENT_TIERING is
//! no part of storage: CloudWatch does not count its objects apart from the others.

use super::{MonthlyCost, PriceCatalogue, PriceOrigin};
use crate::bucket::BucketContents;
use crate::money::Money;

/// Origin of the first table of S3's prices, of us-east-1; those of other regions are among the unit
/// prices.
pub(super) const BUCKET_PRICES: PriceOrigin =
    PriceOrigin::bundled("table of Amazon S3 prices", "2026-07");
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

/// Prefix of the classes of S3 among the names of unit prices: `s3.STANDARD`.
const PREFIX: &str = "s3.";

impl PriceCatalogue {
    /// US dollars of an amount of a unit of a class of S3 in a region, with the origin of the
    /// price: of an imported file, else of an embedded table. `None` without a price of a unit
    /// that the class charges; a unit that it does not charge costs nothing.
    #[must_use]
    pub fn bucket_usd(
        &self,
        region: &str,
        class: &str,
        unit: &str,
        amount: f64,
    ) -> Option<(f64, PriceOrigin)> {
        let name = format!("{PREFIX}{class}");
        if let Some(price) = self.aws_unit(region, &name, unit, amount) {
            return Some(price);
        }

        let standard = format!("{PREFIX}STANDARD");
        let (_, origin) = self.aws_unit(region, &standard, "gib_month", 0.0)?;
        // A row that the region lacks would otherwise make a transition or a retrieval free.
        (!self.has_unit(&name, unit)).then_some((0.0, origin))
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
        cost_in("us-east-1", gib)
    }

    fn cost_in(region: &str, gib: &[(&str, f64)]) -> Option<f64> {
        let gib = gib
            .iter()
            .map(|(name, gib)| ((*name).to_owned(), *gib))
            .collect();
        let contents = BucketContents {
            measured_at: jiff::Timestamp::UNIX_EPOCH,
            objects: Some(20_000),
            gib,
        };

        PriceCatalogue::builtin()
            .bucket_storage_monthly(region, &contents)
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
    fn storage_in_ireland_costs_what_the_price_page_says() {
        let cost = |class, gib| cost_in("eu-west-1", &[(class, gib)]);
        assert_eq!(cost("StandardStorage", 1_000.0), Some(23.0));
        assert_eq!(cost("StandardStorage", 60_000.0), Some(1371.2));
        assert_eq!(cost("StandardIAStorage", 1_000.0), Some(12.5));
        assert_eq!(cost("OneZoneIAStorage", 1_000.0), Some(10.0));
        assert_eq!(cost("GlacierInstantRetrievalStorage", 1_000.0), Some(4.0));
        assert_eq!(cost("GlacierStorage", 1_000.0), Some(3.6));
        assert_eq!(cost("DeepArchiveStorage", 1_000.0), Some(0.99));
        assert_eq!(cost("IntelligentTieringFAStorage", 1_000.0), Some(23.0));
        assert_eq!(cost("IntelligentTieringIAStorage", 1_000.0), Some(12.5));
        assert_eq!(usd("eu-west-1", "STANDARD", "write", 1_000.0), Some(0.005));
        assert_eq!(usd("eu-west-1", "STANDARD", "read", 1_000.0), Some(0.0004));

        // A price that the table lacks and another region has is unknown, not free.
        assert_eq!(cost("IntelligentTieringAAStorage", 1_000.0), None);
        assert_eq!(usd("eu-west-1", "STANDARD_IA", "transition", 1.0), None);
        assert_eq!(
            usd("eu-west-1", "STANDARD", "retrieved_gib", 1.0),
            Some(0.0)
        );

        let origin =
            PriceCatalogue::builtin().bucket_usd("eu-west-1", "STANDARD", "gib_month", 1.0);
        let origin = origin.map(|(_, origin)| origin.to_string());
        assert_eq!(origin.as_deref(), Some("AWS price pages of 2026-11"));
    }

    fn usd(region: &str, class: &str, unit: &str, amount: f64) -> Option<f64> {
        let (usd, _) = PriceCatalogue::builtin().bucket_usd(region, class, unit, amount)?;
        Some((usd * 1e6).round() / 1e6)
    }

    #[test]
    fn other_regions_and_classes_without_a_charge_are_told_apart() {
        assert_eq!(usd("eu-north-1", "STANDARD", "gib_month", 1.0), None);
        assert_eq!(
            usd("us-east-1", "STANDARD", "retrieved_gib", 1.0),
            Some(0.0)
        );
        assert_eq!(
            usd("us-east-1", "GLACIER_IR", "retrieved_gib", 100.0),
            Some(3.0)
        );
        assert_eq!(
            usd("us-east-1", "STANDARD_IA", "transition", 30_000.0),
            Some(0.3)
        );
    }
}
