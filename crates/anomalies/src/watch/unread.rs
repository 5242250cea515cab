//! Resources with samples that were not judged yet, and the chunks in which they are read.
//!
//! Reading costs by chunk (each touches the files of its days) and by point. So resources that lack
//! the last hours alone are read by the thousand, and those that lack weeks a few at a time.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::ResourceId;

/// Lag up to which a resource is read in a large chunk.
const RECENT: SignedDuration = SignedDuration::from_hours(6);
/// Resources of a large chunk: six hours of them in five-minute points are some 10 MB a metric.
const MOST_RECENT: usize = 1_024;
/// Resources of a small chunk: four weeks of them in five-minute points are some 30 MB.
const MOST_BEHIND: usize = 32;

/// Resources by identifier, each with the time from which on its samples are to be read.
#[derive(Debug, Default)]
pub(super) struct Unread(BTreeMap<ResourceId, Timestamp>);

impl Unread {
    /// Adds a resource of which a series was judged up to a time.
    pub(super) fn add(&mut self, resource: ResourceId, judged: Timestamp) {
        let from = self.0.entry(resource).or_insert(judged);
        *from = (*from).min(judged);
    }

    /// Chunks of neighbouring resources, each with the time from which on it is read.
    pub(super) fn chunks(self, now: Timestamp) -> Vec<(Vec<ResourceId>, Timestamp)> {
        let (recent, behind): (Vec<_>, Vec<_>) = self
            .0
            .into_iter()
            .partition(|(_, from)| now.duration_since(*from) <= RECENT);
        let chunks = |resources: &[(ResourceId, Timestamp)], most| {
            resources
                .chunks(most)
                .map(|chunk| {
                    let from = chunk.iter().map(|(_, from)| *from).min().unwrap_or(now);
                    (chunk.iter().map(|(id, _)| id.clone()).collect(), from)
                })
                .collect::<Vec<_>>()
        };

        [chunks(&recent, MOST_RECENT), chunks(&behind, MOST_BEHIND)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_resources_are_read_apart_from_those_weeks_behind() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1_000);
        let mut unread = Unread::default();

        for number in 0..3_000 {
            let hours = if number % 30 == 0 {
                500
            } else {
                1 + number % 3
            };
            unread.add(
                ResourceId::new(format!("i-{number:04}")),
                now - SignedDuration::from_hours(hours),
            );
        }

        unread.add(
            ResourceId::new("i-0001"),
            now - SignedDuration::from_hours(5),
        );
        let chunks = unread.chunks(now);
        let shape: Vec<(usize, i64)> = chunks
            .iter()
            .map(|(ids, from)| (ids.len(), now.duration_since(*from).as_hours()))
            .collect();
        assert_eq!(
            shape,
            [
                (1_024, 5),
                (1_024, 3),
                (852, 3),
                (32, 500),
                (32, 500),
                (32, 500),
                (4, 500)
            ]
        );

        assert!(chunks.iter().all(|(ids, _)| ids.is_sorted()));
    }
}
