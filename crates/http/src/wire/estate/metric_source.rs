//! Metric sources on the wire. Credentials go in, never out; a token comes out once.

mod preview;

use reeve_audit::{FieldCode, FieldError};
use reeve_sources::{
    MetricSource, QueryCredentials, ReadyMapping, RuleDraft, SourceKind, SourceSync, SyncState,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::metric_intake::WriteStatus;
use crate::time;
use crate::wire::form::enumeration::MetricSourceType;

pub use preview::{
    MetricPreviewBody, MetricPreviewRequest, RulePreviewBody, SeriesMatchBody, UnselectedBody,
};

/// A rule: which series make up which metric, and which label names the resource. A sample is
/// `offset + scale * series / divide_by`, averaged over five minutes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MappingRuleBody {
    /// Metric that the series make up, such as `memory_utilization`.
    pub metric: String,
    /// Kind of the resources; every kind that has the metric unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Selector of the series, such as `node_cpu_seconds_total{mode="idle"}`.
    pub series: String,
    /// Selector of series with the same labels that they are divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divide_by: Option<String>,
    /// `gauge` (the default), or `counter` for series that only grow: they are read as their rate
    /// per second.
    pub reading: Option<String>,
    /// Factor; 1 unless given.
    pub scale: Option<f64>,
    /// Summand; 0 unless given.
    pub offset: Option<f64>,
    /// Combination of several series of a resource: `mean` (the default), `min`, `max`, `sum`.
    pub combine: Option<String>,
    /// Label whose value names the resource; `instance` unless given.
    pub label: Option<String>,
    /// Property of the resource that the value is: `id`, `name`, `private_ip`, `tag`.
    pub locate_by: String,
    /// Key of the tag, for `tag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

impl From<MappingRuleBody> for RuleDraft {
    fn from(body: MappingRuleBody) -> Self {
        let MappingRuleBody {
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
        } = body;
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

impl From<RuleDraft> for MappingRuleBody {
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
        MappingRuleBody {
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

/// Credentials of a server that is queried: a bearer token, or a user name and a password.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryCredentialsBody {
    /// Bearer token, which is never sent back.
    #[schema(write_only)]
    pub bearer_token: Option<String>,
    pub username: Option<String>,
    /// Password, which is never sent back.
    #[schema(write_only)]
    pub password: Option<String>,
}

impl QueryCredentialsBody {
    /// Reads the credentials. An empty object is none.
    ///
    /// # Errors
    /// A user name without a password, a password without a user name, or both kinds.
    pub fn read(self) -> Result<QueryCredentials, FieldError> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let wrong = |field: &str, message: &str| {
            FieldError::new(
                format!("credentials.{field}"),
                FieldCode::InvalidValue,
                message,
            )
        };

        match (
            given(self.bearer_token),
            given(self.username),
            given(self.password),
        ) {
            (None, None, None) => Ok(QueryCredentials::None),
            (Some(token), None, None) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Ok(QueryCredentials::Bearer(token))
            }
            (Some(_), None, None) => Err(wrong(
                "bearer_token",
                "has characters that no header carries",
            )),
            (None, Some(username), Some(password)) if !username.contains(':') => {
                Ok(QueryCredentials::Basic { username, password })
            }
            (None, Some(_), Some(_)) => Err(wrong("username", "must not have a colon")),
            (None, Some(_), None) => Err(wrong("password", "is needed with a user name")),
            (None, None, Some(_)) => Err(wrong("username", "is needed with a password")),
            (Some(_), ..) => Err(wrong(
                "bearer_token",
                "cannot be given together with a user name or password",
            )),
        }
    }
}

/// A source of metrics to add.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricSourceCreate {
    pub name: String,
    /// `remote_write` for a server that pushes, `query` for one that is queried.
    pub kind: String,
    /// Address of a server that is queried, such as `https://prometheus.example:9090`.
    pub url: Option<String>,
    /// Credentials of a server that is queried.
    pub credentials: Option<QueryCredentialsBody>,
    /// Rules; `GET metrics/mappings` has ready ones.
    #[serde(default)]
    pub rules: Vec<MappingRuleBody>,
}

/// A change of a source. What is left out stays.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricSourcePatch {
    pub name: Option<String>,
    /// Address. Credentials must be given again with another one.
    pub url: Option<String>,
    /// Credentials; an empty object removes them.
    pub credentials: Option<QueryCredentialsBody>,
    pub rules: Option<Vec<MappingRuleBody>>,
    /// Switches it on or off.
    pub enabled: Option<bool>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// Numbers of points by what became of them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PushedBody {
    /// Start of the count: the start of the service.
    pub since: String,
    /// Time of the last push.
    pub last_at: Option<String>,
    /// Pushes that were taken.
    pub pushes: u64,
    /// Pushes that were refused.
    pub refused: u64,
    /// Samples stored; a sample that a later push replaced counts again.
    pub stored: u64,
    /// Number of points received so far.
    pub received: u64,
    /// Points of a metric of a resource.
    pub mapped: u64,
    /// Points of series that no rule selects.
    pub unselected: u64,
    /// Points of series that belong to no resource.
    pub unmatched: u64,
    /// Marks of the end of a series.
    pub stale: u64,
    /// Points that are infinite or not numbers.
    pub not_finite: u64,
    /// Points that came too late.
    pub too_old: u64,
    /// Points ahead of Reeve's clock.
    pub in_future: u64,
    /// Points of series beyond the number that is kept.
    pub over_limit: u64,
    /// Samples with values that their metric cannot have.
    pub out_of_range: u64,
}

impl From<WriteStatus> for PushedBody {
    fn from(status: WriteStatus) -> Self {
        let counts = status.counts;
        PushedBody {
            since: time::text(status.since),
            last_at: status.last_at.map(time::text),
            pushes: status.pushes,
            refused: status.refused,
            stored: status.stored,
            received: counts.received,
            mapped: counts.mapped,
            unselected: counts.unselected,
            unmatched: counts.unmatched,
            stale: counts.stale,
            not_finite: counts.not_finite,
            too_old: counts.too_old,
            in_future: counts.in_future,
            over_limit: counts.over_limit,
            out_of_range: counts.out_of_range,
        }
    }
}

/// The last query of a source.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SourceSyncBody {
    /// Start of the query.
    pub started_at: String,
    /// End of the query.
    pub finished_at: String,
    /// Number of samples that were stored.
    pub samples: u64,
    /// Series that belong to a resource.
    pub mapped: u64,
    /// Series that belong to none.
    pub unmapped: u64,
    /// Time of the newest sample.
    pub newest_at: Option<String>,
    /// `true` if the server denied the credentials.
    pub denied: bool,
    /// `true` if the server asked to wait.
    pub throttled: bool,
    /// Failures, each as a sentence.
    pub problems: Vec<String>,
}

impl From<&SourceSync> for SourceSyncBody {
    fn from(sync: &SourceSync) -> Self {
        SourceSyncBody {
            started_at: time::text(sync.started_at),
            finished_at: time::text(sync.finished_at),
            samples: sync.samples,
            mapped: sync.mapped,
            unmapped: sync.unmapped,
            newest_at: sync.newest_at.map(time::text),
            denied: sync.denied,
            throttled: sync.throttled,
            problems: sync.problems.clone(),
        }
    }
}

/// A source of metrics with the state of its intake.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricSourceBody {
    /// Identifier of the source.
    pub id: String,
    pub name: String,
    pub kind: MetricSourceType,
    /// Address of a server that is queried.
    pub url: Option<String>,
    /// Kind of its credentials: `none`, `bearer`, `basic`.
    pub credentials_kind: String,
    pub rules: Vec<MappingRuleBody>,
    /// `false` if nothing is taken from it.
    pub enabled: bool,
    /// Samples it pushed, for `remote_write`.
    pub pushed: Option<PushedBody>,
    /// Its last query, for `query`.
    pub last_sync: Option<SourceSyncBody>,
    /// Time up to which samples were read, for `query`.
    pub read_until: Option<String>,
    /// Creation time of the source.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

impl MetricSourceBody {
    /// Returns a source with what arrived from it.
    #[must_use]
    pub fn new(source: &MetricSource, status: WriteStatus, state: &SyncState) -> Self {
        let pushes = source.kind == SourceKind::RemoteWrite;
        MetricSourceBody {
            id: source.id.0.clone(),
            name: source.name.clone(),
            kind: source.kind.into(),
            url: source.url.clone(),
            credentials_kind: source.credentials_kind.clone(),
            rules: source
                .rules
                .iter()
                .map(|rule| rule.draft().into())
                .collect(),
            enabled: source.enabled,
            pushed: pushes.then(|| status.into()),
            last_sync: state.last.as_ref().map(Into::into),
            read_until: state.read_until.map(time::text),
            created_at: time::text(source.created_at),
            updated_at: time::text(source.updated_at),
            version: source.version,
        }
    }
}

/// A source with its new token, which is shown this once.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MetricSourceTokenBody {
    #[serde(flatten)]
    pub source: MetricSourceBody,
    /// Token to push with, for `remote_write`. It opens nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Path to push to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_path: Option<String>,
}

/// Rules for an exporter.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReadyMappingBody {
    /// Name of the exporter.
    pub name: String,
    /// Description of the rules.
    pub description: String,
    pub rules: Vec<MappingRuleBody>,
}

impl From<&ReadyMapping> for ReadyMappingBody {
    fn from(mapping: &ReadyMapping) -> Self {
        let rules = mapping
            .rules
            .iter()
            .map(|rule| rule.draft().into())
            .collect();
        ReadyMappingBody {
            name: mapping.name.to_owned(),
            description: mapping.description.to_owned(),
            rules,
        }
    }
}
