//! Compliance on the wire: frameworks, controls, checks and their results.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{
    CheckAnswer, CheckTopic, ControlState, ImpactLevel, Priority, Provider,
};
use crate::wire::guardrail::change_control::ExclusionBody;

/// Number of results by answer.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
pub struct ResultCountsBody {
    pub pass: u64,
    /// Results that failed, accepted ones included.
    pub fail: u64,
    /// Results that failed and that a person accepted until a time.
    pub excepted: u64,
    /// A value that decides could not be read or is missing.
    pub unknown: u64,
    /// The check says nothing about resources of this form.
    pub not_applicable: u64,
}

/// A framework with the results of its checks.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CheckedFrameworkBody {
    /// Name in addresses and settings, such as `soc2`.
    pub id: String,
    pub title: String,
    pub edition: String,
    /// Page on which the standard is published.
    pub source: String,
    /// `true` if it comes from the folder of your own checks.
    pub is_own: bool,
    /// `true` if an agent checks it.
    pub is_checked: bool,
    /// Number of controls by state.
    pub controls: ControlCountsBody,
    /// Results of all checks that prove its controls, each counted once.
    pub results: ResultCountsBody,
    /// Share of the results that passed among those that passed or failed without an exception,
    /// percent; null before the first.
    pub score: Option<f64>,
}

/// Number of controls by state.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
pub struct ControlCountsBody {
    pub failed: u64,
    /// Checks fail only where a person accepted it.
    pub excepted: u64,
    pub passed: u64,
    pub unknown: u64,
    pub not_checked: u64,
    pub by_hand: u64,
}

/// A control of a framework.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FrameworkControlBody {
    /// Framework and number, such as `soc2:CC6.1`.
    pub id: String,
    pub framework: String,
    /// Number in the standard.
    pub number: String,
    /// Short title in own words.
    pub title: String,
    pub state: ControlState,
    /// Evidence that people must show; absent if checks show all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    pub results: ResultCountsBody,
    /// Number of checks that prove it.
    pub checks_total: u64,
}

/// Results of a framework's checks at the end of a day.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FrameworkDayBody {
    /// Day, UTC (`2026-11-28`); today's is as of now.
    pub day: String,
    pub results: ResultCountsBody,
    /// Share of results that passed among those that passed or failed without an exception, percent;
    /// null without any.
    pub score: Option<f64>,
}

/// Days of a trend.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TrendParams {
    /// Number of days up to today (1 to 365); 30 unless given.
    pub days: Option<u32>,
}

/// A control with the checks that prove it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FrameworkControlDetailBody {
    #[serde(flatten)]
    pub control: FrameworkControlBody,
    /// Name of the framework.
    pub framework_title: String,
    /// Checks that prove it, the most severe first, then by title.
    pub checks: Vec<FrameworkCheckBody>,
}

/// A check of a control.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FrameworkCheckBody {
    pub id: String,
    /// `true` if it comes from the folder of your own checks.
    pub is_own: bool,
    pub title: String,
    pub severity: Priority,
    pub results: ResultCountsBody,
}

/// A check: what a configuration must be, and why.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConfigurationCheckBody {
    pub id: String,
    /// `true` if it comes from the folder of your own checks.
    pub is_own: bool,
    /// Statement that holds if it passes.
    pub title: String,
    /// Harm that can follow if it fails.
    pub why: String,
    pub severity: Priority,
    pub provider: Provider,
    /// Kind of the resources that it judges.
    pub kind: String,
    pub topics: Vec<CheckTopic>,
    /// Condition on the resources that it says something about, in CEL; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies: Option<String>,
    /// The condition that a configuration must meet, in CEL.
    pub expression: String,
    /// Instruction for mending a failure.
    pub remediation: String,
    /// Changes that mend a failure, the preferred first.
    pub changes: Vec<CheckChangeBody>,
    /// Pages that it follows.
    pub sources: Vec<String>,
    /// Controls that it proves, such as `soc2:CC6.1`.
    pub controls: Vec<String>,
    pub results: ResultCountsBody,
}

/// Change that mends a failure of a check.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CheckChangeBody {
    pub name: String,
    /// Setting that it changes, in words.
    pub about: String,
    /// Harm that it may do where somebody relies on the setting as it was.
    pub risk: ImpactLevel,
    /// Effect on those who use the resource; absent for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loses: Option<String>,
    /// Charges by the provider; absent for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed: Option<String>,
    /// `true` if it can be taken back.
    pub reversible: bool,
    /// Permissions that it needs in the cloud.
    pub permissions: Vec<String>,
}

/// Result of a check about a resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CheckResultBody {
    pub check: String,
    /// `true` if it comes from the folder of your own checks.
    pub is_own: bool,
    /// Title of the check.
    pub title: String,
    pub severity: Priority,
    pub result: CheckAnswer,
    /// Reason, as a sentence that names the values which decided.
    pub why: String,
    /// Values that the check read, by their paths.
    #[schema(value_type = Object)]
    pub values: serde_json::Value,
    /// Instruction for mending a failure.
    pub remediation: String,
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub account: String,
    pub region: String,
    pub connection_id: String,
    /// SHA-256 of the configuration that was judged.
    pub document_hash: Option<String>,
    /// First time of this answer without another in between.
    pub since: String,
    /// Time at which this result was written; the same answer is not written again.
    pub recorded_at: String,
    /// Entry of the log that recorded it.
    pub event_id: String,
    /// Open recommendation that mends a failure; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation_id: Option<String>,
    /// Exception under which a person accepted the failure; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExclusionBody>,
}

/// A failed result to accept.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckExceptionBody {
    pub connection_id: String,
    pub resource_id: String,
    /// 10 to 2000 characters.
    pub reason: String,
    /// End of the exception, at most 365 days ahead.
    pub ends_at: Option<String>,
    /// `document_hash` of the result as it was seen: another judged configuration is refused.
    #[serde(default)]
    pub document_hash: Option<String>,
}

/// Files of people's own checks and frameworks.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OwnChecksBody {
    /// Files in force: frameworks, then checks by severity and title.
    pub files: Vec<OwnCheckFileBody>,
    /// Faults of the files that are refused; a file may have several.
    pub refused: Vec<OwnCheckFaultBody>,
    /// Digest of all checks and frameworks in force, those of Reeve included.
    pub revision: String,
}

/// File of an own check or framework that is in force.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OwnCheckFileBody {
    /// Path below the folder.
    pub path: String,
    pub is_framework: bool,
    /// Identifier of the check or framework.
    pub id: String,
    pub title: String,
    /// Severity of a check; absent for a framework.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Priority>,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Results of a check; absent for a framework.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<ResultCountsBody>,
}

/// Fault for which a file of own checks is refused.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OwnCheckFaultBody {
    /// Path below the folder; empty if the folder cannot be read.
    pub path: String,
    /// Line of the file, from 1; absent if the file as a whole is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Field of the file; absent if the file as a whole is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Reason, as a clause.
    pub reason: String,
}

/// Controls to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ControlParams {
    /// Name of a framework.
    pub framework: Option<String>,
    /// State of the controls.
    pub state: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    pub cursor: Option<String>,
}

/// Results to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CheckResultParams {
    /// `pass`, `fail` (accepted results included), `unknown`, `not_applicable`, or `excepted` for
    /// results that failed and that a person accepted.
    pub result: Option<String>,
    /// Severity of the checks: `critical`, `high`, `medium` or `low`.
    pub severity: Option<String>,
    /// Identifier of a resource; `*` is a wildcard.
    pub resource: Option<String>,
    /// Account of the resources; `*` is a wildcard.
    pub account: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    pub cursor: Option<String>,
}
