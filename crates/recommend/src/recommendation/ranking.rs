//! Ranking: which recommendation comes first. Pure.
//!
//! A recommendation is worth what it is expected to bring: its calibrated confidence, times its
//! impact in dollars a month, times a weight that people's answers give its kind. How a change went
//! moves the confidence (`models::trust`); the weight says how welcome such changes are. It is the
//! mean of the answers on the same kind, drawn to neutral as if [`PRIOR_ANSWERS`] people had been
//! indifferent, so that a few clicks move it a little and many move it for good. A recommendation
//! has one answer, however many people clicked however often; "not now" is none. Requirements
//!

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use reeve_estate::{Money, Provider, ResourceKind};
use serde::{Deserialize, Serialize};

use crate::recommendation::lifecycle::Status;
use crate::recommendation::totals::Dismissals;
use crate::recommendation::{
    Closing, Feedback, FeedbackOutcome, Priority, Recommendation, RecommendationId,
    RecommendationSubject, RecommendationType,
};

/// So many answers weigh as much as the belief that a kind is as welcome as any other.
pub const PRIOR_ANSWERS: f64 = 10.0;
/// An answer of this age counts half, as an outcome does.
const HALF_LIFE_DAYS: f64 = 180.0;
/// Weight of an answer given on an unlike resource: the kind is the same, the circumstances differ.
const UNLIKE: f64 = 0.25;

/// Rank of a recommendation among the others, with the reasons.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ranking {
    /// Dollars a month that it is expected to be worth; lists put the highest first.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub expected_value: f64,
    /// Factor from users' answers: 0 to 2, and 1 without answers.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub weight: f64,
    /// Answers in favour of its kind.
    pub in_favour: u64,
    /// Number of answers against it.
    pub against: u64,
    /// The same in words, with the numbers.
    pub words: String,
}

/// Sums of answers for and against.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    weight: f64,
    favour: f64,
    in_favour: u64,
    against: u64,
}

impl Tally {
    fn add(&mut self, share: f64, weight: f64) {
        self.weight += weight;
        self.favour += weight * share;
        if share > 0.5 {
            self.in_favour += 1;
        } else {
            self.against += 1;
        }
    }

    fn plus(self, other: Tally, scale: f64) -> Tally {
        Tally {
            weight: self.weight + scale * other.weight,
            favour: self.favour + scale * other.favour,
            in_favour: self.in_favour + other.in_favour,
            against: self.against + other.against,
        }
    }
}

/// Like resources: the same kind of change on the same kind of thing.
type Alike = (RecommendationType, Provider, ResourceKind, String);

fn alike(kind: RecommendationType, subject: &RecommendationSubject) -> Alike {
    (
        kind,
        subject.provider,
        subject.kind,
        subject.service.to_ascii_lowercase(),
    )
}

/// Weights from users' answers, by kind of change and kind of resource.
#[derive(Debug, Clone, Default)]
pub struct FeedbackWeights {
    /// Answers about resources that are alike.
    own: BTreeMap<Alike, Tally>,
    /// Answers that apply to the kind on every resource: the result of a change, not its
    /// applicability.
    common: BTreeMap<Alike, Tally>,
}

impl FeedbackWeights {
    /// Adds up the answers to these recommendations: what people said, and what they dismissed
    /// without saying more.
    #[must_use]
    pub fn new(all: &[Recommendation], feedback: &[Feedback], now: Timestamp) -> Self {
        let mut said: HashMap<&RecommendationId, BTreeMap<&str, &Feedback>> = HashMap::new();
        for one in feedback.iter().filter(|one| feedback_share(one).is_some()) {
            // The newest of each person counts.
            said.entry(&one.recommendation)
                .or_default()
                .insert(&one.by, one);
        }

        let mut found = FeedbackWeights::default();
        for recommendation in all {
            let answers: Vec<&Feedback> = said
                .get(&recommendation.id)
                .into_iter()
                .flat_map(|one| one.values().copied())
                .collect();
            let Some((share, at, fits)) = answer(recommendation, &answers) else {
                continue;
            };
            let weight = age_weight(at, now);
            let key = alike(recommendation.kind, &recommendation.subject);
            if fits {
                found
                    .common
                    .entry(key.clone())
                    .or_default()
                    .add(share, weight);
            }
            found.own.entry(key).or_default().add(share, weight);
        }

        found
    }

    /// Adds dismissals that nobody explained: each is an answer against its kind.
    pub fn add_dismissals(&mut self, dismissals: &[Dismissals], now: Timestamp) {
        for dismissed in dismissals {
            let service = dismissed.service.to_ascii_lowercase();
            let key = (
                dismissed.kind,
                dismissed.provider,
                dismissed.resource_kind,
                service,
            );
            let tally = self.own.entry(key).or_default();
            tally.weight += dismissed.count as f64 * age_weight(dismissed.at, now);
            tally.against += dismissed.count;
        }
    }

    fn on(&self, kind: RecommendationType, subject: &RecommendationSubject) -> Tally {
        let key = alike(kind, subject);
        let own = self.own.get(&key).copied().unwrap_or_default();
        let others = self
            .common
            .iter()
            .filter(|(other, _)| other.0 == kind && **other != key);
        others.fold(own, |sum, (_, tally)| sum.plus(*tally, UNLIKE))
    }

    /// Returns the rank of a recommendation.
    #[must_use]
    pub fn rank(&self, recommendation: &Recommendation) -> Ranking {
        let tally = self.on(recommendation.kind, &recommendation.subject);
        let weight = 2.0 * (tally.favour + PRIOR_ANSWERS / 2.0) / (tally.weight + PRIOR_ANSWERS);
        let (impact, meant) = impact(recommendation);
        let expected = recommendation.confidence.clamp(0.0, 100.0) / 100.0 * impact * weight;
        let expected_value = (expected * 100.0).round() / 100.0;
        let answers = match tally.in_favour + tally.against {
            0 => "no feedback on its kind yet".to_owned(),
            count => format!(
                "of {count} answers to its kind {} in favour and {} against, drawn to 1 as by {PRIOR_ANSWERS:.0} neutral ones",
                tally.in_favour, tally.against
            ),
        };

        let words = format!(
            "Expected to be worth ${expected_value:.2} a month: confidence {:.1} % × {meant} × {weight:.2} ({answers})",
            recommendation.confidence
        );
        Ranking {
            expected_value,
            weight,
            in_favour: tally.in_favour,
            against: tally.against,
            words,
        }
    }
}

/// Weight of an answer by its age.
fn age_weight(at: Timestamp, now: Timestamp) -> f64 {
    let age_days = now.duration_since(at).as_secs_f64().max(0.0) / 86_400.0;
    0.5_f64.powf(age_days / HALF_LIFE_DAYS)
}

/// Returns the expected benefit of a recommendation, dollars a month, and its source. A
/// recommendation that saves little or nothing gets the lowest saving of its priority.
fn impact(recommendation: &Recommendation) -> (f64, String) {
    let stands_for = match recommendation.priority {
        Priority::Critical => 10_000.0,
        Priority::High => 1_000.0,
        Priority::Medium => 100.0,
        Priority::Low => 10.0,
    };

    match recommendation
        .savings_after_discounts
        .or(recommendation.savings_monthly)
        .map(Money::usd)
    {
        Some(saved) if saved >= stands_for => (saved, format!("${saved:.2} a month saved")),
        Some(_) => (
            stands_for,
            format!(
                "${stands_for:.2} a month that priority {} stands for",
                recommendation.priority
            ),
        ),
        None => (
            stands_for,
            format!(
                "${stands_for:.2} a month that priority {} stands for, as no price is known",
                recommendation.priority
            ),
        ),
    }
}

/// Returns how favourable an answer is, 0 to 1; `None` for "not now", which does not rate the
/// recommendation. A rating counts as much as the outcome.
fn feedback_share(said: &Feedback) -> Option<f64> {
    let outcome = match said.outcome {
        FeedbackOutcome::ImplementedSuccessfully => 1.0,
        FeedbackOutcome::ImplementedIssues => 0.25,
        FeedbackOutcome::NotApplicable => return Some(0.0),
        FeedbackOutcome::NotNow => return None,
    };
    Some(
        said.rating
            .map_or(outcome, |stars| (outcome + stars_share(stars)) / 2.0),
    )
}

/// One to five stars as 0 to 1.
pub fn stars_share(stars: u8) -> f64 {
    f64::from(stars.clamp(1, 5) - 1) / 4.0
}

/// The one answer to a recommendation: its share in favour, when it was given, and whether it
/// speaks of unlike resources too.
fn answer(recommendation: &Recommendation, said: &[&Feedback]) -> Option<(f64, Timestamp, bool)> {
    let shares: Vec<f64> = said.iter().filter_map(|one| feedback_share(one)).collect();
    if let Some(at) = said.iter().map(|one| one.at).max() {
        let share = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        return Some((
            share,
            at,
            said.iter()
                .all(|one| one.outcome != FeedbackOutcome::NotApplicable),
        ));
    }

    // An exclusion dismisses all that it covers at once and holds by itself; it is not a hundred
    // answers.
    let by_exclusion = recommendation.closing == Some(Closing::Excluded);
    (recommendation.status == Status::Dismissed && !by_exclusion).then_some((
        0.0,
        recommendation.updated_at,
        false,
    ))
}
