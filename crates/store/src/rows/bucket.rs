//! Contents and use of a bucket, as parts of a resource's row.

use std::collections::BTreeMap;

use reeve_estate::bucket::access::{AccessState, Amount, BANDS, PrefixUse};
use reeve_estate::{BucketAccess, BucketContents};
use serde::{Deserialize, Serialize};

use super::{RowError, named, time, time_or_none};

/// Contents of a bucket.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ContentsRow {
    measured_at: String,
    objects: Option<u64>,
    gib: BTreeMap<String, f64>,
}

impl From<&BucketContents> for ContentsRow {
    fn from(contents: &BucketContents) -> Self {
        ContentsRow {
            measured_at: contents.measured_at.to_string(),
            objects: contents.objects,
            gib: contents.gib.clone(),
        }
    }
}

impl ContentsRow {
    pub(super) fn into_contents(self) -> Result<BucketContents, RowError> {
        Ok(BucketContents {
            measured_at: time(&self.measured_at)?,
            objects: self.objects,
            gib: self.gib,
        })
    }
}

/// Use of a bucket.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AccessRow {
    read_at: String,
    state: String,
    cursor: String,
    since: Option<String>,
    until: Option<String>,
    records: u64,
    malformed: u64,
    prefixes: BTreeMap<String, PrefixRow>,
    others: PrefixRow,
}

/// Use of a prefix. Objects and reads are a number and bytes, by age.
#[derive(Debug, Serialize, Deserialize)]
struct PrefixRow {
    stored: [(u64, u64); BANDS],
    weeks: BTreeMap<i64, [(u64, u64); BANDS]>,
    small_objects: u64,
    last_read: Option<String>,
}

impl From<&BucketAccess> for AccessRow {
    fn from(access: &BucketAccess) -> Self {
        AccessRow {
            read_at: access.read_at.to_string(),
            state: access.state.as_str().to_owned(),
            cursor: access.cursor.clone(),
            since: access.since.map(|at| at.to_string()),
            until: access.until.map(|at| at.to_string()),
            records: access.records,
            malformed: access.malformed,
            prefixes: access
                .prefixes
                .iter()
                .map(|(prefix, used)| (prefix.clone(), PrefixRow::from(used)))
                .collect(),
            others: PrefixRow::from(&access.others),
        }
    }
}

impl AccessRow {
    pub(super) fn into_access(self) -> Result<BucketAccess, RowError> {
        let prefixes = self
            .prefixes
            .into_iter()
            .map(|(prefix, row)| Ok((prefix, row.into_use()?)));
        Ok(BucketAccess {
            read_at: time(&self.read_at)?,
            state: named("state", &self.state, AccessState::parse)?,
            cursor: self.cursor,
            since: time_or_none(self.since.as_deref())?,
            until: time_or_none(self.until.as_deref())?,
            records: self.records,
            malformed: self.malformed,
            prefixes: prefixes.collect::<Result<_, RowError>>()?,
            others: self.others.into_use()?,
        })
    }
}

fn pairs(amounts: &[Amount; BANDS]) -> [(u64, u64); BANDS] {
    amounts.map(|amount| (amount.count, amount.bytes))
}

impl From<&PrefixUse> for PrefixRow {
    fn from(used: &PrefixUse) -> Self {
        PrefixRow {
            stored: pairs(&used.stored),
            weeks: used
                .weeks
                .iter()
                .map(|(week, reads)| (*week, pairs(reads)))
                .collect(),
            small_objects: used.small_objects,
            last_read: used.last_read.map(|at| at.to_string()),
        }
    }
}

impl PrefixRow {
    fn into_use(self) -> Result<PrefixUse, RowError> {
        let amount = |(count, bytes)| Amount { count, bytes };
        Ok(PrefixUse {
            stored: self.stored.map(amount),
            weeks: self
                .weeks
                .into_iter()
                .map(|(week, reads)| (week, reads.map(amount)))
                .collect(),
            small_objects: self.small_objects,
            last_read: time_or_none(self.last_read.as_deref())?,
        })
    }
}
