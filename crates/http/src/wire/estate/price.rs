//! Price tables on the wire.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reeve_estate::PriceTableInfo;
use reeve_estate::catalogue::price_file::read_date;
use serde::Serialize;
use utoipa::ToSchema;

use crate::prices::PriceImport;
use crate::time;
use crate::wire::form::enumeration::{PriceKind, Provider};

/// Age at which a price list counts as outdated, days: clouds change prices of some families twice
/// a year.
const OUTDATED_DAYS: i64 = 180;

/// A price table in force. Of a provider and kind the earlier one in the list goes before the later
/// one.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PriceTableBody {
    /// Cloud of the prices.
    pub provider: Provider,
    pub kind: PriceKind,
    /// `imported` for a file that somebody imported, `bundled` for a table that comes with Reeve.
    pub origin: String,
    /// Name of the price list.
    pub source: String,
    /// Day or month of the price list.
    pub date: String,
    /// Number of days since then.
    pub age_days: i64,
    /// The price list is more than 180 days old.
    pub outdated: bool,
    pub regions: u64,
    pub prices: u64,
    /// Import of the file; null for a bundled table.
    pub import: Option<PriceImportBody>,
}

/// Import of a price file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PriceImportBody {
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
    /// Size of the file.
    pub bytes: u64,
    /// Time of the import.
    pub imported_at: String,
    /// User who imported it.
    pub imported_by: String,
}

impl PriceTableBody {
    /// A table as it is now.
    #[must_use]
    pub fn new(table: &PriceTableInfo, import: Option<&PriceImport>, now: Timestamp) -> Self {
        let age_days = read_date(&table.origin.date).map_or(0, |date| age_days(date, now));
        PriceTableBody {
            provider: table.provider.into(),
            kind: table.kind.into(),
            origin: if table.imported {
                "imported"
            } else {
                "bundled"
            }
            .to_owned(),
            source: table.origin.source.to_string(),
            date: table.origin.date.to_string(),
            age_days,
            outdated: age_days > OUTDATED_DAYS,
            regions: table.regions,
            prices: table.prices,
            import: import
                .filter(|_| table.imported)
                .map(|import| PriceImportBody {
                    sha256: import.sha256.clone(),
                    bytes: import.bytes,
                    imported_at: time::text(import.imported_at),
                    imported_by: import.imported_by.clone(),
                }),
        }
    }
}

/// Whole days; a date that is still to come has age 0.
fn age_days(date: Date, now: Timestamp) -> i64 {
    let today = now.to_zoned(TimeZone::UTC).date();
    date.duration_until(today).as_hours().div_euclid(24).max(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::{PriceKind, PriceOrigin, Provider};

    use super::*;

    #[test]
    fn a_list_is_outdated_after_half_a_year() {
        let now: Timestamp = "2026-11-23T23:00:00Z".parse().unwrap();
        let table = |date| PriceTableInfo {
            provider: Provider::Aws,
            kind: PriceKind::Machines,
            imported: false,
            origin: PriceOrigin::bundled("AWS price list", date),
            regions: 1,
            prices: 1,
        };

        for (date, age, outdated) in [
            ("2026-11-23", 0, false),
            ("2027-01-01", 0, false),
            ("2026-05-27", 180, false),
            ("2026-05-26", 181, true),
            ("2026-11", 22, false),
        ] {
            let body = PriceTableBody::new(&table(date), None, now);
            assert_eq!((body.age_days, body.outdated), (age, outdated), "{date}");
        }
    }
}
