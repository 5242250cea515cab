//! Bills in `charges/` of the data directory: FOCUS files (`.csv`, `.csv.gz`, `.parquet`), put
//! there by an export job or by hand.
//!
//! Agents read them by resource, a chunk of resources at a time. The files are read at the first
//! chunk of a run and kept by resource until they change or no run has requested them for a while,
//! so that a run over a large estate does not read them once for each chunk.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_anomalies::charges::{Spending, SpendingQuery, SpendingReader, spending};
use reeve_estate::charge::{Charge, ChargeCategory, Restatements, resource_key};
use reeve_estate::{ResourceId, StoreError};
use reeve_recommend::ports::ChargeReader;

use crate::commands::bill;

/// Files read at most, the newest first.
pub(crate) const MOST_FILES: usize = 400;
/// Endings of the names of bills.
pub(crate) const ENDINGS: [&str; 3] = [".csv", ".csv.gz", ".parquet"];
/// Charges held in memory at once: about 300 bytes each.
const MOST_CHARGES: usize = 1_000_000;
/// Charges that were not requested for this long are dropped.
const KEPT: Duration = Duration::from_secs(300);

/// A bill: its path, size and time.
pub(crate) type Bill = (PathBuf, u64, Timestamp);

/// Charges with their places by the key of their resource ([`resource_key`]), and the end of what
/// each account is billed for.
#[derive(Default)]
struct Grouped {
    charges: Vec<Charge>,
    by_resource: HashMap<String, Vec<usize>>,
    billed_until_ms: HashMap<String, i64>,
}

/// The longest period of a charge that tells how far a bill reaches: the one line of a month is
/// written on its first day.
const DAY_MS: i64 = 86_400_000;

/// Charges as they were read last.
struct Held {
    files: Vec<Bill>,
    charges: Arc<Grouped>,
    used_at: Instant,
}

/// Reader of the bills in a folder.
pub(crate) struct Bills {
    folder: PathBuf,
    held: Mutex<Option<Held>>,
    /// The bills are read by one at a time.
    reading: tokio::sync::Mutex<()>,
}

impl Bills {
    /// Creates a reader of a folder, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Bills {
            folder,
            held: Mutex::new(None),
            reading: tokio::sync::Mutex::new(()),
        }
    }

    /// Drops charges that were not requested for a while.
    pub(crate) fn release_unused(&self) {
        let mut held = self.held.lock();
        if held
            .as_ref()
            .is_some_and(|held| held.used_at.elapsed() > KEPT)
        {
            *held = None;
        }
    }

    async fn grouped(&self) -> Result<Arc<Grouped>, StoreError> {
        let _one = self.reading.lock().await;
        let files = files(&self.folder);
        if let Some(held) = self.held.lock().as_mut().filter(|held| held.files == files) {
            held.used_at = Instant::now();
            return Ok(held.charges.clone());
        }

        let bills = files.clone();
        // The task that watches spending records the bills that cannot be read.
        let grouped = tokio::task::spawn_blocking(move || grouped(read(&bills).0));
        let charges = Arc::new(
            grouped
                .await
                .map_err(|error| StoreError::Backend(error.to_string()))?,
        );
        *self.held.lock() = Some(Held {
            files,
            charges: charges.clone(),
            used_at: Instant::now(),
        });

        Ok(charges)
    }
}

#[async_trait]
impl ChargeReader for Bills {
    async fn charges(
        &self,
        resources: &[ResourceId],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<Charge>, StoreError> {
        let held = self.grouped().await?;
        let period = start.as_millisecond()..end.as_millisecond();

        // Two connections may see one resource.
        let unique: BTreeSet<String> = resources
            .iter()
            .map(|id| resource_key(id.as_str()))
            .collect();
        let own = unique
            .iter()
            .filter_map(|id| held.by_resource.get(id))
            .flatten();
        let mut found: Vec<Charge> = own
            .filter_map(|place| held.charges.get(*place))
            .filter(|charge| period.contains(&charge.start_ms))
            .cloned()
            .collect();
        found.sort_by_key(|charge| charge.start_ms);

        Ok(found)
    }

    async fn billed_until(&self, account: &str) -> Result<Option<Timestamp>, StoreError> {
        let held = self.grouped().await?;
        Ok(held
            .billed_until_ms
            .get(&account_key(account))
            .and_then(|end| Timestamp::from_millisecond(*end).ok()))
    }
}

#[async_trait]
impl SpendingReader for Bills {
    async fn spending(&self, query: SpendingQuery) -> Result<Spending, StoreError> {
        let held = self.grouped().await?;
        tokio::task::spawn_blocking(move || spending(&held.charges, &query))
            .await
            .map_err(|error| StoreError::Backend(error.to_string()))
    }
}

fn grouped(charges: Vec<Charge>) -> Grouped {
    let mut found = Grouped::default();
    for (place, charge) in charges.iter().enumerate() {
        let is_daily =
            charge.category == ChargeCategory::Usage && charge.end_ms - charge.start_ms <= DAY_MS;
        if let Some(account) = charge.sub_account.as_deref().filter(|_| is_daily) {
            let end = found
                .billed_until_ms
                .entry(account_key(account))
                .or_insert(charge.end_ms);
            *end = charge.end_ms.max(*end);
        }
        if let Some(resource) = charge.resource.as_deref().map(resource_key) {
            found.by_resource.entry(resource).or_default().push(place);
        }
    }

    found.charges = charges;
    found
}

/// Key of an account: bills name an Azure subscription by its path, the inventory by its
/// identifier.
fn account_key(account: &str) -> String {
    account
        .rsplit('/')
        .next()
        .unwrap_or(account)
        .to_ascii_lowercase()
}

/// The bills of a folder, the newest file first: one more than are read at most, so that reading
/// them says that some are left out.
pub(crate) fn files(folder: &Path) -> Vec<Bill> {
    // No folder is no bill.
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };

    let bill = |path: &Path| {
        path.to_str()
            .is_some_and(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
    };

    let mut found: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| bill(path))
        .filter_map(|path| {
            let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((
                path,
                about.len(),
                Timestamp::try_from(about.modified().ok()?).ok()?,
            ))
        })
        .collect();
    found.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));

    found.truncate(MOST_FILES + 1);
    found
}

/// Charges of the bills, and the reason for each bill that could not be read. Where bills overlap,
/// the one that was changed last counts.
pub(crate) fn read(files: &[Bill]) -> (Vec<Charge>, Vec<String>) {
    let (mut charges, mut restatements, mut unreadable) =
        (Vec::new(), Restatements::default(), Vec::new());
    if files.len() > MOST_FILES {
        unreadable.push(format!(
            "there are more than {MOST_FILES} bills, and the oldest were not read: merge the files of a month into one"
        ));
    }

    for (path, _, _) in files.iter().take(MOST_FILES) {
        match bill(path, MOST_CHARGES - charges.len()) {
            Ok(more) => charges.extend(restatements.add_older(more)),
            Err(error) => unreadable.push(format!("a bill could not be read: {error:#}")),
        }
    }

    tracing::info!(
        bills = files.len(),
        charges = charges.len(),
        "bills were read"
    );
    (charges, unreadable)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const HEADER: &str =
        "BilledCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId";

    fn put(folder: &Path, name: &str, rows: &[(&str, &str)]) {
        let row = |(day, id): &(&str, &str)| {
            format!("1.00,USD,{day}T00:00:00Z,{day}T12:00:00Z,Usage,{id}\n")
        };
        let rows: String = rows.iter().map(row).collect();
        std::fs::write(folder.join(name), format!("{HEADER}\n{rows}")).unwrap();
    }

    #[test]
    fn bills_beyond_those_that_are_read_are_told() {
        let folder = tempfile::tempdir().unwrap();
        (0..=MOST_FILES).for_each(|n| {
            put(
                folder.path(),
                &format!("{n:03}.csv"),
                &[("2026-11-09", &format!("i-{n}"))],
            )
        });

        let (charges, unreadable) = read(&files(folder.path()));
        assert_eq!((charges.len(), unreadable.len()), (MOST_FILES, 1));
        assert!(
            unreadable[0].contains("more than 400 bills"),
            "{unreadable:?}"
        );
        std::fs::remove_file(folder.path().join("007.csv")).unwrap();
        let (charges, unreadable) = read(&files(folder.path()));
        assert_eq!((charges.len(), unreadable), (MOST_FILES, Vec::new()));
    }

    #[tokio::test]
    async fn resources_are_found_by_their_arn_and_accounts_say_how_far_they_are_billed() {
        let folder = tempfile::tempdir().unwrap();
        let rows = [
            "2026-11-09T00:00:00Z,2026-11-09T01:00:00Z,Usage,arn:aws:ec2:us-west-2:111122223333:natgateway/nat-0a1b",
            "2026-11-09T00:00:00Z,2026-11-09T01:00:00Z,Usage,arn:aws:ec2:us-west-2:111122223333:snapshot/snap-0a1b",
            "2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,Usage,arn:aws:rds:us-west-2:111122223333:db:orders",
        ];

        let rows: String = rows
            .iter()
            .map(|row| format!("1.00,USD,111122223333,{row}\n"))
            .collect();
        let header = "BilledCost,BillingCurrency,SubAccountId,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId";
        std::fs::write(folder.path().join("a.csv"), format!("{header}\n{rows}")).unwrap();
        let bills = Bills::new(folder.path().to_owned());
        let (start, end) = (
            "2026-11-01T00:00:00Z".parse().unwrap(),
            "2026-12-01T00:00:00Z".parse().unwrap(),
        );
        let found = async |id: &str| {
            bills
                .charges(&[ResourceId::new(id)], start, end)
                .await
                .unwrap()
                .len()
        };
        assert_eq!((found("nat-0a1b").await, found("snap-0a1b").await), (1, 1));

        assert_eq!(
            found("arn:aws:rds:us-west-2:111122223333:db:orders").await,
            1
        );
        assert_eq!(
            found("orders").await,
            0,
            "the name alone is that of a database of any region"
        );

        let until = bills.billed_until("111122223333").await.unwrap();
        assert_eq!(
            until,
            Some("2026-11-09T01:00:00Z".parse().unwrap()),
            "a month's line says nothing"
        );
        assert_eq!(bills.billed_until("444455556666").await.unwrap(), None);
    }

    #[tokio::test]
    async fn charges_are_found_by_resource_and_period_and_read_again_when_a_bill_changes() {
        let folder = tempfile::tempdir().unwrap();
        let bills = Bills::new(folder.path().to_owned());
        let ids = ["/subscriptions/A/vm-1", "/subscriptions/a/VM-1", "i-2"].map(ResourceId::new);
        let days = async |from: &str, to: &str| {
            let found = bills
                .charges(&ids, from.parse().unwrap(), to.parse().unwrap())
                .await
                .unwrap();
            let day = |charge: &Charge| {
                Timestamp::from_millisecond(charge.start_ms)
                    .unwrap()
                    .strftime("%d")
                    .to_string()
            };
            found.iter().map(day).collect::<Vec<_>>()
        };

        let november = ("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z");
        assert_eq!(
            days(november.0, november.1).await,
            Vec::<String>::new(),
            "no bill"
        );

        put(
            folder.path(),
            "a.csv",
            &[
                ("2026-11-09", "/SUBSCRIPTIONS/a/vm-1"),
                ("2026-10-31", "i-2"),
                ("2026-11-02", "i-3"),
            ],
        );

        assert_eq!(
            days(november.0, november.1).await,
            ["09"],
            "in any case, once for both spellings"
        );
        assert_eq!(days("2026-10-31T00:00:00Z", november.1).await, ["31", "09"]);
        put(folder.path(), "b.csv", &[("2026-11-05", "i-2")]);
        assert_eq!(days(november.0, november.1).await, ["05", "09"]);
        bills.release_unused();
        assert!(bills.held.lock().is_some(), "it was just used");
    }
}
