//! A snapshot: the counts and groups of all rules, in parts of about a mebibyte.

use super::StateError;
use super::bytes::{Bytes, put_number, put_signed, put_text};
use crate::evaluator::{ChangeTally, GroupMemory, OpenFiring, Pending, Running, instant};
use crate::firing::{FiringEntry, FiringId};
use crate::group::GroupKey;
use crate::rule::RuleId;
use jiff::Timestamp;

const VERSION: u8 = 1;
const RULE: u8 = 1;
const GROUP: u8 = 2;
/// A part that is larger than this ends with its group.
const PART_BYTES: usize = 1 << 20;

/// Spells the memory of rules.
pub(crate) fn write_snapshot(rules: &[Running]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut part = vec![VERSION];

    for running in rules {
        put_rule(&mut part, running);
        for (key, memory) in &running.groups {
            if part.len() > PART_BYTES {
                parts.push(std::mem::replace(&mut part, vec![VERSION]));
                put_rule(&mut part, running);
            }
            part.push(GROUP);
            put_text(&mut part, &key.0);
            put_group(&mut part, memory);
        }
    }

    parts.push(part);
    parts
}

fn put_rule(part: &mut Vec<u8>, running: &Running) {
    let tally = &running.tally;
    part.push(RULE);
    put_text(part, &running.rule.id.0);
    put_number(part, running.rule.revision);

    for count in [
        tally.matched,
        tally.late,
        tally.shared,
        tally.dropped,
        tally.fired,
    ] {
        put_number(part, count);
    }

    for at in [
        tally.last_matched_at,
        tally.degraded_since,
        tally.degraded_at,
    ] {
        put_time(part, at);
    }
}

fn put_time(part: &mut Vec<u8>, at: Option<Timestamp>) {
    part.push(u8::from(at.is_some()));
    if let Some(at) = at {
        put_signed(part, at.as_millisecond());
    }
}

fn put_group(part: &mut Vec<u8>, memory: &GroupMemory) {
    put_signed(part, memory.watermark_ms);
    put_signed(part, memory.touched_ms);
    put_number(part, memory.pending.len() as u64);

    for Pending {
        entry,
        value,
        weight,
    } in &memory.pending
    {
        put_text(part, &entry.event_id);
        put_number(part, entry.sequence);
        put_signed(part, entry.at_ms);
        put_number(part, *value);
        put_number(part, u64::from(*weight));
    }

    put_number(part, memory.open.len() as u64);
    for open in &memory.open {
        put_text(part, &open.id.0);
        for ms in [open.from_ms, open.until_ms, open.first_ms, open.last_ms] {
            put_signed(part, ms);
        }
        put_number(part, open.count);
        put_number(part, open.listed as u64);
    }
}

/// Reads a part into the rules that `place` finds; what it does not find is read over.
///
/// # Errors
/// The bytes are none of this format, or of a newer version.
pub(crate) fn read_snapshot(
    part: &[u8],
    place: impl Fn(RuleId, u64) -> Option<usize>,
    rules: &mut [Running],
) -> Result<(), StateError> {
    let mut bytes = Bytes::new(part, VERSION, "a snapshot")?;
    let mut current = None;

    while !bytes.is_empty() {
        match bytes.byte()? {
            RULE => {
                current = place(RuleId(bytes.text()?), bytes.number()?);
                let tally = tally(&mut bytes)?;
                if let Some(at) = current {
                    rules[at].tally = tally;
                }
            }
            GROUP => {
                let (key, memory) = (GroupKey(bytes.text()?), group(&mut bytes)?);
                if let Some(at) = current {
                    rules[at].restore(key, memory);
                }
            }
            _ => return Err(bytes.malformed()),
        }
    }

    Ok(())
}

fn tally(bytes: &mut Bytes<'_>) -> Result<ChangeTally, StateError> {
    Ok(ChangeTally {
        matched: bytes.number()?,
        late: bytes.number()?,
        shared: bytes.number()?,
        dropped: bytes.number()?,
        fired: bytes.number()?,
        last_matched_at: time(bytes)?,
        degraded_since: time(bytes)?,
        degraded_at: time(bytes)?,
    })
}

fn time(bytes: &mut Bytes<'_>) -> Result<Option<Timestamp>, StateError> {
    Ok(if bytes.byte()? == 0 {
        None
    } else {
        Some(instant(bytes.signed()?))
    })
}

fn group(bytes: &mut Bytes<'_>) -> Result<GroupMemory, StateError> {
    let mut memory = GroupMemory::new();
    (memory.watermark_ms, memory.touched_ms) = (bytes.signed()?, bytes.signed()?);

    for _ in 0..bytes.size()? {
        let entry = FiringEntry {
            event_id: bytes.text()?,
            sequence: bytes.number()?,
            at_ms: bytes.signed()?,
        };
        let (value, weight) = (
            bytes.number()?,
            u32::try_from(bytes.number()?).map_err(|_| bytes.malformed())?,
        );
        memory.pending.push(Pending {
            entry,
            value,
            weight,
        });
    }

    for _ in 0..bytes.size()? {
        memory.open.push(OpenFiring {
            id: FiringId(bytes.text()?),
            from_ms: bytes.signed()?,
            until_ms: bytes.signed()?,
            first_ms: bytes.signed()?,
            last_ms: bytes.signed()?,
            count: bytes.number()?,
            listed: bytes.size()?,
        });
    }

    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_read_as_it_was_written() {
        let entry = FiringEntry {
            event_id: "é".into(),
            sequence: 7,
            at_ms: -5,
        };

        let open = OpenFiring {
            id: FiringId("fir_1".into()),
            from_ms: 1,
            until_ms: 9,
            first_ms: 2,
            last_ms: 3,
            count: 200,
            listed: 100,
        };

        let memory = GroupMemory {
            watermark_ms: i64::MIN,
            touched_ms: i64::MAX,
            pending: vec![Pending {
                entry,
                value: u64::MAX,
                weight: 3,
            }],
            open: vec![open],
        };

        let mut part = vec![VERSION];
        put_group(&mut part, &memory);
        assert_eq!(
            group(&mut Bytes::new(&part, VERSION, "a group").unwrap()).unwrap(),
            memory
        );

        for end in 1..part.len() {
            assert!(
                group(&mut Bytes::new(&part[..end], VERSION, "a group").unwrap()).is_err(),
                "{end}"
            );
        }

        assert!(matches!(
            read_snapshot(&[2], |_, _| None, &mut []),
            Err(StateError::Newer(2))
        ));
    }
}
