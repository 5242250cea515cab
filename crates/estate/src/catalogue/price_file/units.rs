//! Checks of prices by amounts in price files.

use super::{OTHER_UNIT, PriceFileError, Row, defect, other_unit};
use crate::catalogue::PriceCatalogue;
use crate::catalogue::unit_prices::{COLUMNS, UnitPrices};

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

    let mut units = UnitPrices::default();
    for (line, cells) in rows {
        let [region, name, unit, from, usd] = cells[..] else {
            continue;
        };
        if !PriceCatalogue::builtin().has_unit(name, unit) {
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
            number.ok_or_else(|| defect(*line, field, format!("{cell:?} is not a number from 0")))
        };
        let tier = (amount("from", from)?, amount("usd", usd)?);
        let bundled = PriceCatalogue::builtin().first_tier(name, unit);
        if let Some((_, bundled)) = bundled.filter(|(_, bundled)| tier.1 > bundled * OTHER_UNIT) {
            return Err(defect(
                *line,
                "usd",
                other_unit(usd, bundled, &format!("by {unit}")),
            ));
        }
        if !units.insert(region, name, unit, tier) {
            return Err(defect(
                *line,
                "from",
                format!("{from} of {name}, {unit}, {region} is there twice"),
            ));
        }
    }

    for (region, name, unit, (begins, _)) in units.firsts() {
        let wanted = PriceCatalogue::builtin()
            .first_tier(name, unit)
            .map(|(from, _)| from);
        if let Some(wanted) = wanted.filter(|wanted| begins > *wanted) {
            // Amounts below the first tier would cost nothing.
            let message = format!("of the first tier of {name}, {unit}, {region} must be {wanted}");
            return Err(defect(header, "from", message));
        }
    }

    Ok((units, rows.len() as u64))
}
