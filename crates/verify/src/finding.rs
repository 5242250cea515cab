//! Findings: violated checks with their location.

use std::fmt;

/// So many findings are listed; more are counted.
pub const MAX_FINDINGS: usize = 100;

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the data directory where it is inside.
    pub file: String,
    /// Offset in the file, if known.
    pub offset: Option<u64>,
    /// First and last sequence of the entries concerned, where known.
    pub sequences: Option<(u64, u64)>,
    /// The `event_id` of the entry concerned, where known and readable.
    pub event_id: Option<String>,
    /// Description of the fault.
    pub message: String,
    /// Expected value, if it is short.
    pub expected: Option<String>,
    /// Value that was found in its place.
    pub found: Option<String>,
}

impl Finding {
    /// Creates a finding about a file.
    pub(crate) fn new(file: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding {
            file: file.into(),
            offset: None,
            sequences: None,
            event_id: None,
            message: message.into(),
            expected: None,
            found: None,
        }
    }

    /// Sets the offset in the file.
    pub(crate) fn at(mut self, offset: u64) -> Finding {
        self.offset = Some(offset);
        self
    }

    /// Sets the entry concerned.
    pub(crate) fn entry(self, sequence: u64) -> Finding {
        self.entries(sequence, sequence)
    }

    /// Sets the range of entries concerned, the last included.
    pub(crate) fn entries(mut self, first: u64, last: u64) -> Finding {
        self.sequences = Some((first, last));
        self
    }

    pub(crate) fn id(mut self, event_id: Option<&str>) -> Finding {
        self.event_id = event_id.map(str::to_owned);
        self
    }

    /// Sets the expected and the actual value.
    pub(crate) fn differs(mut self, expected: impl ToString, found: impl ToString) -> Finding {
        self.expected = Some(expected.to_string());
        self.found = Some(found.to_string());
        self
    }
}

/// `ledger/wal/0.wal, byte 64, entry 3 (evt-1): what (expected x, found y)`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(offset) = self.offset {
            write!(f, ", byte {offset}")?;
        }

        match self.sequences {
            Some((first, last)) if first == last => write!(f, ", entry {first}")?,
            Some((first, last)) => write!(f, ", entries {first} to {last}")?,
            None => {}
        }

        if let Some(event_id) = &self.event_id {
            write!(f, " ({})", event_id.escape_debug())?;
        }

        write!(f, ": {}", self.message)?;
        if let (Some(expected), Some(found)) = (&self.expected, &self.found) {
            write!(f, " (expected {expected}, found {found})")?;
        }

        Ok(())
    }
}

/// Findings as they come; the first [`MAX_FINDINGS`] are kept.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) list: Vec<Finding>,
    pub(crate) total: u64,
}

impl Findings {
    pub(crate) fn add(&mut self, finding: Finding) {
        self.total += 1;
        if self.list.len() < MAX_FINDINGS {
            self.list.push(finding);
        }
    }

    /// Adds those of a part.
    pub(crate) fn take(&mut self, part: Findings) {
        self.total += part.total;
        let room = MAX_FINDINGS.saturating_sub(self.list.len());
        self.list.extend(part.list.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_as_far_as_known() {
        let cases = [
            (Finding::new("a", "gone"), "a: gone"),
            (
                Finding::new("a", "bad").at(64).entry(3).id(Some("x\n")),
                "a, byte 64, entry 3 (x\\n): bad",
            ),
            (
                Finding::new("a", "bad").entries(3, 5).differs(1, 2),
                "a, entries 3 to 5: bad (expected 1, found 2)",
            ),
        ];
        for (finding, text) in cases {
            assert_eq!(finding.to_string(), text);
        }
    }

    #[test]
    fn further_findings_are_counted() {
        let mut all = Findings::default();
        for _ in 0..3 {
            let mut part = Findings::default();
            (0..70).for_each(|_| part.add(Finding::new("a", "b")));
            all.take(part);
        }
        assert_eq!((all.list.len(), all.total), (MAX_FINDINGS, 210));
    }
}
