//! An approval request and its signatures.

use reeve_recommend::approval::{Delegation, Signature, Signed};
use reeve_recommend::{
    ActionId, Approval, ApprovalId, ApprovalStatus, ExceptionRequest, GuardrailName, Impact,
    RecommendationId,
};
use serde::{Deserialize, Serialize};

use super::{RowError, finite, named, time, time_or_none};

/// An approval request, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ApprovalRow {
    id: String,
    recommendation: String,
    plan_hash: String,
    impact: String,
    needed: Vec<String>,
    signed: Vec<SignedRow>,
    #[serde(default)]
    delegated: Vec<DelegationRow>,
    #[serde(default)]
    reminded_at: Option<String>,
    requested_by: String,
    requested_at: String,
    expires_at: String,
    status: String,
    reason: Option<String>,
    #[serde(default)]
    exception: Option<ExceptionRequestRow>,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct ExceptionRequestRow {
    guardrail: String,
    #[serde(serialize_with = "finite")]
    limit: f64,
    #[serde(serialize_with = "finite")]
    value: f64,
    used_by: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SignedRow {
    signature: String,
    by: String,
    at: String,
    comment: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct DelegationRow {
    signature: String,
    from: String,
    to: String,
    at: String,
}

impl From<&Approval> for ApprovalRow {
    fn from(approval: &Approval) -> Self {
        let signed = |signed: &Signed| SignedRow {
            signature: signed.signature.as_str().to_owned(),
            by: signed.by.clone(),
            at: signed.at.to_string(),
            comment: signed.comment.clone(),
        };

        let delegated = |delegation: &Delegation| DelegationRow {
            signature: delegation.signature.as_str().to_owned(),
            from: delegation.from.clone(),
            to: delegation.to.clone(),
            at: delegation.at.to_string(),
        };

        ApprovalRow {
            id: approval.id.0.clone(),
            recommendation: approval.recommendation.0.clone(),
            plan_hash: approval.plan_hash.clone(),
            impact: approval.impact.as_str().to_owned(),
            needed: approval
                .needed
                .iter()
                .map(|signature| signature.as_str().to_owned())
                .collect(),
            signed: approval.signed.iter().map(signed).collect(),
            delegated: approval.delegated.iter().map(delegated).collect(),
            reminded_at: approval.reminded_at.map(|at| at.to_string()),
            requested_by: approval.requested_by.clone(),
            requested_at: approval.requested_at.to_string(),
            expires_at: approval.expires_at.to_string(),
            status: approval.status.as_str().to_owned(),
            reason: approval.reason.clone(),
            exception: approval
                .exception
                .as_ref()
                .map(|asked| ExceptionRequestRow {
                    guardrail: asked.guardrail.as_str().to_owned(),
                    limit: asked.limit,
                    value: asked.value,
                    used_by: asked.used_by.as_ref().map(|action| action.0.clone()),
                }),
            version: approval.version,
        }
    }
}

impl ApprovalRow {
    pub(crate) fn into_approval(self) -> Result<Approval, RowError> {
        let signature = |text: &str| named("signature", text, Signature::parse);
        let signed = |row: SignedRow| {
            Ok(Signed {
                signature: signature(&row.signature)?,
                by: row.by,
                at: time(&row.at)?,
                comment: row.comment,
            })
        };

        let delegated = |row: DelegationRow| {
            Ok(Delegation {
                signature: signature(&row.signature)?,
                from: row.from,
                to: row.to,
                at: time(&row.at)?,
            })
        };

        let exception = |row: ExceptionRequestRow| {
            let guardrail = named("guardrail", &row.guardrail, GuardrailName::parse)?;
            let used_by = row.used_by.map(ActionId);
            Ok::<_, RowError>(ExceptionRequest {
                guardrail,
                limit: row.limit,
                value: row.value,
                used_by,
            })
        };

        Ok(Approval {
            id: ApprovalId(self.id),
            recommendation: RecommendationId(self.recommendation),
            plan_hash: self.plan_hash,
            impact: named("impact", &self.impact, Impact::parse)?,
            needed: self
                .needed
                .iter()
                .map(|text| signature(text))
                .collect::<Result<_, _>>()?,
            signed: self
                .signed
                .into_iter()
                .map(signed)
                .collect::<Result<_, RowError>>()?,
            delegated: self
                .delegated
                .into_iter()
                .map(delegated)
                .collect::<Result<_, RowError>>()?,
            reminded_at: time_or_none(self.reminded_at.as_deref())?,
            requested_by: self.requested_by,
            requested_at: time(&self.requested_at)?,
            expires_at: time(&self.expires_at)?,
            status: named("status", &self.status, ApprovalStatus::parse)?,
            reason: self.reason,
            exception: self.exception.map(exception).transpose()?,
            version: self.version,
        })
    }
}
