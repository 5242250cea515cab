//! Entries about runs: the intent, and what came of it.

use reeve_audit::{ActionStatus as LogStatus, Entry, Json, ResourceRef};
use reeve_recommend::agent::{Agent, RunReport};
use reeve_recommend::caller::Caller;

use crate::log_entry;

/// Makes the entry of a run; `recorded` are the fields that its agent type adds.
pub(super) fn run_entry(
    agent: &Agent,
    report: &RunReport,
    recorded: Vec<(&'static str, Json)>,
    status: LogStatus,
    caller: &Caller,
) -> Entry {
    let entry = log_entry::entry(log_entry::RUN, "agent.run", status, caller)
        .on(ResourceRef::new("agent", agent.id.0.clone()))
        .with_metadata("agent_id", agent.id.0.clone())
        .with_metadata("agent_type", agent.agent_type.as_str())
        .with_metadata("run_id", report.run_id.clone())
        .with_metadata("mode", agent.mode.as_str())
        .with_metadata("extent", report.extent.as_str());

    if status == LogStatus::Pending {
        return entry;
    }

    let skipped = Json::object(
        report
            .skipped
            .iter()
            .map(|(reason, count)| (reason.clone(), *count)),
    );

    let fields = [
        ("resources_seen", Json::from(report.resources_seen)),
        (
            "resources_judged",
            Json::from(report.resources_judged.unwrap_or_default()),
        ),
        ("days_observed", Json::from(report.days_observed)),
        ("recommendations", Json::from(report.recommendations)),
        ("applied", Json::from(report.applied)),
        ("skipped", skipped),
    ];
    let entry = entry.after(Json::object(fields.into_iter().chain(recorded)));

    match &report.error {
        Some(error) => entry.with_metadata("error", error.clone()),
        None => entry,
    }
}
