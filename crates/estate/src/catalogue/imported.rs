//! Prices of imported files, which go before the embedded ones, and the tables that are in force.
//!
//! Files replace the earlier file of their provider and kind as a whole; of what they lack the
//! embedded price stays. Reading a price costs a read lock and a clone of an `Arc`. Judgements that
//! run while a file is imported may use prices of before and after.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::aws::{self, ListPrices, Terms};
use super::price_file::{PriceFile, PriceKind};
use super::{Price, PriceCatalogue, PriceOrigin};
use crate::provider::Provider;

/// Imported files by provider and kind.
pub type PriceFiles = BTreeMap<(Provider, PriceKind), Arc<PriceFile>>;

/// The imported files that are in force.
#[derive(Debug, Default)]
pub(super) struct Imported(RwLock<Arc<PriceFiles>>);

impl Clone for Imported {
    fn clone(&self) -> Self {
        Imported(RwLock::new(self.files()))
    }
}

impl Imported {
    fn files(&self) -> Arc<PriceFiles> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn file(&self, provider: Provider, kind: PriceKind) -> Option<Arc<PriceFile>> {
        self.files().get(&(provider, kind)).cloned()
    }
}

/// A table of prices that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTableInfo {
    /// Cloud of the prices.
    pub provider: Provider,
    /// Kind of the prices.
    pub kind: PriceKind,
    /// `true` for an imported file, `false` for a table that comes with the program.
    pub imported: bool,
    /// Source and date of the prices.
    pub origin: PriceOrigin,
    pub regions: u64,
    pub prices: u64,
}

impl PriceCatalogue {
    /// Replaces the imported files; they are in force when this returns, for everybody who shares
    /// this catalogue.
    pub fn set_imported(&self, files: PriceFiles) {
        *self
            .imported
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
    }

    /// Returns the tables in force. Of a provider and kind the earlier one goes before the later
    /// one.
    #[must_use]
    pub fn price_tables(&self) -> Vec<PriceTableInfo> {
        let imported = self.imported.files();
        let mut tables: Vec<PriceTableInfo> = imported
            .values()
            .map(|file| PriceTableInfo::of(file))
            .collect();
        let bundled = |provider, kind, origin: &PriceOrigin, (regions, prices)| PriceTableInfo {
            provider,
            kind,
            imported: false,
            origin: origin.clone(),
            regions,
            prices,
        };

        let (listed, gcp) = (ListPrices::embedded().sizes(), &self.gcp);
        tables.extend([
            bundled(
                Provider::Aws,
                PriceKind::Machines,
                &aws::RECENT,
                self.aws_prices.size(),
            ),
            bundled(Provider::Aws, PriceKind::Machines, &aws::REGIONS, listed.0),
            bundled(Provider::Aws, PriceKind::Databases, &aws::REGIONS, listed.1),
            bundled(
                Provider::Azure,
                PriceKind::Machines,
                self.azure_prices.origin(),
                self.azure_prices.size(),
            ),
            bundled(
                Provider::Azure,
                PriceKind::Machines,
                self.azure_windows.origin(),
                self.azure_windows.size(),
            ),
            bundled(Provider::Gcp, PriceKind::Machines, gcp.origin(), gcp.size()),
        ]);

        tables.extend(self.aws_units.iter().map(|(prices, origin)| {
            bundled(Provider::Aws, PriceKind::Units, origin, prices.size())
        }));

        // Stable: imported files are first, and the newer table of AWS's machines before the older
        // one.
        tables.sort_by_key(|table| (table.provider, table.kind));
        tables
    }

    /// Price of a machine in an imported file.
    pub(super) fn imported_machine(
        &self,
        provider: Provider,
        region: &str,
        name: &str,
        platform: &str,
        terms: Terms,
    ) -> Option<Price> {
        let file = self.imported.file(provider, PriceKind::Machines)?;
        let usd_per_hour = file.hourly(region, name, &terms.column_of(platform))?;
        Some(Price {
            usd_per_hour,
            origin: file.origin.clone(),
        })
    }

    /// Price of a database instance of AWS: in an imported file, else in the embedded table.
    pub(super) fn aws_database(
        &self,
        region: &str,
        class: &str,
        engine: &str,
        multi_az: bool,
        storage_type: Option<&str>,
    ) -> Option<Price> {
        let (column, copies) = aws::database_column(engine, multi_az, storage_type)?;
        let imported = || {
            let file = self.imported.file(Provider::Aws, PriceKind::Databases)?;
            Some((file.hourly(region, class, &column)?, file.origin.clone()))
        };

        let bundled = || {
            Some((
                ListPrices::embedded().database(region, class, &column)?,
                aws::REGIONS,
            ))
        };
        let (usd, origin) = imported().or_else(bundled)?;

        Some(Price {
            usd_per_hour: usd * copies,
            origin,
        })
    }

    /// US dollars of an amount of a unit in AWS, with the origin of the price.
    pub(super) fn aws_unit(
        &self,
        region: &str,
        name: &str,
        unit: &str,
        amount: f64,
    ) -> Option<(f64, PriceOrigin)> {
        let bundled = || {
            self.aws_units.iter().find_map(|(prices, origin)| {
                Some((prices.usd(region, name, unit, amount)?, origin.clone()))
            })
        };
        self.imported_unit(region, name, unit, amount)
            .or_else(bundled)
    }

    /// US dollars of an amount of a unit in an imported file of AWS, with the origin of the price.
    fn imported_unit(
        &self,
        region: &str,
        name: &str,
        unit: &str,
        amount: f64,
    ) -> Option<(f64, PriceOrigin)> {
        let file = self.imported.file(Provider::Aws, PriceKind::Units)?;
        Some((file.units(region, name, unit, amount)?, file.origin.clone()))
    }

    /// Returns `true` if an embedded table has a price of a name by a unit.
    pub(super) fn has_unit(&self, name: &str, unit: &str) -> bool {
        self.aws_units
            .iter()
            .any(|(prices, _)| prices.has(name, unit))
    }

    /// Begin and price of the first tier of a name by a unit in the embedded tables.
    pub(super) fn first_tier(&self, name: &str, unit: &str) -> Option<(f64, f64)> {
        self.aws_units
            .iter()
            .find_map(|(prices, _)| prices.first(name, unit))
    }

    /// The share that a purchase option saves, with the list it follows from. Both prices are of
    /// the same list: a newer on-demand price says nothing about the reservation's.
    pub(super) fn listed_discount(
        &self,
        region: &str,
        name: &str,
        platform: Option<&str>,
        terms: Terms,
    ) -> Option<(f64, PriceOrigin)> {
        let platform = Self::platform(platform);
        let imported = || {
            let price =
                |terms| self.imported_machine(Provider::Aws, region, name, &platform, terms);
            let (usual, rate) = (price(Terms::OnDemand)?, price(terms)?);
            Some((1.0 - rate.usd_per_hour / usual.usd_per_hour, usual.origin))
        };

        let bundled = || {
            let price = |terms| ListPrices::embedded().machine(region, name, &platform, terms);
            Some((1.0 - price(terms)? / price(Terms::OnDemand)?, aws::REGIONS))
        };

        imported().or_else(bundled)
    }
}

impl PriceTableInfo {
    /// The table of an imported file.
    #[must_use]
    pub fn of(file: &PriceFile) -> Self {
        let PriceFile {
            provider,
            kind,
            regions,
            prices,
            ..
        } = *file;
        PriceTableInfo {
            provider,
            kind,
            imported: true,
            origin: file.origin.clone(),
            regions,
            prices,
        }
    }
}
