//! Firings, previews, tests and diagnoses.

use std::collections::BTreeMap;

use reeve_alerts::{Firing, FiringEntry};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::alert::rule::{AlertGroupByBody, AlertThresholdBody};
use crate::wire::form::enumeration::{FiringStatus, Severity};

/// An entry that a firing counts.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FiringEntryBody {
    /// Identifier of the entry.
    pub event_id: String,
    /// Position in the log.
    pub sequence: u64,
    /// Time at which it counts.
    pub timestamp: String,
}

/// A firing of an alert rule, with the entries that caused it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FiringBody {
    /// Identifier; also that of its entry in the log.
    pub id: String,
    pub rule_id: String,
    /// Name of the rule at that time.
    pub rule_name: String,
    /// Severity of the rule at that time.
    pub severity: Severity,
    /// Values of the fields that the rule groups by; null for an entry without one.
    pub group: BTreeMap<String, Option<String>>,
    /// Time of the earliest entry.
    pub first_at: String,
    /// Time of the latest entry.
    pub last_at: String,
    /// Time of recording of the entry that reached the threshold.
    pub detected_at: String,
    /// Entries up to this time join the firing.
    pub open_until: String,
    /// Entries that were counted so far.
    pub count: u64,
    /// The first of them, at most 100.
    pub entries: Vec<FiringEntryBody>,
    /// The rule was silenced: nobody was notified.
    pub silenced: bool,
    pub status: FiringStatus,
    /// User who looks after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Remark of whoever resolved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// User who changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handled_by: Option<String>,
    /// Time of that change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handled_at: Option<String>,
    /// Grows with every change by people.
    pub version: u64,
}

/// Filters of firings, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FiringParams {
    pub rule_id: Option<String>,
    /// `open`, `acknowledged` or `resolved`.
    pub status: Option<String>,
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
}

/// A change of a firing.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FiringHandling {
    /// The version that was read; left out, the newest is changed.
    pub version: Option<u64>,
    /// To `assign`: the user's id or e-mail address. The empty text assigns it to nobody.
    pub assignee: Option<String>,
    /// To `resolve`: a remark, at most 2000 characters.
    pub note: Option<String>,
}

/// A rule to try on the past.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertPreviewRequest {
    /// Condition in the query language.
    pub condition: String,
    pub threshold: AlertThresholdBody,
    /// Fields whose values are counted apart.
    pub group_by: Option<AlertGroupByBody>,
}

/// A span of the preview.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertBucketBody {
    pub start: String,
    /// Entries that match the condition.
    pub matched: u64,
    /// Times the rule would have fired.
    pub fired: u64,
}

/// A firing that would have been.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertPreviewFiringBody {
    /// Time of its latest entry.
    pub at: String,
    /// Values of the fields that the rule groups by.
    pub group: BTreeMap<String, Option<String>>,
    pub count: u64,
}

/// Firings that a rule would have had over the last 30 days, of entries that the caller may see.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertPreviewBody {
    /// Start of the period.
    pub start_time: String,
    /// End of the period.
    pub end_time: String,
    /// Entries that match the condition.
    pub matched: u64,
    /// Times the rule would have fired.
    pub fired: u64,
    /// The period has more matching entries than a preview reads: only the earliest of them were
    /// counted.
    pub truncated: bool,
    /// Length of a bucket, seconds.
    pub bucket_s: u64,
    /// The period in equal spans.
    pub buckets: Vec<AlertBucketBody>,
    /// The latest firings, at most 100.
    pub firings: Vec<AlertPreviewFiringBody>,
}

/// A check of a diagnosis.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertCheckBody {
    /// `state`, `silence`, `condition`, `threshold`, `channel`, `watermark` or `bounds`.
    pub check: String,
    /// `true` if nothing keeps the alert from firing or its notifications from arriving.
    pub ok: bool,
    /// The finding in words, with what to do.
    pub detail: String,
}

/// Reasons why an alert does not fire.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertDiagnosisBody {
    /// `true` if all checks passed.
    pub ok: bool,
    /// The checks, in the order in which a firing passes them.
    pub checks: Vec<AlertCheckBody>,
}

/// A receiver that was tried.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertTestedTargetBody {
    /// Name of the channel or subscription, or of what was not found.
    pub name: String,
    /// `true` if the test arrived.
    pub delivered: bool,
    /// Reason of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Outcome of a test.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertTestBody {
    /// `true` if there are receivers and all of them were reached.
    pub ok: bool,
    pub targets: Vec<AlertTestedTargetBody>,
}

/// Converts the group of a firing to values by field.
pub(crate) fn group(
    names: &[String],
    values: Vec<Option<String>>,
) -> BTreeMap<String, Option<String>> {
    names.iter().cloned().zip(values).collect()
}

impl FiringBody {
    /// As it is answered.
    #[must_use]
    pub fn new(firing: &Firing) -> Self {
        let entry = |entry: &FiringEntry| FiringEntryBody {
            event_id: entry.event_id.clone(),
            sequence: entry.sequence,
            timestamp: time::text_ms(entry.at_ms),
        };
        FiringBody {
            id: firing.id.0.clone(),
            rule_id: firing.rule.0.clone(),
            rule_name: firing.rule_name.clone(),
            severity: firing.severity.into(),
            group: group(&firing.group_by, firing.group.values()),
            first_at: time::text(firing.first_at),
            last_at: time::text(firing.last_at),
            detected_at: time::text(firing.detected_at),
            open_until: time::text(firing.until),
            count: firing.count,
            entries: firing.entries.iter().map(entry).collect(),
            silenced: firing.silenced,
            status: firing.status.into(),
            assignee: firing.assignee.clone(),
            note: firing.note.clone(),
            handled_by: firing.handled_by.clone(),
            handled_at: firing.handled_at.map(time::text),
            version: firing.version,
        }
    }
}
