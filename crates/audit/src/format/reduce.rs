//! Records that are longer than their reader takes: reduced in steps, or refused.

use std::io::Write;

use super::{FormatError, Written};

/// Largest size of a record, and the treatment of longer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Bytes of a record, without its framing; `None` for no limit.
    pub bytes: Option<usize>,
    /// Treatment of a record that is longer than `bytes`.
    pub oversize: Oversize,
}

/// Treatment of a record that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Oversize {
    /// Removes the changes, then the open metadata, then the ends of long texts, and names the
    /// removed parts.
    #[default]
    Reduce,
    /// Fails with an error; the record is not written.
    Refuse,
}

impl Limit {
    /// Largest message that rsyslog accepts by default (`maxMessageSize`).
    pub const USUAL_BYTES: usize = 8192;
}

impl Default for Limit {
    fn default() -> Self {
        Self {
            bytes: Some(Self::USUAL_BYTES),
            oversize: Oversize::Reduce,
        }
    }
}

/// Level of detail of a record: each level leaves out more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum FormatDetail {
    /// Every member of the entry.
    Whole,
    /// Without the states before and after.
    NoChanges,
    /// Without open metadata and tags as well.
    Bare,
    /// Long texts cut as well.
    Cut,
}

impl FormatDetail {
    const STEPS: [Self; 4] = [Self::Whole, Self::NoChanges, Self::Bare, Self::Cut];

    /// Characters a text keeps in [`FormatDetail::Cut`].
    pub(super) const KEPT: usize = 64;

    pub(super) fn has_changes(self) -> bool {
        self == Self::Whole
    }

    pub(super) fn has_open_metadata(self) -> bool {
        self <= Self::NoChanges
    }

    /// Names the left-out parts, for the record's own note; `None` if it is complete.
    pub(super) fn left_out(self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::NoChanges => Some("changes"),
            Self::Bare => Some("changes,metadata"),
            Self::Cut => Some("changes,metadata,long texts"),
        }
    }
}

/// Writes the fullest record that fits; `frame` puts around it what the transport needs.
pub(super) fn write_fitting(
    out: &mut impl Write,
    sequence: u64,
    limit: Limit,
    spell: impl Fn(FormatDetail) -> String,
    frame: impl Fn(&str) -> Vec<u8>,
) -> Result<Written, FormatError> {
    let whole = spell(FormatDetail::Whole);
    let Some(most) = limit.bytes.filter(|most| whole.len() > *most) else {
        out.write_all(&frame(&whole))?;
        return Ok(Written::Whole);
    };

    if limit.oversize == Oversize::Reduce {
        for detail in &FormatDetail::STEPS[1..] {
            let record = spell(*detail);
            if record.len() <= most {
                out.write_all(&frame(&record))?;
                return Ok(Written::Reduced);
            }
        }
    }

    Err(FormatError::Oversize {
        sequence,
        bytes: whole.len(),
        limit: most,
    })
}
