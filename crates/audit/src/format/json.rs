//! JSON lines: the entry as the HTTP interface shows it, `integrity` included, spelled as RFC 8785
//! says. Equal entries are equal lines.

use std::io::Write;

use super::reduce::FormatDetail;
use super::text::{hex, push_escape};
use super::{EntryView, FormatError, Written};
use crate::json::{Json, write_canonical};

/// Writes the entry as one line of canonical JSON.
pub(super) fn write_entry(
    out: &mut impl Write,
    view: &EntryView<'_>,
) -> Result<Written, FormatError> {
    let mut line = Vec::with_capacity(1280);
    write_canonical(&tree(view, FormatDetail::Whole), &mut line);
    line.push(b'\n');
    out.write_all(&line)?;
    Ok(Written::Whole)
}

/// The entry with as much detail as asked for, in ASCII: other characters are escaped.
pub(super) fn ascii(view: &EntryView<'_>, detail: FormatDetail) -> String {
    let spelled = tree(view, detail).to_string();
    if spelled.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return spelled;
    }

    let mut text = String::with_capacity(spelled.len() + 64);
    for c in spelled.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            text.push(c)
        } else {
            push_escape(c, &mut text)
        }
    }

    text
}

fn tree(view: &EntryView<'_>, detail: FormatDetail) -> Json {
    let mut tree = view.entry.to_json(view.recorded_at);
    if let Json::Object(members) = &mut tree {
        if !detail.has_changes() {
            members.remove("changes");
        }
        if !detail.has_open_metadata() {
            members.remove("metadata");
        }
        let proof = view.integrity;
        let hashes = [
            ("commitment", &proof.commitment),
            ("hash", &proof.hash),
            ("leaf_hash", &proof.leaf_hash),
            ("previous_hash", &proof.previous_hash),
        ];
        let mut integrity = Json::object(hashes.map(|(name, hash)| (name, hex(hash))));
        if let Json::Object(integrity) = &mut integrity {
            integrity.insert("sequence", proof.sequence);
            if let Some(salt) = &proof.salt {
                integrity.insert("salt", hex(salt));
            }
        }
        members.insert("integrity", integrity);
    }

    tree
}
