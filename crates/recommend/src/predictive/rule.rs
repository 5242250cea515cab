//! Predictive rule: condition, response, approval.

use std::fmt;

use crate::agent::{AgentScope, AgentType};
use crate::change::DOCUMENT_PREFIX;
use crate::recommendation::RecommendationType;
use crate::recommendation::origin::{OriginCause, RuleId};
use jiff::Timestamp;
use reeve_estate::{ResourceKind, named};
use serde::{Deserialize, Serialize};

use super::signal::Signal;

named!(
    /// Prediction that a rule makes of its metric.
    Foreseen {
        /// A capacity is used up (the word of A-205 for disks).
        Full => "full",
        /// The same of connections.
        Saturation => "saturation",
        /// The same of a limit on calls.
        Exhaustion => "exhaustion",
        /// The forecast rises above a value.
        Above => "above",
        /// The forecast falls below a value.
        Below => "below",
        /// The forecast rises above the usual by a percentage: a peak by day, by week, or of an
        /// event.
        Spike => "spike",
        /// An event of a calendar begins.
        Event => "event",
    }
);

impl Foreseen {
    /// Returns `true` if the prediction is about reaching a capacity.
    #[must_use]
    pub const fn fills(self) -> bool {
        matches!(
            self,
            Foreseen::Full | Foreseen::Saturation | Foreseen::Exhaustion
        )
    }
}

/// Identifier of a calendar, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CalendarId(pub String);

/// Condition under which a rule fires.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictiveCondition {
    /// Metric that the rule watches; `None` for events of a calendar.
    pub signal: Option<Signal>,
    /// Prediction to make of the metric.
    pub foreseen: Foreseen,
    /// The capacity (`full` and its like; `None` takes it from the resource), the value (`above`,
    /// `below`, in the metric's unit), or the percentage above the usual (`spike`).
    pub value: Option<f64>,
    /// Calendars that the rule uses. `spike`: their events inform the forecast. `event`: the rule
    /// fires before them. Empty means every calendar of the matching kind.
    pub calendars: Vec<CalendarId>,
    /// Horizon of the forecast, seconds; 0 compares the newest value only (`above`, `below`).
    pub horizon_s: i64,
    /// Probability from which it counts as foreseen, percent.
    pub probability_percent: f64,
}

named!(
    /// Kind of the response.
    ResponseKind {
        /// Storage is expanded.
        ExpandStorage => "expand_storage",
        /// A replica that takes reads.
        CreateReadReplica => "create_read_replica",
        /// A higher limit, asked of the provider.
        RequestLimitIncrease => "request_limit_increase",
        /// The size is replaced by a larger one.
        ScaleUp => "scale_up",
        /// More capacity before a peak.
        PreScale => "pre_scale",
        /// Filling caches before a peak.
        WarmCache => "warm_cache",
        /// Making the standby ready before a maintenance.
        PrepareFailover => "prepare_failover",
    }
);

impl ResponseKind {
    /// Returns the agent type to which the action belongs, which a rule has unless it names
    /// another.
    #[must_use]
    pub const fn agent_type(self) -> AgentType {
        match self {
            ResponseKind::ExpandStorage
            | ResponseKind::RequestLimitIncrease
            | ResponseKind::PrepareFailover => AgentType::OPS_INTELLIGENCE,
            ResponseKind::CreateReadReplica => AgentType::DB_OPTIMIZER,
            ResponseKind::ScaleUp | ResponseKind::PreScale | ResponseKind::WarmCache => {
                AgentType::PERFORMANCE_OPTIMIZER
            }
        }
    }

    /// Returns `true` if the response makes sense for a kind of resource.
    #[must_use]
    pub fn applies_to(self, kind: ResourceKind) -> bool {
        type Kind = ResourceKind;
        match self {
            ResponseKind::ExpandStorage => {
                matches!(kind, Kind::Database | Kind::Volume | Kind::VirtualMachine)
            }
            ResponseKind::CreateReadReplica => kind == Kind::Database,
            ResponseKind::RequestLimitIncrease => {
                matches!(kind, Kind::LoadBalancer | Kind::ScalingGroup)
            }
            ResponseKind::ScaleUp => matches!(kind, Kind::VirtualMachine | Kind::Database),
            ResponseKind::PreScale => {
                matches!(
                    kind,
                    Kind::LoadBalancer | Kind::ScalingGroup | Kind::VirtualMachine | Kind::Database
                )
            }
            ResponseKind::WarmCache => matches!(
                kind,
                Kind::LoadBalancer | Kind::Database | Kind::VirtualMachine
            ),
            ResponseKind::PrepareFailover => matches!(kind, Kind::Database | Kind::LoadBalancer),
        }
    }

    /// The kind of recommendation it becomes.
    #[must_use]
    pub const fn recommendation(self) -> RecommendationType {
        match self {
            ResponseKind::ExpandStorage => RecommendationType::StorageExpansion,
            ResponseKind::CreateReadReplica => RecommendationType::DatabaseTuning,
            ResponseKind::RequestLimitIncrease => RecommendationType::LimitIncrease,
            ResponseKind::PreScale => RecommendationType::AutoScaling,
            ResponseKind::ScaleUp => RecommendationType::InstanceType,
            ResponseKind::WarmCache => RecommendationType::CachingStrategy,
            ResponseKind::PrepareFailover => RecommendationType::Failover,
        }
    }
}

/// Response of a rule, with its amount.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Kind of the response.
    pub kind: ResponseKind,
    /// By how much storage or a limit grows, percent of what there is.
    pub step_percent: f64,
    /// Call at the provider; `None` leaves the response to a person where it needs one.
    pub call: Option<ProviderCall>,
}

/// Call at the provider that a response needs and that no resource tells. People who may configure
/// rules set it; a tag cannot, because whoever may tag a resource would otherwise command Reeve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderCall {
    /// Quota of AWS Service Quotas, for `request_limit_increase`: `ec2/L-1216C47A`.
    Quota {
        /// Code of the service, such as `ec2`.
        service: String,
        /// Code of the quota, such as `L-1216C47A`.
        code: String,
    },
    /// Document of AWS Systems Manager, for `warm_cache`: `reeve-warm-cache`.
    Document(String),
}

impl ProviderCall {
    /// Reads the call of a kind of response.
    ///
    /// # Errors
    /// The kind needs no call, or the text is not of its form; the text says what is expected.
    pub fn parse(kind: ResponseKind, text: &str) -> Result<ProviderCall, &'static str> {
        let is_name = |text: &str, more: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
            !text.is_empty() && text.len() <= 128 && text.chars().all(allowed)
        };

        match kind {
            ResponseKind::RequestLimitIncrease => match text.split_once('/') {
                Some((service, code)) if is_name(service, "-") && is_name(code, "-") => {
                    Ok(ProviderCall::Quota {
                        service: service.to_owned(),
                        code: code.to_owned(),
                    })
                }
                _ => Err(
                    "must be a quota of AWS Service Quotas: service code and quota code, such as ec2/L-1216C47A",
                ),
            },
            ResponseKind::WarmCache
                if is_name(text, "-_.") && text.starts_with(DOCUMENT_PREFIX) =>
            {
                Ok(ProviderCall::Document(text.to_owned()))
            }
            ResponseKind::WarmCache => Err(
                "must be the name of a document of AWS Systems Manager that begins with reeve-, such as reeve-warm-cache",
            ),
            _ => Err("goes with request_limit_increase and warm_cache alone"),
        }
    }
}

impl fmt::Display for ProviderCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProviderCall::Quota { service, code } => write!(f, "{service}/{code}"),
            ProviderCall::Document(name) => f.write_str(name),
        }
    }
}

named!(
    /// Approval that a rule requires.
    ApprovalKind {
        /// The rule itself requires no approval. The approval matrix may still require one for the
        /// cost.
        Auto => "auto",
        /// One approval, whatever it costs.
        Required => "required",
        /// No approval while storage stays below a size, one from that size on.
        AutoBelow => "auto_below",
    }
);

/// Condition under which a recommendation of the rule is applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApprovalRule {
    /// Kind of the approval.
    pub kind: ApprovalKind,
    /// For `auto_below`: the size after the change, GB (10^9 bytes).
    pub below_gb: Option<f64>,
}

/// A predictive rule: a forecast condition and the response to it.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictiveRule {
    pub id: RuleId,
    pub name: String,
    /// `true` if the rule is evaluated.
    pub enabled: bool,
    /// The type of agent whose findings these are: an agent of that type whose scope includes the
    /// resource owns them; without one they are advice.
    pub agent_type: AgentType,
    /// Condition under which the rule fires.
    pub condition: PredictiveCondition,
    /// Response once the rule has fired.
    pub response: Response,
    /// Approval that the response needs.
    pub approval: ApprovalRule,
    /// Accounts and services it covers; empty is all.
    pub scope: AgentScope,
    /// Resources it covers, by identifier; empty is all in scope.
    pub resources: Vec<String>,
    /// Interval of evaluation, seconds.
    pub every_s: i64,
    /// Time of the last evaluation.
    pub evaluated_at: Option<Timestamp>,
    /// Result of the last evaluation, in words.
    pub last_result: Option<String>,
    /// E-mail address of the creator, or `system` for the rules that Reeve ships with.
    pub created_by: String,
    pub created_at: Timestamp,
    /// Time of the last change of its definition.
    pub updated_at: Timestamp,
    /// Grows with every change of its definition.
    pub version: u64,
}

impl PredictiveRule {
    /// The cause of its recommendations.
    #[must_use]
    pub fn cause(&self) -> OriginCause {
        OriginCause::PredictiveRule(self.id.clone())
    }

    /// The code by which its recommendations are known.
    #[must_use]
    pub fn code(&self) -> String {
        format!("rule:{}", self.id.0)
    }

    /// Returns `true` if the rule is due for evaluation.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.enabled
            && self
                .evaluated_at
                .is_none_or(|at| now.duration_since(at).as_secs() >= self.every_s)
    }
}
