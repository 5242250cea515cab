//! Reports as people keep them.

use reeve_reports::{
    DefinitionDraft, Filters, PeriodChoice, ReportDefinition, ReportKind, ReportRequest,
    RequestDraft,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::given;

/// Narrowing of a report. An empty list narrows nothing; `*` in a value is a wildcard.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportFilters {
    /// Accounts that the resources belong to.
    #[serde(default)]
    pub accounts: Vec<String>,
    /// Identifiers or e-mail addresses of actors.
    #[serde(default)]
    pub users: Vec<String>,
    /// Identifiers of the resources.
    #[serde(default)]
    pub resources: Vec<String>,
}

/// Schedule of a report.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportScheduleBody {
    /// Cron pattern of five fields, such as `0 6 1 * *`.
    pub cron: String,
    /// IANA time zone; the workspace's unless given, and UTC where that has none. Always set in
    /// answers.
    pub time_zone: Option<String>,
}

/// A new report. With a `framework` it is a compliance report, without one a custom report.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportCreate {
    /// Name, unique, 1 to 100 characters.
    pub name: String,
    /// Framework of a compliance report: the `id` of a template.
    pub framework: Option<String>,
    /// Query of a custom report; the empty one finds every entry.
    pub query: Option<String>,
    /// Grouping of a custom report: `user`, `resource`, `event_type`.
    #[serde(default)]
    pub group_by: Vec<String>,
    /// Figures of a custom report: `event_counts`, `unique_users`, `resources_affected`; all unless
    /// given.
    #[serde(default)]
    pub metrics: Vec<String>,
    /// Length such as `30d`, or `previous_week`, `previous_month`, `previous_quarter`,
    /// `previous_year`.
    pub period: Option<String>,
    /// Beginning, in place of `period`.
    pub start_time: Option<String>,
    /// End, in place of `period`.
    pub end_time: Option<String>,
    /// Filters that narrow the report.
    #[serde(default)]
    pub filters: ReportFilters,
    /// Schedule of its runs; without one it runs only when asked.
    pub schedule: Option<ReportScheduleBody>,
    /// Notification channels that are told of a finished run: types, or names or identifiers of
    /// single channels.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Addresses that e-mail channels write to in place of their own receivers.
    #[serde(default)]
    pub recipients: Vec<String>,
}

/// Changes of a report. Absent fields stay; a null schedule ends the schedule.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportPatch {
    pub name: Option<String>,
    pub framework: Option<String>,
    pub query: Option<String>,
    pub group_by: Option<Vec<String>>,
    /// Names of the figures to show.
    pub metrics: Option<Vec<String>>,
    /// Period; ends a beginning and an end.
    pub period: Option<String>,
    /// Beginning; ends a period.
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    /// Narrowing, as a whole.
    pub filters: Option<ReportFilters>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<ReportScheduleBody>)]
    pub schedule: Option<Option<ReportScheduleBody>>,
    pub channels: Option<Vec<String>>,
    /// E-mail addresses that receive each run.
    pub recipients: Option<Vec<String>>,
    /// The version that was read: a conflict when the report has changed since.
    pub version: Option<u64>,
}

/// A report with its settings and the state of its schedule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReportBody {
    pub id: String,
    pub name: String,
    /// Kind: `compliance` or `custom`.
    pub kind: String,
    /// Framework of a compliance report.
    pub framework: Option<String>,
    /// Query of a custom report.
    pub query: Option<String>,
    /// Grouping of a custom report.
    pub group_by: Vec<String>,
    /// Figures of a custom report.
    pub metrics: Vec<String>,
    /// Period, unless it has a beginning and an end.
    pub period: Option<String>,
    /// Beginning of the period.
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    /// Filters that narrow the report.
    pub filters: ReportFilters,
    /// Schedule of its runs.
    pub schedule: Option<ReportScheduleBody>,
    /// Time of the next scheduled run.
    pub next_run_at: Option<String>,
    /// Channels that are told.
    pub channels: Vec<String>,
    /// E-mail addresses that receive each run.
    pub recipients: Vec<String>,
    /// User whose rights scheduled runs have.
    pub owner: String,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Version to send with a change of the report.
    pub version: u64,
}

impl From<&Filters> for ReportFilters {
    fn from(filters: &Filters) -> Self {
        ReportFilters {
            accounts: filters.accounts.clone(),
            users: filters.users.clone(),
            resources: filters.resources.clone(),
        }
    }
}

impl From<ReportFilters> for Filters {
    fn from(filters: ReportFilters) -> Self {
        Filters {
            accounts: filters.accounts,
            users: filters.users,
            resources: filters.resources,
        }
    }
}

/// A request in the fields of the wire.
pub(crate) struct RequestFields {
    pub(crate) framework: Option<String>,
    pub(crate) query: Option<String>,
    pub(crate) group_by: Vec<String>,
    pub(crate) metrics: Vec<String>,
    pub(crate) period: Option<String>,
    pub(crate) start_time: Option<String>,
    pub(crate) end_time: Option<String>,
}

impl RequestFields {
    pub(crate) fn new(request: &ReportRequest) -> Self {
        let names = |names: Vec<&'static str>| names.into_iter().map(str::to_owned).collect();
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
                names(group_by.iter().map(|field| field.as_str()).collect()),
                names(metrics.iter().map(|metric| metric.as_str()).collect()),
            ),
        };

        let between = match request.period {
            PeriodChoice::Between(period) => Some(period),
            _ => None,
        };
        RequestFields {
            framework,
            query,
            group_by,
            metrics,
            period: request.period.text(),
            start_time: between.map(|period| time::text(period.start)),
            end_time: between.map(|period| time::text(period.end)),
        }
    }
}

impl ReportBody {
    /// As it goes over the wire.
    #[must_use]
    pub fn new(report: &ReportDefinition) -> Self {
        let fields = RequestFields::new(&report.request);
        ReportBody {
            id: report.id.0.clone(),
            name: report.name.clone(),
            kind: report.request.kind.as_str().to_owned(),
            framework: fields.framework,
            query: fields.query,
            group_by: fields.group_by,
            metrics: fields.metrics,
            period: fields.period,
            start_time: fields.start_time,
            end_time: fields.end_time,
            filters: ReportFilters::from(&report.request.filters),
            schedule: report.schedule.as_ref().map(|schedule| ReportScheduleBody {
                cron: schedule.pattern.clone(),
                time_zone: Some(schedule.time_zone.clone()),
            }),
            next_run_at: report.next_run_at.map(time::text),
            channels: report.channels.clone(),
            recipients: report.recipients.clone(),
            owner: report.owner_email.clone(),
            created_at: time::text(report.created_at),
            updated_at: time::text(report.updated_at),
            version: report.version,
        }
    }
}

impl ReportCreate {
    /// Returns the parts that are checked apart: the request, its two times aside, and the rest
    /// with the time zone of its schedule.
    pub(crate) fn drafts(&self, zone: &str) -> (RequestDraft, DefinitionDraft) {
        let request = RequestDraft {
            framework: self.framework.clone(),
            query: self.query.clone(),
            group_by: self.group_by.clone(),
            metrics: self.metrics.clone(),
            period: self.period.clone(),
            start_time: None,
            end_time: None,
            filters: self.filters.clone().into(),
        };

        let definition = DefinitionDraft {
            name: self.name.trim().to_owned(),
            schedule: self
                .schedule
                .as_ref()
                .map(|schedule| (schedule.cron.clone(), zone.to_owned())),
            channels: self.channels.clone(),
            recipients: self.recipients.clone(),
        };

        (request, definition)
    }
}

impl ReportPatch {
    /// Returns the report as it would be sent after the change.
    pub(crate) fn applied(self, report: &ReportDefinition) -> ReportCreate {
        let before = ReportBody::new(report);
        let times = self.start_time.is_some() || self.end_time.is_some();

        // What belongs to the other kind of report goes with it.
        let (custom, compliance) = (self.query.is_some(), self.framework.is_some());
        let kept = |keep: bool, value: Option<String>| value.filter(|_| keep);
        ReportCreate {
            name: self.name.unwrap_or(before.name),
            framework: self.framework.or(kept(!custom, before.framework)),
            query: self.query.or(kept(!compliance, before.query)),
            group_by: self.group_by.unwrap_or(if compliance {
                Vec::new()
            } else {
                before.group_by
            }),
            metrics: self.metrics.unwrap_or(if compliance {
                Vec::new()
            } else {
                before.metrics
            }),
            start_time: self
                .start_time
                .or(kept(self.period.is_none(), before.start_time)),
            end_time: self
                .end_time
                .or(kept(self.period.is_none(), before.end_time)),
            period: self.period.or(kept(!times, before.period)),
            filters: self.filters.unwrap_or(before.filters),
            schedule: self.schedule.unwrap_or(before.schedule),
            channels: self.channels.unwrap_or(before.channels),
            recipients: self.recipients.unwrap_or(before.recipients),
        }
    }
}
