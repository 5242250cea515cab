//! Configuration: results of checks by control, the resources that failed with the proof of each
//! result, and what people show by hand.

use std::collections::BTreeSet;

use reeve_reports::{
    CheckedControl, CheckingAgent, FailingResult, ReportConfiguration, ResultException,
};

use crate::PdfReport;
use crate::chart::thousands;
use crate::cover::moment;
use crate::layout::Layout;
use crate::style::{BODY, LEAD, SMALL};
use crate::table::{self, ColumnKind, TableColumn, column};

const TITLE: &str = "Configuration";
/// Room that the failing resources of a control need to begin on a page: heading, head, one row.
const BEGINNING: f32 = 130.0;

/// Columns of failing resources. The last has room for an identifier of an entry on one line, and
/// for a hash on two.
const COLUMNS: [TableColumn; 4] = [
    column("Resource", 1.9, ColumnKind::Text),
    column("Check and reason", 2.7, ColumnKind::Text),
    column("Failed since (UTC)", 1.1, ColumnKind::Text),
    column("Log entry and document", 3.1, ColumnKind::Code),
];

/// Lays out the section, for a framework that has checks.
pub(crate) fn lay_out(layout: &mut Layout<'_>, report: &PdfReport<'_>) {
    if let Some(configuration) = &report.findings.configuration {
        section(layout, configuration);
    }
}

fn section(layout: &mut Layout<'_>, configuration: &ReportConfiguration) {
    layout.begin_page(TITLE);
    layout.heading(1, TITLE, Some(TITLE));
    layout.paragraph(&configuration.lead(&moment(configuration.as_of)), LEAD);
    layout.gap(10.0);
    if configuration.is_checked() {
        checked_by(layout, &configuration.agents);
        by_control(layout, configuration);
        failures(layout, configuration);
    }
    by_hand(layout, configuration);
}

fn checked_by(layout: &mut Layout<'_>, agents: &[CheckingAgent]) {
    if agents.is_empty() {
        layout.paragraph("No agent checks the framework any more.", BODY);
    }
    for agent in agents {
        let last = agent.last_run_at.map_or_else(
            || "has not run yet".to_owned(),
            |at| format!("last ran on {}", moment(at)),
        );
        layout.bullet(
            &format!("{} checks the framework; it {last}.", agent.name),
            BODY,
        );
    }
    layout.gap(8.0);
}

fn by_control(layout: &mut Layout<'_>, configuration: &ReportConfiguration) {
    layout.heading(2, "Results by control", Some("Results by control"));
    let columns = [
        column("Control", 3.4, ColumnKind::Text),
        column("Checks", 0.8, ColumnKind::Number),
        column("Passed", 0.8, ColumnKind::Number),
        column("Failed", 0.8, ColumnKind::Number),
        column("Of these accepted", 0.9, ColumnKind::Number),
        column("Unknown", 0.9, ColumnKind::Number),
        column("Began to fail", 0.9, ColumnKind::Number),
        column("Stopped failing", 0.9, ColumnKind::Number),
    ];

    let row = |control: &CheckedControl| {
        let (results, changes) = (control.results, control.changes);
        vec![
            format!("{}  {}", control.number, control.title),
            thousands(control.checks),
            thousands(results.passed),
            thousands(results.failed),
            thousands(results.excepted),
            thousands(results.unknown),
            thousands(changes.began_failing),
            thousands(changes.stopped_failing),
        ]
    };
    let mut rows: Vec<_> = checked(configuration).map(row).collect();
    let all = configuration.results;
    rows.push(vec![
        "All results, each counted once".to_owned(),
        String::new(),
        thousands(all.passed),
        thousands(all.failed),
        thousands(all.excepted),
        thousands(all.unknown),
        String::new(),
        String::new(),
    ]);
    table::lay_out(layout, &columns, &rows);

    layout.paragraph(
        "A result is one check about one resource; a check that proves several controls counts for each. Accepted: a person accepted \
         the failure until a time. Unknown: a value that decides could not be read. The last two columns count changes within the period. Results that say nothing about a resource are left out here and counted \
         in report.csv.",
        SMALL,
    );
    layout.gap(10.0);
}

fn checked(configuration: &ReportConfiguration) -> impl Iterator<Item = &CheckedControl> {
    let controls = configuration.controls.iter();
    controls.filter(|control| control.checks > 0)
}

fn failures(layout: &mut Layout<'_>, configuration: &ReportConfiguration) {
    layout.heading(2, "Resources that failed", Some("Resources that failed"));
    layout.paragraph(
        "The entry of the log that recorded each result is its proof: report.json carries it, and reeve-verify holds it against this list.",
        BODY,
    );
    layout.gap(6.0);
    if configuration.results.failed == 0 {
        layout.paragraph("No result failed.", BODY);
        layout.gap(8.0);
        return;
    }

    // A check proves many controls: its results are shown with the first of them.
    let mut shown = BTreeSet::new();
    let failing = checked(configuration).filter(|control| !control.failing.is_empty());
    for control in failing {
        layout.need(BEGINNING);
        layout.heading(3, &heading(control), None);
        let (new, above): (Vec<_>, Vec<_>) = control
            .failing
            .iter()
            .partition(|one| shown.insert((&one.check, &one.account, &one.resource_id)));
        if !new.is_empty() {
            let rows: Vec<_> = new.into_iter().map(failure).collect();
            table::lay_out(layout, &COLUMNS, &rows);
        }
        if !above.is_empty() {
            let named: Vec<_> = above.into_iter().map(named).collect();
            layout.paragraph(&format!("Listed above: {}.", named.join("; ")), SMALL);
            layout.gap(10.0);
        }
    }
}

/// A result that is listed with another control.
fn named(failing: &FailingResult) -> String {
    format!("{} on {}", failing.check, failing.resource_id)
}

fn heading(control: &CheckedControl) -> String {
    let (listed, failed) = (control.failing.len() as u64, control.results.failed);
    let name = format!("{}  {}", control.number, control.title);
    if listed < failed {
        format!(
            "{name}: {} of {} failed results",
            thousands(listed),
            thousands(failed)
        )
    } else if failed == 1 {
        format!("{name}: 1 failed result")
    } else {
        format!("{name}: {} failed results", thousands(failed))
    }
}

fn failure(failing: &FailingResult) -> Vec<String> {
    let place = [failing.account.as_str(), failing.region.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    let mut resource = vec![failing.resource_id.clone()];
    if failing.resource_name != failing.resource_id && !failing.resource_name.is_empty() {
        resource.insert(0, failing.resource_name.clone());
    }
    if !place.is_empty() {
        resource.push(place);
    }

    let entry = match failing.sequence {
        Some(sequence) => format!("entry {sequence}\n{}", failing.event_id),
        None => format!("{}\nno longer kept", failing.event_id),
    };
    let document = failing.document.as_deref();
    let document = document.map_or_else(
        || "no document".to_owned(),
        |hash| format!("sha256\n{hash}"),
    );
    let mut why = format!("{} ({})\n{}", failing.check, failing.severity, failing.why);
    if let Some(exception) = &failing.exception {
        let end = exception.ends_at.map_or_else(
            || "until it is withdrawn".to_owned(),
            |end| format!("until {}", moment(end)),
        );
        let ResultException { by, reason, .. } = exception;
        why.push_str(&format!("\nAccepted by {by} {end}: {reason}"));
    }
    vec![
        resource.join("\n"),
        why,
        moment(failing.since).replace(" UTC", ""),
        format!("{entry}\n{document}"),
    ]
}

fn by_hand(layout: &mut Layout<'_>, configuration: &ReportConfiguration) {
    let mut shown = configuration
        .controls
        .iter()
        .filter_map(|control| Some((control, control.by_hand.as_deref()?)))
        .peekable();
    if shown.peek().is_none() {
        return;
    }

    layout.heading(2, "Shown by hand", Some("Shown by hand"));
    layout.paragraph(
        "No configuration shows the following. It is to be brought beside this report.",
        BODY,
    );
    layout.gap(4.0);
    for (control, words) in shown {
        let besides = if control.checks > 0 {
            " (beside its checks)"
        } else {
            ""
        };
        layout.bullet(
            &format!("{}  {}{besides}: {words}", control.number, control.title),
            BODY,
        );
    }
    layout.gap(8.0);
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use reeve_reports::{CheckedChanges, CheckedCounts};

    use super::*;
    use crate::fonts::FONTS;
    use crate::layout::{Draw, Pages};

    fn words(pages: &Pages) -> String {
        let draws = pages.pages.iter().flat_map(|page| &page.draws);
        let lines = draws.filter_map(|draw| match draw {
            Draw::Text { line, .. } => Some(
                line.runs
                    .iter()
                    .map(|run| run.text.as_str())
                    .collect::<String>(),
            ),
            Draw::Fill { .. } => None,
        });
        lines.collect::<Vec<_>>().join(" ")
    }

    fn laid_out(configuration: &ReportConfiguration) -> String {
        let mut layout = Layout::new(&FONTS, TITLE);
        section(&mut layout, configuration);
        words(&layout.finish())
    }

    fn control(number: &str, failed: u64, failing: Vec<FailingResult>) -> CheckedControl {
        CheckedControl {
            number: number.to_owned(),
            title: "Access is limited".to_owned(),
            by_hand: None,
            checks: 4,
            results: CheckedCounts {
                passed: 8_123,
                failed,
                excepted: 0,
                unknown: 57,
                not_applicable: 0,
            },
            changes: CheckedChanges {
                began_failing: 31,
                stopped_failing: 29,
            },
            failing,
        }
    }

    fn configuration() -> ReportConfiguration {
        let failing = FailingResult {
            check: "aws.s3.versioning_enabled".to_owned(),
            check_title: "Versions are kept".to_owned(),
            severity: "medium",
            resource_id: "invoices".to_owned(),
            resource_name: "Invoices".to_owned(),
            kind: "bucket".to_owned(),
            account: "111122223333".to_owned(),
            region: "eu-west-1".to_owned(),
            why: "No versions.".to_owned(),
            since: Timestamp::UNIX_EPOCH,
            document: Some("9f86d081".to_owned()),
            event_id: "e-77".to_owned(),
            sequence: Some(4_711),
            exception: None,
        };
        let by_hand = CheckedControl {
            number: "CC1.1".to_owned(),
            title: "Values".to_owned(),
            by_hand: Some("Show the code of conduct.".to_owned()),
            ..CheckedControl::default()
        };
        ReportConfiguration {
            framework: "soc2".to_owned(),
            title: "SOC 2".to_owned(),
            edition: "2017".to_owned(),
            as_of: Timestamp::UNIX_EPOCH,
            agents: Vec::new(),
            results: CheckedCounts {
                passed: 8_123,
                failed: 43,
                excepted: 0,
                unknown: 57,
                not_applicable: 0,
            },
            controls: vec![
                by_hand,
                control("CC6.1", 43, vec![failing.clone()]),
                control("CC6.6", 1, vec![failing]),
            ],
        }
    }

    #[test]
    fn numbers_failing_resources_and_their_entries_are_shown() {
        let shown = laid_out(&configuration());
        for expected in [
            "8,123",
            "57",
            "31",
            "29",
            "CC6.1 Access is limited: 1 of 43 failed results",
            "Invoices",
            "aws.s3.versioning_enabled",
            "No versions.",
            "entry 4711",
            "e-77",
            "9f86d081",
            "CC6.6 Access is limited: 1 failed result",
            "Listed above: aws.s3.versioning_enabled on invoices.",
            "CC1.1 Values: Show the code of conduct.",
        ] {
            let plain = shown.replace("  ", " ");
            assert!(plain.contains(expected), "{expected}: {plain}");
        }
    }

    #[test]
    fn a_framework_that_nobody_checked_has_no_table() {
        let shown = laid_out(&ReportConfiguration {
            results: CheckedCounts::default(),
            ..configuration()
        });
        assert!(shown.contains("No configuration was checked"), "{shown}");
        assert!(!shown.contains("Results by control"), "{shown}");
        assert!(shown.contains("Show the code of conduct."), "{shown}");
    }
}
