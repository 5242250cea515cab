//! Bills of the demo: FOCUS files of the simulated estate's charges, one a month, in the folder
//! from which the service reads bills.
//!
//! A provider delivers the bill of a month again and again until it is closed; so does this. The
//! first bill is that of the month before the demonstration began.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use reeve_connect_simulated::{DailyCharge, SimulatedEstate};
use reeve_estate::{Provider, Purchase, ResourceKind};

use super::state::DemoState;
use crate::private;

/// Columns of FOCUS 1.2 that the files have.
const COLUMNS: [&str; 24] = [
    "BilledCost",
    "EffectiveCost",
    "ContractedCost",
    "ListCost",
    "BillingCurrency",
    "BillingPeriodStart",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ChargeCategory",
    "ChargeDescription",
    "ProviderName",
    "ServiceName",
    "ServiceCategory",
    "BillingAccountId",
    "SubAccountId",
    "SubAccountName",
    "RegionId",
    "ResourceId",
    "ResourceType",
    "SkuId",
    "PricingCategory",
    "ConsumedQuantity",
    "ConsumedUnit",
    "Tags",
];
/// Account that pays for all others.
const PAYER: &str = "acme";

/// Writes the bills up to the last whole day, unless this process has done so already.
pub(super) async fn write(state: &Arc<DemoState>, data_dir: &Path) -> Result<()> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let last = today.yesterday()?;
    if state.billed_until() == Some(last) {
        return Ok(());
    }

    let (estate, folder) = (state.estate.clone(), data_dir.join("charges"));
    tokio::task::spawn_blocking(move || all(&estate, &folder, last)).await??;
    state.billed(last);
    Ok(())
}

fn all(estate: &SimulatedEstate, folder: &Path, last: Date) -> Result<()> {
    private::make(folder)?;
    let begun = estate
        .anchor()
        .to_zoned(TimeZone::UTC)
        .date()
        .first_of_month();
    let mut month = begun.checked_sub(1.month())?;

    while month <= last {
        let path = folder.join(format!("simulated-{}.csv", month.strftime("%Y-%m")));
        one(estate, path, month, last)?;
        month = month.checked_add(1.month())?;
    }

    Ok(())
}

/// Writes the bill of a month up to a day, whole or not at all.
fn one(estate: &SimulatedEstate, path: PathBuf, month: Date, last: Date) -> Result<()> {
    let mut file = csv::Writer::from_writer(Vec::new());
    file.write_record(COLUMNS)?;
    let end = last.min(month.last_of_month());

    for day in month.series(1.day()).take_while(|day| *day <= end) {
        for charge in estate.charges(day) {
            file.write_record(line(&charge)?)?;
        }
    }

    let bytes = file.into_inner().context("the bill was not written")?;
    // A file that is the same keeps its time, so that nobody reads it again.
    if std::fs::read(&path).is_ok_and(|before| before == bytes) {
        return Ok(());
    }

    let beside = path.with_extension("csv.new");
    std::fs::write(&beside, bytes)
        .with_context(|| format!("{} could not be written", beside.display()))?;
    std::fs::rename(&beside, &path)
        .with_context(|| format!("{} could not be replaced", path.display()))
}

fn line(charge: &DailyCharge) -> Result<[String; COLUMNS.len()]> {
    let day = |day: Date| format!("{day}T00:00:00Z");
    let cost = usd(charge.cost.micros());
    let (service, category) = sold_as(charge.provider, charge.kind);
    let (quantity, unit) = match charge.kind {
        ResourceKind::Volume | ResourceKind::Bucket => (charge.hours.to_string(), "GB-Hours"),
        _ => (charge.hours.to_string(), "Hours"),
    };
    let pricing = match charge.purchase {
        Some(Purchase::Spot) => "Dynamic",
        Some(Purchase::Reserved) => "Committed",
        _ => "Standard",
    };

    Ok([
        cost.clone(),
        cost.clone(),
        cost,
        usd(charge.list.micros()),
        "USD".to_owned(),
        day(charge.day.first_of_month()),
        day(charge.day),
        day(charge.day.tomorrow()?),
        "Usage".to_owned(),
        format!("{service}, {}", charge.sold),
        provider(charge.provider).to_owned(),
        service.to_owned(),
        category.to_owned(),
        PAYER.to_owned(),
        charge.account.clone(),
        charge.account_name.clone(),
        charge.region.clone(),
        charge.resource.as_str().to_owned(),
        charge.kind.as_str().to_owned(),
        charge.sold.clone(),
        pricing.to_owned(),
        quantity,
        unit.to_owned(),
        serde_json::to_string(&charge.tags)?,
    ])
}

/// Dollars with six digits after the point.
fn usd(micros: i64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

const fn provider(provider: Provider) -> &'static str {
    match provider {
        Provider::Aws => "AWS",
        Provider::Azure => "Microsoft",
        Provider::Gcp => "Google Cloud",
        Provider::Database => "own",
    }
}

/// Name of the service and its FOCUS category.
fn sold_as(provider: Provider, kind: ResourceKind) -> (&'static str, &'static str) {
    type Kind = ResourceKind;
    match (provider, kind) {
        (Provider::Aws, Kind::VirtualMachine | Kind::ScalingGroup) => {
            ("Amazon Elastic Compute Cloud", "Compute")
        }
        (Provider::Aws, Kind::Volume) => ("Amazon Elastic Block Store", "Storage"),
        (Provider::Aws, Kind::Database) => ("Amazon Relational Database Service", "Databases"),
        (Provider::Aws, Kind::Bucket) => ("Amazon Simple Storage Service", "Storage"),
        (Provider::Aws, Kind::LoadBalancer) => ("Elastic Load Balancing", "Networking"),
        (Provider::Azure, Kind::VirtualMachine | Kind::ScalingGroup) => {
            ("Virtual Machines", "Compute")
        }
        (Provider::Azure, Kind::Volume | Kind::Bucket) => ("Storage Accounts", "Storage"),
        (Provider::Azure, Kind::Database) => ("Azure SQL Database", "Databases"),
        (Provider::Azure, Kind::LoadBalancer) => ("Load Balancer", "Networking"),
        (Provider::Gcp, Kind::VirtualMachine | Kind::ScalingGroup | Kind::Volume) => {
            ("Compute Engine", "Compute")
        }
        (Provider::Gcp, Kind::Bucket) => ("Cloud Storage", "Storage"),
        (Provider::Gcp, Kind::Database) => ("Cloud SQL", "Databases"),
        (Provider::Gcp, Kind::LoadBalancer) => ("Cloud Load Balancing", "Networking"),
        // The simulated bill has no lines of other kinds.
        _ => ("Other", "Other"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::charge::Amount;

    use super::*;

    #[test]
    fn bills_are_read_as_focus_and_agree_with_the_charges() {
        let home = tempfile::tempdir().unwrap();
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let settings =
            reeve_connect_simulated::SimulatedSettings::new(7, now).with_clock(move || now);
        let estate = SimulatedEstate::with(settings);
        let last: Date = "2026-11-19".parse().unwrap();
        all(&estate, home.path(), last).unwrap();
        let files = crate::adapters::bills::files(home.path());
        assert_eq!(files.len(), 2, "the month before, and this one: {files:?}");

        let (charges, unreadable) = crate::adapters::bills::read(&files);
        assert!(unreadable.is_empty(), "{unreadable:?}");

        let on = |day: &str| -> Vec<_> {
            let start = format!("{day}T00:00:00Z")
                .parse::<Timestamp>()
                .unwrap()
                .as_millisecond();
            charges
                .iter()
                .filter(|charge| charge.start_ms == start)
                .collect()
        };
        let written: Amount = on("2026-11-19").iter().map(|charge| charge.cost()).sum();

        let expected: f64 = estate
            .charges(last)
            .iter()
            .map(|charge| charge.cost.usd())
            .sum();

        assert!(
            expected > 100.0 && (written.as_f64() - expected).abs() < 1e-3,
            "{written} {expected}"
        );
        assert!(on("2026-11-20").is_empty() && !on("2026-10-01").is_empty());

        let team = charges
            .iter()
            .find(|charge| charge.tags.as_deref().is_some_and(|tags| !tags.is_empty()));
        assert!(
            team.is_some_and(|charge| charge.list.is_some() && charge.sub_account_name.is_some())
        );

        let before = files.clone();
        all(&estate, home.path(), last).unwrap();
        assert_eq!(
            crate::adapters::bills::files(home.path()),
            before,
            "what is the same is not written again"
        );
    }
}
