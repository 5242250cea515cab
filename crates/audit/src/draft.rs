//! An entry that has passed the door: checked, stamped, spelled canonically, ready to be committed.

use std::sync::Arc;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::door;
use crate::entry::{
    Entry, EntryClaim, Metadata, OWN_ID_PREFIX, SOURCE_ID_PREFIX, Submitter, SubmitterType, email,
    insert_submitter, read_claim, read_submitter,
};
use crate::field_error::{FieldCode, FieldError};
use crate::instant::{parse_instant, to_millis};
use crate::json::{self, Json, MAX_DEPTH, Numbers};

/// An entry's canonical bytes without its submitter may be this long: 1 MiB.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;

/// An entry ready to be committed.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub entry: Entry,
    /// Time at which Reeve received the entry; UTC milliseconds.
    pub recorded_at: Timestamp,
    /// RFC 8785 bytes of the entry, `recorded_at` and the submitter: what is hashed and stored.
    pub canonical: Vec<u8>,
    /// SHA-256 of the canonical bytes without `recorded_at` and submitter; equal for the same claim
    /// sent again.
    pub claim_digest: [u8; 32],
    /// `true` if the source gave no `timestamp`, so that the time of receipt is used.
    pub timestamp_defaulted: bool,
}

/// Stored bytes that are not an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stored bytes are not an entry: {0}")]
pub struct ReadBackError(pub String);

impl Draft {
    /// Reads one entry from JSON text. The error has every invalid field.
    pub fn from_bytes(bytes: &[u8], recorded_at: Timestamp) -> Result<Self, Vec<FieldError>> {
        let quick = std::str::from_utf8(bytes)
            .ok()
            .and_then(|text| door::sent(text, recorded_at));
        match quick {
            Some(claim) => Self::of_claim(
                claim,
                recorded_at,
                &mut Vec::with_capacity(bytes.len() + 256),
            ),
            None => Self::from_bytes_slowly(bytes, recorded_at),
        }
    }

    /// Reads one entry from a part of a larger text; `scratch` is reused.
    pub(crate) fn from_text(
        text: &str,
        recorded_at: Timestamp,
        scratch: &mut Vec<u8>,
    ) -> Result<Self, Vec<FieldError>> {
        match door::sent(text, recorded_at) {
            Some(claim) => Self::of_claim(claim, recorded_at, scratch),
            None => Self::from_bytes_slowly(text.as_bytes(), recorded_at),
        }
    }

    /// Reads into a tree first; knows every way to be wrong.
    pub(crate) fn from_bytes_slowly(
        bytes: &[u8],
        recorded_at: Timestamp,
    ) -> Result<Self, Vec<FieldError>> {
        let value = json::parse(bytes).map_err(|e| vec![e.into()])?;
        Self::from_json(value, recorded_at)
    }

    /// Reads one entry from a JSON value. The error has every invalid field.
    pub fn from_json(value: Json, recorded_at: Timestamp) -> Result<Self, Vec<FieldError>> {
        Self::of_claim(
            read_claim(value, recorded_at)?,
            recorded_at,
            &mut Vec::new(),
        )
    }

    pub(crate) fn of_claim(
        claim: EntryClaim,
        recorded_at: Timestamp,
        scratch: &mut Vec<u8>,
    ) -> Result<Self, Vec<FieldError>> {
        let EntryClaim {
            entry,
            timestamp_defaulted,
        } = claim;
        Self::seal(entry, recorded_at, timestamp_defaulted, scratch).map_err(|e| vec![e])
    }

    /// Takes an entry that code has built. A submitter that it brings along is dropped.
    pub fn from_entry(mut entry: Entry, recorded_at: Timestamp) -> Result<Self, Vec<FieldError>> {
        entry.timestamp = to_millis(entry.timestamp);
        entry.submitted_by = None;
        let errors = unsound(&entry);

        if errors.is_empty() {
            Self::seal(entry, recorded_at, false, &mut Vec::new()).map_err(|e| vec![e])
        } else {
            Err(errors)
        }
    }

    /// Takes an entry that Reeve writes about itself: what its recorders use, and nobody else.
    pub fn by_reeve(entry: Entry, recorded_at: Timestamp) -> Result<Self, Vec<FieldError>> {
        Ok(Self::from_entry(entry, recorded_at)?.with_submitter(&Submitter::reeve()))
    }

    /// Notes the party that handed these entries in.
    ///
    /// # Errors
    /// Names the first entry, counted from 0, whose type or identifier only Reeve may write.
    pub fn submitted_by(
        drafts: Vec<Self>,
        submitter: &Arc<Submitter>,
    ) -> Result<Vec<Self>, (usize, FieldError)> {
        debug_assert!(
            submitter.kind != SubmitterType::Reeve,
            "Reeve's own entries are made by Draft::by_reeve"
        );
        let refused = drafts
            .iter()
            .enumerate()
            .find_map(|(index, draft)| Some((index, reserved(&draft.entry, submitter)?)));
        if let Some(refused) = refused {
            return Err(refused);
        }

        let member = submitter.to_member();
        Ok(drafts
            .into_iter()
            .map(|draft| draft.with_member(submitter, &member))
            .collect())
    }

    fn with_submitter(self, submitter: &Arc<Submitter>) -> Self {
        let member = submitter.to_member();
        self.with_member(submitter, &member)
    }

    fn with_member(mut self, submitter: &Arc<Submitter>, member: &[u8]) -> Self {
        if self.entry.submitted_by.is_none() {
            insert_submitter(&mut self.canonical, member);
            self.entry.submitted_by = Some(Arc::clone(submitter));
        }
        self
    }

    /// Spells the entry into `scratch`, so that the bytes that are kept are exactly as many as they
    /// must be.
    fn seal(
        entry: Entry,
        recorded_at: Timestamp,
        timestamp_defaulted: bool,
        scratch: &mut Vec<u8>,
    ) -> Result<Self, FieldError> {
        let recorded_at = to_millis(recorded_at);
        scratch.clear();
        let ours = entry.write_parts(recorded_at, scratch);

        if scratch.len() > MAX_ENTRY_BYTES {
            let message = format!(
                "the entry has {} bytes; the limit is {MAX_ENTRY_BYTES}",
                scratch.len()
            );
            return Err(FieldError::new("", FieldCode::EntryTooLarge, message));
        }

        let claim = Sha256::new()
            .chain_update(&scratch[..ours.start])
            .chain_update(&scratch[ours.end..]);
        let claim_digest = claim.finalize().into();
        Ok(Self {
            entry,
            recorded_at,
            canonical: scratch.to_vec(),
            claim_digest,
            timestamp_defaulted,
        })
    }
}

/// SHA-256 of the entry's canonical bytes without `recorded_at` and submitter.
pub fn claim_digest(entry: &Entry) -> [u8; 32] {
    Sha256::digest(entry.to_canonical_claim()).into()
}

impl Entry {
    /// Reads stored canonical bytes back: the entry and when it was recorded.
    pub fn from_canonical(bytes: &[u8]) -> Result<(Self, Timestamp), ReadBackError> {
        match std::str::from_utf8(bytes).ok().and_then(door::stored) {
            Some(read) => Ok(read),
            None => Self::from_canonical_slowly(bytes),
        }
    }

    fn from_canonical_slowly(bytes: &[u8]) -> Result<(Self, Timestamp), ReadBackError> {
        let options = json::ParseOptions {
            numbers: Numbers::Stored,
            ..json::ParseOptions::default()
        };
        let parsed = json::parse_with(bytes, &options).map_err(|e| ReadBackError(e.to_string()))?;
        let mut value = parsed.value;
        let (recorded_at, submitter) = match &mut value {
            Json::Object(members) => (
                members.remove("recorded_at"),
                members.remove("submitted_by"),
            ),
            _ => (None, None),
        };

        let recorded_at = recorded_at
            .as_ref()
            .and_then(Json::as_str)
            .ok_or_else(|| ReadBackError("no recorded_at".into()))?;
        let recorded_at =
            parse_instant(recorded_at).map_err(|e| ReadBackError(format!("recorded_at: {e}")))?;
        if value.get("event_id").is_none() {
            return Err(ReadBackError("no event_id".into()));
        }

        let claim = read_claim(value, recorded_at).map_err(|errors| unreadable(&errors))?;
        if claim.timestamp_defaulted {
            return Err(ReadBackError("no timestamp".into()));
        }

        let submitter = submitter
            .map(read_submitter)
            .transpose()
            .map_err(|errors| unreadable(&errors))?;
        Ok((
            Self {
                submitted_by: submitter.map(Arc::new),
                ..claim.entry
            },
            recorded_at,
        ))
    }
}

fn unreadable(errors: &[FieldError]) -> ReadBackError {
    ReadBackError(
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; "),
    )
}

/// Returns the fault of an entry that this submitter may not submit.
fn reserved(entry: &Entry, submitter: &Submitter) -> Option<FieldError> {
    if entry.event_type.is_reserved() {
        let category = entry.category();
        let message = format!(
            "{} is Reeve's own: event types that begin with {category}. are written by Reeve alone",
            entry.event_type.as_str()
        );
        return Some(FieldError::new("event_type", FieldCode::Reserved, message));
    }

    let message = if entry.event_id.is_reserved() {
        format!("identifiers that begin with {OWN_ID_PREFIX} are given by Reeve alone")
    } else if !is_in_own_space(entry, submitter) {
        format!(
            "identifiers that begin with {SOURCE_ID_PREFIX} are given to entries of sources alone"
        )
    } else {
        return None;
    };
    Some(FieldError::new("event_id", FieldCode::Reserved, message))
}

/// Returns `true` if an identifier is not one of a source, or one of the source that submits it.
fn is_in_own_space(entry: &Entry, submitter: &Submitter) -> bool {
    let Some(rest) = entry.event_id.as_str().strip_prefix(SOURCE_ID_PREFIX) else {
        return submitter.kind != SubmitterType::Source;
    };
    submitter.kind == SubmitterType::Source
        && submitter.id.as_deref().is_some_and(|name| {
            rest.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('/'))
        })
}

/// Returns the faults that the types of an entry cannot rule out: a malformed e-mail address, or
/// states nested too deeply.
fn unsound(entry: &Entry) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(Err(message)) = entry
        .actor
        .email
        .as_deref()
        .filter(|text| !text.is_empty())
        .map(email)
    {
        errors.push(FieldError::new(
            "actor.email",
            FieldCode::InvalidValue,
            message,
        ));
    }

    for (path, state) in [
        ("changes.before", &entry.changes.before),
        ("changes.after", &entry.changes.after),
    ] {
        match state {
            None | Some(Json::Null) => {}
            // `changes` and the entry are two levels above.
            Some(state @ Json::Object(_)) => check_tree(state, path, MAX_DEPTH - 2, &mut errors),
            Some(other) => {
                errors.push(FieldError::new(
                    path,
                    FieldCode::WrongType,
                    format!("must be an object or null, not {}", other.kind()),
                ));
            }
        }
    }

    for (name, value) in entry.metadata.extra.iter() {
        let path = format!("metadata.{name}");
        if Metadata::NAMED.contains(&name) {
            errors.push(FieldError::new(
                &path,
                FieldCode::DuplicateKey,
                "has a field of its own",
            ));
        }
        check_tree(value, &path, MAX_DEPTH - 2, &mut errors);
    }

    errors
}

fn check_tree(value: &Json, path: &str, levels: usize, errors: &mut Vec<FieldError>) {
    match value {
        Json::Number(number) if !number.is_finite() => {
            errors.push(FieldError::new(
                path,
                FieldCode::NumberTooLarge,
                "must be a finite number",
            ));
        }
        Json::Array(_) | Json::Object(_) if levels == 0 => {
            errors.push(FieldError::new(
                path,
                FieldCode::TooDeep,
                "arrays and objects are nested too deep",
            ));
        }
        Json::Array(items) => items
            .iter()
            .for_each(|item| check_tree(item, path, levels - 1, errors)),
        Json::Object(object) => object
            .iter()
            .for_each(|(_, item)| check_tree(item, path, levels - 1, errors)),
        _ => {}
    }
}
