//! Coverage of the period: since when the log exists, who submitted entries, where syncs stopped,
//! and which sources are missing.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reeve_reports::{ConnectionCoverage, EventSource, ReportPeriod, SourceCoverage};

use crate::PdfReport;
use crate::chart::thousands;
use crate::cover::moment;
use crate::layout::Layout;
use crate::style::{BODY, LEAD, SMALL};
use crate::table::{self, ColumnKind, column};

/// Lays out the section.
pub(crate) fn lay_out(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    layout.begin_page("Coverage of the period");
    layout.heading(1, "Coverage of the period", Some("Coverage of the period"));
    layout.paragraph(&lead(report), LEAD);
    layout.gap(10.0);
    sources(layout, &report.findings.coverage.sources);

    if report.plan.template.is_some() {
        connections(layout, &report.findings.coverage.connections);
        kinds(layout, report);
        filters(layout, report);
    }
}

fn lead(report: &PdfReport<'_>) -> String {
    let coverage = &report.findings.coverage;
    let begins = match (
        coverage.log_begins_at,
        coverage.before_the_log(report.findings.period),
    ) {
        (Some(begins), None) => format!(
            "The log exists since {}, before the period begins.",
            moment(begins)
        ),
        (Some(begins), Some(_)) => format!(
            "The log exists since {} only. Reeve witnessed nothing before: entries about that time were handed in afterwards, and their \
             completeness is their submitter's statement.",
            moment(begins)
        ),
        (None, _) => "The log has no entry.".to_owned(),
    };

    let faults = match coverage.faults() {
        0 => "No expected source was silent, and no connection stopped.".to_owned(),
        1 => "1 expected source or connection was silent or stopped for a time.".to_owned(),
        more => {
            format!("{more} expected sources or connections were silent or stopped for a time.")
        }
    };

    format!("{begins} {faults}")
}

fn sources(layout: &mut Layout<'_>, sources: &[SourceCoverage]) {
    layout.heading(2, "Who submitted the entries of the period", None);
    if sources.is_empty() {
        layout.paragraph(
            "The submitters were not counted: the period holds no entries, or too many to count in time.",
            BODY,
        );
        layout.gap(8.0);
        return;
    }

    let columns = [
        column("Source", 4.0, ColumnKind::Text),
        column("Entries", 1.2, ColumnKind::Number),
        column("First recorded (UTC)", 2.0, ColumnKind::Text),
        column("Last recorded (UTC)", 2.0, ColumnKind::Text),
    ];

    let row = |source: &SourceCoverage| {
        let none = if source.entries == 0 {
            "expected, and silent"
        } else {
            ""
        };
        vec![
            source.name.clone(),
            thousands(source.entries),
            time(source.first_at, none),
            time(source.last_at, ""),
        ]
    };

    table::lay_out(
        layout,
        &columns,
        &sources.iter().map(row).collect::<Vec<_>>(),
    );

    layout.paragraph(
        "Reeve notes who hands in each entry, and no submitter can write as Reeve. What an entry of another submitter says is that submitter's \
         statement. The appendix and report.csv name the submitter of each entry.",
        SMALL,
    );
    layout.gap(10.0);
}

fn connections(layout: &mut Layout<'_>, connections: &[ConnectionCoverage]) {
    layout.heading(2, "Connections to clouds", None);
    if connections.is_empty() {
        layout.paragraph(
            "No cloud account is connected, and none was synced in the period.",
            BODY,
        );
        layout.gap(8.0);
        return;
    }

    let columns = [
        column("Connection", 2.2, ColumnKind::Text),
        column("Syncs", 0.8, ColumnKind::Number),
        column("Failed", 0.7, ColumnKind::Number),
        column("First and last (UTC)", 1.7, ColumnKind::Text),
        column(
            "More than 6 hours without a sync (UTC)",
            3.4,
            ColumnKind::Text,
        ),
    ];

    table::lay_out(
        layout,
        &columns,
        &connections.iter().map(connection).collect::<Vec<_>>(),
    );
}

fn connection(connection: &ConnectionCoverage) -> Vec<String> {
    let gap = |gap: &ReportPeriod| {
        format!(
            "{} to {}",
            time(Some(gap.start), ""),
            time(Some(gap.end), "")
        )
    };
    let mut gaps: Vec<_> = connection.interruptions.iter().map(gap).collect();

    let more = connection
        .interruptions_total
        .saturating_sub(gaps.len() as u64);
    if more > 0 {
        gaps.push(format!("and {more} shorter ones"));
    }
    if gaps.is_empty() {
        gaps.push("none".to_owned());
    }

    let name = match connection.created_at {
        Some(_) => connection.name.clone(),
        None => format!("{} (removed since)", connection.name),
    };
    vec![
        name,
        thousands(connection.succeeded),
        thousands(connection.failed),
        format!(
            "{}\n{}",
            time(connection.first_at, "none"),
            time(connection.last_at, "none")
        ),
        gaps.join("\n"),
    ]
}

fn kinds(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let connected = |wanted: bool| {
        let all = EventSource::ALL
            .into_iter()
            .filter(|source| report.findings.connected.contains(source) == wanted);
        let words: Vec<_> = all.map(EventSource::words).collect();
        if words.is_empty() {
            "none".to_owned()
        } else {
            words.join(", ")
        }
    };

    layout.heading(2, "Kinds of source", None);
    layout.bullet(
        &format!("The log has entries of: {}.", connected(true)),
        BODY,
    );
    layout.bullet(
        &format!(
            "It has none of: {}. A query that only these can answer is marked \"no source connected\"; finding nothing, it says nothing.",
            connected(false)
        ),
        BODY,
    );

    layout.gap(8.0);
}

fn filters(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    let scope = report.heading.scope.as_ref();
    if scope.is_some_and(|scope| !scope.accounts.is_empty()) {
        layout.heading(2, "Scope", None);
        layout.paragraph(
            "The report is made for a user whose scope names accounts. Entries that belong to no account are not in it, such as sign-ins, users, keys, \
             backups, verifications and syncs of connections: a control that these would evidence shows fewer entries here than the whole log has.",
            BODY,
        );
    } else if report.request.filters.narrow_resources() {
        layout.heading(2, "Filters", None);
        layout.paragraph(
            "The report is narrowed to accounts or resources. Entries that belong to no account stay in it: sign-ins, users, keys, backups, \
             verifications and alerts are evidence for every account.",
            BODY,
        );
    }
}

fn time(at: Option<Timestamp>, none: &str) -> String {
    at.map_or_else(
        || none.to_owned(),
        |at| {
            at.to_zoned(TimeZone::UTC)
                .strftime("%Y-%m-%d %H:%M")
                .to_string()
        },
    )
}
