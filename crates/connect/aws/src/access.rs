//! Use of buckets: server access logs, read on from where the last reading ended, and a listing of
//! the objects, which has their ages.
//!
//! Once a day, and bounded: so many log objects, bytes and pages a bucket. A bucket that has more
//! is read on by the next sync. A reading counts as a whole or not at all: the cursor and the
//! counts are kept together. Amazon S3 user guide, "Logging requests with server access logging".

mod fold;
mod record;

use aws_sdk_s3::Client;
use aws_sdk_s3::types::PartitionDateSource;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use jiff::{SignedDuration, Timestamp};
use reeve_connect_aws_ec2::place::timestamp;
use reeve_connect_aws_ec2::{At, AwsEc2Fault, Cursor, FaultKind, Place};
use reeve_estate::bucket::access::AccessState;
use reeve_estate::{AccessBatch, BucketAccess, Resource};

use crate::inventory::s3;
use crate::session::AwsConnection;
use fold::{Listed, Requests};

/// Days that the first reading reaches back.
const FIRST_DAYS: i64 = 60;
/// Log objects that one reading reads.
const MOST_LOGS: usize = 2_000;
/// Bytes of them; a larger log object is not read.
const MOST_BYTES: i64 = 64 << 20;
/// Pages of 1,000 objects that one reading lists.
const MOST_PAGES: usize = 200;

/// Days after which no more logs of a day arrive: S3 delivers most requests within hours, and
/// writes no time.
const LATE_DAYS: i64 = 2;

/// Location of a bucket's logs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LogTarget {
    bucket: String,
    /// Beginning of the keys, before the date.
    prefix: String,
    /// The date is written with slashes.
    is_partitioned: bool,
    /// The date is that of the requests. Logs of a day have no time in their names, so that later
    /// ones come before the cursor too.
    is_by_event: bool,
}

/// Result of reading one bucket; `None` while the last reading is recent.
type Reading = Result<Option<BucketAccess>, AwsEc2Fault>;

impl AwsConnection {
    /// Reads on in the logs of buckets.
    pub(crate) async fn read_access(&self, buckets: &[Resource]) -> AccessBatch {
        let now = Timestamp::now();
        let mut work: Vec<BoxFuture<'_, (&Resource, Reading)>> = Vec::new();

        for bucket in buckets {
            work.push(Box::pin(async move {
                (bucket, self.read_bucket(bucket, now).await)
            }));
        }

        let answers: Vec<_> = stream::iter(work)
            .buffer_unordered(self.tuning.parallel)
            .collect()
            .await;
        let mut batch = AccessBatch::default();

        for (bucket, answer) in answers {
            match answer {
                Ok(access) => batch
                    .read
                    .extend(access.map(|access| (bucket.id.clone(), access))),
                Err(fault) if fault.kind == FaultKind::Denied => {
                    let denied = fault.denied();
                    if !batch.denied.contains(&denied) {
                        batch.denied.push(denied);
                    }
                }
                Err(fault) => batch
                    .problems
                    .push(format!("access logs of {}: {}", bucket.id, fault.message)),
            }
        }

        batch.read.sort_by(|a, b| a.0.cmp(&b.0));
        batch
    }

    async fn read_bucket(&self, bucket: &Resource, now: Timestamp) -> Reading {
        let known = bucket.specification.access.as_ref();
        let is_recent = |known: &BucketAccess| {
            known.state != AccessState::Behind
                && now.duration_since(known.read_at) < self.tuning.access_every
        };

        if known.is_some_and(is_recent) {
            return Ok(None);
        }

        let place = self.place(&bucket.account, &bucket.region);
        let client = s3::client(self, &bucket.region);
        let Some(target) = target(&client, &place, bucket).await? else {
            return Ok(Some(BucketAccess::empty(now, AccessState::NotLogged)));
        };

        let logged = |known: &&BucketAccess| {
            known.state != AccessState::NotLogged && known.cursor.starts_with(&target.prefix)
        };

        let empty = || BucketAccess::empty(now, AccessState::Complete);
        let mut access = known.filter(logged).cloned().unwrap_or_else(empty);
        access.read_at = now;
        let (requests, is_end) =
            logs(&client, &place, bucket.id.as_str(), &target, &mut access).await?;
        let is_listed = list(&client, &place, bucket.id.as_str(), requests, &mut access).await?;
        access.state = match (is_end, is_listed) {
            (_, false) => AccessState::TooManyObjects,
            (false, true) => AccessState::Behind,
            (true, true) => AccessState::Complete,
        };

        Ok(Some(access))
    }
}

/// The logs that the bucket's configuration names; `None` without logging.
async fn target(
    client: &Client,
    place: &Place,
    bucket: &Resource,
) -> Result<Option<LogTarget>, AwsEc2Fault> {
    let name = bucket.id.as_str();
    let answer = client
        .get_bucket_logging()
        .bucket(name)
        .send()
        .await
        .at(place.call("s3:GetBucketLogging"))?;

    let Some(logging) = answer.logging_enabled() else {
        return Ok(None);
    };

    let partitioned = logging
        .target_object_key_format()
        .and_then(|format| format.partitioned_prefix());
    let is_by_event = partitioned.and_then(|by| by.partition_date_source())
        == Some(&PartitionDateSource::EventTime);
    let is_partitioned = partitioned.is_some();
    let mut prefix = logging.target_prefix().to_owned();
    if is_partitioned {
        prefix.push_str(&format!("{}/{}/{name}/", bucket.account, bucket.region));
    }

    Ok(Some(LogTarget {
        bucket: logging.target_bucket().to_owned(),
        prefix,
        is_partitioned,
        is_by_event,
    }))
}

/// Key of the first logs that are read another time, because more of their day may arrive; `None`
/// where the names go by the delivery.
fn end(target: &LogTarget, now: Timestamp) -> Option<String> {
    let day = (now - SignedDuration::from_hours(24 * LATE_DAYS)).to_string();
    target
        .is_by_event
        .then(|| format!("{}{}", target.prefix, day[..10].replace('-', "/")))
}

/// Key before those that the first reading reads: names go on with the date, with dashes or,
/// partitioned, with slashes.
fn first_cursor(target: &LogTarget, now: Timestamp) -> String {
    let from = now - SignedDuration::from_hours(24 * FIRST_DAYS);
    let day = from.to_string();
    let day = if target.is_partitioned {
        day[..10].replace('-', "/")
    } else {
        day[..10].to_owned()
    };

    format!("{}{day}", target.prefix)
}

/// Reads log objects behind the cursor and moves it; `true` if there are no more.
async fn logs(
    client: &Client,
    place: &Place,
    bucket: &str,
    target: &LogTarget,
    access: &mut BucketAccess,
) -> Result<(Requests, bool), AwsEc2Fault> {
    let call = place.call("s3:ListBucket");
    let mut requests = Requests::default();
    let mut start = access.cursor.clone();
    if start.is_empty() {
        start = first_cursor(target, access.read_at);
    }

    let end = end(target, access.read_at);
    let (mut cursor, mut read, mut bytes) = (Cursor::new(), 0, 0);

    loop {
        let page = client
            .list_objects_v2()
            .bucket(&target.bucket)
            .prefix(&target.prefix)
            .start_after(&start);
        let page = page
            .set_continuation_token(cursor.token())
            .send()
            .await
            .at(call)?;
        for object in page.contents() {
            let (Some(key), size) = (object.key(), object.size().unwrap_or(0)) else {
                continue;
            };
            if end.as_deref().is_some_and(|end| key >= end) {
                return Ok((requests, true));
            }
            if read >= MOST_LOGS || bytes + size > MOST_BYTES && read > 0 || !requests.has_room() {
                return Ok((requests, false));
            }
            if size <= MOST_BYTES {
                read_log(client, place, target, key, bucket, &mut requests).await?;
            } else {
                requests.malformed += 1;
            }
            (read, bytes) = (read + 1, bytes + size);
            key.clone_into(&mut access.cursor);
        }
        if !cursor.advance(call, page.next_continuation_token())? {
            return Ok((requests, true));
        }
    }
}

/// Counts the records of one log object that are of the bucket: a target may take the logs of
/// several.
async fn read_log(
    client: &Client,
    place: &Place,
    target: &LogTarget,
    key: &str,
    bucket: &str,
    requests: &mut Requests,
) -> Result<(), AwsEc2Fault> {
    let call = place.call("s3:GetObject");
    let answer = client
        .get_object()
        .bucket(&target.bucket)
        .key(key)
        .send()
        .await
        .at(call)?;
    let body = answer.body.collect().await;

    let body = body
        .map_err(|error| call.fault(FaultKind::Other, None, &error.to_string()))?
        .into_bytes();
    for line in String::from_utf8_lossy(&body)
        .lines()
        .filter(|line| !line.is_empty())
    {
        match record::parse(line) {
            Some(record) if record.bucket == bucket => requests.add(record),
            Some(_) => {}
            None => requests.malformed += 1,
        }
    }

    Ok(())
}

/// Lists the objects of the bucket and counts them with their requests; `false` if there are more
/// than are listed.
async fn list(
    client: &Client,
    place: &Place,
    bucket: &str,
    mut requests: Requests,
    access: &mut BucketAccess,
) -> Result<bool, AwsEc2Fault> {
    let call = place.call("s3:ListBucket");
    let now = access.read_at;
    access.begin_listing();
    let mut cursor = Cursor::new();

    for _ in 0..MOST_PAGES {
        let page = client
            .list_objects_v2()
            .bucket(bucket)
            .set_continuation_token(cursor.token());
        let page = page.send().await.at(call)?;
        for object in page.contents() {
            let (Some(key), Some(modified)) =
                (object.key(), object.last_modified().and_then(timestamp))
            else {
                continue;
            };
            let is_standard = object
                .storage_class()
                .is_none_or(|class| class.as_str() == "STANDARD");
            let bytes = u64::try_from(object.size().unwrap_or(0)).unwrap_or(0);
            requests.list(
                access,
                Listed {
                    key,
                    modified,
                    bytes,
                    is_standard,
                },
                now,
            );
        }
        if !cursor.advance(call, page.next_continuation_token())? {
            requests.end(access);
            return Ok(true);
        }
    }

    requests.end(access);
    Ok(false)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_first_reading_begins_at_a_date() {
        let target = |prefix: &str, is_partitioned| LogTarget {
            bucket: "logs".to_owned(),
            prefix: prefix.to_owned(),
            is_partitioned,
            is_by_event: is_partitioned,
        };

        let now = "2026-11-20T10:00:00Z".parse().unwrap();
        assert_eq!(
            first_cursor(&target("images/", false), now),
            "images/2026-09-21"
        );

        let by_event = target("l/123/us-east-1/images/", true);
        assert_eq!(
            first_cursor(&by_event, now),
            "l/123/us-east-1/images/2026/09/21"
        );
        assert_eq!(
            end(&by_event, now).as_deref(),
            Some("l/123/us-east-1/images/2026/11/18")
        );
        assert_eq!(end(&target("images/", false), now), None);
    }
}
