//! What a rule is.

use jiff::Timestamp;
use reeve_estate::{Metric, named};

use super::calendar::CalendarId;
use reeve_recommend::RuleId;
use reeve_recommend::agent::{AgentType, Scope};
use reeve_recommend::origin::Cause;
use reeve_recommend::recommendation::RecommendationType;

named!(
    /// What a rule watches: the specification's three metrics by their names, and the others that Reeve collects.
    Signal {
        /// Storage in use; told from free storage.
        DiskSpace => "disk_space",
        /// Open connections of a database.
        DatabaseConnections => "database_connections",
        /// Calls a second against a limit of them.
        ApiRateLimit => "api_rate_limit",
        /// Requests a second.
        RequestRate => "request_rate",
        /// CPU, percent.
        CpuUtilization => "cpu_utilization",
        /// Memory, percent.
        MemoryUtilization => "memory_utilization",
        /// Network in, bytes a second.
        NetworkIn => "network_in",
        /// Network out, bytes a second.
        NetworkOut => "network_out",
        /// Reads from disk, operations a second.
        DiskReadOps => "disk_read_ops",
        /// Writes to disk, operations a second.
        DiskWriteOps => "disk_write_ops",
        /// Credits of a burstable machine.
        CpuCreditBalance => "cpu_credit_balance",
    }
);

impl Signal {
    /// The metric it is measured by.
    #[must_use]
    pub const fn metric(self) -> Metric {
        match self {
            Signal::DiskSpace => Metric::FreeStorage,
            Signal::DatabaseConnections => Metric::DatabaseConnections,
            Signal::ApiRateLimit | Signal::RequestRate => Metric::RequestRate,
            Signal::CpuUtilization => Metric::CpuUtilization,
            Signal::MemoryUtilization => Metric::MemoryUtilization,
            Signal::NetworkIn => Metric::NetworkIn,
            Signal::NetworkOut => Metric::NetworkOut,
            Signal::DiskReadOps => Metric::DiskReadOps,
            Signal::DiskWriteOps => Metric::DiskWriteOps,
            Signal::CpuCreditBalance => Metric::CpuCreditBalance,
        }
    }
}

named!(
    /// What is foreseen.
    Foreseen {
        /// What fills up is full (the specification's word for disks).
        Full => "full",
        /// The same of connections.
        Saturation => "saturation",
        /// The same of a limit on calls.
        Exhaustion => "exhaustion",
        /// The forecast rises above a value.
        Above => "above",
        /// The forecast falls below a value.
        Below => "below",
        /// The forecast rises above the usual by a percentage: a peak by day, by week, or of an event.
        Spike => "spike",
        /// An event of a calendar begins.
        Event => "event",
    }
);

impl Foreseen {
    /// Whether it is about reaching a capacity.
    #[must_use]
    pub const fn fills(self) -> bool {
        matches!(self, Foreseen::Full | Foreseen::Saturation | Foreseen::Exhaustion)
    }
}

/// When a rule fires.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// What is watched; `None` for events alone.
    pub signal: Option<Signal>,
    /// What is foreseen of it.
    pub foreseen: Foreseen,
    /// The capacity (`full` and its like; `None` takes it from the resource), the value (`above`, `below`, in the metric's
    /// unit), or the percentage above the usual (`spike`).
    pub value: Option<f64>,
    /// Calendars whose events the forecast is told (`spike`) or that are waited for (`event`); empty is all of the fitting kind.
    pub calendars: Vec<CalendarId>,
    /// How far ahead it counts, seconds; 0 asks the newest value alone (`above`, `below`).
    pub horizon_s: i64,
    /// Probability from which it counts as foreseen, percent.
    pub probability_percent: f64,
}

named!(
    /// What is to be done.
    ResponseKind {
        /// More storage.
        ExpandStorage => "expand_storage",
        /// A replica that takes reads.
        CreateReadReplica => "create_read_replica",
        /// A higher limit, asked of the provider.
        RequestLimitIncrease => "request_limit_increase",
        /// A larger size.
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
    /// Returns the agent type to which the action belongs, which a rule has unless it names another.
    #[must_use]
    pub const fn agent_type(self) -> AgentType {
        match self {
            ResponseKind::ExpandStorage | ResponseKind::RequestLimitIncrease | ResponseKind::PrepareFailover => {
                AgentType::OPS_INTELLIGENCE
            }
            ResponseKind::CreateReadReplica => AgentType::DB_OPTIMIZER,
            ResponseKind::ScaleUp | ResponseKind::PreScale | ResponseKind::WarmCache => {
                AgentType::PERFORMANCE_OPTIMIZER
            }
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

/// What is to be done, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// What.
    pub kind: ResponseKind,
    /// By how much storage or a limit grows, percent of what there is.
    pub step_percent: f64,
}

named!(
    /// Who must approve.
    ApprovalKind {
        /// Nobody, as far as the rule goes; the approval matrix still asks by cost.
        Auto => "auto",
        /// Somebody, whatever it costs.
        Required => "required",
        /// Nobody while storage stays below a size, somebody from there on.
        AutoBelow => "auto_below",
    }
);

/// A rule's approval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApprovalRule {
    /// Who.
    pub kind: ApprovalKind,
    /// For `auto_below`: the size after the change, GB (10^9 bytes).
    pub below_gb: Option<f64>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Identifier.
    pub id: RuleId,
    /// Name.
    pub name: String,
    /// Whether it is evaluated.
    pub enabled: bool,
    /// The type of agent whose findings these are: an agent of that type whose scope includes the resource owns them; without one
    /// they are advice.
    pub agent_type: AgentType,
    /// When it fires.
    pub condition: Condition,
    /// What is to be done then.
    pub response: Response,
    /// Under which approval.
    pub approval: ApprovalRule,
    /// Accounts and services it covers; empty is all.
    pub scope: Scope,
    /// Resources it covers, by identifier; empty is all in scope.
    pub resources: Vec<String>,
    /// How often it is evaluated, seconds.
    pub every_s: i64,
    /// When it was evaluated last.
    pub evaluated_at: Option<Timestamp>,
    /// What came of that, in words.
    pub last_result: Option<String>,
    /// Who made it (e-mail address, or `system` for those that come with Reeve).
    pub created_by: String,
    /// When.
    pub created_at: Timestamp,
    /// When its definition last changed.
    pub updated_at: Timestamp,
    /// Grows with every change of its definition.
    pub version: u64,
}

impl Rule {
    /// The cause of its recommendations.
    #[must_use]
    pub fn cause(&self) -> Cause {
        Cause::PredictiveRule(self.id.clone())
    }

    /// The code by which its recommendations are known.
    #[must_use]
    pub fn code(&self) -> String {
        format!("rule:{}", self.id.0)
    }

    /// Whether it is to be evaluated.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.enabled && self.evaluated_at.is_none_or(|at| now.duration_since(at).as_secs() >= self.every_s)
    }
}
