//! A run of a report: a job with a state, progress, and files once it has succeeded.

use jiff::Timestamp;
use reeve_access::{AuditScope, Principal};
use serde::{Deserialize, Serialize};

use crate::definition::{ReportDefinition, ReportId, ReportRequest};
use crate::stored::StoredFiles;

/// Identifier of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(pub String);

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Waits for its turn.
    Queued,
    /// Reads the log, or writes its files.
    Running,
    /// Succeeded: its files are available.
    Succeeded,
    /// Failed without files; the error has the cause.
    Failed,
    /// Cancelled by a user.
    Cancelled,
}

impl RunState {
    /// Every state, in the order of declaration.
    pub const ALL: [RunState; 5] = [
        Self::Queued,
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Name in requests and in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RunState::Queued => "queued",
            RunState::Running => "running",
            RunState::Succeeded => "succeeded",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    /// Returns the state of a name, `None` for another text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Returns `true` if nothing will change it any more.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        !matches!(self, RunState::Queued | RunState::Running)
    }
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunProgress {
    /// Sequence up to which the log was read.
    pub position: u64,
    /// Sequence at which it ends.
    pub end: u64,
    /// Entries found so far.
    pub entries: u64,
}

/// File of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFile {
    pub bytes: u64,
    /// SHA-256, lower-case hex; empty for a run of a release that recorded none.
    pub sha256: String,
}

/// Files of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "StoredFiles", into = "StoredFiles")]
pub struct RunFiles {
    /// The document with every cited entry and the proof.
    pub json: RunFile,
    /// Table of the entries.
    pub csv: RunFile,
    /// Report that is typeset for print.
    pub pdf: RunFile,
    /// Length of the manifest, bytes; 0 for a run of a release that wrote none.
    pub manifest_bytes: u64,
}

impl RunFiles {
    /// Returns the files with the format that names each, in the order of the manifest.
    #[must_use]
    pub fn each(&self) -> [(&'static str, &RunFile); 3] {
        [("pdf", &self.pdf), ("csv", &self.csv), ("json", &self.json)]
    }
}

/// One execution of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRun {
    pub id: RunId,
    /// Report that it is a run of.
    pub report: ReportId,
    /// Name of the report when the run was requested.
    pub report_name: String,
    /// Request as it was when the run was created.
    pub request: ReportRequest,
    pub state: RunState,
    #[serde(flatten)]
    pub progress: RunProgress,
    /// Reason of a failure.
    pub error: Option<String>,
    /// Findings without the cited entries, as JSON ([`crate::document`]), once it has succeeded.
    #[serde(skip)]
    pub summary: Option<String>,
    /// Files, once it has succeeded.
    #[serde(flatten)]
    pub files: RunFiles,
    /// User whose rights it reads the log with.
    pub user: String,
    /// E-mail address of that user.
    pub user_email: String,
    /// Token that the request came with: its roles and its end bound the run.
    #[serde(default)]
    pub token: Option<String>,
    /// Scope of that user, which the run is narrowed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<AuditScope>,
    /// Set when the schedule requested it.
    pub scheduled: bool,
    /// Set when it is to end as soon as it can.
    pub cancelling: bool,
    /// Names of the channels to notify.
    pub channels: Vec<String>,
    /// Addresses that e-mail channels send to in place of their own.
    pub recipients: Vec<String>,
    /// Creation time. The run's period is relative to it, also when the run resumes after a
    /// restart.
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    /// Time of the last progress; a run without any for a minute is resumed.
    pub touched_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Number of its version, from 1.
    pub version: u64,
}

impl ReportRun {
    /// Returns the name of a file for people: the report's name in ASCII letters, digits and
    /// dashes, the day, and the end of the run's identifier. Two runs of one day differ, so that a
    /// manifest finds its own files in a folder of downloads.
    #[must_use]
    pub fn file_name(&self, format: &str) -> String {
        let name = self.report_name.chars().map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        });
        let name: String = name.collect();
        let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();

        let name = if parts.is_empty() {
            "report".to_owned()
        } else {
            parts.join("-")
        };

        let id: String = self
            .id
            .0
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let tail = id.get(id.len().saturating_sub(8)..).unwrap_or(&id);

        format!(
            "{name}-{}-{tail}.{format}",
            self.created_at.strftime("%Y-%m-%d")
        )
    }

    /// Returns the channels that are told of the end. Recipients without a channel are written to
    /// by every e-mail channel.
    #[must_use]
    pub fn receiving_channels(&self) -> Vec<String> {
        if self.channels.is_empty() && !self.recipients.is_empty() {
            return vec!["email".to_owned()];
        }
        self.channels.clone()
    }

    /// Returns the subject that deliveries about the end of the run have.
    #[must_use]
    pub fn delivery_subject(&self) -> String {
        format!("report:{}", self.id.0)
    }

    /// Returns a run of a report by its schedule, with the rights of the report's owner.
    #[must_use]
    pub fn scheduled(report: &ReportDefinition, id: RunId, now: Timestamp) -> ReportRun {
        ReportRun {
            id,
            report: report.id.clone(),
            report_name: report.name.clone(),
            request: report.request.clone(),
            state: RunState::Queued,
            progress: RunProgress::default(),
            error: None,
            summary: None,
            files: RunFiles::default(),
            user: report.owner.clone(),
            user_email: report.owner_email.clone(),
            token: report.owner_token.clone(),
            scope: None,
            scheduled: true,
            cancelling: false,
            channels: report.channels.clone(),
            recipients: report.recipients.clone(),
            created_at: now,
            started_at: None,
            touched_at: now,
            ended_at: None,
            version: 1,
        }
    }

    /// Returns a run of a report that a person requests, with the rights of the request.
    #[must_use]
    pub fn requested(
        report: &ReportDefinition,
        id: RunId,
        principal: &Principal,
        now: Timestamp,
    ) -> ReportRun {
        ReportRun {
            user: principal.user.0.clone(),
            user_email: principal.email.clone(),
            token: principal.token.as_ref().map(|token| token.id.clone()),
            scheduled: false,
            ..ReportRun::scheduled(report, id, now)
        }
    }
}
