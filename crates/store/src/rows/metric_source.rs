//! A metric source, its credentials as they are sealed, and the progress of its queries.

use jiff::Timestamp;
use reeve_sources::{
    MetricSource, MetricSourceId, QueryCredentials, RuleDraft, SourceKind, SourceSync, SyncState,
    read_rules,
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{RowError, named, time};
use crate::vault::{Vault, VaultError};

/// A source, all but its token and its credentials.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MetricSourceRow {
    id: String,
    name: String,
    kind: String,
    url: Option<String>,
    credentials_kind: String,
    rules: Vec<RuleRow>,
    enabled: bool,
    created_at: String,
    updated_at: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct RuleRow {
    metric: String,
    kind: Option<String>,
    series: String,
    divide_by: Option<String>,
    reading: Option<String>,
    scale: Option<f64>,
    offset: Option<f64>,
    combine: Option<String>,
    label: Option<String>,
    locate_by: String,
    tag: Option<String>,
}

impl From<RuleDraft> for RuleRow {
    fn from(draft: RuleDraft) -> Self {
        let RuleDraft {
            metric,
            kind,
            series,
            divide_by,
            reading,
            scale,
            offset,
            combine,
            label,
            locate_by,
            tag,
        } = draft;
        RuleRow {
            metric,
            kind,
            series,
            divide_by,
            reading,
            scale,
            offset,
            combine,
            label,
            locate_by,
            tag,
        }
    }
}

impl From<RuleRow> for RuleDraft {
    fn from(row: RuleRow) -> Self {
        let RuleRow {
            metric,
            kind,
            series,
            divide_by,
            reading,
            scale,
            offset,
            combine,
            label,
            locate_by,
            tag,
        } = row;
        RuleDraft {
            metric,
            kind,
            series,
            divide_by,
            reading,
            scale,
            offset,
            combine,
            label,
            locate_by,
            tag,
        }
    }
}

impl From<&MetricSource> for MetricSourceRow {
    fn from(source: &MetricSource) -> Self {
        MetricSourceRow {
            id: source.id.0.clone(),
            name: source.name.clone(),
            kind: source.kind.as_str().to_owned(),
            url: source.url.clone(),
            credentials_kind: source.credentials_kind.clone(),
            rules: source
                .rules
                .iter()
                .map(|rule| rule.draft().into())
                .collect(),
            enabled: source.enabled,
            created_at: source.created_at.to_string(),
            updated_at: source.updated_at.to_string(),
            version: source.version,
        }
    }
}

impl MetricSourceRow {
    pub(crate) fn into_source(self) -> Result<MetricSource, RowError> {
        let rules =
            read_rules(self.rules.into_iter().map(Into::into).collect()).map_err(|error| {
                RowError::Unknown {
                    field: "rules",
                    value: error.to_string(),
                }
            })?;
        Ok(MetricSource {
            id: MetricSourceId(self.id),
            name: self.name,
            kind: named("kind", &self.kind, SourceKind::parse)?,
            url: self.url,
            credentials_kind: self.credentials_kind,
            rules,
            enabled: self.enabled,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

/// The plain text of sealed credentials. Not `Debug`.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum CredentialsRow {
    None,
    Bearer { token: String },
    Basic { username: String, password: String },
}

/// Seals the credentials of a source.
pub(crate) fn seal(
    vault: &Vault,
    source: &str,
    credentials: &QueryCredentials,
) -> Result<String, VaultError> {
    let row = match credentials.clone() {
        QueryCredentials::None => CredentialsRow::None,
        QueryCredentials::Bearer(token) => CredentialsRow::Bearer { token },
        QueryCredentials::Basic { username, password } => {
            CredentialsRow::Basic { username, password }
        }
    };
    vault.seal(
        source,
        &Zeroizing::new(serde_json::to_vec(&row).map_err(|_| VaultError::Seal)?),
    )
}

/// Opens the credentials of a source.
pub(crate) fn open(
    vault: &Vault,
    source: &str,
    sealed: &str,
) -> Result<QueryCredentials, VaultError> {
    let plain = vault.open(source, sealed)?;
    Ok(
        match serde_json::from_slice(&plain).map_err(|_| VaultError::Altered)? {
            CredentialsRow::None => QueryCredentials::None,
            CredentialsRow::Bearer { token } => QueryCredentials::Bearer(token),
            CredentialsRow::Basic { username, password } => {
                QueryCredentials::Basic { username, password }
            }
        },
    )
}

/// Progress of the queries of a source.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StateRow {
    read_until: Option<String>,
    wait_until: Option<String>,
    last: Option<SyncRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SyncRow {
    started_at: String,
    finished_at: String,
    samples: u64,
    mapped: u64,
    unmapped: u64,
    newest_at: Option<String>,
    denied: bool,
    throttled: bool,
    problems: Vec<String>,
}

fn text(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}

fn read(text: Option<String>) -> Result<Option<Timestamp>, RowError> {
    text.as_deref().map(time).transpose()
}

impl From<&SyncState> for StateRow {
    fn from(state: &SyncState) -> Self {
        let last = state.last.as_ref().map(|last| SyncRow {
            started_at: last.started_at.to_string(),
            finished_at: last.finished_at.to_string(),
            samples: last.samples,
            mapped: last.mapped,
            unmapped: last.unmapped,
            newest_at: text(last.newest_at),
            denied: last.denied,
            throttled: last.throttled,
            problems: last.problems.clone(),
        });
        StateRow {
            read_until: text(state.read_until),
            wait_until: text(state.wait_until),
            last,
        }
    }
}

impl StateRow {
    pub(crate) fn into_state(self) -> Result<SyncState, RowError> {
        let last = |row: SyncRow| {
            Ok::<_, RowError>(SourceSync {
                started_at: time(&row.started_at)?,
                finished_at: time(&row.finished_at)?,
                samples: row.samples,
                mapped: row.mapped,
                unmapped: row.unmapped,
                newest_at: read(row.newest_at)?,
                denied: row.denied,
                throttled: row.throttled,
                problems: row.problems,
            })
        };
        Ok(SyncState {
            read_until: read(self.read_until)?,
            wait_until: read(self.wait_until)?,
            last: self.last.map(last).transpose()?,
        })
    }
}
