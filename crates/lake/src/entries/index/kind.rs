//! Names of fields and kinds of values inside an index file. Format: `docs/formats/index.md`.

use reeve_audit::SubmitterField;
use reeve_audit::query::{QueryColumn, fold};

pub(super) const TEXT: u8 = b's';
/// A number, as canonical JSON writes it.
pub(super) const NUMBER: u8 = b'n';
/// A Boolean, `true` or `false`.
pub(super) const BOOL: u8 = b'b';
/// Null; no bytes follow.
pub(super) const NULL: u8 = b'z';
/// Presence of an object; no bytes follow.
pub(super) const OBJECT: u8 = b'o';

/// A typed column of the segment.
const COLUMN: u8 = b'c';
/// Field `metadata.api_version`.
pub(super) const API_VERSION: u8 = b'v';
/// Labels of `metadata.tags`.
pub(super) const LABELS: u8 = b't';
/// A tag of a resource, by its name as written.
pub(super) const TAG: u8 = b'r';
/// A path below `changes.before`.
pub(super) const BEFORE: u8 = b'b';
/// A path below `changes.after`.
pub(super) const AFTER: u8 = b'a';
/// A path below `metadata`.
pub(super) const METADATA: u8 = b'm';

/// A member of the submitter, by its name.
const SUBMITTER: u8 = b's';

/// The name of the field of a submitter's member.
pub(super) fn submitter_key(field: SubmitterField) -> Vec<u8> {
    [&[SUBMITTER, b':'], field.member().as_bytes()].concat()
}

/// Returns `true` for a field of open members, whose values have any kind; values of others are
/// texts.
pub(super) fn is_open(key: &[u8]) -> bool {
    matches!(key.first(), Some(&(BEFORE | AFTER | METADATA)))
}

/// The name of a column's field.
pub(super) fn column_key(column: QueryColumn) -> Vec<u8> {
    [&[COLUMN, b':'], column.segment_name().as_bytes()].concat()
}

/// Adds a member to a path: its folded length, `:` and its folded name, so that no name can be
/// taken for two.
pub(super) fn push_step(path: &mut Vec<u8>, name: &str) {
    let name = fold::fold(name);
    path.extend_from_slice(name.len().to_string().as_bytes());
    path.push(b':');
    path.extend_from_slice(name.as_bytes());
}

/// The name of a field below a root.
pub(super) fn path_key(root: u8, path: &[String]) -> Vec<u8> {
    let mut key = vec![root, b':'];
    path.iter().for_each(|step| push_step(&mut key, step));
    key
}
