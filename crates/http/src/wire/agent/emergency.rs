//! The emergency lane of an agent on the wire: kinds, standing approvals, limits, changes of late.

use reeve_engine::{EmergencyKind, EmergencyOverview, StandingState};
use reeve_recommend::action::Action;
use reeve_recommend::agent::emergency::{StandingApproval, WakingEvent};
use reeve_recommend::caller::Caller;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::routes::intelligence::bodies::signed;
use crate::time;
use crate::wire::form::enumeration::{
    ActionStatus, EmergencyPreapproval, ImpactLevel, Name, Signature, StandingApprovalState,
};
use crate::wire::recommendation::workflow::SignedBody;

/// The emergency lane of an agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmergencyLaneBody {
    /// Kinds of emergencies that agents of its type answer; none for most types.
    pub kinds: Vec<EmergencyKindBody>,
    /// Emergency changes that begin within an hour at most (setting `emergency.acts_per_hour`).
    pub acts_per_hour: u64,
    /// Emergency changes that began within the last hour.
    pub acts_in_hour: u64,
    /// Share of a group of resources that emergency changes reach within 24 hours, percent (setting
    /// `emergency.share_of_group`).
    pub share_of_group_percent: f64,
    /// Standing approvals, newest first, ended ones included.
    pub approvals: Vec<StandingApprovalBody>,
    /// Emergency changes of the last 30 days, newest first, at most 20.
    pub actions: Vec<EmergencyActionBody>,
}

/// A kind of emergency.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmergencyKindBody {
    /// Rule of the findings (`auto_quarantine`).
    pub rule: String,
    pub description: String,
    /// Highest impact of its changes.
    pub impact: ImpactLevel,
    pub preapproval: EmergencyPreapproval,
    /// Signatures that a standing approval of it needs, each by another person.
    pub signatures: Vec<Signature>,
    /// Events that wake the agent, in words.
    pub events: Vec<String>,
    /// `true` if the caller may give one of the signatures.
    pub can_approve: bool,
}

/// Approval that people give beforehand for one kind of emergency of one agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StandingApprovalBody {
    pub id: String,
    pub rule: String,
    pub reason: String,
    pub state: StandingApprovalState,
    pub signed: Vec<SignedBody>,
    /// Signatures that nobody has given yet.
    pub missing: Vec<Signature>,
    /// `true` if the caller may give one of the missing signatures.
    pub can_sign: bool,
    /// E-mail address.
    pub given_by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub given_at: String,
    /// End, RFC 3339 UTC with milliseconds.
    pub until: String,
    /// Person who ended it before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// Time, RFC 3339 UTC with milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_reason: Option<String>,
}

/// A change that a standing approval let begin.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EmergencyActionBody {
    pub id: String,
    pub recommendation_id: String,
    pub resource_id: String,
    pub rule: String,
    /// Standing approval by which it began.
    pub standing_approval_id: String,
    pub status: ActionStatus,
    /// Time, RFC 3339 UTC with milliseconds.
    pub started_at: String,
}

/// A standing approval to give.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StandingApprovalCreate {
    /// Rule of the findings that it is for (`auto_quarantine`).
    pub rule: String,
    /// End, RFC 3339; at most 366 days ahead.
    pub until: String,
    pub reason: String,
}

/// A signature of a standing approval.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StandingApprovalSign {
    /// Comment of the signer.
    pub comment: Option<String>,
}

/// End of a standing approval.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StandingApprovalEnd {
    pub reason: String,
}

impl EmergencyLaneBody {
    /// Returns the lane as a caller sees it.
    pub(crate) fn new(overview: &EmergencyOverview, caller: &Caller) -> Self {
        let approvals = overview.approvals.iter();
        EmergencyLaneBody {
            kinds: overview
                .kinds
                .iter()
                .map(|kind| kind_body(kind, caller))
                .collect(),
            acts_per_hour: overview.terms.acts_per_hour,
            acts_in_hour: overview.in_hour,
            share_of_group_percent: overview.terms.share_of_group,
            approvals: approvals
                .map(|(approval, state)| approval_body(approval, *state, overview, caller))
                .collect(),
            actions: overview.actions.iter().filter_map(action_body).collect(),
        }
    }
}

fn kind_body(kind: &EmergencyKind, caller: &Caller) -> EmergencyKindBody {
    let own = |signature| caller.signatures.contains(signature);
    EmergencyKindBody {
        rule: kind.emergency.rule.to_owned(),
        description: kind.emergency.description.to_owned(),
        impact: kind.emergency.impact.into(),
        preapproval: kind.emergency.preapproval.into(),
        signatures: kind.signatures.iter().copied().map(Name).collect(),
        events: kind.emergency.wakes.iter().map(event_words).collect(),
        can_approve: if kind.signatures.is_empty() {
            !caller.signatures.is_empty()
        } else {
            kind.signatures.iter().any(own)
        },
    }
}

/// Describes an event that wakes agents.
fn event_words(event: &WakingEvent) -> String {
    match event {
        WakingEvent::Observation { source } => {
            format!("Observation \"{}\" of Reeve", source.replace('_', " "))
        }
        WakingEvent::Entry {
            event_type,
            operation,
            by_reeve,
        } => {
            let operation =
                operation.map_or(String::new(), |name| format!(" with operation {name}"));
            let by = if *by_reeve {
                "recorded by Reeve"
            } else {
                "recorded by anyone who may append to the log"
            };
            format!("Log entry {event_type}{operation}, {by}")
        }
    }
}

fn approval_body(
    approval: &StandingApproval,
    state: StandingState,
    overview: &EmergencyOverview,
    caller: &Caller,
) -> StandingApprovalBody {
    let kind = overview
        .kinds
        .iter()
        .find(|kind| kind.emergency.rule == approval.rule);
    let missing = kind.map_or_else(Vec::new, |kind| approval.missing(&kind.signatures));
    let has_signed = approval.signed.iter().any(|one| caller.is(&one.by));
    let end = approval.ended.as_ref();
    StandingApprovalBody {
        id: approval.id.0.clone(),
        rule: approval.rule.clone(),
        reason: approval.reason.clone(),
        state: state.into(),
        signed: approval.signed.iter().map(signed).collect(),
        can_sign: state == StandingState::NeedsSignatures
            && !has_signed
            && missing.iter().any(|one| caller.signatures.contains(one)),
        missing: missing.into_iter().map(Name).collect(),
        given_by: approval.given_by.clone(),
        given_at: time::text(approval.given_at),
        until: time::text(approval.until),
        ended_by: end.map(|end| end.by.clone()),
        ended_at: end.map(|end| time::text(end.at)),
        ended_reason: end.map(|end| end.reason.clone()),
    }
}

fn action_body(action: &Action) -> Option<EmergencyActionBody> {
    let mark = action.emergency.as_ref()?;
    Some(EmergencyActionBody {
        id: action.id.0.clone(),
        recommendation_id: action.recommendation.0.clone(),
        resource_id: action.resource.0.clone(),
        rule: mark.rule.clone(),
        standing_approval_id: mark.approval.0.clone(),
        status: action.status.into(),
        started_at: time::text(action.started_at),
    })
}
