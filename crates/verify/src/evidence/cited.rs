//! Cited entries of a report: each is hashed and added to the proof.

use std::convert::Infallible;

use reeve_audit::{Entry, Obstacle};
use reeve_tlog::{Hash, MultiProofError, MultiVerifier, commitment};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::questions::Questions;

/// An entry as the file holds it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    sequence: u64,
    salt: String,
    hashes: Vec<String>,
    answers: Vec<String>,
    entry: Box<RawValue>,
}

/// The entries so far.
pub(super) struct Cited<'q> {
    questions: &'q mut Questions,
    verifier: MultiVerifier,
    entries: u64,
}

impl<'q> Cited<'q> {
    pub(super) fn new(questions: &'q mut Questions, size: u64) -> Result<Cited<'q>, Obstacle> {
        let verifier = MultiVerifier::new::<Infallible>(size).map_err(Obstacle::of)?;
        Ok(Cited {
            questions,
            verifier,
            entries: 0,
        })
    }

    fn take(&mut self, row: &Row) -> Result<(), Obstacle> {
        let place = |cause: String| Obstacle::from(format!("entry {}: {cause}", row.sequence));
        let mut salt = [0; 16];
        hex::decode_to_slice(&row.salt, &mut salt)
            .map_err(|error| place(format!("its salt is not one: {error}")))?;

        // The bytes between the commas are what the log committed to; another spelling of the same
        // entry is another entry.
        let canonical = row.entry.get().as_bytes();
        let (entry, recorded_at) =
            Entry::from_canonical(canonical).map_err(|error| place(error.to_string()))?;
        let leaf = commitment(&salt, canonical).leaf_hash();
        let hashes = read(&row.hashes).map_err(|cause| place(cause.into()))?;
        let mut rest = hashes.iter();
        let added = self
            .verifier
            .leaf::<Infallible>(row.sequence, leaf, || Ok(rest.next().copied()));
        added.map_err(|error| place(error.to_string()))?;
        if rest.next().is_some() {
            return Err(place("it has more hashes than its proof needs".to_owned()));
        }

        self.questions
            .answer(row.sequence, &entry, recorded_at, &row.answers)
            .map_err(|fault| place(fault.to_string()))?;
        self.entries += 1;
        Ok(())
    }

    /// Ends the proof: every entry is in the tree with this root. Returns how many there are.
    pub(super) fn finish(self, root: &Hash, hashes: &[String]) -> Result<u64, Obstacle> {
        let hashes = read(hashes)?;
        let mut rest = hashes.iter();
        let finished = self
            .verifier
            .finish::<Infallible>(root, || Ok(rest.next().copied()));
        finished.map_err(|error: MultiProofError| match error {
            MultiProofError::Root { .. } => {
                format!("an entry, a hash or the checkpoint is not what the log has: {error}")
            }
            other => other.to_string(),
        })?;

        Ok(self.entries)
    }
}

fn read(hashes: &[String]) -> Result<Vec<Hash>, Obstacle> {
    hashes
        .iter()
        .map(|text| {
            text.parse()
                .map_err(|_| format!("{text:?} is not a hash").into())
        })
        .collect()
}

/// Reads the list of entries one by one.
pub(super) struct Entries<'c, 'q>(pub(super) &'c mut Cited<'q>);

impl<'de> DeserializeSeed<'de> for Entries<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(row) = rows.next_element::<Row>()? {
            self.0.take(&row).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}
