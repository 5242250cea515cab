//! A report, and a run of one.

use reeve_reports::{
    Filters, GroupField, Metric, Period, PeriodChoice, ReportDefinition, ReportId, ReportKind,
    Request, Review, Run, RunFile, RunFiles, RunId, RunProgress, RunState,
};
use reeve_schedule::Schedule;
use serde::{Deserialize, Serialize};

use super::{RowError, named, time, time_or_none};

/// Request of a report.
#[derive(Debug, Serialize, Deserialize)]
struct RequestRow {
    framework: Option<String>,
    query: Option<String>,
    group_by: Vec<String>,
    metrics: Vec<String>,
    period: Option<String>,
    start: Option<String>,
    end: Option<String>,
    accounts: Vec<String>,
    users: Vec<String>,
    resources: Vec<String>,
}

impl From<&Request> for RequestRow {
    fn from(request: &Request) -> Self {
        let (framework, query, group_by, metrics) = match &request.kind {
            ReportKind::Compliance { framework } => {
                (Some(framework.clone()), None, Vec::new(), Vec::new())
            }
            ReportKind::Custom {
                query,
                group_by,
                metrics,
            } => (
                None,
                Some(query.clone()),
                group_by
                    .iter()
                    .map(|field| field.as_str().to_owned())
                    .collect(),
                metrics
                    .iter()
                    .map(|metric| metric.as_str().to_owned())
                    .collect(),
            ),
        };

        let between = match request.period {
            PeriodChoice::Between(period) => Some(period),
            _ => None,
        };
        RequestRow {
            framework,
            query,
            group_by,
            metrics,
            period: request.period.text(),
            start: between.map(|period| period.start.to_string()),
            end: between.map(|period| period.end.to_string()),
            accounts: request.filters.accounts.clone(),
            users: request.filters.users.clone(),
            resources: request.filters.resources.clone(),
        }
    }
}

impl RequestRow {
    fn into_request(self) -> Result<Request, RowError> {
        let kind = match self.framework {
            Some(framework) => ReportKind::Compliance { framework },
            None => ReportKind::Custom {
                query: self.query.unwrap_or_default(),
                group_by: each("group_by", &self.group_by, GroupField::parse)?,
                metrics: each("metrics", &self.metrics, Metric::parse)?,
            },
        };

        let period = match (self.period, self.start, self.end) {
            (Some(text), _, _) => named("period", &text, PeriodChoice::parse)?,
            (None, Some(start), Some(end)) => PeriodChoice::Between(Period {
                start: time(&start)?,
                end: time(&end)?,
            }),
            _ => {
                return Err(RowError::Unknown {
                    field: "period",
                    value: String::new(),
                });
            }
        };

        let filters = Filters {
            accounts: self.accounts,
            users: self.users,
            resources: self.resources,
        };

        Ok(Request {
            kind,
            period,
            filters,
        })
    }
}

fn each<T>(
    field: &'static str,
    names: &[String],
    parse: impl Fn(&str) -> Option<T> + Copy,
) -> Result<Vec<T>, RowError> {
    names.iter().map(|name| named(field, name, parse)).collect()
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReportRow {
    id: String,
    name: String,
    request: RequestRow,
    cron: Option<String>,
    time_zone: Option<String>,
    next_run_at: Option<String>,
    channels: Vec<String>,
    recipients: Vec<String>,
    owner: String,
    owner_email: String,
    #[serde(default)]
    owner_token: Option<String>,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&ReportDefinition> for ReportRow {
    fn from(report: &ReportDefinition) -> Self {
        ReportRow {
            id: report.id.0.clone(),
            name: report.name.clone(),
            request: RequestRow::from(&report.request),
            cron: report
                .schedule
                .as_ref()
                .map(|schedule| schedule.pattern.clone()),
            time_zone: report
                .schedule
                .as_ref()
                .map(|schedule| schedule.time_zone.clone()),
            next_run_at: report.next_run_at.map(|at| at.to_string()),
            channels: report.channels.clone(),
            recipients: report.recipients.clone(),
            owner: report.owner.clone(),
            owner_email: report.owner_email.clone(),
            owner_token: report.owner_token.clone(),
            created_at: report.created_at.to_string(),
            updated_at: report.updated_at.to_string(),
            version: report.version,
        }
    }
}

impl ReportRow {
    pub(crate) fn into_report(self) -> Result<ReportDefinition, RowError> {
        let schedule = match (self.cron, self.time_zone) {
            (Some(pattern), Some(time_zone)) => Some(Schedule { pattern, time_zone }),
            _ => None,
        };
        Ok(ReportDefinition {
            id: ReportId(self.id),
            name: self.name,
            request: self.request.into_request()?,
            schedule,
            next_run_at: time_or_none(self.next_run_at.as_deref())?,
            channels: self.channels,
            recipients: self.recipients,
            owner: self.owner,
            owner_email: self.owner_email,
            owner_token: self.owner_token,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunRow {
    id: String,
    report: String,
    report_name: String,
    request: RequestRow,
    state: String,
    position: u64,
    end: u64,
    entries: u64,
    error: Option<String>,
    json_bytes: u64,
    csv_bytes: u64,
    pdf_bytes: u64,
    /// SHA-256 of the files and the length of the manifest, since runs have one.
    #[serde(default)]
    json_sha256: String,
    #[serde(default)]
    csv_sha256: String,
    #[serde(default)]
    pdf_sha256: String,
    #[serde(default)]
    manifest_bytes: u64,
    user: String,
    user_email: String,
    #[serde(default)]
    token: Option<String>,
    scheduled: bool,
    cancelling: bool,
    channels: Vec<String>,
    recipients: Vec<String>,
    created_at: String,
    started_at: Option<String>,
    touched_at: String,
    ended_at: Option<String>,
    version: u64,
}

impl From<&Run> for RunRow {
    fn from(run: &Run) -> Self {
        RunRow {
            id: run.id.0.clone(),
            report: run.report.0.clone(),
            report_name: run.report_name.clone(),
            request: RequestRow::from(&run.request),
            state: run.state.as_str().to_owned(),
            position: run.progress.position,
            end: run.progress.end,
            entries: run.progress.entries,
            error: run.error.clone(),
            json_bytes: run.files.json.bytes,
            csv_bytes: run.files.csv.bytes,
            pdf_bytes: run.files.pdf.bytes,
            json_sha256: run.files.json.sha256.clone(),
            csv_sha256: run.files.csv.sha256.clone(),
            pdf_sha256: run.files.pdf.sha256.clone(),
            manifest_bytes: run.files.manifest_bytes,
            user: run.user.clone(),
            user_email: run.user_email.clone(),
            token: run.token.clone(),
            scheduled: run.scheduled,
            cancelling: run.cancelling,
            channels: run.channels.clone(),
            recipients: run.recipients.clone(),
            created_at: run.created_at.to_string(),
            started_at: run.started_at.map(|at| at.to_string()),
            touched_at: run.touched_at.to_string(),
            ended_at: run.ended_at.map(|at| at.to_string()),
            version: run.version,
        }
    }
}

impl RunRow {
    pub(crate) fn into_run(self, summary: Option<String>) -> Result<Run, RowError> {
        Ok(Run {
            id: RunId(self.id),
            report: ReportId(self.report),
            report_name: self.report_name,
            request: self.request.into_request()?,
            state: named("state", &self.state, RunState::parse)?,
            progress: RunProgress {
                position: self.position,
                end: self.end,
                entries: self.entries,
            },
            error: self.error,
            summary,
            files: RunFiles {
                json: RunFile {
                    bytes: self.json_bytes,
                    sha256: self.json_sha256,
                },
                csv: RunFile {
                    bytes: self.csv_bytes,
                    sha256: self.csv_sha256,
                },
                pdf: RunFile {
                    bytes: self.pdf_bytes,
                    sha256: self.pdf_sha256,
                },
                manifest_bytes: self.manifest_bytes,
            },
            user: self.user,
            user_email: self.user_email,
            token: self.token,
            scheduled: self.scheduled,
            cancelling: self.cancelling,
            channels: self.channels,
            recipients: self.recipients,
            created_at: time(&self.created_at)?,
            started_at: time_or_none(self.started_at.as_deref())?,
            touched_at: time(&self.touched_at)?,
            ended_at: time_or_none(self.ended_at.as_deref())?,
            version: self.version,
        })
    }
}

/// A review of an exception.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReviewRow {
    id: String,
    report: String,
    run: String,
    question: String,
    entries: u64,
    up_to: u64,
    comment: String,
    user: String,
    user_email: String,
    created_at: String,
}

impl From<&Review> for ReviewRow {
    fn from(review: &Review) -> Self {
        ReviewRow {
            id: review.id.clone(),
            report: review.report.0.clone(),
            run: review.run.0.clone(),
            question: review.question.clone(),
            entries: review.entries,
            up_to: review.up_to,
            comment: review.comment.clone(),
            user: review.user.clone(),
            user_email: review.user_email.clone(),
            created_at: review.created_at.to_string(),
        }
    }
}

impl ReviewRow {
    pub(crate) fn into_review(self) -> Result<Review, RowError> {
        Ok(Review {
            id: self.id,
            report: ReportId(self.report),
            run: RunId(self.run),
            question: self.question,
            entries: self.entries,
            up_to: self.up_to,
            comment: self.comment,
            user: self.user,
            user_email: self.user_email,
            created_at: time(&self.created_at)?,
        })
    }
}
