//! Requests to erase a person's entries: what they include, who approved them, what became of them.
//!
//! A request includes entries that the log had when it was made, never later ones. Two people other
//! than the requester approve it, none of whom is the person. A legal hold on an entry refuses the
//! whole request, or keeps that entry where the request allows it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_audit::query::{Expr, Match, Query, QueryColumn};
use reeve_audit::{FieldCode, FieldError, Obstacle};
use serde::{Deserialize, Serialize};

use crate::fixed_query::fixed_query;

/// Approvals that a request needs.
pub const ERASURE_APPROVALS: usize = 2;

const LONGEST_NAME: usize = 200;
const LONGEST_TEXT: usize = 2_000;

/// Entries that a request includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureScope {
    /// `actor.id` of the person; empty if unknown. Case does not matter.
    pub actor_id: String,
    /// `actor.email` of the person; empty if unknown. Where both are given, one of them suffices.
    pub email: String,
    /// Query that entries must satisfy too, without lists and relative times; it alone decides where
    /// no person is named.
    pub query: String,
    /// Entries with a `timestamp` before this are not included; `None` sets no bound.
    pub start_time: Option<Timestamp>,
    /// Entries with a `timestamp` after this are not included; `None` sets no bound.
    pub end_time: Option<Timestamp>,
    /// Number of entries that the log had: only they are included.
    pub log_size: u64,
    /// `true` if entries that legal holds include are left in the log and the others are erased;
    /// `false` if one such entry refuses the request.
    pub keep_held: bool,
}

/// User of Reeve who made or signed a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureSigner {
    /// Identifier of the user.
    pub user: String,
    pub email: String,
}

/// Approval of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureApproval {
    pub by: ErasureSigner,
    pub at: Timestamp,
}

/// End of a request without an erasure: a rejection or a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureRejection {
    pub by: ErasureSigner,
    pub at: Timestamp,
    pub reason: String,
}

/// Progress of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureStatus {
    /// It waits for approvals.
    Requested,
    /// It has its approvals, and the next run erases.
    Approved,
    /// Sealed entries that can be searched are erased; others wait for the next seal, or for a
    /// restore from the cold tier.
    Waiting,
    /// Everything that it includes is erased, or was kept for a stated cause.
    Completed,
    /// A legal hold refused it. What was erased before that is in its outcome.
    Refused,
    Rejected,
    /// Its requester withdrew it.
    Withdrawn,
}

impl ErasureStatus {
    pub const ALL: [ErasureStatus; 7] = [
        ErasureStatus::Requested,
        ErasureStatus::Approved,
        ErasureStatus::Waiting,
        ErasureStatus::Completed,
        ErasureStatus::Refused,
        ErasureStatus::Rejected,
        ErasureStatus::Withdrawn,
    ];

    /// Returns the name in stored and sent forms.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErasureStatus::Requested => "requested",
            ErasureStatus::Approved => "approved",
            ErasureStatus::Waiting => "waiting",
            ErasureStatus::Completed => "completed",
            ErasureStatus::Refused => "refused",
            ErasureStatus::Rejected => "rejected",
            ErasureStatus::Withdrawn => "withdrawn",
        }
    }

    /// Returns `true` while a run has something to do for it.
    pub fn is_due(self) -> bool {
        matches!(self, ErasureStatus::Approved | ErasureStatus::Waiting)
    }
}

/// Entries of one segment that were erased at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasedPart {
    /// Path of the segment before.
    pub segment: String,
    pub class: String,
    /// First and last sequence of the segment.
    pub first_sequence: u64,
    pub last_sequence: u64,
    /// Number of erased entries.
    pub entries: u64,
    /// Sequence and identifier of the tombstone.
    pub entry: u64,
    pub tombstone: String,
    pub at: Timestamp,
}

/// Restore without which a request cannot end: segments of the cold tier that may have entries of it
/// and are not searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeededRestore {
    /// Number of the segments.
    pub segments: u64,
    /// Entries in them, of the request or not.
    pub entries: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// First and last `timestamp` to restore.
    pub start_time: Timestamp,
    pub end_time: Timestamp,
}

/// Result of a request so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureOutcome {
    pub parts: Vec<ErasedPart>,
    /// Entries that legal holds keep, by hold; an entry counts for the first hold that includes it.
    pub held: BTreeMap<String, u64>,
    /// Entries that prove deletions and are never erased.
    pub evidence: u64,
    /// Included entries that are not sealed yet.
    pub unsealed: u64,
    /// Restore that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed_restore: Option<NeededRestore>,
    /// Bytes of the files that were deleted; the new ones take up somewhat less.
    pub freed_bytes: u64,
    pub finished_at: Option<Timestamp>,
}

impl ErasureOutcome {
    /// Returns the number of erased entries.
    pub fn erased(&self) -> u64 {
        self.parts.iter().map(|part| part.entries).sum()
    }
}

/// A request to erase a person's entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureRequest {
    pub id: String,
    pub scope: ErasureScope,
    /// Reason, for the approvers and the report.
    pub reason: String,
    /// Legal basis, such as `GDPR Art. 17(1)(b)`.
    pub legal_basis: String,
    /// Random bytes in hex, with which the digest hides the request.
    pub salt: String,
    /// Commitment to scope, reason and legal basis, hex: entries of the log have it in place of the
    /// request.
    pub digest: String,
    pub requested_by: ErasureSigner,
    pub requested_at: Timestamp,
    pub approvals: Vec<ErasureApproval>,
    pub status: ErasureStatus,
    pub rejection: Option<ErasureRejection>,
    pub outcome: ErasureOutcome,
    /// 1 at first; grows with every change.
    pub version: u64,
}

/// Reason why a user cannot approve a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalRefused {
    #[error("the request does not wait for approvals")]
    Closed,
    #[error("the requester cannot approve the request")]
    Requester,
    #[error("a person approves a request once")]
    Twice,
    #[error("the request is about the user who would approve it")]
    Subject,
}

impl ErasureScope {
    /// Checks the members that people write.
    ///
    /// # Errors
    /// Names the first member that cannot be taken.
    pub fn check(&self) -> Result<(), FieldError> {
        let texts = [
            ("actor_id", &self.actor_id, LONGEST_NAME),
            ("email", &self.email, LONGEST_NAME),
            ("query", &self.query, LONGEST_TEXT),
        ];
        for (field, text, longest) in texts {
            if text.chars().count() > longest {
                let message = format!("must have at most {longest} characters");
                return Err(FieldError::new(field, FieldCode::TooLong, message));
            }
        }
        if texts.iter().all(|(_, text, _)| text.trim().is_empty()) {
            let message = "must name a person, unless a query is given";
            return Err(FieldError::new(
                "actor_id",
                FieldCode::MissingField,
                message,
            ));
        }

        if let (Some(start), Some(end)) = (self.start_time, self.end_time)
            && start >= end
        {
            let message = "must be after start_time";
            return Err(FieldError::new("end_time", FieldCode::Conflicting, message));
        }

        let query = fixed_query(&self.query).map_err(|cause| {
            FieldError::new("query", FieldCode::InvalidQuery, String::from(cause))
        })?;
        if self.names_no_person() && query.expr == Expr::All {
            let message = "must not include every entry";
            return Err(FieldError::new("query", FieldCode::InvalidQuery, message));
        }
        Ok(())
    }

    /// Returns the condition of the included entries, without the bound of the log's size.
    ///
    /// # Errors
    /// The query cannot be evaluated.
    pub fn condition(&self) -> Result<Query, Obstacle> {
        let range = reeve_audit::query::time_range(self.start_time, self.end_time);
        let identifiers = [
            (QueryColumn::ActorId, self.actor_id.trim()),
            (QueryColumn::ActorEmail, self.email.trim()),
        ];
        let given = identifiers.into_iter().filter(|(_, text)| !text.is_empty());
        let person = given.map(|(column, text)| Expr::field(column, Match::Exact(text.to_owned())));
        let person = match self.names_no_person() {
            true => Expr::All,
            false => Expr::or(person),
        };
        Ok(fixed_query(&self.query)?.and(range).and(person))
    }

    /// Returns `true` if the scope names this user of Reeve as the person.
    pub fn is_about(&self, user: &ErasureSigner) -> bool {
        let same = |given: &str, of_user: &str| {
            !given.trim().is_empty() && given.trim().eq_ignore_ascii_case(of_user)
        };
        same(&self.actor_id, &user.user)
            || same(&self.actor_id, &user.email)
            || same(&self.email, &user.email)
    }

    fn names_no_person(&self) -> bool {
        self.actor_id.trim().is_empty() && self.email.trim().is_empty()
    }
}

impl ErasureRequest {
    /// Checks the members that people write.
    ///
    /// # Errors
    /// Names the first member that cannot be taken.
    pub fn check(&self) -> Result<(), FieldError> {
        let texts = [
            ("reason", &self.reason, LONGEST_TEXT),
            ("legal_basis", &self.legal_basis, LONGEST_NAME),
        ];
        for (field, text, longest) in texts {
            if text.trim().is_empty() {
                let message = "must not be empty";
                return Err(FieldError::new(field, FieldCode::MissingField, message));
            }
            if text.chars().count() > longest {
                let message = format!("must have at most {longest} characters");
                return Err(FieldError::new(field, FieldCode::TooLong, message));
            }
        }
        self.scope.check()
    }

    /// Returns the request with the approval of a user.
    ///
    /// # Errors
    /// The user cannot approve it.
    pub fn approved(
        &self,
        by: ErasureSigner,
        at: Timestamp,
    ) -> Result<ErasureRequest, ApprovalRefused> {
        if self.status != ErasureStatus::Requested {
            return Err(ApprovalRefused::Closed);
        }
        if self.requested_by.user == by.user {
            return Err(ApprovalRefused::Requester);
        }
        if self
            .approvals
            .iter()
            .any(|before| before.by.user == by.user)
        {
            return Err(ApprovalRefused::Twice);
        }
        if self.scope.is_about(&by) {
            return Err(ApprovalRefused::Subject);
        }

        let mut after = self.clone();
        after.approvals.push(ErasureApproval { by, at });
        if after.approvals.len() >= ERASURE_APPROVALS {
            after.status = ErasureStatus::Approved;
        }
        after.version += 1;
        Ok(after)
    }

    /// Returns the request as its requester withdraws it, or another user rejects it; `None` if it
    /// does not wait for approvals: the second one lets it run at once.
    pub fn rejected(
        &self,
        by: ErasureSigner,
        at: Timestamp,
        reason: String,
    ) -> Option<ErasureRequest> {
        let is_open = self.status == ErasureStatus::Requested;
        is_open.then(|| ErasureRequest {
            status: match self.requested_by.user == by.user {
                true => ErasureStatus::Withdrawn,
                false => ErasureStatus::Rejected,
            },
            rejection: Some(ErasureRejection { by, at, reason }),
            version: self.version + 1,
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::{Actor, ActorType, Entry, EventType};

    use super::*;

    fn scope() -> ErasureScope {
        ErasureScope {
            actor_id: "alice".into(),
            email: "alice@example.com".into(),
            query: String::new(),
            start_time: None,
            end_time: Some("2026-02-01T00:00:00Z".parse().unwrap()),
            log_size: 100,
            keep_held: false,
        }
    }

    fn signer(user: &str) -> ErasureSigner {
        ErasureSigner {
            user: user.into(),
            email: format!("{user}@example.com"),
        }
    }

    fn request() -> ErasureRequest {
        ErasureRequest {
            id: "e-1".into(),
            scope: scope(),
            reason: "asked for it".into(),
            legal_basis: "GDPR Art. 17".into(),
            salt: String::new(),
            digest: String::new(),
            requested_by: signer("u-1"),
            requested_at: Timestamp::UNIX_EPOCH,
            approvals: Vec::new(),
            status: ErasureStatus::Requested,
            rejection: None,
            outcome: ErasureOutcome::default(),
            version: 1,
        }
    }

    fn includes(scope: &ErasureScope, actor: Actor, time: &str) -> bool {
        let mut entry = Entry::new(EventType::from_static("resource.view")).by(actor);
        entry.timestamp = time.parse().unwrap();
        let condition = scope.condition().unwrap();
        condition.matches(&entry, Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_scope_includes_the_person_in_the_period() {
        let january = "2026-01-01T00:00:00Z";
        let alice = || Actor::new(ActorType::User, "Alice");
        let known = || Actor::new(ActorType::User, "u-77").with_email("alice@example.com");
        let bob = || Actor::new(ActorType::User, "bob");
        assert!(includes(&scope(), alice(), january));
        assert!(includes(&scope(), known(), january));
        assert!(!includes(&scope(), bob(), january));
        assert!(!includes(&scope(), alice(), "2026-02-01T00:00:00.001Z"));

        let mut narrowed = scope();
        narrowed.query = "event_type:user.login".into();
        assert!(!includes(&narrowed, alice(), january));
        let mut by_query = scope();
        (by_query.actor_id, by_query.email) = (String::new(), String::new());
        by_query.query = "actor.id:bob".into();
        assert!(includes(&by_query, bob(), january));
    }

    #[test]
    fn scopes_that_are_empty_or_change_are_refused() {
        assert!(request().check().is_ok());
        type Change = fn(&mut ErasureRequest);
        let cases: [(&str, Change); 6] = [
            ("actor_id", |request| {
                (request.scope.actor_id, request.scope.email) = (String::new(), String::new());
            }),
            ("query", |request| {
                (request.scope.actor_id, request.scope.email) = (String::new(), String::new());
                request.scope.query = "*".into();
            }),
            ("query", |request| {
                request.scope.query = "timestamp:>now-1d".into()
            }),
            ("query", |request| request.scope.query = "actor.id:(".into()),
            ("end_time", |request| {
                request.scope.start_time = request.scope.end_time
            }),
            ("legal_basis", |request| request.legal_basis = " ".into()),
        ];
        for (field, change) in cases {
            let mut changed = request();
            change(&mut changed);
            assert_eq!(changed.check().unwrap_err().path, field);
        }
    }

    #[test]
    fn two_people_other_than_requester_and_person_approve() {
        let at = Timestamp::UNIX_EPOCH;
        let request = request();
        let refused =
            |request: &ErasureRequest, by: &str| request.approved(signer(by), at).unwrap_err();
        assert_eq!(refused(&request, "u-1"), ApprovalRefused::Requester);
        assert_eq!(refused(&request, "alice"), ApprovalRefused::Subject);
        let once = request.approved(signer("u-2"), at).unwrap();
        assert_eq!(once.status, ErasureStatus::Requested);
        assert_eq!(refused(&once, "u-2"), ApprovalRefused::Twice);
        let twice = once.approved(signer("u-3"), at).unwrap();
        assert_eq!((twice.status, twice.version), (ErasureStatus::Approved, 3));
        assert_eq!(refused(&twice, "u-4"), ApprovalRefused::Closed);

        assert!(twice.rejected(signer("u-1"), at, "late".into()).is_none());
        let withdrawn = once.rejected(signer("u-1"), at, "settled".into()).unwrap();
        assert_eq!(withdrawn.status, ErasureStatus::Withdrawn);
        let rejected = once.rejected(signer("u-9"), at, "no basis".into()).unwrap();
        assert_eq!(rejected.status, ErasureStatus::Rejected);
        assert!(
            rejected
                .rejected(signer("u-9"), at, "again".into())
                .is_none()
        );
    }
}
