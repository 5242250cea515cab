//! Recommendations: what was found, why, and what it would do.

use jiff::Timestamp;
use reeve_audit::Severity;
use reeve_estate::{ConnectionId, Money, Provider, ResourceId, ResourceKind, named};
use serde::{Deserialize, Serialize};

use crate::agent::{AgentId, Impact};
use crate::guardrail::exception::Exception;
use crate::plan::Plan;
use crate::recommendation::lifecycle::Status;
use crate::recommendation::origin::Origin;
use crate::recommendation::ranking::Ranking;

pub mod applicability;
pub mod combined;
mod effect;
pub mod exclusion;
mod explanation;
mod factors;
mod id;
pub mod lifecycle;
pub mod origin;
pub mod ranking;
mod savings_basis;
pub mod title;
pub mod totals;

pub use effect::{EffectUnit, ExpectedEffect};
pub use explanation::Explanation;
pub use factors::{FactorKind, Factors};
pub use id::RecommendationId;
pub use savings_basis::SavingsBasis;

/// Reason code of a recommendation that no agent applies by itself, whatever its mode and impact:
/// what was measured does not tell whether the resource is still needed, and a person does.
pub const NEEDS_PERSON: &str = "needs_person";

named!(
    /// Kind of change: the thirteen types of, and what fits none of them.
    RecommendationType {
        /// Cost: a size that fits the use.
        RightSize => "right_size",
        /// Cost: commit to steady usage.
        ReservedInstances => "reserved_instances",
        /// Cost: capacity that the cloud may take back.
        SpotInstances => "spot_instances",
        /// Cost: a cheaper class or type of storage.
        StorageOptimization => "storage_optimization",
        /// Cost: stop what nobody uses.
        IdleResourceCleanup => "idle_resource_cleanup",
        /// Performance: scale by itself.
        AutoScaling => "auto_scaling",
        /// Performance: a bigger or better size.
        InstanceType => "instance_type",
        /// Performance: settings and indexes of a database.
        DatabaseTuning => "database_tuning",
        /// Performance: a cache before repeated reads.
        CachingStrategy => "caching_strategy",
        /// Security: rules of a network firewall.
        SecurityGroup => "security_group",
        /// Security: encryption of data at rest or on its way.
        Encryption => "encryption",
        /// Security: permissions that are not needed.
        IamOptimization => "iam_optimization",
        /// Security: patches that are not installed.
        PatchManagement => "patch_management",
        /// More storage before a disk is full; it costs, so that it is no saving.
        StorageExpansion => "storage_expansion",
        /// A higher limit of a service, asked of the provider.
        LimitIncrease => "limit_increase",
        /// A switch to the standby before a maintenance.
        Failover => "failover",
        /// Cost: a tag that costs are allocated by.
        ResourceTagging => "resource_tagging",
        /// A second zone or member, so that one failure stops nothing.
        HighAvailability => "high_availability",
        /// Security: a setting that a control demands and that has no type of its own.
        Compliance => "compliance",
        /// Performance: a failure that is foreseen, and that no other type's change prevents.
        FailurePrevention => "failure_prevention",
        /// Performance: an issue that a runbook knows, with the change that mends it.
        KnownIssue => "known_issue",
    }
);

named!(
    Priority {
        /// Somebody should act today.
        Critical => "critical",
        /// Somebody should act this week.
        High => "high",
        /// Somebody should act when it is convenient.
        Medium => "medium",
        /// Nobody has to act soon.
        Low => "low",
    }
);

impl From<Severity> for Priority {
    /// Priorities have no level below low.
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Critical => Priority::Critical,
            Severity::High => Priority::High,
            Severity::Medium => Priority::Medium,
            Severity::Low | Severity::Info => Priority::Low,
        }
    }
}

named!(
    /// Effort of executing the change.
    Effort {
        /// One reversible call, no restart.
        Low => "low",
        /// A restart or several calls.
        Medium => "medium",
        /// A migration or a purchase.
        High => "high",
    }
);

named!(
    /// Cause that ended a recommendation.
    Closing {
        /// The resource is gone, or out of the agent's scope.
        ResourceGone => "resource_gone",
        /// An exclusion covers it.
        Excluded => "excluded",
    }
);

/// The resource as it was when the finding was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecommendationSubject {
    /// The connection it is reached over.
    pub connection: ConnectionId,
    /// Identifier by the provider, such as an ARN.
    pub id: ResourceId,
    pub name: String,
    /// Kind of the resource.
    pub kind: ResourceKind,
    pub provider: Provider,
    pub account: String,
    pub region: String,
    pub service: String,
    /// Size when it was found.
    pub instance_type: Option<String>,
    /// Size proposed, where a size changes.
    pub target_type: Option<String>,
    /// Infrastructure as code owns the resource, and undoes what is changed beside it.
    #[serde(default)]
    pub managed_by_code: bool,
    /// Part of the resource that the finding is about where there can be several of one type: a
    /// check (`aws.s3.blocks_public_access`), an index, a rule of a security group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
}

/// Estimated impact in words and figures, on cost, performance and security.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImpactAssessment {
    /// Change of cost in percent of the resource's monthly cost; negative saves.
    pub cost_percent: Option<f64>,
    /// In words, with figures.
    pub cost: String,
    /// Expected degradation in percent (0 = none expected); `None` when what decides it was not
    /// measured.
    pub performance_degradation_percent: Option<f64>,
    /// In words, with figures.
    pub performance: String,
    pub security: String,
}

/// One check on the way to the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecommendationDecision {
    /// The question, with the threshold in it.
    pub check: String,
    /// Yes or no; `None` when it could not be answered.
    pub answer: Option<bool>,
    /// The numbers that answered it.
    pub detail: String,
}

/// Range that holds nine outcomes in ten, percent 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceRange {
    /// Lower end of the range, percent.
    pub low_percent: f64,
    /// Upper end of the range, percent.
    pub high_percent: f64,
}

/// A finding that is kept: reasons, plan, savings and state.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    pub id: RecommendationId,
    /// The agent that owns it, of the type that its origin names; `None` for advice without such an
    /// agent.
    pub agent_id: Option<AgentId>,
    /// Agent type, rule and cause.
    pub origin: Origin,
    /// Kind of the change.
    pub kind: RecommendationType,
    /// Title of one line, for lists.
    pub title: String,
    pub subject: RecommendationSubject,
    pub priority: Priority,
    /// Probability that it will hold, percent 0 to 100.
    pub confidence: f64,
    /// Impact level: which approval it needs.
    pub impact_level: Impact,
    /// Impact in words and figures.
    pub impact: ImpactAssessment,
    /// Effort of executing the change.
    pub effort: Effort,
    /// Estimated savings a month at list price; negative when it costs more, `None` where no price
    /// is known.
    pub savings_monthly: Option<Money>,
    /// The same after discounts and commitments, where the bill is known.
    pub savings_after_discounts: Option<Money>,
    /// Present monthly cost of the resource.
    pub monthly_cost: Option<Money>,
    /// State of the recommendation.
    pub status: Status,
    /// The plan, exactly as it would run; `None` for advice that Reeve cannot execute (buying
    /// reservations).
    pub plan: Option<Plan>,
    /// Stable codes of what decided.
    pub reason_codes: Vec<String>,
    /// Metrics that were not measured; no claim is based on them.
    pub not_measured: Vec<String>,
    pub explanation: Explanation,
    /// Rank among the other recommendations.
    pub ranking: Ranking,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time at which the recommendation expires unless a run finds it again.
    pub expires_at: Timestamp,
    /// User who requested the execution (e-mail address or `agent:<id>`); set with the request.
    pub requested_by: Option<String>,
    /// Time of the scheduled execution.
    pub scheduled_for: Option<Timestamp>,
    /// Until when it sleeps, while snoozed.
    pub snoozed_until: Option<Timestamp>,
    /// Reason why it was dismissed, snoozed or failed.
    pub status_reason: Option<String>,
    /// Reason why the last execution was blocked, with the guardrail and by how much.
    pub blocked: Option<String>,
    /// Cause that ended it; `None` for causes that the engine does not distinguish.
    pub closing: Option<Closing>,
    /// Exception to one guardrail that was granted for its plan and is not used up.
    pub exception: Option<Exception>,
    /// Person who undid the change by their own decision, where one did; such an end is no failure
    /// of the finding.
    pub taken_back_by: Option<String>,
    /// Grows with every change; stores compare it before they write.
    pub version: u64,
}

impl Recommendation {
    /// Expected savings a month on the one basis that every page, list and total uses: after
    /// discounts where the bill is known, else at list price. Negative when it costs more; `None`
    /// where no price is known.
    #[must_use]
    pub fn expected_savings(&self) -> Option<Money> {
        self.savings_after_discounts.or(self.savings_monthly)
    }

    /// Time at which the scheduler has to look at the recommendation: a person or time has to move
    /// it on. `None` where another part of Reeve does, and once it has ended.
    #[must_use]
    pub fn due_at(&self) -> Option<Timestamp> {
        let or_expired =
            |at: Option<Timestamp>| Some(at.map_or(self.expires_at, |at| at.min(self.expires_at)));
        match self.status {
            Status::Open => Some(self.expires_at),
            Status::Scheduled => or_expired(self.scheduled_for),
            Status::Snoozed => or_expired(self.snoozed_until),
            Status::Approved if self.blocked.is_some() => Some(self.expires_at),
            // Something may have come in between the signatures and what follows from them: that is
            // looked at each time.
            Status::PendingApproval | Status::Approved => Some(Timestamp::UNIX_EPOCH),
            _ => None,
        }
    }

    /// Returns `true` if a person has to finish by hand what the plan begins: until then it saves
    /// nothing.
    #[must_use]
    pub fn is_by_hand(&self) -> bool {
        self.reason_codes
            .iter()
            .any(|code| code == "delete_by_hand")
    }

    /// Basis of [`Recommendation::expected_savings`]; `None` where no price is known.
    #[must_use]
    pub fn savings_basis(&self) -> Option<SavingsBasis> {
        let bill = self.savings_after_discounts.map(|_| SavingsBasis::Bill);
        bill.or_else(|| self.savings_monthly.map(|_| SavingsBasis::ListPrice))
    }
}

named!(
    /// Outcome that a person reports (requirements ).
    FeedbackOutcome {
        /// It was applied, and it worked.
        ImplementedSuccessfully => "implemented_successfully",
        /// It was applied, with problems.
        ImplementedIssues => "implemented_issues",
        /// It does not fit this resource.
        NotApplicable => "not_applicable",
        /// It may be right at another time.
        NotNow => "not_now",
    }
);

impl FeedbackOutcome {
    /// Returns `true` if the outcome needs a comment that explains it.
    #[must_use]
    pub const fn needs_comment(self) -> bool {
        !matches!(self, FeedbackOutcome::ImplementedSuccessfully)
    }
}

/// Feedback of a person, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub id: String,
    /// Recommendation that it is about.
    pub recommendation: RecommendationId,
    pub outcome: FeedbackOutcome,
    /// Rating from 1 to 5, the best.
    pub rating: Option<u8>,
    pub comments: Option<String>,
    /// E-mail address of the user.
    pub by: String,
    /// Time of the feedback.
    pub at: Timestamp,
}

/// Categories of recommendation types, beside the types themselves.
pub const CATEGORIES: [&str; 3] = ["cost", "performance", "security"];

impl RecommendationType {
    /// Returns `true` for the types of requirements.
    #[must_use]
    pub const fn is_documented(self) -> bool {
        use RecommendationType as T;
        !matches!(
            self,
            T::StorageExpansion
                | T::LimitIncrease
                | T::Failover
                | T::ResourceTagging
                | T::HighAvailability
                | T::Compliance
                | T::FailurePrevention
                | T::KnownIssue
        )
    }

    /// The kind of a recommendation as it is called today. Earlier releases called a failover patch
    /// management, a larger disk a saving on storage, and a higher limit auto-scaling.
    #[must_use]
    pub fn relabeled(self, rule: &str) -> Self {
        use RecommendationType as T;
        match (self, rule) {
            (T::PatchManagement, "prepare_failover") => T::Failover,
            (T::StorageOptimization, "expand_storage") => T::StorageExpansion,
            (T::AutoScaling, "request_limit_increase") => T::LimitIncrease,
            (kind, _) => kind,
        }
    }

    /// Returns the category: `cost`, `performance` or `security`.
    #[must_use]
    pub const fn category(self) -> &'static str {
        use RecommendationType as T;
        match self {
            T::RightSize
            | T::ReservedInstances
            | T::SpotInstances
            | T::StorageOptimization
            | T::IdleResourceCleanup
            | T::ResourceTagging => CATEGORIES[0],
            T::AutoScaling
            | T::InstanceType
            | T::DatabaseTuning
            | T::CachingStrategy
            | T::StorageExpansion
            | T::LimitIncrease
            | T::Failover
            | T::HighAvailability
            | T::FailurePrevention
            | T::KnownIssue => CATEGORIES[1],
            T::SecurityGroup
            | T::Encryption
            | T::IamOptimization
            | T::PatchManagement
            | T::Compliance => CATEGORIES[2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_the_documents_or_say_what_it_is() {
        use RecommendationType as T;

        assert_eq!(
            T::ALL.iter().filter(|kind| kind.is_documented()).count(),
            13
        );

        let check =
            |before: T, rule: &str, now: T| assert_eq!(before.relabeled(rule), now, "{rule}");
        check(T::PatchManagement, "prepare_failover", T::Failover);
        check(
            T::StorageOptimization,
            "expand_storage",
            T::StorageExpansion,
        );
        check(T::AutoScaling, "request_limit_increase", T::LimitIncrease);
        check(T::AutoScaling, "pre_scale", T::AutoScaling);
        check(
            T::StorageOptimization,
            "move_to_cold_storage",
            T::StorageOptimization,
        );
    }
}
