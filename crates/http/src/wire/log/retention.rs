//! Retention policies, tiers and legal holds on the wire.

use reeve_retention::{
    Course, Extent, LegalHold, PolicyCourse, PolicyVersion, RetentionPolicy, TierContent,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::retention::RetentionRun;
use crate::time;

/// A retention policy.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionPolicyBody {
    /// Name: lower-case letters, digits, hyphens and underscores.
    #[schema(example = "authentication")]
    pub name: String,
    /// Event types, beginnings of them, or `*`. The most specific pattern decides.
    #[schema(example = json!(["authentication.*"]))]
    pub event_types: Vec<String>,
    /// Days in the hot tier, at least 1.
    pub hot_days: u32,
    /// Days in the warm tier after that.
    pub warm_days: u32,
    /// Years in the cold tier after that; 0 means none.
    pub cold_years: u32,
}

impl From<&RetentionPolicy> for RetentionPolicyBody {
    fn from(policy: &RetentionPolicy) -> Self {
        RetentionPolicyBody {
            name: policy.name.clone(),
            event_types: policy.event_types.clone(),
            hot_days: policy.hot_days,
            warm_days: policy.warm_days,
            cold_years: policy.cold_years,
        }
    }
}

impl From<RetentionPolicyBody> for RetentionPolicy {
    fn from(body: RetentionPolicyBody) -> Self {
        RetentionPolicy {
            name: body.name,
            event_types: body.event_types,
            hot_days: body.hot_days,
            warm_days: body.warm_days,
            cold_years: body.cold_years,
        }
    }
}

/// New policies, all of them.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionPut {
    pub policies: Vec<RetentionPolicyBody>,
    /// Version that was read.
    pub version: Option<u64>,
}

/// Policies to try, without saving them.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionPreview {
    pub policies: Vec<RetentionPolicyBody>,
}

/// Entries and bytes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExtentBody {
    pub entries: u64,
    pub bytes: u64,
}

impl From<Extent> for ExtentBody {
    fn from(extent: Extent) -> Self {
        ExtentBody {
            entries: extent.entries,
            bytes: extent.bytes,
        }
    }
}

/// Course of the sealed entries of one policy.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PolicyCourseBody {
    /// Name of the policy; `permanent` for entries that never expire.
    pub policy: String,
    pub hot: ExtentBody,
    pub warm: ExtentBody,
    pub cold: ExtentBody,
    /// Entries whose period has passed: they are invisible, and deleted by the next run unless a
    /// legal hold keeps them.
    pub due: ExtentBody,
    /// Next deletion after now, and its extent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_expiry: Option<String>,
    pub next: ExtentBody,
    /// First and last deletion of entries that are in the log now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_expiry: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_expiry: Option<String>,
}

impl From<&PolicyCourse> for PolicyCourseBody {
    fn from(course: &PolicyCourse) -> Self {
        PolicyCourseBody {
            policy: course.policy.clone(),
            hot: course.hot.into(),
            warm: course.warm.into(),
            cold: course.cold.into(),
            due: course.due.into(),
            next_expiry: course.next_expiry.map(time::text),
            next: course.next.into(),
            first_expiry: course.first_expiry.map(time::text),
            last_expiry: course.last_expiry.map(time::text),
        }
    }
}

/// Returns the wire form of a course.
pub(crate) fn course(course: &Course) -> Vec<PolicyCourseBody> {
    course.policies.iter().map(PolicyCourseBody::from).collect()
}

/// Course under the policies in force, and under those that were tried.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RetentionPreviewBody {
    pub before: Vec<PolicyCourseBody>,
    pub after: Vec<PolicyCourseBody>,
}

/// A run that deleted what had expired.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RetentionRunBody {
    pub started_at: String,
    pub finished_at: String,
    /// Segments that were deleted.
    pub segments: u64,
    pub entries: u64,
    pub freed_bytes: u64,
    /// Segments past their period that legal holds keep.
    pub held: u64,
    /// Segments that were moved to a farther tier.
    pub moved_segments: u64,
    pub moved_entries: u64,
    pub moved_bytes: u64,
    /// Reasons why segments were not deleted or moved.
    pub failures: Vec<String>,
}

impl From<RetentionRun> for RetentionRunBody {
    fn from(run: RetentionRun) -> Self {
        RetentionRunBody {
            started_at: time::text(run.started_at),
            finished_at: time::text(run.finished_at),
            segments: run.segments,
            entries: run.entries,
            freed_bytes: run.freed_bytes,
            held: run.held,
            moved_segments: run.moved_segments,
            moved_entries: run.moved_entries,
            moved_bytes: run.moved_bytes,
            failures: run.failures,
        }
    }
}

/// Content of a tier.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TierContentBody {
    /// `hot`, `warm` or `cold`.
    pub tier: String,
    /// Folder or bucket of the tier; absent where none is configured, and for the local disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub segments: u64,
    pub entries: u64,
    pub bytes: u64,
    /// Entries of nearer tiers that are due in this one.
    pub due: ExtentBody,
}

impl From<&TierContent> for TierContentBody {
    fn from(content: &TierContent) -> Self {
        TierContentBody {
            tier: content.tier.to_string(),
            place: content.place.clone(),
            segments: content.segments,
            entries: content.extent.entries,
            bytes: content.extent.bytes,
            due: content.due.into(),
        }
    }
}

/// Retention of the log.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RetentionBody {
    /// Version of the policies; 0 for those of a new installation.
    pub version: u64,
    pub policies: Vec<RetentionPolicyBody>,
    /// E-mail address of the user who saved them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<String>,
    /// Course of the sealed entries, by policy.
    pub course: Vec<PolicyCourseBody>,
    /// Content of each tier, from the nearest on.
    pub tiers: Vec<TierContentBody>,
    /// Newest run since the start of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RetentionRunBody>,
}

impl RetentionBody {
    pub(crate) fn new(
        policies: &PolicyVersion,
        under: &Course,
        tiers: &[TierContent],
        last_run: Option<RetentionRun>,
    ) -> Self {
        RetentionBody {
            version: policies.set.version,
            policies: policies.set.policies.iter().map(Into::into).collect(),
            changed_by: Some(policies.changed_by.clone()).filter(|by| !by.is_empty()),
            changed_at: policies.changed_at.map(time::text),
            course: course(under),
            tiers: tiers.iter().map(TierContentBody::from).collect(),
            last_run: last_run.map(Into::into),
        }
    }
}

/// A legal hold.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LegalHoldBody {
    pub id: String,
    /// Name of the case.
    pub case: String,
    /// Query for the entries that are kept.
    pub query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// Person or office that answers for the material.
    pub custodian: String,
    pub reason: String,
    /// Day on which to decide whether the hold is still needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_on: Option<String>,
    pub created_by: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release_reason: Option<String>,
    pub version: u64,
}

impl From<&LegalHold> for LegalHoldBody {
    fn from(hold: &LegalHold) -> Self {
        let released = hold.released.as_ref();
        LegalHoldBody {
            id: hold.id.clone(),
            case: hold.case.clone(),
            query: hold.query.clone(),
            start_time: hold.start_time.map(time::text),
            end_time: hold.end_time.map(time::text),
            custodian: hold.custodian.clone(),
            reason: hold.reason.clone(),
            review_on: hold.review_on.map(|day| day.to_string()),
            created_by: hold.created_by.clone(),
            created_at: time::text(hold.created_at),
            released_by: released.map(|release| release.by.clone()),
            released_at: released.map(|release| time::text(release.at)),
            release_reason: released.map(|release| release.reason.clone()),
            version: hold.version,
        }
    }
}

/// A new legal hold.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LegalHoldCreate {
    /// Name of the case, at most 200 characters.
    pub case: String,
    /// Query for the entries, without lists and relative times; empty for all entries.
    #[serde(default)]
    pub query: String,
    /// First `timestamp` that is kept (RFC 3339).
    pub start_time: Option<String>,
    /// Last `timestamp` that is kept.
    pub end_time: Option<String>,
    /// Person or office that answers for the material.
    pub custodian: String,
    pub reason: String,
    /// Day on which to decide whether the hold is still needed, such as `2027-01-31`.
    pub review_on: Option<String>,
}

/// End of a legal hold.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LegalHoldRelease {
    /// Reason, at most 2,000 characters.
    pub reason: String,
}
