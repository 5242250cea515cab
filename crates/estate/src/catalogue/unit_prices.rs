//! Prices by amounts: GiB, IOPS and MiB/s a month, hours, reads. One form for the embedded tables
//! and for imported files: `region,name,unit,from,usd`, where each tier begins at an amount and
//! holds up to the next one's begin.

use std::collections::{BTreeMap, BTreeSet};

use super::CatalogueError;
use super::table::read;

/// Columns of a table.
pub(super) const COLUMNS: [&str; 5] = ["region", "name", "unit", "from", "usd"];

/// Begin of a tier and its price in US dollars.
pub(super) type Tier = (f64, f64);

/// Tiers by name, unit and region, in the order of their begins.
#[derive(Debug, Clone, Default)]
pub(super) struct UnitPrices(BTreeMap<(String, String), BTreeMap<String, Vec<Tier>>>);

impl UnitPrices {
    /// Reads an embedded table.
    pub(super) fn embedded(file: &'static str, text: &str) -> Result<Self, CatalogueError> {
        let (_, rows) = read(file, text)?;
        let mut prices = UnitPrices::default();
        for row in rows {
            let tier = (row.number(3)?, row.number(4)?);
            if !prices.insert(row.text(0)?, row.text(1)?, row.text(2)?, tier) {
                return Err(row.error("a tier that is there twice"));
            }
        }

        Ok(prices)
    }

    /// Adds a tier. Returns `false` if there is one with the same begin.
    pub(super) fn insert(&mut self, region: &str, name: &str, unit: &str, tier: Tier) -> bool {
        let regions = self
            .0
            .entry((name.to_owned(), unit.to_owned()))
            .or_default();
        let tiers = regions.entry(region.to_owned()).or_default();
        match tiers.binary_search_by(|(begin, _)| begin.total_cmp(&tier.0)) {
            Ok(_) => false,
            Err(place) => {
                tiers.insert(place, tier);
                true
            }
        }
    }

    /// Returns `true` if a name has a price by this unit in any region.
    pub(super) fn has(&self, name: &str, unit: &str) -> bool {
        self.0.contains_key(&(name.to_owned(), unit.to_owned()))
    }

    /// The first tier in the first region that has one.
    pub(super) fn first(&self, name: &str, unit: &str) -> Option<Tier> {
        let regions = self.0.get(&(name.to_owned(), unit.to_owned()))?;
        regions.values().find_map(|tiers| tiers.first()).copied()
    }

    /// Region, name, unit and first tier of every price.
    pub(super) fn firsts(&self) -> impl Iterator<Item = (&str, &str, &str, Tier)> {
        self.0.iter().flat_map(|((name, unit), regions)| {
            regions.iter().filter_map(move |(region, tiers)| {
                Some((
                    region.as_str(),
                    name.as_str(),
                    unit.as_str(),
                    *tiers.first()?,
                ))
            })
        })
    }

    /// Numbers of regions and of tiers.
    pub(super) fn size(&self) -> (u64, u64) {
        let regions: BTreeSet<&String> = self.0.values().flat_map(BTreeMap::keys).collect();
        let tiers = self.0.values().flat_map(BTreeMap::values);
        (
            regions.len() as u64,
            tiers.map(|tiers| tiers.len() as u64).sum(),
        )
    }

    /// Returns the price of an amount; `None` if the region has no price of the name by this unit.
    pub(super) fn usd(&self, region: &str, name: &str, unit: &str, amount: f64) -> Option<f64> {
        let regions = self.0.get(&(name.to_owned(), unit.to_owned()))?;
        Some(tiers_usd(regions.get(region)?, amount))
    }
}

fn tiers_usd(tiers: &[Tier], amount: f64) -> f64 {
    let ends = tiers
        .iter()
        .skip(1)
        .map(|tier| tier.0)
        .chain([f64::INFINITY]);
    tiers
        .iter()
        .zip(ends)
        .map(|((from, usd), to)| (amount.min(to) - from).max(0.0) * usd)
        .sum()
}
