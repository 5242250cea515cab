//! Bill sources: keeps the folder `charges/` the same as the bills in buckets.
//!
//! The name of a file follows from its source and from the object's name and tag
//! (`s3-SOURCE-HASH.parquet`), so that nothing else has to be remembered: an object whose file is
//! there is not read again, a restated one has another tag and another file, and files without an
//! object are dropped once the new ones are there. Files that others put into the folder are left
//! alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::Obstacle;
use reeve_connect_aws::{ListedObject, SourceBucket, SourceBucketError};
use reeve_estate::EstateStore;
use reeve_http::app::BillSyncer;
use reeve_recommend::ports::Recorder;
use reeve_sources::{BillSource, BillSourceId, BillSourceStore, BillSync};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::bills::ENDINGS;
use super::clouds::CloudRegistry;
use super::running::Running;
use super::sync_entry::{Synced, sync_entry};
use crate::private;

/// Largest file of a bill that is read, bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Problems of a sync that are kept.
const MOST_PROBLEMS: usize = 20;

/// Reads bills from the configured sources.
pub(crate) struct BillPuller {
    pub(crate) sources: Arc<dyn BillSourceStore>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) clouds: Arc<CloudRegistry>,
    pub(crate) recorder: Arc<dyn Recorder>,
    pub(crate) folder: PathBuf,
    pub(crate) running: Running<BillSourceId>,
}

impl BillPuller {
    /// Returns `true` while a source is being synced.
    pub(crate) fn is_running(&self, id: &BillSourceId) -> bool {
        self.running.contains(id)
    }

    /// Syncs a source and waits for it, unless that is going on already.
    pub(crate) async fn sync_now(&self, source: &BillSource, by: &str) {
        let Some(_turn) = self.running.begin(&source.id) else {
            return;
        };

        let now = Timestamp::now();
        let mut sync = BillSync {
            started_at: now,
            finished_at: now,
            bills: 0,
            read: 0,
            dropped: 0,
            bytes: 0,
            newest_at: None,
            denied: false,
            problems: Vec::new(),
        };

        if let Err(error) = self.mirror(source, &mut sync).await {
            sync.denied |= error.denied;
            sync.problems.push(error.message);
        }

        sync.finished_at = Timestamp::now();
        sync.problems.truncate(MOST_PROBLEMS);
        if let Err(error) = self.sources.bill_source_sync_put(&source.id, &sync).await {
            tracing::warn!(source = %source.id, %error, "a sync of bills was not stored");
        }

        if let Err(error) = self.recorder.record(vec![entry(source, by, &sync)]).await {
            tracing::warn!(source = %source.id, %error, "a sync of bills was not recorded");
        }
    }

    async fn mirror(
        &self,
        source: &BillSource,
        sync: &mut BillSync,
    ) -> Result<(), SourceBucketError> {
        let failed = |message: String| SourceBucketError {
            denied: false,
            message,
        };

        let connection = self.estate.connection_get(&source.connection).await;
        let connection = connection.map_err(|error| failed(error.to_string()))?;
        let account = self
            .clouds
            .aws(&connection)
            .await
            .map_err(|error| failed(error.message))?;
        let bucket = SourceBucket::new(&account, &source.bucket, &source.region);
        let objects = bucket.list(&source.prefix).await?;
        private::make(&self.folder).map_err(|error| failed(format!("{error:#}")))?;
        let wanted: BTreeMap<String, ListedObject> = objects
            .into_iter()
            .filter_map(|object| Some((file_name(&source.id, &object)?, object)))
            .collect();
        sync.bills = wanted.len() as u64;
        sync.newest_at = wanted.values().filter_map(|object| object.modified).max();

        for (name, object) in &wanted {
            let path = self.folder.join(name);
            if path.exists() {
                continue;
            }
            if object.size > MOST_BYTES {
                sync.problems.push(format!(
                    "{} has {} bytes; at most {MOST_BYTES} are read",
                    object.key, object.size
                ));
                continue;
            }
            match fetch(&bucket, object, &path).await {
                Ok(()) => {
                    sync.read += 1;
                    sync.bytes += object.size;
                }
                Err(error) => {
                    sync.denied |= error.denied;
                    sync.problems.push(error.message);
                }
            }
        }

        // While a restated month is not read whole, the files before it stay: no bill is better
        // than half of one.
        if sync.problems.is_empty() {
            sync.dropped = drop_others(&self.folder, &source.id, |name| wanted.contains_key(name))
                .map_err(|obstacle| failed(obstacle.into()))?;
        }

        Ok(())
    }

    /// Drops the files of sources that are gone.
    pub(crate) fn drop_gone(&self, sources: &[BillSource]) -> Result<u64, Obstacle> {
        drop_files(&self.folder, |name| {
            !sources
                .iter()
                .any(|source| name.starts_with(&beginning(&source.id)))
        })
    }
}

/// Downloads aside, and gives the file its name and the object's time once it is whole.
async fn fetch(
    bucket: &SourceBucket,
    object: &ListedObject,
    path: &Path,
) -> Result<(), SourceBucketError> {
    let aside = path.with_extension("part");
    let done = bucket.download(object, &aside).await;
    let failed = |error: std::io::Error| SourceBucketError {
        denied: false,
        message: format!("{}: {error}", path.display()),
    };

    if done.is_ok() {
        // Where bills overlap, the one that was changed last counts.
        if let Some(modified) = object.modified {
            let file = std::fs::File::options()
                .append(true)
                .open(&aside)
                .map_err(failed)?;
            file.set_modified(modified.into()).map_err(failed)?;
        }
        return std::fs::rename(&aside, path).map_err(failed);
    }

    // Nothing is left of it; a file that was not even made is none.
    std::fs::remove_file(&aside).ok();
    done
}

/// Beginning of the names of a source's files.
fn beginning(id: &BillSourceId) -> String {
    format!("s3-{}-", id.0)
}

/// Name of the file of an object; `None` for an object that is no bill.
fn file_name(id: &BillSourceId, object: &ListedObject) -> Option<String> {
    let key = object.key.to_ascii_lowercase();
    let ending = ENDINGS
        .iter()
        .filter(|ending| key.ends_with(**ending))
        .max_by_key(|ending| ending.len())?;
    let digest = Sha256::new()
        .chain_update(&object.key)
        .chain_update([0])
        .chain_update(&object.etag)
        .finalize();

    Some(format!(
        "{}{}{ending}",
        beginning(id),
        hex::encode(&digest[..12])
    ))
}

/// Names of the files that sources put into the folder, parts of an interrupted download included.
fn own_files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.starts_with("s3-")).collect()
}

/// Drops the other files of a source than those to keep; returns their number.
fn drop_others(
    folder: &Path,
    id: &BillSourceId,
    keep: impl Fn(&str) -> bool,
) -> Result<u64, Obstacle> {
    drop_files(folder, |name| {
        name.starts_with(&beginning(id)) && !keep(name)
    })
}

fn drop_files(folder: &Path, is_unwanted: impl Fn(&str) -> bool) -> Result<u64, Obstacle> {
    let mut dropped = 0;
    for name in own_files(folder)
        .into_iter()
        .filter(|name| is_unwanted(name))
    {
        std::fs::remove_file(folder.join(&name))
            .map_err(|error| Obstacle::of(format_args!("{name}: {error}")))?;
        dropped += 1;
    }
    Ok(dropped)
}

fn entry(source: &BillSource, by: &str, sync: &BillSync) -> Entry {
    let synced = Synced {
        kind: "bill_source",
        id: &source.id.0,
        name: &source.name,
        by,
    };

    let report = json!({
        "bills": sync.bills,
        "read": sync.read,
        "dropped": sync.dropped,
        "bytes": sync.bytes,
        "denied": sync.denied,
        "problems": sync.problems,
    });

    sync_entry(&synced, report, &sync.problems)
}

/// The puller as handlers know it: a sync they request runs in the background.
pub(crate) struct BackgroundBills(pub(crate) Arc<BillPuller>);

impl BillSyncer for BackgroundBills {
    fn sync(&self, source: &BillSource, by: &str) -> bool {
        if self.0.is_running(&source.id) {
            return false;
        }
        let (puller, source, by) = (self.0.clone(), source.clone(), by.to_owned());
        tokio::spawn(async move { puller.sync_now(&source, &by).await });
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn object(key: &str, etag: &str) -> ListedObject {
        ListedObject {
            key: key.to_owned(),
            etag: etag.to_owned(),
            size: 1,
            modified: None,
        }
    }

    #[test]
    fn a_file_is_named_by_source_object_and_content() {
        let (one, two) = (BillSourceId("a".into()), BillSourceId("b".into()));
        let name = |id, key, etag| file_name(id, &object(key, etag));
        let first = name(&one, "focus/2026-11/part-0.snappy.parquet", "1").unwrap();
        assert!(
            first.starts_with("s3-a-") && first.ends_with(".parquet"),
            "{first}"
        );
        assert_eq!(
            name(&one, "focus/2026-11/part-0.snappy.parquet", "1").unwrap(),
            first
        );
        assert_ne!(
            name(&one, "focus/2026-11/part-0.snappy.parquet", "2").unwrap(),
            first,
            "restated"
        );

        assert_ne!(
            name(&two, "focus/2026-11/part-0.snappy.parquet", "1").unwrap(),
            first
        );
        assert!(name(&one, "a.csv.gz", "1").unwrap().ends_with(".csv.gz"));
        assert_eq!(name(&one, "focus/Manifest.json", "1"), None);
    }

    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "s3-a-1.csv",
            "s3-a-2.csv",
            "s3-a-3.part",
            "s3-b-1.csv",
            "mine.csv",
        ] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }

        let id = BillSourceId("a".into());
        assert_eq!(
            drop_others(folder.path(), &id, |name| name == "s3-a-2.csv").unwrap(),
            2
        );

        let mut left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["mine.csv", "s3-a-2.csv", "s3-b-1.csv"]);
    }
}
