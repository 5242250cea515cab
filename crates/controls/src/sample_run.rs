//! Running the samples of a check.

use reeve_estate::ResourceKind;
use reeve_recommend::judgement::evidence::CheckAnswer;
use serde_json::Value;

use crate::check::ControlCheck;
use crate::sample::{ControlSample, SampleFault, SampleRelation};
use crate::subject::{ControlSubject, Related};

impl ControlCheck {
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

    /// Returns the answer about a sample whose documents can be read.
    #[cfg(test)]
    pub(crate) fn answer_of(&self, sample: &ControlSample) -> CheckAnswer {
        match self.run(sample) {
            Ok(()) => sample.result,
            Err(SampleFault::OtherAnswer { got, .. }) => got,
            Err(fault) => panic!("{fault}"),
        }
    }

    fn run(&self, sample: &ControlSample) -> Result<(), SampleFault> {
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
        let mut subject = ControlSubject::alone(self.provider, self.kind, &sample.id, &document);
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
