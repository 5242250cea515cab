//! Samples: documents beside a check whose answer is known.

use jiff::Timestamp;
use reeve_estate::RelationKind;
use reeve_recommend::judgement::evidence::CheckAnswer;
use serde::Deserialize;

/// Document whose answer is known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlSample {
    /// Case that the document is an example of.
    pub name: String,
    pub result: CheckAnswer,
    /// The document as JSON.
    pub document: String,
    /// Account of the resource.
    #[serde(default)]
    pub account: String,
    /// Region of the resource.
    #[serde(default)]
    pub region: String,
    /// Identifier of the resource.
    #[serde(default)]
    pub id: String,
    /// Time of the verdict.
    #[serde(default = "some_time")]
    pub now: Timestamp,
    /// Resources that it has a relation to.
    #[serde(default)]
    pub targets: Vec<SampleRelation>,
    /// Resources that have a relation to it.
    #[serde(default)]
    pub sources: Vec<SampleRelation>,
}

/// Resource at the other end of a relation of a sample.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleRelation {
    pub relation: RelationKind,
    pub kind: String,
    #[serde(default)]
    pub id: String,
    /// The document as JSON; none if the resource is not known.
    pub document: Option<String>,
}

fn some_time() -> Timestamp {
    Timestamp::constant(1_767_225_600, 0)
}

/// Reason for which a sample does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SampleFault {
    /// A document is no JSON.
    #[error("{check}, sample {sample:?}: the document is no JSON: {reason}")]
    NotJson {
        check: String,
        sample: String,
        reason: String,
    },
    /// The check answers otherwise.
    #[error("{check}, sample {sample:?}: expected {expected}, got {got}: {why}")]
    OtherAnswer {
        check: String,
        sample: String,
        expected: CheckAnswer,
        got: CheckAnswer,
        why: String,
    },
    /// A check needs a sample that passes and one that fails.
    #[error("{check}: there is no sample that answers {missing}")]
    Missing { check: String, missing: CheckAnswer },
}
