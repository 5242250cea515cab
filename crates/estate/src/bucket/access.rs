//! Use of a bucket by its server access logs, and its objects by age, in memory that is bounded however large the bucket is.
//!
//! Counts are kept by prefix (the key up to its first slash) and by the age of the object: that at the listing for what is stored, that
//! at the request for what was read. Only objects of the class STANDARD of at least [`LEAST_BILLED_BYTES`] count: smaller ones
//! are not worth moving, since colder classes bill them as if they had that size.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::named;

/// Ages at which the bands begin, days.
pub const AGE_BANDS: [i64; BANDS] = [0, 30, 60, 90, 180, 365];
/// Number of bands.
pub const BANDS: usize = 6;
/// Least size that STANDARD_IA and GLACIER_IR bill, bytes (Amazon S3 user guide, "Comparing the Amazon S3 storage classes").
pub const LEAST_BILLED_BYTES: u64 = 128 * 1024;
/// Most prefixes that are counted apart.
pub const MOST_PREFIXES: usize = 50;
/// Days after which counts of reads are halved, so that old use is forgotten.
const MOST_DAYS: i64 = 180;
const DAY_S: i64 = 86_400;

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
    /// Stored objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Reads of objects that were of this age then.
    pub reads: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
}

impl BandUse {
    fn add(&mut self, other: BandUse) {
        self.objects = self.objects.saturating_add(other.objects);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.reads = self.reads.saturating_add(other.reads);
        self.read_bytes = self.read_bytes.saturating_add(other.read_bytes);
    }
}

/// Use of the objects below a prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrefixUse {
    /// By age, as [`AGE_BANDS`].
    pub bands: [BandUse; BANDS],
    /// Objects smaller than [`LEAST_BILLED_BYTES`], which no band counts.
    pub small_objects: u64,
    /// Writes in the logs.
    pub writes: u64,
    /// Last read in the logs.
    pub last_read: Option<Timestamp>,
}

impl PrefixUse {
    /// Returns the sum over the objects that are at least so many days old.
    #[must_use]
    pub fn from_age(&self, days: i64) -> BandUse {
        let mut sum = BandUse::default();
        for (band, begins) in self.bands.iter().zip(AGE_BANDS) {
            if begins >= days {
                sum.add(*band);
            }
        }
        sum
    }

    fn add(&mut self, other: &PrefixUse) {
        for (band, more) in self.bands.iter_mut().zip(other.bands) {
            band.add(more);
        }
        self.small_objects += other.small_objects;
        self.writes += other.writes;
        self.last_read = self.last_read.max(other.last_read);
    }
}

/// Use of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            (Some(since), Some(until)) => (until.as_second() - since.as_second()).max(0) as f64 / DAY_S as f64,
            _ => 0.0,
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
        let prefix = key.split_once('/').map_or("", |(first, _)| &key[..=first.len()]);
        if !self.prefixes.contains_key(prefix) && self.prefixes.len() >= MOST_PREFIXES {
            return &mut self.others;
        }
        self.prefixes.entry(prefix.to_owned()).or_default()
    }

    /// Forgets what is stored, before the objects are listed again.
    pub fn begin_listing(&mut self) {
        for one in self.prefixes.values_mut().chain([&mut self.others]) {
            one.small_objects = 0;
            for band in &mut one.bands {
                (band.objects, band.bytes) = (0, 0);
            }
        }
    }

    /// Widens the window by a request, and halves the counts once it is longer than 180 days. A half is rounded up: a read does not
    /// become none.
    pub fn observe(&mut self, at: Timestamp) {
        let since = self.since.map_or(at, |since| since.min(at));
        let until = self.until.map_or(at, |until| until.max(at));
        (self.since, self.until) = (Some(since), Some(until));
        if self.window_days() > MOST_DAYS as f64 {
            let middle = since.as_second().midpoint(until.as_second());
            self.since = Timestamp::from_second(middle).ok().or(Some(since));
            for one in self.prefixes.values_mut().chain([&mut self.others]) {
                one.writes = one.writes.div_ceil(2);
                for band in &mut one.bands {
                    (band.reads, band.read_bytes) = (band.reads.div_ceil(2), band.read_bytes.div_ceil(2));
                }
            }
        }
    }
}

/// Returns the band of an age.
#[must_use]
pub fn band(age_days: i64) -> usize {
    AGE_BANDS.iter().rposition(|begins| age_days >= *begins).unwrap_or(0)
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
        assert_eq!([-1, 0, 29, 30, 89, 90, 400].map(band), [0, 0, 0, 1, 2, 3, 5]);
        let mut all = PrefixUse::default();
        for (n, band) in all.bands.iter_mut().enumerate() {
            band.objects = 1 << n;
        }
        assert_eq!([0, 90, 91, 365].map(|days| all.from_age(days).objects), [63, 56, 48, 32]);
    }

    #[test]
    fn memory_is_bounded_by_the_number_of_prefixes() {
        let mut access = BucketAccess::empty(day(0), AccessState::Complete);
        for n in 0..1000 {
            access.of_key(&format!("p{n}/a/b")).writes += 1;
        }
        access.of_key("p1/again").writes += 1;
        assert_eq!((access.prefixes.len(), access.prefixes["p1/"].writes), (MOST_PREFIXES, 2));
        assert_eq!((access.others.writes, access.total().writes), (950, 1001));
    }

    #[test]
    fn old_use_is_forgotten_by_halves() {
        let mut access = BucketAccess::empty(day(0), AccessState::Complete);
        access.of_key("a/b").bands[3].reads = 5;
        access.of_key("a/b").bands[3].bytes = 7;
        access.observe(day(1));
        access.observe(day(100));
        assert_eq!((access.window_days(), access.total().bands[3].reads), (99.0, 5));
        access.observe(day(201));
        assert_eq!((access.window_days(), access.total().bands[3].reads), (100.0, 3));
        access.begin_listing();
        assert_eq!((access.total().bands[3].bytes, access.total().bands[3].reads), (0, 3));
    }
}
