//! Findings of a run, as they are kept with it, and templates.

use reeve_reports::{Template, templates as all};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::compliance::ResultCountsBody;

/// Number of distinct values.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DistinctBody {
    pub count: u64,
    /// Set when counting stopped at a bound: there may be more.
    pub at_least: bool,
}

/// Period of a report, from its first instant to its end.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportPeriodBody {
    /// First instant of the period.
    pub start: String,
    /// First instant after it.
    pub end: String,
}

/// Framework of a report.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FrameworkBody {
    /// Identifier of the template.
    pub id: String,
    pub name: String,
    /// Edition that the numbers follow.
    pub edition: String,
    pub publisher: String,
    /// Coverage of the template.
    pub scope: String,
}

/// Entries of a span of time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BarBody {
    /// First instant of the span.
    pub start: String,
    pub count: u64,
}

/// Numbers of entries over time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BarsBody {
    /// Length of the spans: `hour`, `day`, `week` or `month`.
    pub unit: String,
    /// Spans in their order.
    pub counts: Vec<BarBody>,
}

/// A value and how many entries have it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TopBody {
    pub value: String,
    pub count: u64,
}

/// A query of a report and what it found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ControlQuestionBody {
    /// Identifier within the report.
    pub id: String,
    pub name: String,
    pub query: String,
    /// Meaning of the entries that are found.
    pub explains: String,
    pub found: u64,
    /// Distinct users among the entries.
    pub unique_users: DistinctBody,
    /// Distinct resources among the entries.
    pub resources_affected: DistinctBody,
    /// Time of the earliest.
    pub first_at: Option<String>,
    /// Time of the latest.
    pub last_at: Option<String>,
    /// Days, in UTC, with an entry.
    #[serde(default)]
    pub days: u64,
    /// Longest time of the period without an entry, days.
    #[serde(default)]
    pub longest_gap_days: u64,
    /// Days within which evidence has to occur again and again; absent where it occurs when there
    /// is cause.
    #[serde(default)]
    pub every_days: Option<u32>,
    /// Set where entries occur as often as the control needs.
    #[serde(default = "yes")]
    pub often_enough: bool,
    /// Sources that can write an entry that the query finds.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Not set where no source is connected that could write an entry: finding none then says
    /// nothing.
    #[serde(default = "yes")]
    pub has_source: bool,
}

fn yes() -> bool {
    true
}

/// Entries of one submitter in the period.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SourceCoverageBody {
    /// Name of the submitter for readers.
    pub name: String,
    /// Entries; 0 for a source that was expected and is silent.
    pub entries: u64,
    /// Time at which its first entry of the period was recorded.
    pub first_at: Option<String>,
    /// Time at which its last entry of the period was recorded.
    pub last_at: Option<String>,
}

/// Syncs of one connection in the period.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConnectionCoverageBody {
    pub id: String,
    pub name: String,
    /// Number of syncs that succeeded.
    pub syncs: u64,
    /// Number of syncs that failed.
    pub failed_syncs: u64,
    /// First sync that succeeded.
    pub first_at: Option<String>,
    /// Last sync that succeeded.
    pub last_at: Option<String>,
    /// Times of more than six hours without a successful sync, the longest five.
    pub interruptions: Vec<ReportPeriodBody>,
    /// Number of all interruptions.
    pub interruptions_total: u64,
}

/// Coverage of the period.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct CoverageBody {
    /// Time at which the first entry of the log was recorded.
    pub log_begins_at: Option<String>,
    /// Part of the period before the log began.
    pub before_the_log: Option<ReportPeriodBody>,
    /// Submitters of the period's entries, and expected ones without any.
    pub sources: Vec<SourceCoverageBody>,
    pub connections: Vec<ConnectionCoverageBody>,
    /// Kinds of source that the log has entries of.
    pub connected: Vec<String>,
    /// Kinds of source that it has none of.
    pub not_connected: Vec<String>,
}

/// A control and what was found for it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ControlBody {
    /// Number in the framework.
    pub number: String,
    pub title: String,
    /// Requirement, in Reeve's own words.
    pub asks: String,
    /// Chapter of the framework.
    pub group: String,
    /// `evidence`, `incomplete`, `exceptions`, `no_entries`, `no_source` or `outside_the_log`. No
    /// verdict: an auditor gives that.
    pub status: String,
    /// Requirements that no log can show, and evidence to bring instead.
    pub gaps: Vec<String>,
    /// Queries that evidence it.
    pub evidence: Vec<ControlQuestionBody>,
    /// Queries whose entries somebody should look at.
    pub exceptions: Vec<ControlQuestionBody>,
}

/// Row of a grouped report.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct GroupRowBody {
    /// Values by the name of the group's field; null where entries have none.
    pub values: std::collections::BTreeMap<String, Option<String>>,
    pub events: u64,
    /// Distinct users among the entries.
    pub unique_users: DistinctBody,
    /// Distinct resources among the entries.
    pub resources_affected: DistinctBody,
}

/// Numbers of controls by their status.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct StatusesBody {
    /// With entries as often as needed, and without exceptions.
    pub evidence: u64,
    /// With entries, but too few, or without a source that would show exceptions.
    pub incomplete: u64,
    /// With entries that somebody should look at.
    pub exceptions: u64,
    /// Without entries in the period.
    pub no_entries: u64,
    /// Without a source that could write an entry.
    pub no_source: u64,
    /// Controls that no log can show.
    pub outside_the_log: u64,
}

/// List of values that a report's query compares with, as it was when the report ran.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportListBody {
    /// Name that queries use.
    pub name: String,
    /// Number of values; report.json names them.
    pub size: u64,
}

/// Result of a check that a resource fails.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportFailingResultBody {
    /// Identifier of the check.
    pub check: String,
    /// Statement that holds where the check passes.
    pub check_title: String,
    pub severity: String,
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub account: String,
    pub region: String,
    /// Reason, as a sentence that names the values which decided.
    pub why: String,
    /// First time of this answer without another in between.
    pub since: String,
    /// SHA-256 of the configuration that was judged.
    pub document: Option<String>,
    /// Entry of the log that recorded the result.
    pub event_id: String,
    /// Position of that entry in the log; null where it is not kept any more.
    pub sequence: Option<u64>,
    /// Exception under which a person accepted the failure; null without one.
    #[serde(default)]
    pub exception: Option<ReportResultExceptionBody>,
}

/// Decision of a person that a check may fail until a time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportResultExceptionBody {
    pub reason: String,
    /// Person who accepted it.
    pub by: String,
    pub at: String,
    /// End; null for one that lasts until it is removed.
    pub ends_at: Option<String>,
}

/// Control of a framework of checks, with their results as of the end of the period.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportCheckedControlBody {
    /// Number in the framework.
    pub number: String,
    pub title: String,
    /// Evidence that people must show; null where checks show all.
    pub by_hand: Option<String>,
    /// Number of checks that prove it; 0 for a control that people alone show.
    pub checks: u64,
    pub results: ResultCountsBody,
    /// Results that became "failed" within the period.
    pub began_failing: u64,
    /// Failed results that became another answer within the period.
    pub stopped_failing: u64,
    /// Results that failed, the most severe first, at most ten; `results.fail` counts all.
    pub failing: Vec<ReportFailingResultBody>,
}

/// Agent that checks the framework of a report.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportCheckingAgentBody {
    pub name: String,
    /// End of its last run before the report was made.
    pub last_run_at: Option<String>,
}

/// Results of checks of configurations. They say what was checked, not that a control is met.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportConfigurationBody {
    /// Framework on the page Compliance.
    pub framework: String,
    pub title: String,
    pub edition: String,
    /// Results are those in force just before this time.
    pub as_of: String,
    /// `false` if no check of the framework had a result.
    pub is_checked: bool,
    pub agents: Vec<ReportCheckingAgentBody>,
    /// All results of the framework, each counted once.
    pub results: ResultCountsBody,
    /// Entries that recorded the listed results; report.json proves them.
    pub entries_listed: u64,
    pub controls: Vec<ReportCheckedControlBody>,
}

/// Findings of a run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportSummaryBody {
    /// Framework of a compliance report.
    pub framework: Option<FrameworkBody>,
    /// Fields of the groups.
    pub group_by: Vec<String>,
    /// Names of the figures to show.
    pub metrics: Vec<String>,
    pub period: ReportPeriodBody,
    /// Lists that the query compares with.
    #[serde(default)]
    pub lists: Vec<ReportListBody>,
    /// Coverage of the period.
    #[serde(default)]
    pub coverage: CoverageBody,
    /// Results of checks, for a framework that has checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<ReportConfigurationBody>,
    /// Entries that answer at least one query.
    pub entries: u64,
    /// Of those, entries that report.json lists with their content.
    pub entries_listed: u64,
    /// Distinct users among the entries.
    pub unique_users: DistinctBody,
    /// Distinct resources among the entries.
    pub resources_affected: DistinctBody,
    /// Numbers of entries over time.
    pub by_time: BarsBody,
    /// The most frequent event types.
    pub by_event_type: Vec<TopBody>,
    /// The most frequent users.
    pub by_user: Vec<TopBody>,
    /// The most frequent resources.
    pub by_resource: Vec<TopBody>,
    pub statuses: StatusesBody,
    /// Controls of a compliance report.
    pub controls: Vec<ControlBody>,
    /// Groups of a custom report, the largest 200.
    pub groups: Vec<GroupRowBody>,
    /// Number of all groups.
    pub groups_total: u64,
    /// Entries of groups that were not counted apart.
    pub entries_ungrouped: u64,
}

/// Control of a template.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateControlBody {
    /// Number in the framework.
    pub number: String,
    pub title: String,
    /// Requirement, in Reeve's own words.
    pub asks: String,
    /// Chapter of the framework.
    pub group: String,
    /// Requirements that no log can show, and evidence to bring instead.
    pub gaps: Vec<String>,
    /// Queries that evidence it.
    pub evidence: Vec<TemplateQuestionBody>,
    /// Queries whose entries somebody should look at.
    pub exceptions: Vec<TemplateQuestionBody>,
}

/// Query of a template.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TemplateQuestionBody {
    pub name: String,
    pub query: String,
    /// Meaning of the entries that are found.
    pub explains: String,
}

/// A compliance framework that reports can be made for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReportTemplateBody {
    /// Name to send as `framework`.
    pub id: String,
    /// Name as readers see it.
    pub name: String,
    /// Edition that the numbers follow.
    pub edition: String,
    pub publisher: String,
    /// Coverage of the template.
    pub scope: String,
    pub controls: Vec<TemplateControlBody>,
}

/// Every template, as it goes over the wire.
#[must_use]
pub fn templates() -> Vec<ReportTemplateBody> {
    all().iter().map(template_body).collect()
}

fn template_body(template: &Template) -> ReportTemplateBody {
    let questions = |asked: &[reeve_reports::ControlQuestion]| -> Vec<TemplateQuestionBody> {
        let body = |one: &reeve_reports::ControlQuestion| TemplateQuestionBody {
            name: one.name.clone(),
            query: one.text.clone(),
            explains: one.explains.clone(),
        };
        asked.iter().map(body).collect()
    };

    let control = |control: &reeve_reports::Control| TemplateControlBody {
        number: control.number.clone(),
        title: control.title.clone(),
        asks: control.asks.clone(),
        group: control.group.clone(),
        gaps: control.gaps.clone(),
        evidence: questions(&control.evidence),
        exceptions: questions(&control.exceptions),
    };

    ReportTemplateBody {
        id: template.id.clone(),
        name: template.name.clone(),
        edition: template.edition.clone(),
        publisher: template.publisher.clone(),
        scope: template.scope.clone(),
        controls: template.controls.iter().map(control).collect(),
    }
}
