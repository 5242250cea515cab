//! Checks over entries in the order of the log: identifiers that stand twice, and times of
//! recording that run backwards.
//!
//! An identifier that stands twice is a finding: the ledger answers a repeated entry with its first
//! receipt and refuses another one under the same identifier, so the second was not written by it.
//! An entry that was recorded after a witness had cosigned a checkpoint that has it is a finding too:
//! two clocks that differ by more than a minute, or a forged time. Other times are notes: a clock that was set back leaves the same trace as a forged time, and which of
//! them it was is not in the log.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;

use jiff::Timestamp;

use crate::finding::{Finding, Findings};

/// Identifiers that are kept at the most, 16 bytes each: 512 MiB. Of a log with more entries a part
/// is compared.
const MOST_IDENTIFIERS: u64 = 32 << 20;
/// Entries that were prepared at the same time may be recorded in another order, and wait up to
/// seconds for room.
const TOLERANCE_MS: i64 = 60_000;
/// So many identifiers that stand twice are named.
const NAMED: usize = 20;

/// Identifier and time of an entry, as its payload has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryMark {
    /// Hash of the identifier under a key of this run, so that nobody can prepare two that collide.
    pub(crate) id: u64,
    /// Time of recording, milliseconds since the epoch.
    pub(crate) recorded_at_ms: Option<i64>,
}

/// Hashes identifiers; the same for all threads of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdHasher(RandomState);

impl IdHasher {
    /// The mark of an entry; without an identifier that can be read it has none, which is a finding
    /// elsewhere.
    pub(crate) fn mark(
        &self,
        event_id: Option<&[u8]>,
        recorded_at_ms: Option<i64>,
    ) -> Option<EntryMark> {
        Some(EntryMark {
            id: self.0.hash_one(event_id?),
            recorded_at_ms,
        })
    }
}

/// Time at which a witness cosigned a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CosignedAt {
    /// Number of entries of the checkpoint.
    pub(crate) size: u64,
    /// Time that the witness states, milliseconds since the epoch.
    pub(crate) at_ms: i64,
    /// Name of the witness.
    pub(crate) witness: String,
}

/// Entries that claim a time after that of a cosignature over them.
#[derive(Debug, Default)]
struct AfterCosignature {
    /// By size; each has the earliest time of itself and those behind it, which cover its entries
    /// too.
    limits: Vec<CosignedAt>,
    count: u64,
    /// The first entry, by how much it is later, and the witness.
    first: Option<(u64, i64, String)>,
}

impl AfterCosignature {
    fn new(mut limits: Vec<CosignedAt>) -> Self {
        limits.sort_by_key(|limit| limit.size);
        for at in (1..limits.len()).rev() {
            if limits[at].at_ms < limits[at - 1].at_ms {
                limits[at - 1].at_ms = limits[at].at_ms;
                limits[at - 1].witness = limits[at].witness.clone();
            }
        }
        Self {
            limits,
            ..Self::default()
        }
    }

    fn add(&mut self, sequence: u64, at_ms: i64) {
        let next = self.limits.partition_point(|limit| limit.size <= sequence);
        let Some(limit) = self.limits.get(next) else {
            return;
        };

        let late = at_ms.saturating_sub(limit.at_ms);
        if late > TOLERANCE_MS {
            self.count += 1;
            if self.first.is_none() {
                self.first = Some((sequence, late, limit.witness.clone()));
            }
        }
    }

    fn finding(&self, what: &str) -> Option<Finding> {
        let (sequence, late_ms, witness) = self.first.as_ref()?;
        let message = format!(
            "{what} {} s after {witness} had cosigned a checkpoint that has it, {} in all: the clock of the service or of the witness is wrong, or a time was forged",
            late_ms / 1000,
            self.count
        );
        Some(Finding::new("ledger", message).entry(*sequence))
    }
}

/// Times that run backwards.
#[derive(Debug, Default)]
struct Backwards {
    newest_ms: Option<i64>,
    /// Number of entries or frames that are older than one before.
    count: u64,
    /// The first of them, and by how much it is older.
    first: Option<(u64, i64)>,
    /// Greatest distance of two times, milliseconds.
    most_ms: i64,
}

impl Backwards {
    fn add(&mut self, sequence: u64, at_ms: i64) {
        let newest = *self.newest_ms.get_or_insert(at_ms);
        let back = newest.saturating_sub(at_ms);

        if back > TOLERANCE_MS {
            self.count += 1;
            self.first.get_or_insert((sequence, back));
            self.most_ms = self.most_ms.max(back);
        }
        self.newest_ms = Some(newest.max(at_ms));
    }

    fn note(&self, what: &str) -> Option<String> {
        let (sequence, back_ms) = self.first?;
        Some(format!(
            "{what} run backwards: entry {sequence} is {} s older than one before it, {} in all, at the most by {} s; the clock was set back, or a time was forged",
            back_ms / 1000,
            self.count,
            self.most_ms / 1000
        ))
    }
}

/// The checks under way.
#[derive(Debug)]
pub(crate) struct SequenceChecks {
    pub(crate) hasher: IdHasher,
    /// One in so many identifiers is compared.
    share: u64,
    seen: Vec<(u64, u64)>,
    recorded: Backwards,
    committed: Backwards,
    recorded_late: AfterCosignature,
    committed_late: AfterCosignature,
    /// Frames that were committed before one of their entries was recorded; the first.
    early: Option<u64>,
}

impl SequenceChecks {
    /// Before the first of about so many entries.
    pub(crate) fn new(entries: u64) -> SequenceChecks {
        SequenceChecks::with_limit(entries, MOST_IDENTIFIERS)
    }

    fn with_limit(entries: u64, most: u64) -> SequenceChecks {
        SequenceChecks {
            hasher: IdHasher::default(),
            share: entries.div_ceil(most).max(1),
            seen: Vec::new(),
            recorded: Backwards::default(),
            committed: Backwards::default(),
            recorded_late: AfterCosignature::default(),
            committed_late: AfterCosignature::default(),
            early: None,
        }
    }

    /// Holds times against those of cosignatures.
    pub(crate) fn with_cosignatures(self, cosigned: Vec<CosignedAt>) -> SequenceChecks {
        SequenceChecks {
            recorded_late: AfterCosignature::new(cosigned.clone()),
            committed_late: AfterCosignature::new(cosigned),
            ..self
        }
    }

    /// Takes the next entry.
    pub(crate) fn entry(&mut self, sequence: u64, mark: Option<EntryMark>) {
        let Some(mark) = mark else { return };
        if mark.id % self.share == 0 {
            self.seen.push((mark.id, sequence));
        }
        if let Some(at) = mark.recorded_at_ms {
            self.recorded.add(sequence, at);
            self.recorded_late.add(sequence, at);
        }
    }

    /// Takes the commit time of the frame that begins with an entry, after its entries.
    pub(crate) fn frame(
        &mut self,
        first_sequence: u64,
        committed_at_ms: i64,
        newest_ms: Option<i64>,
    ) {
        self.committed.add(first_sequence, committed_at_ms);
        self.committed_late.add(first_sequence, committed_at_ms);
        if newest_ms.is_some_and(|newest| newest.saturating_sub(committed_at_ms) > TOLERANCE_MS) {
            self.early.get_or_insert(first_sequence);
        }
    }

    /// Tells what was found.
    pub(crate) fn finish(&mut self, findings: &mut Findings, notes: &mut Vec<String>) {
        self.seen.sort_unstable();
        let twice = self
            .seen
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| (pair[0].1, pair[1].1));
        let twice: Vec<(u64, u64)> = twice.collect();

        for (first, second) in twice.iter().take(NAMED) {
            let message = format!(
                "the entry has the identifier of entry {first}, which the ledger never accepts"
            );
            findings.add(Finding::new("ledger", message).entry(*second));
        }

        if twice.len() > NAMED {
            findings.add(Finding::new(
                "ledger",
                format!("{} more identifiers stand twice", twice.len() - NAMED),
            ));
        }

        let late = [
            self.recorded_late.finding("the entry was recorded"),
            self.committed_late
                .finding("the frame that begins with the entry was committed"),
        ];
        late.into_iter()
            .flatten()
            .for_each(|finding| findings.add(finding));

        if self.share > 1 {
            notes.push(format!(
                "identifiers were compared for one in {} entries, to bound the memory",
                self.share
            ));
        }

        notes.extend(self.recorded.note("times of recording"));
        notes.extend(self.committed.note("commit times of frames"));
        if let Some(first) = self.early {
            notes.push(format!("the frame of entry {first} was committed before one of its entries was recorded: a clock was wrong, or a time was forged"));
        }

        let now = Timestamp::now().as_millisecond();
        if let Some(newest) = self
            .recorded
            .newest_ms
            .filter(|newest| newest.saturating_sub(now) > TOLERANCE_MS)
        {
            let ahead = newest.saturating_sub(now) / 1000;
            notes.push(format!("an entry was recorded {ahead} s after now: this clock or that of the service is wrong, or a time was forged"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(entries: &[(u64, &str, i64)], most: u64) -> (Vec<String>, Vec<String>) {
        let mut checks = SequenceChecks::with_limit(entries.len() as u64, most);
        let (mut findings, mut notes) = (Findings::default(), Vec::new());
        for (sequence, id, at) in entries {
            let mark = checks.hasher.mark(Some(id.as_bytes()), Some(*at));
            checks.entry(*sequence, mark);
        }

        checks.finish(&mut findings, &mut notes);
        (
            findings.list.iter().map(ToString::to_string).collect(),
            notes,
        )
    }

    #[test]
    fn an_identifier_that_stands_twice_is_found_and_an_earlier_time_noted() {
        let (findings, notes) = checked(
            &[
                (0, "a", 100_000),
                (1, "b", 99_000),
                (2, "c", 30_000),
                (3, "a", 200_000),
            ],
            100,
        );

        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].contains("entry 3") && findings[0].contains("of entry 0"),
            "{findings:?}"
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("entry 2 is 70 s older"), "{notes:?}");
    }

    #[test]
    fn an_entry_after_its_cosignature_is_found() {
        let cosigned = |size: u64, at_ms: i64, witness: &str| CosignedAt {
            size,
            at_ms,
            witness: witness.to_owned(),
        };
        let mut checks = SequenceChecks::new(4).with_cosignatures(vec![
            cosigned(3, 900_000, "late"),
            cosigned(2, 500_000, "second"),
            cosigned(1, 700_000, "first"),
        ]);

        // A minute is what clocks may differ by, and no cosignature has the last entry.
        let times = [560_000, 560_001, 800_000, 9_000_000];
        for (sequence, at) in (0..).zip(times) {
            let id = format!("id-{sequence}");
            let mark = checks.hasher.mark(Some(id.as_bytes()), Some(at));
            checks.entry(sequence, mark);
        }

        let (mut findings, mut notes) = (Findings::default(), Vec::new());
        checks.finish(&mut findings, &mut notes);
        let found: Vec<String> = findings.list.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("entry 1: the entry was recorded 60 s after second had cosigned")
                && found[0].contains("1 in all"),
            "{found:?}"
        );
    }

    #[test]
    fn of_a_larger_log_a_part_is_compared_and_that_is_said() {
        let ids: Vec<String> = (0..100).map(|at| format!("id-{at}")).collect();
        let entries: Vec<(u64, &str, i64)> = ids
            .iter()
            .zip(0..)
            .map(|(id, at)| (at, id.as_str(), 0))
            .collect();
        let (findings, notes) = checked(&entries, 10);
        assert!(
            findings.is_empty() && notes[0].contains("one in 10 entries"),
            "{notes:?}"
        );
    }
}
