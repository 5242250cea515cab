//! Stored forms of the values whose fields are flat in a document: requests, schedules and files.

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_schedule::Schedule;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::definition::{Filters, GroupField, ReportKind, ReportMetric, ReportRequest};
use crate::period::{PeriodChoice, ReportPeriod};
use crate::run::{RunFile, RunFiles};

/// A request. A framework or a query says which kind it is; a period is named or has two times.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredRequest {
    framework: Option<String>,
    query: Option<String>,
    group_by: Vec<GroupField>,
    metrics: Vec<ReportMetric>,
    period: Option<String>,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    #[serde(flatten)]
    filters: Filters,
}

impl From<ReportRequest> for StoredRequest {
    fn from(request: ReportRequest) -> Self {
        let (framework, query, group_by, metrics) = match request.kind {
            ReportKind::Compliance { framework } => (Some(framework), None, Vec::new(), Vec::new()),
            ReportKind::Custom {
                query,
                group_by,
                metrics,
            } => (None, Some(query), group_by, metrics),
        };
        let between = match request.period {
            PeriodChoice::Between(period) => Some(period),
            _ => None,
        };

        StoredRequest {
            framework,
            query,
            group_by,
            metrics,
            period: request.period.text(),
            start: between.map(|period| period.start),
            end: between.map(|period| period.end),
            filters: request.filters,
        }
    }
}

impl TryFrom<StoredRequest> for ReportRequest {
    type Error = Obstacle;

    fn try_from(stored: StoredRequest) -> Result<Self, Obstacle> {
        let kind = match stored.framework {
            Some(framework) => ReportKind::Compliance { framework },
            None => ReportKind::Custom {
                query: stored.query.unwrap_or_default(),
                group_by: stored.group_by,
                metrics: stored.metrics,
            },
        };
        let period = match (stored.period, stored.start, stored.end) {
            (Some(text), _, _) => PeriodChoice::parse(&text)
                .ok_or_else(|| Obstacle::from(format!("{text:?} is no period")))?,
            (None, Some(start), Some(end)) => PeriodChoice::Between(ReportPeriod { start, end }),
            _ => return Err("a request needs a period, or a start and an end".into()),
        };

        Ok(ReportRequest {
            kind,
            period,
            filters: stored.filters,
        })
    }
}

/// Files of a run. Runs of earlier releases have no hashes and no manifest.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredFiles {
    json_bytes: u64,
    csv_bytes: u64,
    pdf_bytes: u64,
    #[serde(default)]
    json_sha256: String,
    #[serde(default)]
    csv_sha256: String,
    #[serde(default)]
    pdf_sha256: String,
    #[serde(default)]
    manifest_bytes: u64,
}

impl From<RunFiles> for StoredFiles {
    fn from(files: RunFiles) -> Self {
        StoredFiles {
            json_bytes: files.json.bytes,
            csv_bytes: files.csv.bytes,
            pdf_bytes: files.pdf.bytes,
            json_sha256: files.json.sha256,
            csv_sha256: files.csv.sha256,
            pdf_sha256: files.pdf.sha256,
            manifest_bytes: files.manifest_bytes,
        }
    }
}

impl From<StoredFiles> for RunFiles {
    fn from(stored: StoredFiles) -> Self {
        let file = |bytes, sha256| RunFile { bytes, sha256 };

        RunFiles {
            json: file(stored.json_bytes, stored.json_sha256),
            csv: file(stored.csv_bytes, stored.csv_sha256),
            pdf: file(stored.pdf_bytes, stored.pdf_sha256),
            manifest_bytes: stored.manifest_bytes,
        }
    }
}

/// A schedule, as `cron` and `time_zone` of the report; both are null for a report without one.
pub(crate) mod schedule {
    use super::{Deserialize, Deserializer, Schedule, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct StoredSchedule {
        cron: Option<String>,
        time_zone: Option<String>,
    }

    pub(crate) fn serialize<S: Serializer>(
        schedule: &Option<Schedule>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let schedule = schedule.as_ref();
        let stored = StoredSchedule {
            cron: schedule.map(|schedule| schedule.pattern.clone()),
            time_zone: schedule.map(|schedule| schedule.time_zone.clone()),
        };
        stored.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Schedule>, D::Error> {
        let stored = StoredSchedule::deserialize(deserializer)?;

        Ok(stored
            .cron
            .zip(stored.time_zone)
            .map(|(pattern, time_zone)| Schedule { pattern, time_zone }))
    }
}
