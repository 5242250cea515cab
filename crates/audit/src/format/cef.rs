//! Common Event Format, version 0: a header between bars, then `key=value`. A record is a line.
//!
//! Keys of the format's dictionary are used where they fit; what has none stands under a key that
//! begins with `Reeve`.

use std::borrow::Cow;
use std::io::Write;
use std::net::IpAddr;

use super::reduce::{FormatDetail, Limit, write_fitting};
use super::text::{cut, hex, push_escaped, tags_of};
use super::{EntryView, FormatError, Written};
use crate::entry::{Severity, SubmitterField};
use crate::json::Json;

/// Options of the CEF format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CefOptions {
    /// Largest size of a record, and the treatment of longer ones.
    pub limit: Limit,
}

/// Writes one record, reduced or refused if it exceeds the limit.
pub(super) fn write_entry(
    out: &mut impl Write,
    view: &EntryView<'_>,
    options: &CefOptions,
) -> Result<Written, FormatError> {
    let frame = |record: &str| format!("{record}\n").into_bytes();
    write_fitting(
        out,
        view.integrity.sequence,
        options.limit,
        |detail| spell(view, detail),
        frame,
    )
}

fn spell(view: &EntryView<'_>, detail: FormatDetail) -> String {
    let entry = view.entry;
    let mut out = String::with_capacity(1536);
    out.push_str("CEF:0|Reeve|Reeve|");
    out.push_str(env!("CARGO_PKG_VERSION"));
    out.push('|');
    push_header(entry.event_type.as_str(), &mut out);
    out.push('|');
    let name = entry
        .action
        .operation
        .as_deref()
        .unwrap_or(entry.event_type.as_str());
    push_header(&short(name, detail), &mut out);
    out.push('|');
    out.push_str(severity(entry.severity));
    out.push('|');
    let mut first = true;
    let mut put = |key: &str, value: Option<Cow<'_, str>>| {
        let Some(value) = value else { return };
        if !std::mem::take(&mut first) {
            out.push(' ');
        }
        out.push_str(key);
        out.push('=');
        push_value(&value, &mut out);
    };
    put_dictionary(view, detail, &mut put);

    put_labelled(view, detail, &mut put);
    put_own(view, detail, &mut put);
    out
}

/// 0 to 3 low, 4 to 6 medium, 7 and 8 high, 9 and 10 very high.
const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "1",
        Severity::Low => "3",
        Severity::Medium => "5",
        Severity::High => "8",
        Severity::Critical => "10",
    }
}

fn short(text: &str, detail: FormatDetail) -> Cow<'_, str> {
    if detail == FormatDetail::Cut {
        cut(text, FormatDetail::KEPT)
    } else {
        text.into()
    }
}

/// Keys of the dictionary that mean what the field means.
fn put_dictionary(
    view: &EntryView<'_>,
    detail: FormatDetail,
    put: &mut impl FnMut(&str, Option<Cow<'_, str>>),
) {
    let entry = view.entry;
    let actor = &entry.actor;
    put(
        "rt",
        Some(view.recorded_at.as_millisecond().to_string().into()),
    );
    put(
        "start",
        Some(entry.timestamp.as_millisecond().to_string().into()),
    );
    put("externalId", Some(entry.event_id.as_str().into()));
    put("cat", Some(entry.category().into()));
    put(
        "act",
        entry
            .action
            .operation
            .as_deref()
            .map(|text| short(text, detail)),
    );

    put(
        "outcome",
        entry.action.status.map(|status| status.as_str().into()),
    );
    put("suid", actor.id.as_deref().map(|text| short(text, detail)));
    put(
        "suser",
        actor
            .email
            .as_deref()
            .or(actor.id.as_deref())
            .map(|text| short(text, detail)),
    );

    match actor.ip_address {
        Some(IpAddr::V4(address)) => put("src", Some(address.to_string().into())),
        Some(IpAddr::V6(address)) => {
            put("c6a2Label", Some("Source IPv6 Address".into()));
            put("c6a2", Some(address.to_string().into()));
        }
        None => {}
    }

    put(
        "requestClientApplication",
        actor.user_agent.as_deref().map(|text| short(text, detail)),
    );
}

/// Custom strings and the custom number, each with its label.
fn put_labelled(
    view: &EntryView<'_>,
    detail: FormatDetail,
    put: &mut impl FnMut(&str, Option<Cow<'_, str>>),
) {
    let on = &view.entry.resource;
    let fields = [
        ("cs1Label", "resourceType", "cs1", on.kind.as_deref()),
        ("cs2Label", "resourceId", "cs2", on.id.as_deref()),
        (
            "cs3Label",
            "cloudProvider",
            "cs3",
            on.cloud_provider.as_deref(),
        ),
        ("cs4Label", "accountId", "cs4", on.account_id.as_deref()),
        ("cs5Label", "region", "cs5", on.region.as_deref()),
    ];

    for (label, name, key, value) in fields {
        if let Some(value) = value {
            put(label, Some(name.into()));
            put(key, Some(short(value, detail)));
        }
    }

    put("cs6Label", Some("hash".into()));
    put("cs6", Some(hex(&view.integrity.hash).into()));
    put("cn1Label", Some("sequence".into()));
    put("cn1", Some(view.integrity.sequence.to_string().into()));
}

/// Writes the members that the CEF dictionary has no key for, under keys of Reeve's own.
fn put_own(
    view: &EntryView<'_>,
    detail: FormatDetail,
    put: &mut impl FnMut(&str, Option<Cow<'_, str>>),
) {
    let (entry, proof) = (view.entry, view.integrity);
    let metadata = &entry.metadata;
    put(
        "ReeveActorType",
        entry.actor.kind.map(|kind| kind.as_str().into()),
    );
    put(
        "ReeveSessionId",
        entry
            .actor
            .session_id
            .as_deref()
            .map(|text| short(text, detail)),
    );

    put(
        "ReeveMethod",
        entry.action.method.map(|method| method.as_str().into()),
    );
    put(
        "ReeveRequestId",
        metadata
            .request_id
            .as_deref()
            .map(|text| short(text, detail)),
    );

    put(
        "ReeveApiVersion",
        Some(short(&metadata.api_version, detail)),
    );
    if detail.has_open_metadata() {
        put("ReeveResourceTags", tags_of(&entry.resource).map(Cow::from));
        let labels = &metadata.tags;
        put(
            "ReeveTags",
            (!labels.is_empty()).then(|| Json::from(labels.clone()).to_string().into()),
        );
        let open = &metadata.extra;
        put(
            "ReeveMetadata",
            (!open.is_empty()).then(|| Json::Object(open.clone()).to_string().into()),
        );
    }

    if detail.has_changes() {
        put(
            "ReeveChangesBefore",
            entry
                .changes
                .before
                .as_ref()
                .map(|state| state.to_string().into()),
        );
        put(
            "ReeveChangesAfter",
            entry
                .changes
                .after
                .as_ref()
                .map(|state| state.to_string().into()),
        );
    }

    if let Some(submitter) = &entry.submitted_by {
        for field in SubmitterField::ALL {
            put(submitter_key(field), submitter.text(field));
        }
    }

    put("ReeveCommitment", Some(hex(&proof.commitment).into()));
    put("ReeveLeafHash", Some(hex(&proof.leaf_hash).into()));
    put("ReevePreviousHash", Some(hex(&proof.previous_hash).into()));
    put("ReeveReduced", detail.left_out().map(Cow::from));
}

const fn submitter_key(field: SubmitterField) -> &'static str {
    match field {
        SubmitterField::Type => "ReeveSubmittedByType",
        SubmitterField::Id => "ReeveSubmittedById",
        SubmitterField::Email => "ReeveSubmittedByEmail",
        SubmitterField::IpAddress => "ReeveSubmittedByAddress",
        SubmitterField::SessionId => "ReeveSubmittedBySessionId",
        SubmitterField::TokenId => "ReeveSubmittedByTokenId",
        SubmitterField::TokenName => "ReeveSubmittedByTokenName",
    }
}

/// Escapes `|` and `\`. A header has no escape for control characters, so those are written as JSON
/// escapes.
fn push_header(text: &str, out: &mut String) {
    text.chars()
        .for_each(|c| push_escaped(c, &['|', '\\'], out));
}

/// Escapes `=` and `\`, newlines as `\n` and `\r`, and other control characters as JSON escapes.
fn push_value(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c => push_escaped(c, &['=', '\\'], out),
        }
    }
}
