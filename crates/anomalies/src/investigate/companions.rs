//! Companions of an anomaly: the other metrics of its resource during the anomaly, each compared
//! with the same hours of the days before.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, SampleSeries};
use reeve_recommend::words::figures;

use super::super::investigation::{InvestigationEvidence, InvestigationLink, Lookup, Source};
use super::super::pace::POINT;
use super::super::record::Anomaly;
use super::super::words;

/// Days that the anomaly's hours are compared with.
const DAYS: i64 = 7;
/// Days with samples below which nothing is compared.
const LEAST_DAYS: usize = 2;
/// Least period that is compared: one point says little.
const LEAST_PERIOD: SignedDuration = SignedDuration::from_mins(15);
/// Factor from which a metric counts as higher than usual.
const HIGHER: f64 = 1.4;
/// Usual values below this share of the present one count as zero: no factor is stated.
const NOTHING: f64 = 1e-3;

/// A metric during the anomaly and usually at that time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Companion {
    pub(crate) metric: Metric,
    /// Mean during the anomaly.
    pub(crate) during: f64,
    /// Median of the means at the same time of the days before.
    pub(crate) usual: f64,
}

impl Companion {
    /// Returns `true` if the metric was higher than usual.
    pub(crate) fn is_higher(&self) -> bool {
        self.during > HIGHER * self.usual && self.during > 0.0
    }

    pub(crate) fn evidence(&self) -> InvestigationEvidence {
        let (during, usual) = (
            words::amount(self.metric, self.during),
            words::amount(self.metric, self.usual),
        );
        let times = if self.usual > NOTHING * self.during {
            self.during / self.usual
        } else {
            f64::INFINITY
        };

        let times = if times.is_finite() {
            format!(", {} times as high", figures(times))
        } else {
            String::new()
        };

        let text = format!(
            "{} averaged {during} during the anomaly, usually {usual} at that time{times}",
            words::name(self.metric)
        );
        InvestigationEvidence::new(text, InvestigationLink::Metric(self.metric))
    }
}

/// Start of the samples that the comparison of an anomaly needs.
pub(crate) fn first_needed(of: &Anomaly) -> Timestamp {
    of.started_at
        .checked_sub(SignedDuration::from_hours(24 * DAYS))
        .unwrap_or(Timestamp::MIN)
}

fn period(of: &Anomaly) -> (Timestamp, Timestamp) {
    let end = of.last_at + POINT;
    let least = of.started_at + LEAST_PERIOD;
    (of.started_at, end.max(least))
}

fn mean(series: &SampleSeries, from: Timestamp, to: Timestamp) -> Option<f64> {
    let values = series
        .points
        .iter()
        .filter(|(at, value)| *at >= from && *at < to && value.is_finite());
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), (_, value)| {
        (sum + value, count + 1.0)
    });
    (count > 0.0).then(|| sum / count)
}

fn compare(series: &SampleSeries, (from, to): (Timestamp, Timestamp)) -> Option<Companion> {
    let during = mean(series, from, to)?;
    let mut before: Vec<f64> = (1..=DAYS)
        .filter_map(|day| {
            let back = SignedDuration::from_hours(24 * day);
            mean(
                series,
                from.checked_sub(back).ok()?,
                to.checked_sub(back).ok()?,
            )
        })
        .collect();

    if before.len() < LEAST_DAYS {
        return None;
    }

    before.sort_by(f64::total_cmp);
    let middle = before.len() / 2;
    let usual = if before.len() % 2 == 1 {
        before[middle]
    } else {
        f64::midpoint(before[middle - 1], before[middle])
    };

    Some(Companion {
        metric: series.metric,
        during,
        usual,
    })
}

/// Compares every metric of the resource. Returns the comparisons and one lookup for each metric
/// that was asked for.
pub(crate) fn companions(
    of: &Anomaly,
    asked: &[Metric],
    read: &[SampleSeries],
) -> (Vec<Companion>, Vec<Lookup>) {
    let span = period(of);
    let mut found = Vec::new();
    let mut lookups = Vec::new();

    for metric in asked {
        let series = read.iter().find(|series| series.metric == *metric);
        let compared = series.and_then(|series| compare(series, span));
        let count = series.map_or(0, |series| series.points.len());
        let result = match (&compared, count) {
            (_, 0) => "no samples".to_owned(),
            (None, _) => "too few days to compare with".to_owned(),
            (Some(one), _) => {
                let higher = if one.is_higher() {
                    "higher than usual: "
                } else {
                    ""
                };
                let (during, usual) = (
                    words::amount(*metric, one.during),
                    words::amount(*metric, one.usual),
                );
                format!("{higher}{during} on average, usually {usual} at that time")
            }
        };
        lookups.push(Lookup {
            source: Source::Metrics,
            subject: metric.as_str().to_owned(),
            from: first_needed(of),
            to: span.1,
            found: Some(count as u64),
            result,
        });
        found.extend(compared);
    }

    (found, lookups)
}
