//! Runbooks, their applications and breakers, and trials on the past on the wire.

use reeve_engine::{PastIssue, PastIssues, RunbookState};
use reeve_recommend::runbook::condition::ConditionSpan;
use reeve_recommend::runbook::{Application, Breaker, Outcome, Runbook};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{Priority, Provider, RunbookOutcome};

/// Applications of a runbook that are answered, the newest.
const MOST_APPLICATIONS: usize = 20;

/// Failures that open the breakers of a runbook.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookBreakerLimitsBody {
    /// Failures on one resource.
    pub failures: u32,
    /// Failures on all resources together.
    pub of_all: u32,
    /// Time in which they are counted, such as `7d`.
    pub window: String,
    /// Time after which an open breaker closes unless a person closes it before.
    pub open_for: String,
}

/// An open breaker.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookBreakerBody {
    /// Resource that it is of; null for the runbook on all resources.
    pub resource_id: Option<String>,
    /// Name of the resource.
    pub resource_name: Option<String>,
    pub opened_at: String,
    pub closes_at: String,
    /// Failures that opened it.
    pub failures: u32,
    /// The last of them.
    pub reason: String,
}

/// A change by a runbook with its outcome.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookApplicationBody {
    pub action_id: String,
    pub recommendation_id: String,
    pub resource_id: String,
    /// Name of the resource.
    pub name: String,
    pub started_at: String,
    /// Time from which the condition is looked at again.
    pub verify_at: String,
    pub outcome: RunbookOutcome,
    /// Values that the outcome rests on.
    pub detail: String,
    pub settled_at: Option<String>,
}

/// A runbook with its state.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookBody {
    pub name: String,
    /// The issue, in words that follow the name of a resource.
    pub title: String,
    pub description: String,
    /// Kind of the resources that it is for.
    pub kind: String,
    /// Cloud that it is limited to.
    pub provider: Option<Provider>,
    pub priority: Priority,
    /// Tests that all have to hold, in words.
    pub conditions: Vec<String>,
    /// Name of the change; null where the finding is advice.
    pub change: Option<String>,
    /// The change in words.
    pub remedy: String,
    /// Steps for people.
    pub advice: String,
    /// Time after the change at which the condition is looked at, such as `2h`.
    pub verify_after: String,
    pub breaker: RunbookBreakerLimitsBody,
    /// Breakers that are open.
    pub open_breakers: Vec<RunbookBreakerBody>,
    /// Changes of the last 90 days after which the issue was over.
    pub helped: u64,
    /// Changes of the last 90 days that failed or did not help.
    pub failed: u64,
    /// The last 20 changes, the newest first.
    pub applications: Vec<RunbookApplicationBody>,
    /// Text of the runbook, TOML.
    pub source: String,
    /// `true` for one that comes with Reeve and cannot be changed.
    pub is_builtin: bool,
    /// E-mail address; null for one that comes with Reeve.
    pub changed_by: Option<String>,
    pub changed_at: Option<String>,
}

/// The text of a runbook.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunbookSourceBody {
    /// TOML, at most 32,768 characters.
    pub source: String,
}

/// Trial of a runbook that is stored.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunbookTryBody {
    /// Days before now, 1 to 90; 14 by default.
    #[serde(default = "fortnight")]
    pub days: u32,
}

/// Trial of a text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunbookTryTextBody {
    /// TOML, at most 32,768 characters.
    pub source: String,
    /// Days before now, 1 to 90; 14 by default.
    #[serde(default = "fortnight")]
    pub days: u32,
}

/// Breakers to close.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunbookBreakerCloseBody {
    /// Resource whose breaker is closed; null for every breaker of the runbook.
    #[serde(default)]
    pub resource_id: Option<String>,
}

/// Time in which a condition held.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookSpanBody {
    pub from: String,
    pub to: String,
}

/// A resource that had the issue.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookTrialResourceBody {
    pub resource_id: String,
    pub name: String,
    pub connection_id: String,
    /// `true` if the condition holds now.
    pub holds_now: bool,
    /// Seconds for which it held.
    pub seconds: i64,
    /// Times in which it held, the oldest first; at most the last 100.
    pub spans: Vec<RunbookSpanBody>,
}

/// Result of a trial. Nothing was written or changed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunbookTrialBody {
    pub from: String,
    pub to: String,
    /// Resources that were looked at.
    pub examined: u64,
    /// Those whose condition is undecided now for lack of data.
    pub undecided: u64,
    /// Resources that were not looked at, because there are more than 2,000.
    pub left_out: u64,
    /// Tests that have no past: they count as they are now.
    pub without_past: Vec<String>,
    /// Change that would have been proposed, in words.
    pub remedy: String,
    /// Times that it would have been proposed.
    pub changes: u64,
    /// Resources that had the issue.
    pub found_total: u64,
    /// The first 200 of them, the longest first.
    pub items: Vec<RunbookTrialResourceBody>,
}

const fn fortnight() -> u32 {
    14
}

impl From<&Breaker> for RunbookBreakerBody {
    fn from(breaker: &Breaker) -> Self {
        let resource = breaker.resource.as_ref();
        RunbookBreakerBody {
            resource_id: resource.map(|one| one.id.0.clone()),
            resource_name: resource.map(|one| one.name.clone()),
            opened_at: time::text(breaker.opened_at),
            closes_at: time::text(breaker.closes_at),
            failures: breaker.failures,
            reason: breaker.reason.clone(),
        }
    }
}

impl From<&Application> for RunbookApplicationBody {
    fn from(application: &Application) -> Self {
        RunbookApplicationBody {
            action_id: application.action.0.clone(),
            recommendation_id: application.recommendation.0.clone(),
            resource_id: application.resource.0.clone(),
            name: application.name.clone(),
            started_at: time::text(application.started_at),
            verify_at: time::text(application.verify_at),
            outcome: application.outcome.into(),
            detail: application.detail.clone(),
            settled_at: application.settled_at.map(time::text),
        }
    }
}

impl From<&RunbookState> for RunbookBody {
    fn from(state: &RunbookState) -> Self {
        let runbook: &Runbook = &state.runbook;
        let written = runbook.written.as_ref();
        let count = |is: fn(Outcome) -> bool| {
            let all = state.applications.iter();
            all.filter(|one| is(one.outcome)).count() as u64
        };
        let applications = state.applications.iter().take(MOST_APPLICATIONS);
        RunbookBody {
            name: runbook.name.0.clone(),
            title: runbook.title.clone(),
            description: runbook.description.clone(),
            kind: runbook.kind.as_str().to_owned(),
            provider: runbook.provider.map(Into::into),
            priority: runbook.priority.into(),
            conditions: runbook.when.iter().map(|test| test.words()).collect(),
            change: runbook.remedy.change(runbook.kind).map(str::to_owned),
            remedy: runbook.remedy.words(),
            advice: runbook.advice.clone(),
            verify_after: runbook.verify_after.to_string(),
            breaker: RunbookBreakerLimitsBody {
                failures: runbook.breaker.failures,
                of_all: runbook.breaker.of_all,
                window: runbook.breaker.window.to_string(),
                open_for: runbook.breaker.open_for.to_string(),
            },
            open_breakers: state.open.iter().map(RunbookBreakerBody::from).collect(),
            helped: count(|outcome| outcome == Outcome::Effective),
            failed: count(Outcome::is_failure),
            applications: applications.map(RunbookApplicationBody::from).collect(),
            source: runbook.source.clone(),
            is_builtin: written.is_none(),
            changed_by: written.map(|one| one.changed_by.clone()),
            changed_at: written.map(|one| time::text(one.changed_at)),
        }
    }
}

impl From<&ConditionSpan> for RunbookSpanBody {
    fn from(span: &ConditionSpan) -> Self {
        RunbookSpanBody {
            from: time::text(span.from),
            to: time::text(span.to),
        }
    }
}

impl From<&PastIssue> for RunbookTrialResourceBody {
    fn from(issue: &PastIssue) -> Self {
        RunbookTrialResourceBody {
            resource_id: issue.resource.0.clone(),
            name: issue.name.clone(),
            connection_id: issue.connection.0.clone(),
            holds_now: issue.holds_now,
            seconds: issue.spans.iter().map(|span| span.length().as_secs()).sum(),
            spans: issue.spans.iter().map(RunbookSpanBody::from).collect(),
        }
    }
}

impl From<&PastIssues> for RunbookTrialBody {
    fn from(past: &PastIssues) -> Self {
        RunbookTrialBody {
            from: time::text(past.from),
            to: time::text(past.to),
            examined: past.examined,
            undecided: past.undecided,
            left_out: past.left_out,
            without_past: past.without_past.clone(),
            remedy: past.runbook.remedy.words(),
            changes: past.changes,
            found_total: past.found_total,
            items: past
                .found
                .iter()
                .map(RunbookTrialResourceBody::from)
                .collect(),
        }
    }
}
