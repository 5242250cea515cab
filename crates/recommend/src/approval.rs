//! Approvals: the matrix by monthly cost and risk, and who may sign which half.

pub mod matrix;

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::agent::Impact;
use crate::guardrail::exception::ExceptionRequest;
use crate::recommendation::RecommendationId;

pub use crate::approval::matrix::Signature;

/// An approval request's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ApprovalId(pub String);

named!(
    /// State of an approval request.
    ApprovalStatus {
        /// Waiting for one or more signatures.
        Pending => "pending",
        /// All signatures are there.
        Approved => "approved",
        /// A signer refused it.
        Rejected => "rejected",
        /// Nobody answered in time, or the plan changed.
        Expired => "expired",
    }
);

/// A signature that somebody gave to an approval request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// Role of the signature.
    pub signature: Signature,
    /// By whom (e-mail address).
    pub by: String,
    /// Time of the signature.
    pub at: Timestamp,
    /// Comment of the signer.
    pub comment: Option<String>,
}

/// A signature that somebody who may give it leaves to somebody else, for one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// Signature that is delegated.
    pub signature: Signature,
    /// By whom (e-mail address).
    pub from: String,
    /// To whom (e-mail address).
    pub to: String,
    /// Time of the delegation.
    pub at: Timestamp,
}

/// A request for approval of one exact plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub id: ApprovalId,
    /// Recommendation that it is for.
    pub recommendation: RecommendationId,
    /// The plan's hash; another plan needs another approval.
    pub plan_hash: String,
    pub impact: Impact,
    /// Signatures the matrix requires.
    pub needed: Vec<Signature>,
    pub signed: Vec<Signed>,
    /// Signatures left to others.
    #[serde(default)]
    pub delegated: Vec<Delegation>,
    /// Time of the last reminder to those who can sign.
    #[serde(default)]
    pub reminded_at: Option<Timestamp>,
    /// Requester: an e-mail address or `agent:<id>`.
    pub requested_by: String,
    /// Time of the request.
    pub requested_at: Timestamp,
    /// Time at which the request expires without a signature.
    pub expires_at: Timestamp,
    /// State of the request.
    pub status: ApprovalStatus,
    /// Reason of the rejection; before that, the requester's comment.
    pub reason: Option<String>,
    /// Exception to a guardrail that the signatures grant, where one is requested.
    #[serde(default)]
    pub exception: Option<ExceptionRequest>,
    /// Grows with every change.
    pub version: u64,
}
