//! Runs of reports.

use reeve_notify::delivery::NotificationDelivery;
use reeve_reports::{ReportRun, RunState};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::access::AuditScopeBody;
use crate::wire::form::enumeration::ReportRunState;
use crate::wire::report::ReportFilters;
use crate::wire::report::definition::RequestFields;
use crate::wire::report::review::ReportReviewBody;
use crate::wire::report::summary::ReportSummaryBody;

/// Filters of the runs of reports, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RunListParams {
    pub report_id: Option<String>,
    /// Of `compliance` or `custom` reports.
    pub kind: Option<String>,
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
}

/// File of a run.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DownloadParams {
    /// `pdf`, `csv`, `json`, or `manifest` for the manifest that proves the three.
    pub format: String,
}

/// Progress of a run.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunProgressBody {
    /// Share of the log that was read, 0 to 100.
    pub percent: f64,
    /// Entries found so far.
    pub entries: u64,
}

/// Sizes of the files of a run, bytes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunFilesBody {
    /// Typeset.
    pub pdf: u64,
    /// A table.
    pub csv: u64,
    /// Every cited entry with its proof.
    pub json: u64,
    /// Manifest that proves the other three; 0 for a run of a release that wrote none.
    pub manifest: u64,
    /// Name of the manifest in a folder of downloads, for `reeve-verify`.
    pub manifest_name: String,
}

/// A run of a report.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReportRunBody {
    pub id: String,
    /// Report that it is a run of.
    pub report_id: String,
    /// Name of the report when the run was asked for.
    pub report_name: String,
    /// Kind: `compliance` or `custom`.
    pub kind: String,
    /// Framework of a compliance report.
    pub framework: Option<String>,
    /// Query of a custom report.
    pub query: Option<String>,
    /// Beginning of the period.
    pub start_time: String,
    /// End of the period.
    pub end_time: String,
    /// Filters that narrow the report.
    pub filters: ReportFilters,
    pub state: ReportRunState,
    pub progress: RunProgressBody,
    /// Reason of a failure.
    pub error: Option<String>,
    /// Files, once it has succeeded.
    pub files: Option<RunFilesBody>,
    /// Findings, once it has succeeded; a list leaves them out.
    pub summary: Option<ReportSummaryBody>,
    /// User whose rights it reads the log with.
    pub user: String,
    /// Scope of that user, which the run is narrowed to; absent for a run of the whole log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<AuditScopeBody>,
    /// Set when the schedule asked for it.
    pub scheduled: bool,
    /// Time of the request.
    pub created_at: String,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    /// Deliveries to the report's channels; a list leaves them out.
    pub deliveries: Vec<ReportDeliveryBody>,
    /// Reviews of the report's exceptions, the latest first; a list leaves them out.
    pub reviews: Vec<ReportReviewBody>,
}

/// Delivery of a run to a channel.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReportDeliveryBody {
    /// Name of the channel.
    pub channel: String,
    /// `pending`, `delivered`, `dead_letter` when it was given up, or `no_channel` when no enabled
    /// channel has the name.
    pub status: String,
    /// Attempts that were made so far.
    pub attempts: u32,
    /// Reason why the last attempt failed.
    pub error: Option<String>,
    /// Time of the next attempt.
    pub next_attempt_at: Option<String>,
    /// Time at which it arrived or was given up.
    pub finished_at: Option<String>,
}

impl ReportDeliveryBody {
    pub(crate) fn new(channel: &str, delivery: &NotificationDelivery) -> Self {
        let failed = delivery.attempts.last().filter(|attempt| !attempt.ok);
        let reason = failed.map(|attempt| match (&attempt.error, attempt.status) {
            (Some(error), _) => error.clone(),
            (None, Some(status)) => format!("answered {status}"),
            (None, None) => "no answer".to_owned(),
        });

        ReportDeliveryBody {
            channel: channel.to_owned(),
            status: delivery.status.as_str().to_owned(),
            attempts: delivery.tries,
            error: reason,
            next_attempt_at: delivery.next_attempt_at.map(time::text),
            finished_at: delivery.finished_at.map(time::text),
        }
    }

    pub(crate) fn unknown(name: &str) -> Self {
        ReportDeliveryBody {
            channel: name.to_owned(),
            status: "no_channel".to_owned(),
            attempts: 0,
            error: Some("No enabled channel has this name or type, or takes reports.".to_owned()),
            next_attempt_at: None,
            finished_at: None,
        }
    }
}

impl ReportRunBody {
    /// As it goes over the wire.
    #[must_use]
    pub fn new(run: &ReportRun) -> Self {
        let fields = RequestFields::new(&run.request);
        let period = run.request.period.resolve(run.created_at);
        let succeeded = run.state == RunState::Succeeded;

        ReportRunBody {
            id: run.id.0.clone(),
            report_id: run.report.0.clone(),
            report_name: run.report_name.clone(),
            kind: run.request.kind.as_str().to_owned(),
            framework: fields.framework,
            query: fields.query,
            start_time: time::text(period.start),
            end_time: time::text(period.end),
            filters: ReportFilters::from(&run.request.filters),
            state: run.state.into(),
            progress: RunProgressBody {
                percent: percent(run),
                entries: run.progress.entries,
            },
            error: run.error.clone(),
            files: succeeded.then(|| RunFilesBody {
                pdf: run.files.pdf.bytes,
                csv: run.files.csv.bytes,
                json: run.files.json.bytes,
                manifest: run.files.manifest_bytes,
                manifest_name: run.file_name("manifest.json"),
            }),
            summary: run
                .summary
                .as_deref()
                .and_then(|text| serde_json::from_str(text).ok()),
            user: run.user_email.clone(),
            scope: run.scope.as_ref().map(AuditScopeBody::from),
            scheduled: run.scheduled,
            created_at: time::text(run.created_at),
            started_at: run.started_at.map(time::text),
            ended_at: run.ended_at.map(time::text),
            deliveries: Vec::new(),
            reviews: Vec::new(),
        }
    }
}

/// The share of the log that was read. Files are still to be written when all of it was, so 100 is
/// for a run that has succeeded.
fn percent(run: &ReportRun) -> f64 {
    match run.state {
        RunState::Succeeded => 100.0,
        _ if run.progress.end == 0 => 0.0,
        _ => {
            let share = run.progress.position as f64 / run.progress.end as f64;
            (share * 990.0).round().clamp(0.0, 990.0) / 10.0
        }
    }
}
