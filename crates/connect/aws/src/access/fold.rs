//! Requests of one reading joined with the listing of the bucket, so that the age of an object at
//! each read is known.
//!
//! A read of an object that is gone, or was replaced since, counts for the oldest age unless the
//! logs have its writing: what is claimed to be rarely read must not rest on reads that were not
//! understood.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::BucketAccess;
use reeve_estate::bucket::access::{AGE_BANDS, Amount, LEAST_BILLED_BYTES, PrefixUse, band};

use super::record::{AccessEffect, AccessRecord};

/// Most different keys of one reading.
const MOST_KEYS: usize = 100_000;
/// Age of objects whose writing is not known, days.
const OLDEST: i64 = AGE_BANDS[AGE_BANDS.len() - 1];
const DAY_S: i64 = 86_400;

/// Requests for the objects of one bucket, by key.
#[derive(Debug, Default)]
pub(super) struct Requests {
    by_key: BTreeMap<String, KeyRequests>,
    times: Option<(Timestamp, Timestamp)>,
    pub(super) records: u64,
    pub(super) malformed: u64,
}

#[derive(Debug, Default)]
struct KeyRequests {
    reads: Vec<(Timestamp, u64)>,
    written: Option<Timestamp>,
}

/// An object as a listing has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) key: &'a str,
    pub(super) modified: Timestamp,
    pub(super) bytes: u64,
    /// `true` for the class STANDARD.
    pub(super) is_standard: bool,
}

impl Requests {
    /// Returns `true` while another log object may be read.
    pub(super) fn has_room(&self) -> bool {
        self.by_key.len() < MOST_KEYS
    }

    /// Counts a record; its read or write waits for the listing of the object.
    pub(super) fn add(&mut self, record: AccessRecord<'_>) {
        self.records += 1;
        let (first, last) = self.times.unwrap_or((record.time, record.time));
        self.times = Some((first.min(record.time), last.max(record.time)));
        let (Some(effect), time, bytes) = (record.effect(), record.time, record.bytes_sent) else {
            return;
        };
        let Some(key) = record.key else { return };
        let requests = self.by_key.entry(key).or_default();

        match effect {
            AccessEffect::Read => requests.reads.push((time, bytes)),
            AccessEffect::Written => requests.written = requests.written.max(Some(time)),
        }
    }

    /// Counts an object that is there, with the requests for it.
    pub(super) fn list(&mut self, access: &mut BucketAccess, object: Listed<'_>, now: Timestamp) {
        let requests = self.by_key.remove(object.key);
        let used = access.of_key(object.key);

        if object.is_standard && object.bytes < LEAST_BILLED_BYTES {
            used.small_objects += 1;
        } else if object.is_standard {
            used.stored[band(days(object.modified, now))].add(Amount {
                count: 1,
                bytes: object.bytes,
            });
        }

        let Some(requests) = requests else { return };
        for (at, bytes) in &requests.reads {
            used.last_read = used.last_read.max(Some(*at));
            // Reads of small objects and of other classes say nothing about what would be moved.
            if object.is_standard && object.bytes >= LEAST_BILLED_BYTES {
                let known = (*at >= object.modified).then_some(object.modified);
                count(
                    used,
                    known.or(requests.written.filter(|written| written <= at)),
                    *at,
                    *bytes,
                );
            }
        }
    }

    /// Counts the requests for objects that the listing did not have, and the window.
    pub(super) fn end(self, access: &mut BucketAccess) {
        for (key, requests) in self.by_key {
            let used = access.of_key(&key);
            for (at, bytes) in requests.reads {
                count(
                    used,
                    requests.written.filter(|written| *written <= at),
                    at,
                    bytes,
                );
            }
        }

        access.records += self.records;
        access.malformed += self.malformed;
        if let Some((first, last)) = self.times {
            access.observe(first);
            access.observe(last);
        }
    }
}

fn count(used: &mut PrefixUse, modified: Option<Timestamp>, at: Timestamp, bytes: u64) {
    let age = modified.map_or(OLDEST, |modified| days(modified, at));
    used.read(age, at, Amount { count: 1, bytes });
}

fn days(from: Timestamp, to: Timestamp) -> i64 {
    (to.as_second() - from.as_second()).div_euclid(DAY_S)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::bucket::access::AccessState;

    use super::*;

    fn day(n: i64) -> Timestamp {
        Timestamp::from_second(n * DAY_S).unwrap()
    }

    fn request(operation: &'static str, key: &str, at: Timestamp) -> AccessRecord<'static> {
        AccessRecord {
            bucket: "b",
            time: at,
            operation,
            key: Some(key.to_owned()),
            status: Some(200),
            bytes_sent: 1000,
        }
    }

    #[test]
    fn reads_count_for_the_age_that_the_object_had() {
        let mut requests = Requests::default();
        for (key, at) in [
            ("a/old", 400),
            ("a/old", 401),
            ("a/new", 400),
            ("a/gone", 400),
            ("a/made", 400),
            ("a/small", 400),
        ] {
            requests.add(request("REST.GET.OBJECT", key, day(at)));
        }

        requests.add(request("REST.PUT.OBJECT", "a/made", day(395)));
        requests.add(request("REST.HEAD.OBJECT", "a/old", day(402)));
        let mut access = BucketAccess::empty(day(410), AccessState::Complete);

        for (key, modified, bytes) in [
            ("a/old", 200, 1 << 20),
            ("a/new", 399, 1 << 20),
            ("a/small", 1, 10),
            ("top", 0, 1 << 30),
        ] {
            let object = Listed {
                key,
                modified: day(modified),
                bytes,
                is_standard: true,
            };
            requests.list(&mut access, object, day(410));
        }

        requests.end(&mut access);
        let used = &access.prefixes["a/"];
        assert_eq!(used.bands().map(|band| band.objects), [1, 0, 0, 0, 1, 0]);
        assert_eq!(
            used.bands().map(|band| band.reads),
            [2, 0, 0, 0, 2, 1],
            "the one that is gone counts as old"
        );
        assert_eq!((used.small_objects, used.last_read), (1, Some(day(401))));
        assert_eq!(
            (access.prefixes[""].stored[5].bytes, access.records),
            (1 << 30, 8)
        );
        assert_eq!(
            (access.since, access.until),
            (Some(day(395)), Some(day(402)))
        );
    }
}
