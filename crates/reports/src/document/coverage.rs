//! Coverage of the period and reviews of exceptions, as JSON and as rows.

use jiff::Timestamp;
use reeve_audit::format_instant;
use serde_json::{Value, json};

use crate::coverage::{ConnectionCoverage, Coverage, SourceCoverage};
use crate::findings::ReportFindings;
use crate::period::ReportPeriod;
use crate::review::Review;
use crate::source::EventSource;

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(format_instant)
}

fn span(period: &ReportPeriod) -> Value {
    json!({ "start": format_instant(period.start), "end": format_instant(period.end) })
}

/// The coverage of a report's period.
pub(super) fn coverage(findings: &ReportFindings) -> Value {
    let coverage: &Coverage = &findings.coverage;
    let source = |one: &SourceCoverage| json!({ "name": one.name, "entries": one.entries, "first_at": time(one.first_at), "last_at": time(one.last_at) });
    let connection = |one: &ConnectionCoverage| {
        json!({
            "id": one.id,
            "name": one.name,
            "created_at": time(one.created_at),
            "syncs": one.succeeded,
            "failed_syncs": one.failed,
            "first_at": time(one.first_at),
            "last_at": time(one.last_at),
            "interruptions": one.interruptions.iter().map(span).collect::<Vec<_>>(),
            "interruptions_total": one.interruptions_total,
        })
    };

    let connected = |wanted: bool| {
        let all = EventSource::ALL
            .into_iter()
            .filter(|source| findings.connected.contains(source) == wanted);
        all.map(EventSource::words).collect::<Vec<_>>()
    };

    json!({
        "log_begins_at": time(coverage.log_begins_at),
        "before_the_log": coverage.before_the_log(findings.period).as_ref().map(span),
        "sources": coverage.sources.iter().map(source).collect::<Vec<_>>(),
        "connections": coverage.connections.iter().map(connection).collect::<Vec<_>>(),
        "connected": connected(true),
        "not_connected": connected(false),
    })
}

/// A review as documents have it.
pub(super) fn review(review: &Review) -> Value {
    json!({
        "id": review.id,
        "run_id": review.run.0,
        "comment": review.comment,
        "entries": review.entries,
        "reviewed_by": review.user_email,
        "reviewed_at": format_instant(review.created_at),
    })
}
