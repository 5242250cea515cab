//! A delta: the entries that rules took between two positions, in order, with the steps of the
//! clock and the sweeps between.

use hashbrown::HashMap;

use super::StateError;
use super::bytes::{Bytes, put_number, put_signed, put_text};
use crate::evaluator::Taken;
use crate::firing::FiringEntry;
use crate::group::GroupKey;
use crate::rule::{AlertRule, RuleId};

const VERSION: u8 = 1;
const RULE: u8 = 1;
const TAKE: u8 = 2;
const STEP: u8 = 3;
const SWEEP: u8 = 4;
/// Flags of an entry that a rule took.
const SHARED: u8 = 1;
const NAMED: u8 = 2;
const VALUED: u8 = 4;

/// A part of a delta.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Identifier and revision of the rule with the next number.
    Rule(RuleId, u64),
    /// The rule with this number took an entry.
    Take(usize, Taken),
    /// The clock was set back from one time of recording to another.
    Step(i64, i64),
    /// Groups were forgotten at this clock.
    Sweep(i64),
}

/// Writer of one delta.
#[derive(Debug, Default)]
pub(crate) struct DeltaWriter {
    bytes: Vec<u8>,
    /// Numbers of rules, by their place in the evaluator.
    numbers: HashMap<usize, u64>,
    next_number: u64,
    sequence: u64,
    recorded_ms: i64,
}

impl DeltaWriter {
    /// Rules have other places from now on.
    pub(crate) fn forget_rules(&mut self) {
        self.numbers.clear();
    }

    /// Adds an entry that the rule at a place took.
    pub(crate) fn take(&mut self, place: usize, rule: &AlertRule, taken: &Taken) {
        self.begin();
        let number = match self.numbers.get(&place) {
            Some(number) => *number,
            None => self.number(place, rule),
        };
        let entry = &taken.entry;
        let (is_named, is_valued) = (!entry.event_id.is_empty(), taken.value != 0);
        let flags = u8::from(taken.is_shared) * SHARED
            + u8::from(is_named) * NAMED
            + u8::from(is_valued) * VALUED;
        self.bytes.extend_from_slice(&[TAKE, flags]);
        put_number(&mut self.bytes, number);
        put_text(&mut self.bytes, &taken.key.0);
        put_number(&mut self.bytes, entry.sequence.wrapping_sub(self.sequence));
        put_signed(
            &mut self.bytes,
            taken.recorded_ms.wrapping_sub(self.recorded_ms),
        );
        put_signed(&mut self.bytes, taken.recorded_ms.wrapping_sub(entry.at_ms));
        put_signed(
            &mut self.bytes,
            taken.clock_ms.wrapping_sub(taken.recorded_ms),
        );
        if is_named {
            put_text(&mut self.bytes, &entry.event_id);
        }
        if is_valued {
            self.bytes.extend_from_slice(&taken.value.to_le_bytes());
        }

        (self.sequence, self.recorded_ms) = (entry.sequence, taken.recorded_ms);
    }

    pub(crate) fn step(&mut self, clock_ms: i64, recorded_ms: i64) {
        self.begin();
        self.bytes.push(STEP);
        put_signed(&mut self.bytes, clock_ms);
        put_signed(&mut self.bytes, recorded_ms);
    }

    pub(crate) fn sweep(&mut self, clock_ms: i64) {
        self.begin();
        self.bytes.push(SWEEP);
        put_signed(&mut self.bytes, clock_ms);
    }

    /// Returns the delta and begins the next one.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(self).bytes
    }

    fn begin(&mut self) {
        if self.bytes.is_empty() {
            self.bytes.push(VERSION);
        }
    }

    fn number(&mut self, place: usize, rule: &AlertRule) -> u64 {
        self.bytes.push(RULE);
        put_text(&mut self.bytes, &rule.id.0);
        put_number(&mut self.bytes, rule.revision);
        let number = self.next_number;
        self.next_number += 1;
        self.numbers.insert(place, number);
        number
    }
}

/// Reads a delta; an empty one has no operations.
///
/// # Errors
/// The bytes are none of this format, or of a newer version.
pub(crate) fn read_delta(bytes: &[u8]) -> Result<Vec<Operation>, StateError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }

    let mut bytes = Bytes::new(bytes, VERSION, "a delta")?;
    let mut operations = Vec::new();
    let (mut sequence, mut recorded_ms) = (0, 0);

    while !bytes.is_empty() {
        operations.push(match bytes.byte()? {
            RULE => Operation::Rule(RuleId(bytes.text()?), bytes.number()?),
            TAKE => {
                let (number, taken) = take(&mut bytes, sequence, recorded_ms)?;
                (sequence, recorded_ms) = (taken.entry.sequence, taken.recorded_ms);
                Operation::Take(number, taken)
            }
            STEP => Operation::Step(bytes.signed()?, bytes.signed()?),
            SWEEP => Operation::Sweep(bytes.signed()?),
            _ => return Err(bytes.malformed()),
        });
    }

    Ok(operations)
}

fn take(
    bytes: &mut Bytes<'_>,
    sequence: u64,
    recorded_ms: i64,
) -> Result<(usize, Taken), StateError> {
    let flags = bytes.byte()?;
    let number = bytes.size()?;
    let key = GroupKey(bytes.text()?);
    let sequence = sequence.wrapping_add(bytes.number()?);
    let recorded_ms = recorded_ms.wrapping_add(bytes.signed()?);
    let at_ms = recorded_ms.wrapping_sub(bytes.signed()?);
    let clock_ms = recorded_ms.wrapping_add(bytes.signed()?);
    let event_id = if flags & NAMED == 0 {
        String::new()
    } else {
        bytes.text()?
    };

    let mut value = [0; 8];
    if flags & VALUED != 0 {
        for byte in &mut value {
            *byte = bytes.byte()?;
        }
    }

    let entry = FiringEntry {
        event_id,
        sequence,
        at_ms,
    };
    let (is_shared, value) = (flags & SHARED != 0, u64::from_le_bytes(value));
    Ok((
        number,
        Taken {
            key,
            is_shared,
            entry,
            value,
            recorded_ms,
            clock_ms,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version 1, as `docs/formats/alerts.md` describes it. What was kept must stay readable.
    const FIRST: &str = "01010372 2d3101 0202 00 025b5d 07 8001 0a 00 02 6531 03 02 8001 04 8201";

    #[test]
    fn version_one_is_read() {
        let bytes = hex::decode(FIRST.replace(' ', "")).unwrap();
        let entry = FiringEntry {
            event_id: "e1".into(),
            sequence: 7,
            at_ms: 59,
        };
        let key = GroupKey("[]".into());
        let taken = Taken {
            key,
            is_shared: false,
            entry,
            value: 0,
            recorded_ms: 64,
            clock_ms: 64,
        };

        let expected = [
            Operation::Rule(RuleId("r-1".into()), 1),
            Operation::Take(0, taken),
            Operation::Step(1, 64),
            Operation::Sweep(65),
        ];
        assert_eq!(read_delta(&bytes).unwrap(), expected);

        for end in 1..bytes.len() {
            // Every prefix either is refused or has fewer operations; none panics.
            assert!(
                read_delta(&bytes[..end]).map_or(true, |read| read.len() < expected.len()),
                "{end}"
            );
        }

        assert!(matches!(read_delta(&[2]), Err(StateError::Newer(2))));
        assert!(read_delta(&[]).unwrap().is_empty());
    }
}
