//! Reading on in buckets and log groups.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_connect_aws::{AwsConnection, ListedObject, SourceBucket};
use reeve_flows::{Aggregator, FlowBatch, FlowFormat, FlowLog, FlowSource, day_of, first_second};
use reeve_lake::read_flow_records;

use super::{Addresses, FlowReader};
use crate::private;

/// Days before now that a flow log is read from at first.
const FIRST_DAYS: i32 = 30;
/// Objects that are read of a flow log at a time; the rest follows with the next look.
const MOST_OBJECTS: usize = 300;
/// Largest object that is read, bytes.
const MOST_BYTES: u64 = 256 << 20;
/// Longest line of a text file, bytes.
const MOST_LINE: u64 = 16 << 10;
/// Time of a log group that is read at once, milliseconds.
const SLICE_MS: i64 = 3_600_000;
/// Slices that are read of a log group at a time.
const MOST_SLICES: usize = 48;
/// Time within which CloudWatch Logs shows the records of an interval, milliseconds.
const LATE_MS: i64 = 15 * 60_000;
/// Time after its end within which a day's objects may still arrive, seconds.
const LATE_OBJECTS_S: i64 = 6 * 3600;
/// Sums at which those of an interface and day are bounded.
const MOST_SUMS: usize = 100_000;

impl FlowReader {
    /// Reads the objects that were delivered since the last reading.
    pub(super) async fn read_bucket(
        &self,
        bucket: &SourceBucket,
        log: &FlowLog,
        own: &Addresses,
        source: &mut FlowSource,
    ) -> Result<(), Obstacle> {
        let now = Timestamp::now().as_second();
        let today = day_of(now);
        let mut day = source.cursor.day.unwrap_or(today - FIRST_DAYS);
        let mut left = MOST_OBJECTS;

        while day <= today {
            let date = date_of(day)?;
            let Some(prefix) = log.prefix(&date) else {
                return Ok(());
            };
            let listed = bucket.list(&prefix).await.map_err(Obstacle::of)?;
            for object in listed.into_iter().filter(|object| log.has(&object.key)) {
                if source.cursor.objects.contains(&object.key) {
                    continue;
                }
                if left == 0 {
                    return Ok(());
                }
                left -= 1;
                self.read_object(bucket, &object, log, own, source).await?;
            }

            if now >= first_second(day + 1) + LATE_OBJECTS_S {
                source.cursor.day = Some(day + 1);
                source
                    .cursor
                    .objects
                    .retain(|key| !key.starts_with(&prefix));
                self.flows
                    .flow_source_put(source)
                    .await
                    .map_err(Obstacle::of)?;
            }
            day += 1;
        }
        Ok(())
    }

    async fn read_object(
        &self,
        bucket: &SourceBucket,
        object: &ListedObject,
        log: &FlowLog,
        own: &Addresses,
        source: &mut FlowSource,
    ) -> Result<(), Obstacle> {
        let mut batch = FlowBatch::default();
        if object.size <= MOST_BYTES {
            private::make(&self.folder).map_err(Obstacle::of)?;
            let path = self.folder.join(format!("{}.part", source.id));
            bucket.download(object, &path).await.map_err(Obstacle::of)?;
            let summed = sums_of_file(&path, &object.key, log, own).await;
            std::fs::remove_file(&path).ok();
            batch = summed?;
        } else {
            batch.unreadable = 1;
        }

        source.count(&batch);
        source.cursor.objects.insert(object.key.clone());
        self.flows
            .flow_put(&batch, source)
            .await
            .map_err(Obstacle::of)
    }

    /// Reads the events of a log group since the last reading.
    pub(super) async fn read_group(
        &self,
        account: &AwsConnection,
        log: &FlowLog,
        group: &str,
        own: &Addresses,
        source: &mut FlowSource,
    ) -> Result<(), Obstacle> {
        let now = Timestamp::now();
        let first = first_second(day_of(now.as_second()) - FIRST_DAYS) * 1000;
        let last = now.as_millisecond() - LATE_MS;
        let mut from = source.cursor.until_ms.unwrap_or(first);

        for _ in 0..MOST_SLICES {
            let until = (from + SLICE_MS).min(last);
            if until <= from {
                break;
            }

            let mut aggregator = Aggregator::new(own);
            let mut token: Option<String> = None;
            loop {
                let page = account
                    .log_events(&log.region, group, (from, until), token.as_deref())
                    .await
                    .map_err(Obstacle::of)?;
                for message in &page.messages {
                    add(&mut aggregator, &log.format, message);
                }
                if page.next.is_none() || page.next == token {
                    break;
                }
                token = page.next;
            }

            let batch = aggregator.take();
            source.count(&batch);
            source.cursor.until_ms = Some(until);
            self.flows
                .flow_put(&batch, source)
                .await
                .map_err(Obstacle::of)?;
            from = until;
        }
        Ok(())
    }
}

fn date_of(day: i32) -> Result<String, Obstacle> {
    let time = Timestamp::from_second(first_second(day)).map_err(Obstacle::of)?;
    Ok(time.strftime("%Y-%m-%d").to_string())
}

/// Sums a file on a thread that may block.
async fn sums_of_file(
    path: &Path,
    key: &str,
    log: &FlowLog,
    own: &Addresses,
) -> Result<FlowBatch, Obstacle> {
    let (path, key) = (PathBuf::from(path), key.to_owned());
    let (format, own) = (log.format.clone(), own.clone());
    let work = tokio::task::spawn_blocking(move || sums(&path, &key, format, &own));
    work.await.map_err(Obstacle::of)?
}

fn sums(
    path: &Path,
    key: &str,
    format: FlowFormat,
    own: &Addresses,
) -> Result<FlowBatch, Obstacle> {
    let wrong = |error: &dyn std::fmt::Display| Obstacle::of(format_args!("{key}: {error}"));
    let mut aggregator = Aggregator::new(own);
    if key.ends_with(".parquet") {
        read_flow_records(path, |line| {
            match line {
                Ok(line) => aggregator.add(line),
                Err(_) => aggregator.unreadable(),
            }
            bound(&mut aggregator);
        })
        .map_err(|error| wrong(&error))?;
        return Ok(aggregator.take());
    }

    let file = File::open(path).map_err(|error| wrong(&error))?;
    let reader: Box<dyn Read> = match key.ends_with(".gz") {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    let mut lines = BufReader::new(reader);
    let mut format = format;
    let mut line = String::new();
    loop {
        line.clear();
        // A longer line is none of a flow log, and must not fill the memory.
        let read = (&mut lines).take(MOST_LINE).read_line(&mut line);
        if read.map_err(|error| wrong(&error))? == 0 {
            return Ok(aggregator.take());
        }
        if FlowFormat::is_header(&line) {
            format =
                FlowFormat::from_names(line.split_whitespace()).map_err(|error| wrong(&error))?;
            continue;
        }
        add(&mut aggregator, &format, &line);
        bound(&mut aggregator);
    }
}

fn add(aggregator: &mut Aggregator<'_>, format: &FlowFormat, line: &str) {
    match format.line(line) {
        Ok(line) => aggregator.add(line),
        Err(_) if line.trim().is_empty() => {}
        Err(_) => aggregator.unreadable(),
    }
}

fn bound(aggregator: &mut Aggregator<'_>) {
    if aggregator.len() > MOST_SUMS {
        aggregator.bound();
    }
}
