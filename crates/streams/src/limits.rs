//! Bounds of a batch: entries, bytes and age.

use std::time::Duration;

use crate::record::StreamRecord;
use crate::settings::StreamKind;

/// Bounds of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Most records.
    pub entries: usize,
    /// Most bytes; a larger record goes alone.
    pub bytes: usize,
    /// Time that a batch waits for more before it goes.
    pub linger: Duration,
}

impl BatchLimits {
    /// Returns the bounds of a kind. A single entry leaves within a second, except to Security Lake,
    /// which takes a file in five minutes at most.
    #[must_use]
    pub const fn of(kind: StreamKind) -> BatchLimits {
        let soon = Duration::from_millis(100);
        let (entries, bytes, linger) = match kind {
            // A window of several requests, all of which are acknowledged together.
            StreamKind::SplunkHec => (10_000, 8 << 20, soon),
            StreamKind::Https | StreamKind::Syslog | StreamKind::Otlp => (2_000, 2 << 20, soon),
            // A request may have 1 MB, in which each record is escaped once more.
            StreamKind::EventHub => (1_000, 600_000, soon),
            // A batch of a partition may have 1 MiB (`message.max.bytes`), at Event Hubs 1 MB.
            StreamKind::Kafka => (2_000, 800_000, soon),
            StreamKind::SecurityLake => (50_000, 64 << 20, Duration::from_secs(300)),
        };
        BatchLimits {
            entries,
            bytes,
            linger,
        }
    }

    /// Returns how many of the records make the next batch: at least one, if there is any.
    #[must_use]
    pub fn count(&self, records: &[StreamRecord]) -> usize {
        let mut bytes = 0;
        let fitting = records
            .iter()
            .take(self.entries)
            .take_while(|record| {
                bytes += record.body.len();
                bytes <= self.bytes
            })
            .count();
        fitting.max(usize::from(!records.is_empty()))
    }

    /// Returns `true` if a batch of these records is full.
    #[must_use]
    pub fn is_full(&self, records: &[StreamRecord]) -> bool {
        records.len() >= self.entries
            || records
                .iter()
                .map(|record| record.body.len())
                .sum::<usize>()
                >= self.bytes
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn records(sizes: &[usize]) -> Vec<StreamRecord> {
        sizes
            .iter()
            .enumerate()
            .map(|(sequence, size)| StreamRecord {
                sequence: sequence as u64,
                event_id: sequence.to_string(),
                resource_id: None,
                timestamp: Timestamp::UNIX_EPOCH,
                recorded_at: Timestamp::UNIX_EPOCH,
                body: vec![b'x'; *size],
            })
            .collect()
    }

    #[test]
    fn a_batch_ends_before_its_bounds_and_holds_one_record_at_least() {
        let limits = BatchLimits {
            entries: 3,
            bytes: 100,
            linger: Duration::ZERO,
        };
        let cases: [(&[usize], usize); 6] = [
            (&[], 0),
            (&[10], 1),
            (&[10, 10, 10, 10], 3),
            (&[60, 40, 1], 2),
            (&[60, 41, 1], 1),
            (&[500, 1], 1),
        ];
        for (sizes, expected) in cases {
            assert_eq!(limits.count(&records(sizes)), expected, "{sizes:?}");
        }
    }
}
