//! Investigation of an anomaly: the sources that were read, over which period and with which
//! result, and the hypotheses that follow from them, the best supported first.
//!
//! Entries of the audit log are not part of it: a user who may see an anomaly may not be allowed to
//! see them. They are kept beside it (`RelatedEntry`) and added for each reader by
//! `Anomaly::investigation_for`, so that nobody else learns that they exist.

use jiff::Timestamp;
use reeve_estate::{Metric, named};
use reeve_recommend::action::ActionId;
use reeve_recommend::recommendation::origin::AnomalyId;
use serde::{Deserialize, Serialize};

use super::probable_cause::ProbableCause;

named!(
    /// Source that an investigation reads.
    Source {
        /// Samples of the resource's metrics.
        Metrics => "metrics",
        /// Changes that Reeve made.
        Actions => "actions",
        /// Changes that inventories found.
        Inventory => "inventory",
        /// Entries of the audit log.
        AuditLog => "audit_log",
        Anomalies => "anomalies",
        /// Charges of the bill.
        Charges => "charges",
        /// The evidence that raised a security anomaly: behavior before it and threat lists.
        Behavior => "behavior",
        /// The dependency map around the resource.
        Dependencies => "dependencies",
    }
);

named!(
    /// Support of a hypothesis by what was found, the strongest first.
    Support {
        /// It fits in time and place, and nothing better does.
        Strong => "strong",
        /// It fits, and other causes are as likely.
        Moderate => "moderate",
        /// It is seldom a cause.
        Weak => "weak",
    }
);

named!(
    /// Kind of a hypothesis.
    HypothesisKind {
        /// A change by Reeve.
        ChangeByReeve => "change_by_reeve",
        /// A change that an inventory found and Reeve did not make.
        ChangeByOthers => "change_by_others",
        /// An operation on the resource that the audit log has.
        LoggedOperation => "logged_operation",
        /// Something that several resources have in common.
        SharedCause => "shared_cause",
        /// More requests or other work than before.
        HigherDemand => "higher_demand",
        /// A resource that cost nothing before.
        NewResource => "new_resource",
        /// A resource that costs more than before.
        CostlierResource => "costlier_resource",
        /// An indicator of a threat list.
        ThreatList => "threat_list",
        /// Behavior unlike the principal's past.
        UnusualBehavior => "unusual_behavior",
        /// Other anomalies of the same resource.
        SameResource => "same_resource",
        ChangedTags => "changed_tags",
        /// A resource that this one depends on.
        Dependency => "dependency",
    }
);

/// One source that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    pub source: Source,
    /// Part of the source: a metric, a resource, an account.
    pub subject: String,
    /// Start of the period.
    pub from: Timestamp,
    /// End of the period.
    pub to: Timestamp,
    /// Number of records found; `None` if the source could not be read.
    pub found: Option<u64>,
    /// Result, as a sentence.
    pub result: String,
}

/// Record that evidence refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(String, String)", into = "(String, String)")]
pub enum InvestigationLink {
    Action(ActionId),
    /// A resource, by the provider's identifier.
    Resource(String),
    /// Another anomaly, by its identifier.
    Anomaly(AnomalyId),
    /// A metric of the anomaly's resource.
    Metric(Metric),
    /// An entry of the audit log, by its identifier.
    Entry(String),
}

impl InvestigationLink {
    /// Name of the kind of record.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            InvestigationLink::Action(_) => "action",
            InvestigationLink::Resource(_) => "resource",
            InvestigationLink::Anomaly(_) => "anomaly",
            InvestigationLink::Metric(_) => "metric",
            InvestigationLink::Entry(_) => "entry",
        }
    }

    /// Identifier of the record.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            InvestigationLink::Action(id) => &id.0,
            InvestigationLink::Resource(id) | InvestigationLink::Entry(id) => id,
            InvestigationLink::Anomaly(id) => &id.0,
            InvestigationLink::Metric(metric) => metric.as_str(),
        }
    }

    /// Reads a link back from kind and identifier; `None` for an unknown kind or metric.
    #[must_use]
    pub fn parse(kind: &str, id: &str) -> Option<InvestigationLink> {
        let text = id.to_owned();
        match kind {
            "action" => Some(InvestigationLink::Action(ActionId(text))),
            "resource" => Some(InvestigationLink::Resource(text)),
            "anomaly" => Some(InvestigationLink::Anomaly(AnomalyId(text))),
            "metric" => Metric::parse(id).map(InvestigationLink::Metric),
            "entry" => Some(InvestigationLink::Entry(text)),
            _ => None,
        }
    }
}

/// Stored as kind and identifier.
impl From<InvestigationLink> for (String, String) {
    fn from(link: InvestigationLink) -> Self {
        (link.kind().to_owned(), link.id().to_owned())
    }
}

/// A stored link of an unknown kind, or to an unknown metric.
#[derive(Debug, thiserror::Error)]
#[error("{kind:?} with {id:?} is no link")]
pub struct UnknownLink {
    kind: String,
    id: String,
}

impl TryFrom<(String, String)> for InvestigationLink {
    type Error = UnknownLink;

    fn try_from((kind, id): (String, String)) -> Result<Self, UnknownLink> {
        InvestigationLink::parse(&kind, &id).ok_or(UnknownLink { kind, id })
    }
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvestigationEvidence {
    /// Description, as a complete sentence.
    pub text: String,
    /// Record that it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<InvestigationLink>,
}

impl InvestigationEvidence {
    pub(crate) fn new(text: impl Into<String>, link: impl Into<Option<InvestigationLink>>) -> Self {
        InvestigationEvidence {
            text: text.into(),
            link: link.into(),
        }
    }
}

/// A possible cause with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hypothesis {
    pub kind: HypothesisKind,
    /// Support by what was found.
    pub support: Support,
    /// As a clause: `its size was changed from m5.large to m5.xlarge ...`.
    pub statement: String,
    pub evidence: Vec<InvestigationEvidence>,
}

/// Record of one investigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Investigation {
    /// Time of the investigation.
    pub at: Timestamp,
    /// Sources that were read, in the order of reading.
    pub lookups: Vec<Lookup>,
    /// Possible causes, the best supported first.
    pub hypotheses: Vec<Hypothesis>,
    /// Probable cause on the dependency map; `None` for spending and behavior, and in documents of
    /// releases that did not seek one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probable_cause: Option<ProbableCause>,
}

impl Investigation {
    /// Summary for the response and its entry: sources, records and the number of hypotheses.
    /// Entries of the log are not counted.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut sources: Vec<&str> = Vec::new();
        for lookup in &self.lookups {
            if !sources.contains(&lookup.source.as_str()) {
                sources.push(lookup.source.as_str());
            }
        }

        let sources: Vec<String> = sources.iter().map(|name| name.replace('_', " ")).collect();
        let hypotheses = match self.hypotheses.len() {
            0 => "no likely cause".to_owned(),
            count => counted(count, "hypothesis", "hypotheses"),
        };
        format!(
            "{} in {}, {hypotheses}",
            counted(self.lookups.len(), "lookup", "lookups"),
            sources.join(", ")
        )
    }
}

/// `1 entry`, `3 entries`.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {several}")
    }
}
