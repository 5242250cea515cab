//! Reading an exported JSON line, or an entry of the HTTP interface, back.

use jiff::Timestamp;

use super::{EntryView, Integrity};
use crate::draft::ReadBackError;
use crate::entry::Entry;
use crate::json::{self, Json, Numbers, ParseOptions};

/// An entry that was read back, with what Reeve put beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// Entry as it was submitted.
    pub entry: Entry,
    /// Time at which Reeve received the entry.
    pub recorded_at: Timestamp,
    /// Position and hashes that prove the entry.
    pub integrity: Integrity,
}

impl Exported {
    /// Reads one JSON object: an exported line, or an entry as the HTTP interface shows it.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadBackError> {
        let options = ParseOptions {
            numbers: Numbers::Stored,
            ..ParseOptions::default()
        };
        let mut value = json::parse_with(bytes, &options)
            .map_err(|e| ReadBackError(e.to_string()))?
            .value;
        let Json::Object(members) = &mut value else {
            return Err(ReadBackError(format!(
                "an entry must be an object, not {}",
                value.kind()
            )));
        };

        members.remove("category");
        let proof = members
            .remove("integrity")
            .ok_or_else(|| ReadBackError("no integrity".into()))?;
        let (entry, recorded_at) = Entry::from_canonical(&value.to_canonical())?;

        Ok(Self {
            entry,
            recorded_at,
            integrity: integrity(&proof)?,
        })
    }

    /// Returns the view that formats write.
    pub fn view(&self) -> EntryView<'_> {
        EntryView {
            entry: &self.entry,
            recorded_at: self.recorded_at,
            integrity: &self.integrity,
        }
    }
}

fn integrity(proof: &Json) -> Result<Integrity, ReadBackError> {
    let wrong = |name: &str| ReadBackError(format!("integrity.{name} is missing or wrong"));
    let text = |name: &str| proof.get(name).and_then(Json::as_str);
    let hash = |name: &str| text(name).and_then(unhex::<32>).ok_or_else(|| wrong(name));
    let salt = text("salt").map(|salt| unhex::<16>(salt).ok_or_else(|| wrong("salt")));
    let sequence = proof
        .get("sequence")
        .and_then(Json::as_f64)
        .filter(|n| *n >= 0.0 && n.fract() == 0.0);

    Ok(Integrity {
        // Below 2^53 the double is the number itself, and no log is longer.
        sequence: sequence.ok_or_else(|| wrong("sequence"))? as u64,
        commitment: hash("commitment")?,
        leaf_hash: hash("leaf_hash")?,
        previous_hash: hash("previous_hash")?,
        hash: hash("hash")?,
        salt: salt.transpose()?,
    })
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }

    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? << 4 | digit(1)?).ok()?;
    }
    Some(bytes)
}
