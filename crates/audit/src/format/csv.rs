//! Comma-separated values as RFC 4180 writes them: UTF-8, CRLF, a header, quotes where they are
//! needed.
//!
//! An absent value is an empty cell. Objects and lists are their JSON. A spreadsheet takes a cell
//! that begins with `=`, `+`, `-` or `@` for a formula, and a terminal obeys control characters,
//! whoever wrote them into the log. So an apostrophe is put before the former, and the latter are
//! spelled as JSON spells them, unless [`CsvOptions::raw`] asks for values as they are.

use std::borrow::Cow;
use std::io::{self, Write};

use super::text::{hex, is_unsafe, push_escape, tags_of};
use super::{EntryView, FormatError, Written};
use crate::entry::SubmitterField;
use crate::instant::format_instant;
use crate::json::Json;

/// Options of the CSV format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CsvOptions {
    /// Writes values unchanged. Otherwise a `'` precedes cells that a spreadsheet could interpret
    /// as a formula, and cells that begin with `'` themselves. Control characters other than line
    /// feed and tab, line and paragraph separators, and characters that change the direction of
    /// writing become `\u001b`.
    pub raw: bool,
}

/// The header, in order.
pub const COLUMNS: [&str; 39] = [
    "sequence",
    "timestamp",
    "recorded_at",
    "event_id",
    "event_type",
    "category",
    "severity",
    "actor.type",
    "actor.id",
    "actor.email",
    "actor.ip_address",
    "actor.user_agent",
    "actor.session_id",
    "resource.type",
    "resource.id",
    "resource.cloud_provider",
    "resource.account_id",
    "resource.region",
    "resource.tags",
    "action.operation",
    "action.status",
    "action.method",
    "changes.before",
    "changes.after",
    "metadata.request_id",
    "metadata.api_version",
    "metadata.tags",
    "metadata",
    "integrity.commitment",
    "integrity.leaf_hash",
    "integrity.previous_hash",
    "integrity.hash",
    "submitted_by.type",
    "submitted_by.id",
    "submitted_by.email",
    "submitted_by.ip_address",
    "submitted_by.session_id",
    "submitted_by.token_id",
    "submitted_by.token_name",
];

pub(super) fn write_header(out: &mut impl Write) -> io::Result<()> {
    out.write_all(format!("{}\r\n", COLUMNS.join(",")).as_bytes())
}

/// Writes one row that ends in CRLF.
pub(super) fn write_entry(
    out: &mut impl Write,
    view: &EntryView<'_>,
    options: CsvOptions,
) -> Result<Written, FormatError> {
    let mut row = String::with_capacity(1024);
    for (at, value) in cells(view).into_iter().enumerate() {
        if at > 0 {
            row.push(',');
        }
        if let Some(value) = value {
            push_cell(&value, options, &mut row);
        }
    }

    row.push_str("\r\n");
    out.write_all(row.as_bytes())?;
    Ok(Written::Whole)
}

/// Writes a row of any values, formulas neutralised, for tables other than that of whole entries.
///
/// # Errors
/// Those of the writer.
pub fn write_csv_row<'a>(
    out: &mut impl Write,
    values: impl IntoIterator<Item = Option<&'a str>>,
) -> io::Result<()> {
    let mut row = String::with_capacity(256);
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            row.push(',');
        }
        if let Some(value) = value {
            push_cell(value, CsvOptions::default(), &mut row);
        }
    }

    row.push_str("\r\n");
    out.write_all(row.as_bytes())
}

/// The values in the order of [`COLUMNS`].
fn cells<'a>(view: &EntryView<'a>) -> [Option<Cow<'a, str>>; COLUMNS.len()] {
    let (entry, proof) = (view.entry, view.integrity);
    let (actor, on, action, metadata) = (
        &entry.actor,
        &entry.resource,
        &entry.action,
        &entry.metadata,
    );

    let by = |field| {
        entry
            .submitted_by
            .as_deref()
            .and_then(|submitter| submitter.text(field))
    };

    [
        Some(proof.sequence.to_string().into()),
        Some(format_instant(entry.timestamp).into()),
        Some(format_instant(view.recorded_at).into()),
        Some(entry.event_id.as_str().into()),
        Some(entry.event_type.as_str().into()),
        Some(entry.category().into()),
        Some(entry.severity.as_str().into()),
        actor.kind.map(|kind| kind.as_str().into()),
        actor.id.as_deref().map(Cow::from),
        actor.email.as_deref().map(Cow::from),
        actor.ip_address.map(|ip| ip.to_string().into()),
        actor.user_agent.as_deref().map(Cow::from),
        actor.session_id.as_deref().map(Cow::from),
        on.kind.as_deref().map(Cow::from),
        on.id.as_deref().map(Cow::from),
        on.cloud_provider.as_deref().map(Cow::from),
        on.account_id.as_deref().map(Cow::from),
        on.region.as_deref().map(Cow::from),
        tags_of(on).map(Cow::from),
        action.operation.as_deref().map(Cow::from),
        action.status.map(|status| status.as_str().into()),
        action.method.map(|method| method.as_str().into()),
        entry
            .changes
            .before
            .as_ref()
            .map(|state| state.to_string().into()),
        entry
            .changes
            .after
            .as_ref()
            .map(|state| state.to_string().into()),
        metadata.request_id.as_deref().map(Cow::from),
        Some(metadata.api_version.as_str().into()),
        (!metadata.tags.is_empty()).then(|| Json::from(metadata.tags.clone()).to_string().into()),
        (!metadata.extra.is_empty())
            .then(|| Json::Object(metadata.extra.clone()).to_string().into()),
        Some(hex(&proof.commitment).into()),
        Some(hex(&proof.leaf_hash).into()),
        Some(hex(&proof.previous_hash).into()),
        Some(hex(&proof.hash).into()),
        by(SubmitterField::Type),
        by(SubmitterField::Id),
        by(SubmitterField::Email),
        by(SubmitterField::IpAddress),
        by(SubmitterField::SessionId),
        by(SubmitterField::TokenId),
        by(SubmitterField::TokenName),
    ]
}

/// Appends one value to a row of CSV, quoted where it has to be, and never as a formula.
pub fn push_csv_cell(value: &str, row: &mut String) {
    push_cell(value, CsvOptions::default(), row);
}

fn push_cell(value: &str, options: CsvOptions, row: &mut String) {
    let value = if options.raw {
        value.into()
    } else {
        visible(value)
    };
    let apostrophe = !options.raw && value.starts_with(is_formula);

    // A space at either end is part of the value (RFC 4180, 2.4), but readers differ unless it is
    // quoted.
    let quoted = value.is_empty()
        || value.contains(['"', ',', '\r', '\n'])
        || value.starts_with(char::is_whitespace)
        || value.ends_with(char::is_whitespace);
    if quoted {
        row.push('"');
    }
    if apostrophe {
        row.push('\'');
    }

    for piece in value.split_inclusive('"') {
        row.push_str(piece);
        if piece.ends_with('"') {
            row.push('"');
        }
    }

    if quoted {
        row.push('"');
    }
}

/// The value with what a terminal obeys spelled as JSON spells it. Line feeds and tabs are text,
/// and quoted.
fn visible(value: &str) -> Cow<'_, str> {
    let escaped = |c: char| is_unsafe(c) && !matches!(c, '\n' | '\t');
    if !value.contains(escaped) {
        return value.into();
    }

    let mut out = String::with_capacity(value.len() + 16);
    value.chars().for_each(|c| {
        if escaped(c) {
            push_escape(c, &mut out)
        } else {
            out.push(c)
        }
    });

    out.into()
}

/// First characters that begin a formula in one spreadsheet or another, their wide forms, and the
/// apostrophe itself. Some spreadsheets skip white space and controls before they look.
fn is_formula(first: char) -> bool {
    matches!(
        first,
        '=' | '+' | '-' | '@' | '\'' | '＝' | '＋' | '－' | '＠'
    ) || first.is_whitespace()
        || first.is_control()
}
