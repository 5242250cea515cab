//! The search index: one disposable file beside each segment, from which most queries are answered
//! without reading rows.
//!
//! It holds every distinct value with the rows that have it, words of values, and the times of
//! rows. It only ever says less than the truth or more than the truth, and says which; what it
//! cannot settle is read from the segment. Format: `docs/formats/index.md`; why it is not a
//! library: `docs/adr/`.

mod answer;
mod bits;
mod code;
mod collect;
mod count;
mod dictionary;
mod holds;
mod intern;
mod kind;
mod open;
mod shelf;
mod source;
mod write;

pub(super) use answer::{IndexAnswer, Known, longest_text};
pub(super) use bits::Bits;
pub(super) use count::IndexCount;
pub(super) use open::EntryIndex;
pub(super) use shelf::Shelf;
pub(super) use write::{build, rows_of};
