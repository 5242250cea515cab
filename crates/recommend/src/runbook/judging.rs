//! Judgement of a reading by a runbook: now, in the past, and of its samples.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{Metric, ResourceId, SampleSeries};

use super::condition::{
    ConditionAnswer, ConditionReading, ConditionSpan, Measurements, SeriesOf, Test,
};
use super::definition::Runbook;
use super::sample::RunbookSample;
use crate::judgement::activity::Activity;

/// Minutes between two points of a sample.
const STEP_MIN: i64 = 5;

impl Runbook {
    /// Answers every test for a resource, and the condition: it holds where all of them do, and is
    /// undecided where none is refuted and one lacks its data.
    #[must_use]
    pub fn judge(&self, reading: &ConditionReading<'_>) -> (Option<bool>, Vec<ConditionAnswer>) {
        let answers: Vec<ConditionAnswer> =
            self.when.iter().map(|test| test.answer(reading)).collect();
        let holds = if answers.iter().any(|answer| answer.holds == Some(false)) {
            Some(false)
        } else {
            answers
                .iter()
                .all(|answer| answer.holds.is_some())
                .then_some(true)
        };
        (holds, answers)
    }

    /// Returns the times at which the condition held over the samples: the times that all tests of
    /// metrics have in common. Tests without a past count as they are now; empty where one of them
    /// does not hold now, or where no test has a past.
    #[must_use]
    pub fn past(&self, reading: &ConditionReading<'_>) -> Vec<ConditionSpan> {
        let mut common: Option<Vec<(i64, i64)>> = None;
        for test in &self.when {
            let Test::Metric(metric) = test else {
                if test.answer(reading).holds != Some(true) {
                    return Vec::new();
                }
                continue;
            };
            let Ok(course) = metric.course(reading) else {
                return Vec::new();
            };
            common = Some(match common {
                None => course.spans,
                Some(others) => both(&others, &course.spans),
            });
        }

        let time = |ms: i64| Timestamp::from_millisecond(ms).ok();
        let spans = common.unwrap_or_default().into_iter();
        spans
            .filter_map(|(from, to)| {
                Some(ConditionSpan {
                    from: time(from)?,
                    to: time(to)?,
                })
            })
            .collect()
    }
}

/// Times that two lists of sorted times have in common.
fn both(one: &[(i64, i64)], other: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let (mut a, mut b) = (0, 0);
    let mut common = Vec::new();
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        let (from, to) = (left.0.max(right.0), left.1.min(right.1));
        if from < to {
            common.push((from, to));
        }
        if left.1 <= right.1 {
            a += 1;
        } else {
            b += 1;
        }
    }
    common
}

impl RunbookSample {
    fn series(&self, now: Timestamp) -> Vec<SampleSeries> {
        let metrics = self.metrics.iter().filter_map(|(name, values)| {
            let values: Vec<f64> = values
                .iter()
                .flat_map(|(value, count)| std::iter::repeat_n(*value, *count as usize))
                .collect();
            let count = i64::try_from(values.len()).ok()?;
            let points = (0..count).zip(values);
            Some(SampleSeries {
                resource: ResourceId::new("sample"),
                metric: Metric::parse(name)?,
                points: points
                    .map(|(at, value)| {
                        (
                            now - SignedDuration::from_mins((count - at) * STEP_MIN),
                            value,
                        )
                    })
                    .collect(),
                period_s: u32::try_from(STEP_MIN * 60).unwrap_or(300),
            })
        });
        metrics.collect()
    }

    /// Returns whether the condition of a runbook holds for the sample, with the answers of its
    /// tests.
    fn answer(&self, runbook: &Runbook, now: Timestamp) -> (Option<bool>, String) {
        let series = self.series(now);
        let counts: Vec<(String, u64)> = self.log.clone().into_iter().collect();
        let activity = Activity {
            uses: counts.iter().map(|(_, count)| count).sum(),
            operations: counts,
            last_hour: None,
        };
        let measured = Measurements {
            own: series.clone(),
            machine: Some(series.clone()),
            balancer: Some(series),
            uses: runbook
                .log_days()
                .map(|days| (days, activity.clone()))
                .collect(),
        };
        let (holds, answers) = runbook.judge(&ConditionReading {
            state: self.state,
            storage_gib: self.storage_gib,
            document: self.document.as_ref(),
            measured: &measured,
            since: None,
            now,
        });
        let words: Vec<String> = answers.into_iter().map(|one| one.words).collect();
        (holds, words.join("; "))
    }
}

impl Runbook {
    /// Returns the samples for which the condition answers otherwise than they say.
    #[must_use]
    pub fn sample_faults(&self) -> Vec<FieldError> {
        let now = Timestamp::constant(1_767_225_600, 0);
        let mut faults = Vec::new();
        for (at, sample) in self.samples.iter().enumerate() {
            let (holds, words) = sample.answer(self, now);
            if holds == Some(sample.holds) {
                continue;
            }
            let got = match holds {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "is undecided",
            };
            let message = format!("{:?}: the condition {got}: {words}", sample.name);
            let path = format!("sample[{at}].holds");
            faults.push(FieldError::new(path, FieldCode::InvalidValue, message));
        }
        faults
    }

    /// Returns `true` if a test reads series of the kind.
    #[must_use]
    pub fn reads(&self, of: SeriesOf) -> bool {
        self.when
            .iter()
            .any(|test| matches!(test, Test::Metric(metric) if metric.of == of))
    }
}

#[cfg(test)]
mod tests;
