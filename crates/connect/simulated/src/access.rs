//! Use of simulated buckets: one has access logs, the others none. Objects of it are read while
//! they are young; of the old ones a few a month are looked at, as the logs of an account are.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::bucket::access::{AGE_BANDS, AccessState, Amount, BANDS};
use reeve_estate::{AccessBatch, BucketAccess, Provider, Resource};

use crate::account::SimulatedAccount;
use crate::lifecycle::OBJECTS_A_GIB;

/// Share of the bytes by age: most of a trail is old.
const STORED: [f64; BANDS] = [0.04, 0.04, 0.04, 0.10, 0.20, 0.58];
/// Reads a day by age.
const READS: [f64; BANDS] = [220.0, 14.0, 3.0, 0.6, 0.2, 0.1];
/// Days that the logs reach back before the demonstration began.
const DAYS: i64 = 74;
const OBJECT: u64 = (1024.0 * 1024.0 * 1024.0 / OBJECTS_A_GIB) as u64;
const DAY_S: i64 = 86_400;

impl SimulatedAccount {
    /// Use of the account's buckets.
    pub(crate) fn read_access(&self, buckets: &[Resource]) -> AccessBatch {
        let now = self.world.now();
        let aws = buckets
            .iter()
            .filter(|bucket| bucket.provider == Provider::Aws);
        let read = aws.filter_map(|bucket| {
            let row = self
                .plan
                .buckets
                .iter()
                .find(|row| row.name == bucket.name)?;
            let none = || BucketAccess::empty(now, AccessState::NotLogged);
            let access = if row.rarely_read {
                self.rarely_read(f64::from(row.gib), now)
            } else {
                none()
            };
            Some((bucket.id.clone(), access))
        });

        AccessBatch {
            read: read.collect(),
            ..AccessBatch::default()
        }
    }

    fn rarely_read(&self, gib: f64, now: Timestamp) -> BucketAccess {
        let since = self.world.settings.anchor - SignedDuration::from_hours(24 * DAYS);
        let days = (now.as_second() - since.as_second()) as f64 / DAY_S as f64;
        let mut access = BucketAccess::empty(now, AccessState::Complete);
        let used = access.of_key("AWSLogs/");

        for (band, (stored, reads)) in STORED.into_iter().zip(READS).enumerate() {
            let objects = (gib * OBJECTS_A_GIB * stored) as u64;
            used.stored[band] = Amount {
                count: objects,
                bytes: objects * OBJECT,
            };
            for day in 0..days as i64 {
                let until = |day: i64| (day as f64 * reads) as u64;
                let count = until(day + 1) - until(day);
                if count > 0 {
                    let at = since + SignedDuration::from_hours(24 * day);
                    used.read(
                        AGE_BANDS[band],
                        at,
                        Amount {
                            count,
                            bytes: count * OBJECT,
                        },
                    );
                }
            }
        }

        used.small_objects = 1_800;
        used.last_read = Some(now - SignedDuration::from_mins(37));
        access.records = (days * 640.0) as u64;
        access.since = Some(since);
        access.until = Some(now);
        access.cursor = "cloudtrail/".to_owned();

        access
    }
}
