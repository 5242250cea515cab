//! Use of a bucket by its server access logs, and its objects by age, in memory that is bounded
//! however large the bucket is.
//!
//! Counts are kept by prefix (the key up to its first slash) and by the age of the object: that at
//! the listing for what is stored, that at the request for what was read. Only objects of the class
//! STANDARD of at least [`LEAST_BILLED_BYTES`] count: smaller ones are not worth moving, since
//! colder classes bill them as if they had that size.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::named;

/// Ages at which the bands begin, days.
pub const AGE_BANDS: [i64; BANDS] = [0, 30, 60, 90, 180, 365];
/// Number of age bands: the length of [`AGE_BANDS`].
pub const BANDS: usize = 6;
/// Least size that STANDARD_IA and GLACIER_IR bill, bytes (Amazon S3 user guide, "Comparing the
/// Amazon S3 storage classes").
pub const LEAST_BILLED_BYTES: u64 = 128 * 1024;
/// Most prefixes that are counted apart.
pub const MOST_PREFIXES: usize = 50;
/// Weeks of reads that are kept before the present one.
const MOST_WEEKS: i64 = 26;
const DAY_S: i64 = 86_400;
const WEEK_S: i64 = 7 * DAY_S;

named!(
    /// State of reading a bucket's logs.
    AccessState {
        /// The bucket has no access logging.
        NotLogged => "not_logged",
        /// Logs and objects were read to their ends.
        Complete => "complete",
        /// More logs are there than one sync reads; the next one reads on.
        Behind => "behind",
        /// The bucket has more objects than a sync lists.
        TooManyObjects => "too_many_objects",
    }
);

/// Objects of one age and their reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BandUse {
    /// Number of stored objects.
    pub objects: u64,
    /// Sum of their sizes.
    pub bytes: u64,
    /// Reads of objects that were of this age then.
    pub reads: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
}

/// Number of objects or requests, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct Amount {
    pub count: u64,
    pub bytes: u64,
}

/// Stored as number and bytes.
impl From<Amount> for (u64, u64) {
    fn from(amount: Amount) -> Self {
        (amount.count, amount.bytes)
    }
}

impl From<(u64, u64)> for Amount {
    fn from((count, bytes): (u64, u64)) -> Self {
        Amount { count, bytes }
    }
}

impl Amount {
    /// Adds an amount, up to the largest number.
    pub fn add(&mut self, other: Amount) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Use of the objects below a prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixUse {
    /// Objects by age, as [`AGE_BANDS`].
    pub stored: [Amount; BANDS],
    /// Reads by week since 1970-01-01 UTC and by the age of the object at the request.
    pub weeks: BTreeMap<i64, [Amount; BANDS]>,
    /// Objects smaller than [`LEAST_BILLED_BYTES`], which no band counts.
    pub small_objects: u64,
    /// Last read in the logs.
    pub last_read: Option<Timestamp>,
}

impl PrefixUse {
    /// Objects by age with all their reads.
    #[must_use]
    pub fn bands(&self) -> [BandUse; BANDS] {
        let mut reads = [Amount::default(); BANDS];
        self.weeks.values().for_each(|week| add(&mut reads, week));
        let mut bands = [BandUse::default(); BANDS];

        for ((band, stored), read) in bands.iter_mut().zip(self.stored).zip(reads) {
            *band = BandUse {
                objects: stored.count,
                bytes: stored.bytes,
                reads: read.count,
                read_bytes: read.bytes,
            };
        }

        bands
    }

    /// Returns the sum over the objects that are at least so many days old.
    #[must_use]
    pub fn from_age(&self, days: i64) -> BandUse {
        let mut sum = BandUse::default();
        for (band, begins) in self.bands().into_iter().zip(AGE_BANDS) {
            if begins >= days {
                sum.objects = sum.objects.saturating_add(band.objects);
                sum.bytes = sum.bytes.saturating_add(band.bytes);
                sum.reads = sum.reads.saturating_add(band.reads);
                sum.read_bytes = sum.read_bytes.saturating_add(band.read_bytes);
            }
        }

        sum
    }

    /// Counts reads of objects that were so many days old.
    pub fn read(&mut self, age_days: i64, at: Timestamp, reads: Amount) {
        self.weeks.entry(week(at)).or_default()[band(age_days)].add(reads);
        self.last_read = self.last_read.max(Some(at));
    }

    fn in_weeks(&self, weeks: Range<i64>) -> PrefixUse {
        let weeks = self
            .weeks
            .range(weeks)
            .map(|(week, reads)| (*week, *reads))
            .collect();
        PrefixUse {
            stored: self.stored,
            weeks,
            small_objects: self.small_objects,
            last_read: None,
        }
    }

    fn add(&mut self, other: &PrefixUse) {
        add(&mut self.stored, &other.stored);
        for (week, reads) in &other.weeks {
            add(self.weeks.entry(*week).or_default(), reads);
        }
        self.small_objects += other.small_objects;
        self.last_read = self.last_read.max(other.last_read);
    }
}

fn add(sums: &mut [Amount; BANDS], more: &[Amount; BANDS]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        sum.add(*more);
    }
}

/// Use of a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketAccess {
    /// Time of the last reading.
    pub read_at: Timestamp,
    /// End of the last reading.
    pub state: AccessState,
    /// Key of the last log object that was read; empty before the first.
    pub cursor: String,
    /// First request in the logs.
    pub since: Option<Timestamp>,
    /// Last request in the logs.
    pub until: Option<Timestamp>,
    /// Lines that were counted.
    pub records: u64,
    /// Lines that were no records.
    pub malformed: u64,
    /// By prefix; the empty prefix has the keys without a slash.
    pub prefixes: BTreeMap<String, PrefixUse>,
    /// Prefixes beyond [`MOST_PREFIXES`], together.
    pub others: PrefixUse,
}

impl BucketAccess {
    /// A reading that has counted nothing yet.
    #[must_use]
    pub fn empty(read_at: Timestamp, state: AccessState) -> BucketAccess {
        BucketAccess {
            read_at,
            state,
            cursor: String::new(),
            since: None,
            until: None,
            records: 0,
            malformed: 0,
            prefixes: BTreeMap::new(),
            others: PrefixUse::default(),
        }
    }

    /// Days between the first and the last request in the logs.
    #[must_use]
    pub fn window_days(&self) -> f64 {
        match (self.since, self.until) {
            (Some(since), Some(until)) => {
                (until.as_second() - since.as_second()).max(0) as f64 / DAY_S as f64
            }
            _ => 0.0,
        }
    }

    /// Returns the weeks since 1970-01-01 UTC that the logs have from beginning to end.
    #[must_use]
    pub fn whole_weeks(&self) -> Range<i64> {
        let (Some(since), Some(until)) = (self.since, self.until) else {
            return 0..0;
        };
        let first = week(since) + i64::from(since.as_second().rem_euclid(WEEK_S) > 0);
        first..week(until).max(first)
    }

    /// Returns the same objects with the reads of these weeks alone, as if the logs had no others.
    #[must_use]
    pub fn in_weeks(&self, weeks: Range<i64>) -> BucketAccess {
        let part = |used: &PrefixUse| used.in_weeks(weeks.clone());
        BucketAccess {
            since: begin(weeks.start),
            until: begin(weeks.end),
            prefixes: self
                .prefixes
                .iter()
                .map(|(prefix, used)| (prefix.clone(), part(used)))
                .collect(),
            others: part(&self.others),
            cursor: self.cursor.clone(),
            ..*self
        }
    }

    /// Use over all prefixes.
    #[must_use]
    pub fn total(&self) -> PrefixUse {
        let mut total = self.others.clone();
        self.prefixes.values().for_each(|one| total.add(one));
        total
    }

    /// Returns the counts of the prefix of a key.
    pub fn of_key(&mut self, key: &str) -> &mut PrefixUse {
        let prefix = key
            .split_once('/')
            .map_or("", |(first, _)| &key[..=first.len()]);
        if !self.prefixes.contains_key(prefix) && self.prefixes.len() >= MOST_PREFIXES {
            return &mut self.others;
        }
        self.prefixes.entry(prefix.to_owned()).or_default()
    }

    /// Forgets what is stored, before the objects are listed again.
    pub fn begin_listing(&mut self) {
        for one in self.prefixes.values_mut().chain([&mut self.others]) {
            one.small_objects = 0;
            one.stored = Default::default();
        }
    }

    /// Widens the window by a request, and forgets the weeks that are too old.
    pub fn observe(&mut self, at: Timestamp) {
        let since = self.since.map_or(at, |since| since.min(at));
        let until = self.until.map_or(at, |until| until.max(at));
        let oldest = week(until) - MOST_WEEKS;
        for one in self.prefixes.values_mut().chain([&mut self.others]) {
            one.weeks = one.weeks.split_off(&oldest);
        }

        (self.since, self.until) = (
            begin(oldest).map_or(Some(since), |oldest| Some(since.max(oldest))),
            Some(until),
        );
    }
}

/// Returns the week of a time, counted from 1970-01-01 UTC.
fn week(at: Timestamp) -> i64 {
    at.as_second().div_euclid(WEEK_S)
}

fn begin(week: i64) -> Option<Timestamp> {
    Timestamp::from_second(week * WEEK_S).ok()
}

/// Returns the band of an age.
#[must_use]
pub fn band(age_days: i64) -> usize {
    AGE_BANDS
        .iter()
        .rposition(|begins| age_days >= *begins)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn day(n: i64) -> Timestamp {
        Timestamp::from_second(n * DAY_S).unwrap()
    }

    #[test]
    fn ages_are_counted_in_bands() {
        assert_eq!(
            [-1, 0, 29, 30, 89, 90, 400].map(band),
            [0, 0, 0, 1, 2, 3, 5]
        );

        let mut all = PrefixUse::default();
        for (n, band) in all.stored.iter_mut().enumerate() {
            band.count = 1 << n;
        }

        assert_eq!(
            [0, 90, 91, 365].map(|days| all.from_age(days).objects),
            [63, 56, 48, 32]
        );
    }

    #[test]
    fn reads_are_kept_by_week_too() {
        let mut access = BucketAccess::empty(day(40), AccessState::Complete);
        let reads = |count| Amount {
            count,
            bytes: count * 10,
        };

        for (at, count) in [(5, 1), (6, 2), (7, 4), (20, 8), (21, 16)] {
            access.of_key("a/b").read(90, day(at), reads(count));
            access.of_key("top").read(365, day(at), reads(1));
            access.observe(day(at));
        }

        access.of_key("a/b").stored[3].count = 9;
        assert_eq!(
            access.whole_weeks(),
            1..3,
            "the logs begin on the fifth day of a week"
        );

        let part = access.in_weeks(1..3);
        let band = part.prefixes["a/"].bands()[3];
        assert_eq!(
            (
                band.objects,
                band.reads,
                band.read_bytes,
                part.window_days()
            ),
            (9, 12, 120, 14.0)
        );

        assert_eq!(
            (
                access.total().weeks[&3][3].count,
                access.total().bands()[3].reads
            ),
            (16, 31)
        );

        access.observe(day(29 * 7));
        assert_eq!(
            (access.prefixes["a/"].bands()[3].reads, access.window_days()),
            (16, 182.0),
            "old weeks are forgotten"
        );
        access.begin_listing();
        assert_eq!(
            (
                access.prefixes["a/"].bands()[3].objects,
                access.total().bands()[3].reads
            ),
            (0, 16)
        );
    }

    #[test]
    fn memory_is_bounded_by_the_number_of_prefixes() {
        let mut access = BucketAccess::empty(day(0), AccessState::Complete);
        for n in 0..1000 {
            access.of_key(&format!("p{n}/a/b")).small_objects += 1;
        }

        access.of_key("p1/again").small_objects += 1;
        assert_eq!(
            (access.prefixes.len(), access.prefixes["p1/"].small_objects),
            (MOST_PREFIXES, 2)
        );
        assert_eq!(
            (access.others.small_objects, access.total().small_objects),
            (950, 1001)
        );
    }
}
