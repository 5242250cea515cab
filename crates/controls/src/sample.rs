//! Samples: documents beside a check whose answer is known.

use jiff::Timestamp;
use reeve_estate::{RelationKind, ResourceKind};
use reeve_recommend::judgement::evidence::CheckAnswer;
use serde::Deserialize;
use serde_json::Value;

use crate::check::Check;
use crate::subject::{Related, Subject};

/// Document whose answer is known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// What the document is an example of.
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

impl Check {
    /// Runs the samples and returns what does not hold.
    #[must_use]
    pub fn test(&self) -> Vec<SampleFault> {
        let wrong = self.samples.iter().filter_map(|one| self.run(one).err());
        let missing = [CheckAnswer::Pass, CheckAnswer::Fail]
            .into_iter()
            .filter(|answer| self.samples.iter().all(|one| one.result != *answer))
            .map(|missing| SampleFault::Missing {
                check: self.id.clone(),
                missing,
            });

        wrong.chain(missing).collect()
    }

    fn run(&self, sample: &Sample) -> Result<(), SampleFault> {
        let read = |text: &str| -> Result<Value, SampleFault> {
            serde_json::from_str(text).map_err(|error| SampleFault::NotJson {
                check: self.id.clone(),
                sample: sample.name.clone(),
                reason: error.to_string(),
            })
        };
        let others = |relations: &[SampleRelation]| -> Result<Vec<Option<Value>>, SampleFault> {
            relations
                .iter()
                .map(|one| one.document.as_deref().map(read).transpose())
                .collect()
        };

        let document = read(&sample.document)?;
        let targets = others(&sample.targets)?;
        let sources = others(&sample.sources)?;
        let mut subject = Subject::alone(self.provider, self.kind, &sample.id, &document);
        subject.account = &sample.account;
        subject.region = &sample.region;
        subject.targets = related(&sample.targets, &targets);
        subject.sources = related(&sample.sources, &sources);
        // A sample shows all that there is.
        subject.complete.clone_from(&self.complete);

        let verdict = self.judge(&subject, sample.now);
        if verdict.answer == sample.result {
            return Ok(());
        }
        Err(SampleFault::OtherAnswer {
            check: self.id.clone(),
            sample: sample.name.clone(),
            expected: sample.result,
            got: verdict.answer,
            why: verdict.why,
        })
    }
}

fn related<'s>(
    relations: &'s [SampleRelation],
    documents: &'s [Option<Value>],
) -> Vec<Related<'s>> {
    relations
        .iter()
        .zip(documents)
        .map(|(one, document)| Related {
            relation: one.relation,
            id: &one.id,
            kind: ResourceKind::named(&one.kind),
            document: document.as_ref(),
        })
        .collect()
}
