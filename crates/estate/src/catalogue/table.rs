//! The shapes of the embedded tables: prices by region, prices in tiers, assumptions. Refuses a row
//! it cannot read.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::{CatalogueError, Discount, Price, PriceOrigin};
use crate::provider::Provider;

/// One CSV row with its line number, for errors that name it.
pub(super) struct CatalogueRow {
    file: &'static str,
    line: u64,
    record: csv::StringRecord,
}

impl CatalogueRow {
    pub(super) fn text(&self, column: usize) -> Result<&str, CatalogueError> {
        self.record
            .get(column)
            .ok_or_else(|| self.error(&format!("column {column} is missing")))
    }

    pub(super) fn number<T: FromStr>(&self, column: usize) -> Result<T, CatalogueError> {
        let text = self.text(column)?;
        text.parse()
            .map_err(|_| self.error(&format!("column {column}: {text:?} is not a number")))
    }

    /// An empty cell is `None`.
    pub(super) fn optional(&self, column: usize) -> Result<Option<f64>, CatalogueError> {
        if self.text(column)?.is_empty() {
            Ok(None)
        } else {
            self.number(column).map(Some)
        }
    }

    pub(super) fn flag(&self, column: usize) -> Result<bool, CatalogueError> {
        Ok(self.text(column)? == "1")
    }

    pub(super) fn error(&self, message: &str) -> CatalogueError {
        CatalogueError {
            file: self.file,
            message: format!("line {}: {message}", self.line),
        }
    }
}

/// Reads a CSV text: the header's cells and the rows.
pub(super) fn read(
    file: &'static str,
    text: &str,
) -> Result<(Vec<String>, Vec<CatalogueRow>), CatalogueError> {
    let failed = |error: csv::Error| CatalogueError {
        file,
        message: error.to_string(),
    };

    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(failed)?
        .iter()
        .map(str::to_owned)
        .collect();

    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(failed)?;
        rows.push(CatalogueRow {
            file,
            line: record.position().map_or(0, csv::Position::line),
            record,
        });
    }

    Ok((header, rows))
}

/// Prices an hour: a row a name, a column a region.
#[derive(Debug, Clone)]
pub(super) struct PriceTable {
    origin: PriceOrigin,
    regions: Vec<String>,
    rows: BTreeMap<String, Vec<Option<f64>>>,
}

impl PriceTable {
    pub(super) fn parse(
        file: &'static str,
        text: &str,
        origin: PriceOrigin,
    ) -> Result<Self, CatalogueError> {
        let (header, lines) = read(file, text)?;
        let regions: Vec<String> = header.into_iter().skip(1).collect();
        let mut rows = BTreeMap::new();

        for line in lines {
            let prices = (1..=regions.len())
                .map(|column| line.optional(column))
                .collect::<Result<Vec<_>, _>>()?;
            rows.insert(line.text(0)?.to_owned(), prices);
        }

        Ok(PriceTable {
            origin,
            regions,
            rows,
        })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str)
    }

    /// Source and date of the prices.
    pub(super) fn origin(&self) -> &PriceOrigin {
        &self.origin
    }

    /// Numbers of regions and of prices.
    pub(super) fn size(&self) -> (u64, u64) {
        let prices = self.rows.values().flatten().flatten().count();
        (self.regions.len() as u64, prices as u64)
    }

    /// The price in exactly this region.
    pub(super) fn exact(&self, region: &str, name: &str) -> Option<f64> {
        let column = self.regions.iter().position(|r| r == region)?;
        *self.rows.get(name)?.get(column)?
    }

    /// A price made of prices of this table.
    pub(super) fn as_price(&self, usd_per_hour: f64) -> Price {
        Price {
            usd_per_hour,
            origin: self.origin.clone(),
        }
    }

    /// The price in a region as the catalogue answers it.
    pub(super) fn price(&self, region: &str, name: &str) -> Option<Price> {
        self.exact(region, name)
            .map(|usd_per_hour| self.as_price(usd_per_hour))
    }
}

/// The reservation discounts among the assumptions.
pub(super) fn assumed_discounts() -> Result<BTreeMap<Provider, Discount>, CatalogueError> {
    let (_, rows) = read(
        "assumptions.csv",
        include_str!("../../data/assumptions.csv"),
    )?;
    let mut discounts = BTreeMap::new();

    for row in rows {
        let provider =
            Provider::parse(row.text(0)?).ok_or_else(|| row.error("no such provider"))?;
        if row.text(1)? != "reservation_discount" {
            return Err(row.error("no such assumption"));
        }
        discounts.insert(
            provider,
            Discount {
                share: row.number(2)?,
                wording: row.text(3)?.to_owned(),
                assumed: true,
            },
        );
    }

    Ok(discounts)
}
