//! Exports, scheduled exports and destinations as documents.

use jiff::Timestamp;
use reeve_access::UserId;
use reeve_exports::{
    Destination, DestinationId, DestinationSettings, Estimate, Export, ExportFile, ExportFormat,
    ExportId, ExportState, Failure, FailureCode, FileRole, FormatOptions, Progress, Requester,
    ScheduleId, ScheduledExport, Selection,
};
use reeve_schedule::Schedule;
use serde::{Deserialize, Serialize};

use super::{RowError, named, time, time_or_none};

#[derive(Debug, Serialize, Deserialize)]
struct OptionsRow {
    raw: bool,
    framing: Option<String>,
    hostname: Option<String>,
    max_bytes: Option<u64>,
    oversize: Option<String>,
}

impl From<&FormatOptions> for OptionsRow {
    fn from(options: &FormatOptions) -> Self {
        let FormatOptions {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        } = options.clone();
        OptionsRow {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        }
    }
}

impl From<OptionsRow> for FormatOptions {
    fn from(row: OptionsRow) -> Self {
        let OptionsRow {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        } = row;
        FormatOptions {
            raw,
            framing,
            hostname,
            max_bytes,
            oversize,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct RequesterRow {
    user: String,
    email: String,
    token: Option<String>,
    ip_address: Option<String>,
    user_agent: Option<String>,
}

impl From<&Requester> for RequesterRow {
    fn from(requester: &Requester) -> Self {
        let Requester {
            user,
            email,
            token,
            ip_address,
            user_agent,
        } = requester.clone();
        RequesterRow {
            user: user.0,
            email,
            token,
            ip_address,
            user_agent,
        }
    }
}

impl From<RequesterRow> for Requester {
    fn from(row: RequesterRow) -> Self {
        let RequesterRow {
            user,
            email,
            token,
            ip_address,
            user_agent,
        } = row;
        Requester {
            user: UserId(user),
            email,
            token,
            ip_address,
            user_agent,
        }
    }
}

/// Declares the row of a progress and its conversions from one list of fields, so that none of the
/// three can miss one.
macro_rules! progress_row {
    ($($field:ident: $kind:ty),* $(,)?) => {
        #[derive(Debug, Clone, Copy, Serialize, Deserialize)]
        struct ProgressRow {
            $($field: $kind,)*
        }

        impl From<Progress> for ProgressRow {
            fn from(progress: Progress) -> Self {
                ProgressRow { $($field: progress.$field,)* }
            }
        }

        impl From<ProgressRow> for Progress {
            fn from(row: ProgressRow) -> Self {
                Progress { $($field: row.$field,)* }
            }
        }
    };
}

progress_row!(
    position: u64,
    end: u64,
    entries: u64,
    bytes: u64,
    complete_files: u64,
    complete_entries: u64,
    complete_bytes: u64,
    complete_position: u64,
    reduced: u64,
    skipped: u64,
    span: Option<(u64, u64)>,
);

#[derive(Debug, Serialize, Deserialize)]
struct FileRow {
    name: String,
    role: String,
    bytes: u64,
    sha256: String,
    entries: u64,
}

/// An export, all but what has a column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportRow {
    name: String,
    format: String,
    options: OptionsRow,
    query: String,
    start_time: Option<String>,
    end_time: Option<String>,
    destination: Option<String>,
    from_sequence: u64,
    requester: RequesterRow,
    request_id: String,
    estimate_entries: u64,
    estimate_bytes: u64,
    progress: ProgressRow,
    failure: Option<(String, String)>,
    files: Vec<FileRow>,
    delivered_to: Option<String>,
    started_at: Option<String>,
    finished_at: Option<String>,
}

/// Columns of an export.
pub(crate) struct ExportColumns {
    pub(crate) id: String,
    pub(crate) schedule: Option<String>,
    pub(crate) state: String,
    pub(crate) created_at_ms: i64,
    pub(crate) expires_at_ms: Option<i64>,
    pub(crate) version: u64,
}

impl From<&Export> for ExportRow {
    fn from(export: &Export) -> Self {
        let selection = &export.selection;
        ExportRow {
            name: export.name.clone(),
            format: selection.format.as_str().to_owned(),
            options: (&selection.options).into(),
            query: selection.query.clone(),
            start_time: selection.start.map(|at| at.to_string()),
            end_time: selection.end.map(|at| at.to_string()),
            destination: export.destination.as_ref().map(|id| id.0.clone()),
            from_sequence: export.from_sequence,
            requester: (&export.requester).into(),
            request_id: export.request_id.clone(),
            estimate_entries: export.estimate.entries,
            estimate_bytes: export.estimate.bytes,
            progress: export.progress.into(),
            failure: export
                .failure
                .as_ref()
                .map(|failure| (failure.code.as_str().into(), failure.message.clone())),
            files: export.files.iter().map(FileRow::from).collect(),
            delivered_to: export.delivered_to.clone(),
            started_at: export.started_at.map(|at| at.to_string()),
            finished_at: export.finished_at.map(|at| at.to_string()),
        }
    }
}

impl From<&ExportFile> for FileRow {
    fn from(file: &ExportFile) -> Self {
        let ExportFile {
            name,
            role,
            bytes,
            sha256,
            entries,
        } = file.clone();
        FileRow {
            name,
            role: role.as_str().to_owned(),
            bytes,
            sha256,
            entries,
        }
    }
}

impl FileRow {
    fn into_file(self) -> Result<ExportFile, RowError> {
        let role = named("role", &self.role, FileRole::parse)?;
        Ok(ExportFile {
            name: self.name,
            role,
            bytes: self.bytes,
            sha256: self.sha256,
            entries: self.entries,
        })
    }
}

fn at_ms(ms: i64) -> Result<Timestamp, RowError> {
    Timestamp::from_millisecond(ms).map_err(|_| RowError::Time(ms.to_string()))
}

impl ExportRow {
    pub(crate) fn into_export(self, columns: ExportColumns) -> Result<Export, RowError> {
        let failure = self.failure.map(|(code, message)| {
            Ok::<_, RowError>(Failure {
                code: named("failure", &code, FailureCode::parse)?,
                message,
            })
        });
        Ok(Export {
            id: ExportId(columns.id),
            name: self.name,
            selection: Selection {
                format: named("format", &self.format, ExportFormat::parse)?,
                options: self.options.into(),
                query: self.query,
                start: time_or_none(self.start_time.as_deref())?,
                end: time_or_none(self.end_time.as_deref())?,
            },
            destination: self.destination.map(DestinationId),
            schedule: columns.schedule.map(ScheduleId),
            from_sequence: self.from_sequence,
            requester: self.requester.into(),
            request_id: self.request_id,
            state: named("state", &columns.state, ExportState::parse)?,
            estimate: Estimate {
                entries: self.estimate_entries,
                bytes: self.estimate_bytes,
            },
            progress: self.progress.into(),
            failure: failure.transpose()?,
            files: self
                .files
                .into_iter()
                .map(FileRow::into_file)
                .collect::<Result<_, _>>()?,
            delivered_to: self.delivered_to,
            created_at: at_ms(columns.created_at_ms)?,
            started_at: time_or_none(self.started_at.as_deref())?,
            finished_at: time_or_none(self.finished_at.as_deref())?,
            expires_at: columns.expires_at_ms.map(at_ms).transpose()?,
            version: columns.version,
        })
    }
}

/// A scheduled export.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ScheduleRow {
    id: String,
    name: String,
    format: String,
    options: OptionsRow,
    query: String,
    pattern: String,
    time_zone: String,
    destination: Option<String>,
    enabled: bool,
    owner: RequesterRow,
    covered_to: u64,
    last_run_at: String,
    last_export: Option<String>,
    created_at: String,
    version: u64,
}

impl From<&ScheduledExport> for ScheduleRow {
    fn from(schedule: &ScheduledExport) -> Self {
        ScheduleRow {
            id: schedule.id.0.clone(),
            name: schedule.name.clone(),
            format: schedule.format.as_str().to_owned(),
            options: (&schedule.options).into(),
            query: schedule.query.clone(),
            pattern: schedule.schedule.pattern.clone(),
            time_zone: schedule.schedule.time_zone.clone(),
            destination: schedule.destination.as_ref().map(|id| id.0.clone()),
            enabled: schedule.enabled,
            owner: (&schedule.owner).into(),
            covered_to: schedule.covered_to,
            last_run_at: schedule.last_run_at.to_string(),
            last_export: schedule.last_export.as_ref().map(|id| id.0.clone()),
            created_at: schedule.created_at.to_string(),
            version: schedule.version,
        }
    }
}

impl ScheduleRow {
    pub(crate) fn into_schedule(self) -> Result<ScheduledExport, RowError> {
        Ok(ScheduledExport {
            id: ScheduleId(self.id),
            name: self.name,
            format: named("format", &self.format, ExportFormat::parse)?,
            options: self.options.into(),
            query: self.query,
            schedule: Schedule {
                pattern: self.pattern,
                time_zone: self.time_zone,
            },
            destination: self.destination.map(DestinationId),
            enabled: self.enabled,
            owner: self.owner.into(),
            covered_to: self.covered_to,
            last_run_at: time(&self.last_run_at)?,
            last_export: self.last_export.map(ExportId),
            created_at: time(&self.created_at)?,
            version: self.version,
        })
    }
}

/// A destination, all but its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DestinationRow {
    id: String,
    name: String,
    settings: SettingsRow,
    prefix: String,
    created_at: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum SettingsRow {
    S3 {
        bucket: String,
        region: String,
        endpoint: Option<String>,
        access_key_id: Option<String>,
    },
    AzureBlob {
        account: String,
        container: String,
        endpoint: Option<String>,
    },
    Gcs {
        bucket: String,
        endpoint: Option<String>,
    },
    Sftp {
        host: String,
        port: u16,
        username: String,
        host_key: Option<String>,
    },
    Folder,
}

impl From<&Destination> for DestinationRow {
    fn from(destination: &Destination) -> Self {
        let settings = match destination.settings.clone() {
            DestinationSettings::S3 {
                bucket,
                region,
                endpoint,
                access_key_id,
            } => SettingsRow::S3 {
                bucket,
                region,
                endpoint,
                access_key_id,
            },
            DestinationSettings::AzureBlob {
                account,
                container,
                endpoint,
            } => SettingsRow::AzureBlob {
                account,
                container,
                endpoint,
            },
            DestinationSettings::Gcs { bucket, endpoint } => SettingsRow::Gcs { bucket, endpoint },
            DestinationSettings::Sftp {
                host,
                port,
                username,
                host_key,
            } => SettingsRow::Sftp {
                host,
                port,
                username,
                host_key,
            },
            DestinationSettings::Folder => SettingsRow::Folder,
        };
        DestinationRow {
            id: destination.id.0.clone(),
            name: destination.name.clone(),
            settings,
            prefix: destination.prefix.clone(),
            created_at: destination.created_at.to_string(),
            version: destination.version,
        }
    }
}

impl DestinationRow {
    pub(crate) fn into_destination(self) -> Result<Destination, RowError> {
        let settings = match self.settings {
            SettingsRow::S3 {
                bucket,
                region,
                endpoint,
                access_key_id,
            } => DestinationSettings::S3 {
                bucket,
                region,
                endpoint,
                access_key_id,
            },
            SettingsRow::AzureBlob {
                account,
                container,
                endpoint,
            } => DestinationSettings::AzureBlob {
                account,
                container,
                endpoint,
            },
            SettingsRow::Gcs { bucket, endpoint } => DestinationSettings::Gcs { bucket, endpoint },
            SettingsRow::Sftp {
                host,
                port,
                username,
                host_key,
            } => DestinationSettings::Sftp {
                host,
                port,
                username,
                host_key,
            },
            SettingsRow::Folder => DestinationSettings::Folder,
        };
        Ok(Destination {
            id: DestinationId(self.id),
            name: self.name,
            settings,
            prefix: self.prefix,
            created_at: time(&self.created_at)?,
            version: self.version,
        })
    }
}
