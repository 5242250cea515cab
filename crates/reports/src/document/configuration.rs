//! Results of checks of configurations, as JSON.

use reeve_audit::format_instant;
use serde_json::{Value, json};

use crate::configuration::{
    CheckedControl, CheckedCounts, CheckingAgent, FailingResult, ReportConfiguration,
    ResultException,
};

/// The section "Configuration" of a report.
pub(super) fn configuration(configuration: &ReportConfiguration) -> Value {
    json!({
        "framework": configuration.framework,
        "title": configuration.title,
        "edition": configuration.edition,
        "as_of": format_instant(configuration.as_of),
        "is_checked": configuration.is_checked(),
        "agents": configuration.agents.iter().map(agent).collect::<Vec<_>>(),
        "results": counts(configuration.results),
        "entries_listed": configuration.sequences().len(),
        "controls": configuration.controls.iter().map(control).collect::<Vec<_>>(),
    })
}

fn agent(agent: &CheckingAgent) -> Value {
    json!({ "name": agent.name, "last_run_at": agent.last_run_at.map(format_instant) })
}

fn counts(counts: CheckedCounts) -> Value {
    json!({
        "pass": counts.passed,
        "fail": counts.failed,
        "excepted": counts.excepted,
        "unknown": counts.unknown,
        "not_applicable": counts.not_applicable,
    })
}

fn control(control: &CheckedControl) -> Value {
    json!({
        "number": control.number,
        "title": control.title,
        "by_hand": control.by_hand,
        "checks": control.checks,
        "results": counts(control.results),
        "began_failing": control.changes.began_failing,
        "stopped_failing": control.changes.stopped_failing,
        "failing": control.failing.iter().map(failing).collect::<Vec<_>>(),
    })
}

fn failing(failing: &FailingResult) -> Value {
    json!({
        "check": failing.check,
        "check_title": failing.check_title,
        "severity": failing.severity,
        "resource_id": failing.resource_id,
        "resource_name": failing.resource_name,
        "kind": failing.kind,
        "account": failing.account,
        "region": failing.region,
        "why": failing.why,
        "since": format_instant(failing.since),
        "document": failing.document,
        "event_id": failing.event_id,
        "sequence": failing.sequence,
        "exception": failing.exception.as_ref().map(exception),
    })
}

fn exception(exception: &ResultException) -> Value {
    json!({
        "reason": exception.reason,
        "by": exception.by,
        "at": format_instant(exception.at),
        "ends_at": exception.ends_at.map(format_instant),
    })
}
