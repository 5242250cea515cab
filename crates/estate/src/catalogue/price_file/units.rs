//! Prices by amounts: GiB, IOPS and MiB/s a month, hours. Columns are those of the embedded table
//! with the region beside the name.

use std::collections::BTreeMap;

use super::{OTHER_UNIT, PriceFileError, Row, defect, other_unit};
use crate::catalogue::Catalogue;
use crate::catalogue::table::tiers_usd;

const COLUMNS: [&str; 5] = ["region", "name", "unit", "from", "usd"];

/// Tiers by region, name and unit.
#[derive(Debug)]
pub(super) struct UnitPrices(BTreeMap<(String, String, String), Vec<(f64, f64)>>);

impl UnitPrices {
    /// Reads the rows; returns the number of prices too.
    pub(super) fn read(
        header: usize,
        columns: &[&str],
        rows: &[Row<'_>],
    ) -> Result<(UnitPrices, u64), PriceFileError> {
        if columns != COLUMNS {
            return Err(defect(
                header,
                "region",
                format!("and the other columns must be {}", COLUMNS.join(",")),
            ));
        }

        let mut units: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
        for (line, cells) in rows {
            let [region, name, unit, from, usd] = cells[..] else {
                continue;
            };
            if !Catalogue::builtin().has_unit(name, unit) {
                return Err(defect(
                    *line,
                    "unit",
                    format!("{name} has no price by {unit:?} that Reeve reads"),
                ));
            }
            let amount = |field: &str, cell: &str| {
                let number: Option<f64> = cell
                    .parse()
                    .ok()
                    .filter(|n: &f64| n.is_finite() && *n >= 0.0);
                number
                    .ok_or_else(|| defect(*line, field, format!("{cell:?} is not a number from 0")))
            };
            let tier = (amount("from", from)?, amount("usd", usd)?);
            let tiers = units
                .entry((region.to_owned(), name.to_owned(), unit.to_owned()))
                .or_default();
            let bundled = Catalogue::builtin().first_tier(name, unit);
            if let Some((_, bundled)) = bundled.filter(|(_, bundled)| tier.1 > bundled * OTHER_UNIT)
            {
                return Err(defect(
                    *line,
                    "usd",
                    other_unit(usd, bundled, &format!("by {unit}")),
                ));
            }
            if tiers
                .iter()
                .any(|(begin, _): &(f64, f64)| begin.total_cmp(&tier.0).is_eq())
            {
                return Err(defect(
                    *line,
                    "from",
                    format!("{from} of {name}, {unit}, {region} is there twice"),
                ));
            }
            tiers.push(tier);
        }

        units
            .values_mut()
            .for_each(|tiers| tiers.sort_by(|a, b| a.0.total_cmp(&b.0)));
        for ((region, name, unit), tiers) in &units {
            let wanted = Catalogue::builtin()
                .first_tier(name, unit)
                .map(|(from, _)| from);
            let begins = tiers.first().map(|(from, _)| *from);
            if let Some((wanted, _)) = wanted
                .zip(begins)
                .filter(|(wanted, begins)| begins > wanted)
            {
                // Amounts below the first tier would cost nothing.
                let message =
                    format!("of the first tier of {name}, {unit}, {region} must be {wanted}");
                return Err(defect(header, "from", message));
            }
        }

        Ok((UnitPrices(units), rows.len() as u64))
    }

    pub(super) fn usd(&self, region: &str, name: &str, unit: &str, amount: f64) -> Option<f64> {
        let tiers = self
            .0
            .get(&(region.to_owned(), name.to_owned(), unit.to_owned()))?;
        Some(tiers_usd(tiers, amount))
    }
}
