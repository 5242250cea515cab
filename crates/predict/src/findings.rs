//! Decisions of one evaluation: how many there were, and those that are kept. An evaluation may
//! look at a hundred thousand resources, so that only the likeliest predictions and a share of the
//! others are held.

use reeve_estate::Resource;
use reeve_recommend::predictive::{Outcome, Prediction, PredictiveRule};

use super::scope::ScopePage;

/// Recommendations of one evaluation.
const MOST_FIRED: usize = 50;
/// Foreseen predictions that are kept without a recommendation.
const MOST_FORESEEN: usize = 450;
/// Other predictions that are kept; the first ones by identifier.
const MOST_OTHERS: usize = 1_500;

/// A prediction that is recommended upon.
pub(super) struct Fired {
    pub(super) prediction: Prediction,
    pub(super) measured: Resource,
    /// Resource that the response changes.
    pub(super) target: Resource,
}

/// Decisions of one evaluation.
#[derive(Default)]
pub(super) struct PredictionFindings {
    /// The likeliest and soonest first.
    pub(super) fired: Vec<Fired>,
    /// Foreseen too, and behind [`MOST_FIRED`] likelier ones.
    beyond: Vec<Prediction>,
    others: Vec<Prediction>,
    resources: u64,
    /// Number of resources for which the rule's condition is foreseen.
    pub(super) foreseen: u64,
    abstained: u64,
}

impl PredictionFindings {
    /// Takes the decisions on a page.
    pub(super) fn add(
        &mut self,
        rule: &PredictiveRule,
        page: &ScopePage,
        decided: Vec<Prediction>,
    ) {
        self.resources += decided.len() as u64;
        for prediction in decided {
            self.foreseen += u64::from(prediction.outcome == Outcome::Foreseen);
            self.abstained += u64::from(prediction.outcome == Outcome::Abstained);
            let subject = page
                .subject_of(&prediction)
                .filter(|_| prediction.outcome == Outcome::Foreseen);
            match subject {
                Some(measured) => {
                    let target = page.target(rule, measured).clone();
                    self.fired.push(Fired {
                        prediction,
                        measured: measured.clone(),
                        target,
                    });
                }
                None if self.others.len() < MOST_OTHERS => self.others.push(prediction),
                None => {}
            }
        }

        self.keep_likeliest();
    }

    fn keep_likeliest(&mut self) {
        self.fired
            .sort_by(|a, b| by_likelihood(&a.prediction, &b.prediction));
        let late = self.fired.split_off(self.fired.len().min(MOST_FIRED));
        self.beyond
            .extend(late.into_iter().map(|one| one.prediction));
        self.beyond.sort_by(by_likelihood);
        self.beyond.truncate(MOST_FORESEEN);
    }

    /// Returns the counts that the log keeps.
    pub(super) fn counts(&self) -> [(&'static str, u64); 4] {
        [
            ("resources", self.resources),
            ("foreseen", self.foreseen),
            ("abstained", self.abstained),
            ("recommended", self.recommended()),
        ]
    }

    fn recommended(&self) -> u64 {
        self.fired
            .iter()
            .filter(|one| one.prediction.recommendation.is_some())
            .count() as u64
    }

    /// Describes the counts of the evaluation for people.
    pub(super) fn words(&self) -> String {
        format!(
            "{} resources: {} expected to reach the limit, {} with too little data, {} recommended",
            self.resources,
            self.foreseen,
            self.abstained,
            self.recommended()
        )
    }

    /// Returns the predictions that are kept, the likeliest first.
    pub(super) fn into_predictions(self) -> Vec<Prediction> {
        let why = format!("this evaluation already created {MOST_FIRED} recommendations");
        let beyond = self.beyond.into_iter();
        let beyond = beyond.map(|one| Prediction {
            not_recommended: Some(why.clone()),
            ..one
        });

        self.fired
            .into_iter()
            .map(|one| one.prediction)
            .chain(beyond)
            .chain(self.others)
            .collect()
    }
}

fn by_likelihood(a: &Prediction, b: &Prediction) -> std::cmp::Ordering {
    b.probability_percent
        .unwrap_or(0.0)
        .total_cmp(&a.probability_percent.unwrap_or(0.0))
        .then_with(|| a.expected_at.cmp(&b.expected_at))
}
