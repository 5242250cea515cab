//! Edges of the map, with the sources of each.

use jiff::Timestamp;
use reeve_estate::named;

named!(
    /// Source of an edge.
    EdgeSource {
        /// A relation that the configuration declares.
        Relation => "relation",
        /// A listener of a load balancer.
        Listener => "listener",
        /// A target that is registered in a target group.
        TargetGroup => "target_group",
        /// A rule of a security group that lets the members of another one in.
        SecurityGroup => "security_group",
        /// Records of a flow log.
        Flow => "flow",
        /// Metrics whose changes are correlated.
        Metrics => "metrics",
    }
);

impl EdgeSource {
    /// Returns `true` if the source is configuration.
    #[must_use]
    pub const fn is_declared(self) -> bool {
        !matches!(self, EdgeSource::Flow | EdgeSource::Metrics)
    }
}

named!(
    /// Strength of one source of an edge, the strongest first.
    EdgeStrength {
        /// Traffic on most days, routing and attachment, or a correlation of 0.9 or more.
        Strong => "strong",
        /// Traffic on some days, keys, roles and groups, or a correlation of 0.8 or more.
        Moderate => "moderate",
        /// Traffic on one day, or a place and a destination of logs.
        Weak => "weak",
    }
);

named!(
    /// Comparison of what is declared with what is observed.
    Standing {
        /// Configuration declares it, and flow logs show it.
        Both => "declared_and_observed",
        /// Configuration declares it, and no flow log could show it.
        Declared => "declared",
        /// Configuration declares it, and the flow logs of the days read have no such traffic.
        NotObserved => "declared_not_observed",
        /// Flow logs show it, and no configuration declares it.
        NotDeclared => "observed_not_declared",
        /// Metrics change together; neither declared nor observed, and without a direction.
        Correlated => "correlated",
    }
);

/// Evidence of one source that an edge exists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeEvidence {
    pub source: EdgeSource,
    pub strength: EdgeStrength,
    /// Observation in words: `routes to`, `TCP 5432 on 6 of 7 days`.
    pub detail: String,
    /// Last observation; `None` where the reading of the configuration never completed.
    pub last_at: Option<Timestamp>,
}

/// Edge from a dependent to the resource that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyEdge {
    /// Node that needs the other one.
    pub dependent: String,
    /// Node that is needed.
    pub dependency: String,
    pub standing: Standing,
    /// Sources, the strongest first.
    pub evidence: Vec<EdgeEvidence>,
}

impl DependencyEdge {
    /// Returns `true` if the edge has a direction: correlation alone has none.
    #[must_use]
    pub fn is_directed(&self) -> bool {
        self.standing != Standing::Correlated
    }
}
