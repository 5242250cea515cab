//! Sources of alerts on the wire.

use std::collections::BTreeMap;

use reeve_siem::{AlertSource, CloseCallback, SourceCounts, SourceState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AlertRefusalBody;
use crate::time;
use crate::wire::form::enumeration::{AlertSourceFormat, CallbackMethod};

/// Another tool that pushes alerts, without its token.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertSourceBody {
    pub id: String,
    pub name: String,
    pub format: AlertSourceFormat,
    /// Dotted paths of fields, for format `json`.
    pub mapping: BTreeMap<String, String>,
    /// Call that closes an alert at the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback: Option<CloseCallbackBody>,
    /// `true` if the callback has credentials.
    pub has_credentials: bool,
    pub enabled: bool,
    /// Days without a report after which an open alert expires.
    pub expire_after_days: u32,
    /// Path that alerts are pushed to.
    pub push_path: String,
    /// Alerts that are kept.
    pub alerts: u64,
    pub open_alerts: u64,
    /// Alerts with a verdict of a person.
    pub judged: u64,
    /// Alerts that people called false.
    pub false_positives: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_alert_at: Option<String>,
    /// Time of the last push, taken or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_push_at: Option<String>,
    /// Reports that were taken, known ones included.
    pub taken: u64,
    /// Reports that were refused.
    pub refused: u64,
    /// The last refusals, newest first.
    pub refusals: Vec<PastRefusalBody>,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

/// A refusal, and its time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PastRefusalBody {
    pub at: String,
    #[serde(flatten)]
    pub refusal: AlertRefusalBody,
}

/// A source with its token, which is shown this once.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertSourceTokenBody {
    #[serde(flatten)]
    pub source: AlertSourceBody,
    /// Token (`rva_...`) that the tool sends as `Authorization: Bearer`.
    pub token: String,
}

/// Call that closes an alert at its sender.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseCallbackBody {
    pub method: CallbackMethod,
    /// Address, https only; `{id}` stands for the sender's identifier.
    pub url: String,
    /// Body with `{id}` and `{comment}`. One that begins with `{` is JSON, any other a form.
    #[serde(default)]
    pub body: String,
}

/// A source to add.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertSourceCreate {
    /// 1 to 100 characters, unlike every other source's.
    pub name: String,
    pub format: AlertSourceFormat,
    /// Dotted paths by field (`id`, `title`, `severity`, `time`, ...), for format `json`.
    #[serde(default)]
    pub mapping: BTreeMap<String, String>,
    pub callback: Option<CloseCallbackBody>,
    /// Value of the `Authorization` header of the callback, such as `ApiKey ...`. Never shown again.
    pub credentials: Option<String>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
    /// Days without a report after which an open alert expires, 1 to 365; 30 unless said otherwise.
    pub expire_after_days: Option<u32>,
}

/// A change of a source; what is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertSourcePatch {
    pub name: Option<String>,
    pub mapping: Option<BTreeMap<String, String>>,
    pub callback: Option<CloseCallbackBody>,
    /// `true` removes the callback and its credentials.
    #[serde(default)]
    pub remove_callback: bool,
    pub credentials: Option<String>,
    pub enabled: Option<bool>,
    /// Days without a report after which an open alert expires, 1 to 365.
    pub expire_after_days: Option<u32>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

impl From<&CloseCallback> for CloseCallbackBody {
    fn from(callback: &CloseCallback) -> Self {
        CloseCallbackBody {
            method: callback.method.into(),
            url: callback.url.clone(),
            body: callback.body.clone(),
        }
    }
}

impl From<CloseCallbackBody> for CloseCallback {
    fn from(body: CloseCallbackBody) -> Self {
        CloseCallback {
            method: body.method.0,
            url: body.url.trim().to_owned(),
            body: body.body,
        }
    }
}

impl AlertSourceBody {
    /// Converts a source with its numbers.
    #[must_use]
    pub fn new(
        source: &AlertSource,
        counts: &SourceCounts,
        state: &SourceState,
        push_path: &str,
    ) -> AlertSourceBody {
        let mapping = source.mapping.0.iter();
        let refusals = state.refusals.iter().map(|past| PastRefusalBody {
            at: time::text(past.at),
            refusal: AlertRefusalBody::from(&past.refusal),
        });

        AlertSourceBody {
            id: source.id.0.clone(),
            name: source.name.clone(),
            format: source.format.into(),
            mapping: mapping
                .map(|(field, path)| (field.as_str().to_owned(), path.clone()))
                .collect(),
            callback: source.callback.as_ref().map(CloseCallbackBody::from),
            has_credentials: source.has_credentials,
            enabled: source.enabled,
            expire_after_days: source.expire_after_days,
            push_path: push_path.to_owned(),
            alerts: counts.alerts,
            open_alerts: counts.open,
            judged: counts.record.judged,
            false_positives: counts.record.false_positives,
            last_alert_at: counts.last_alert_at.map(time::text),
            last_push_at: state.last_push_at.map(time::text),
            taken: state.taken,
            refused: state.refused,
            refusals: refusals.collect(),
            created_at: time::text(source.created_at),
            updated_at: time::text(source.updated_at),
            version: source.version,
        }
    }
}
