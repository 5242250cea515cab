//! Classes of workloads: the judgement of a resource, the corrections by people, and the port that
//! keeps both.
//!
//! A judgement is four scores, one a class: logarithms of odds that add up from named signals. What
//! people correct is learned apart ([`WorkloadModel`](crate::models::WorkloadModel)), so that the
//! scores of a correction stay what the signals alone said.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource, ResourceId, ResourceKind, StoreError};
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;

pub use reeve_learn::workload::WorkloadClass;

/// Kinds of resources that have a workload.
pub const CLASSIFIED_KINDS: &[ResourceKind] = &[
    ResourceKind::VirtualMachine,
    ResourceKind::Database,
    ResourceKind::ScalingGroup,
];

/// Scores by class, in the order of [`WorkloadClass::ALL`].
pub type Scores = [f64; 4];

/// One signal and its weight for each class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadSignal {
    /// Name (`tag env`, `shape of the metrics`).
    pub name: String,
    /// Value that was observed, in words.
    pub detail: String,
    /// Weight of each class.
    pub weights: Scores,
}

/// Reason why no class is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, String)", into = "(String, String)")]
pub struct Unclassified {
    /// Stable code: `thin_data`, `signals_too_few`, `signals_contradict`, `switched_off`.
    pub code: String,
    /// Numbers that it rests on, in words.
    pub detail: String,
}

/// Stored as its code and its numbers.
impl From<Unclassified> for (String, String) {
    fn from(reason: Unclassified) -> Self {
        (reason.code, reason.detail)
    }
}

impl From<(String, String)> for Unclassified {
    fn from((code, detail): (String, String)) -> Self {
        Unclassified { code, detail }
    }
}

/// Judgement of the workload of one resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classification {
    /// The class; `None` when abstained.
    pub class: Option<WorkloadClass>,
    pub unclassified: Option<Unclassified>,
    /// Confidence in the class, percent; 0 when abstained.
    pub confidence: f64,
    /// Probability of each class, 0 to 1.
    pub probabilities: Scores,
    /// Sum of the signals, without what was learned from corrections.
    pub scores: Scores,
    /// The signals, strongest first.
    pub signals: Vec<WorkloadSignal>,
}

/// Classification of a resource as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Connection of the resource.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    /// Agent that judged it.
    pub agent_id: AgentId,
    /// Time of the judgement.
    pub judged_at: Timestamp,
    #[serde(flatten)]
    pub classification: Classification,
}

/// Class that a person gave a resource. It takes precedence over every judgement until it is taken
/// back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// Connection of the resource.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub class: WorkloadClass,
    /// Explanation, if the person gave one.
    pub comment: Option<String>,
    /// E-mail address of the person.
    pub by: String,
    /// Time of the correction.
    pub at: Timestamp,
    /// Tokens of the resource's name and tags at that time.
    pub tokens: Vec<String>,
    /// Scores that the signals had at that time; zeros for a resource that was not judged.
    pub scores: Scores,
}

/// Corrections of the resources of a scope, oldest first: what their model is trained on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenClasses(pub Vec<Correction>);

/// Most tokens of one resource.
const MOST_TOKENS: usize = 40;
/// Longest token that is kept, bytes.
const LONGEST_TOKEN: usize = 128;

/// Returns the tokens of a resource that corrections are learned by: tags as `key=value` and words
/// of the name of three letters or more, in lower case, sorted. Tags of the cloud itself and the
/// name tag are left out.
#[must_use]
pub fn tokens(resource: &Resource) -> Vec<String> {
    let tags = resource
        .own_tags()
        .map(|(key, value)| format!("{key}={value}").to_lowercase());
    let name = reeve_learn::workload::words(&resource.name)
        .map(|word| {
            word.trim_end_matches(|c: char| c.is_ascii_digit())
                .to_owned()
        })
        .filter(|word| word.len() >= 3 && resource.name != resource.id.0)
        .map(|word| format!("name:{word}"));

    let mut found: Vec<String> = tags
        .chain(name)
        .filter(|token| token.len() <= LONGEST_TOKEN)
        .collect();
    found.sort();
    found.dedup();
    found.truncate(MOST_TOKENS);

    found
}

/// Keeps classifications and corrections, one of each a resource.
#[async_trait]
pub trait WorkloadStore: Send + Sync {
    /// Replaces the classifications of these resources, all or none.
    async fn workload_put(&self, found: &[Workload]) -> Result<(), StoreError>;
    /// The classification of a resource; `None` if it was never judged.
    async fn workload_get(&self, resource: &ResourceId) -> Result<Option<Workload>, StoreError>;
    /// Classifications of these resources.
    async fn workload_of(&self, resources: &[ResourceId]) -> Result<Vec<Workload>, StoreError>;
    /// Replaces the correction of a resource.
    async fn correction_put(&self, correction: &Correction) -> Result<(), StoreError>;
    /// Removes the correction of a resource.
    async fn correction_delete(
        &self,
        connection: &ConnectionId,
        resource: &ResourceId,
    ) -> Result<(), StoreError>;
    /// Lists the corrections, the oldest first.
    async fn correction_list(&self) -> Result<Vec<Correction>, StoreError>;
}
