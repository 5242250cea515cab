//! Thresholds that lessons have moved: how far beyond the usual band a deviation must lie to be
//! reported.
//!
//! Three false alarms raise the threshold just beyond the largest of the last three, to four times
//! the band at the most, so that something much stranger is always reported. A confirmed anomaly
//! keeps it from rising beyond what was confirmed, and confirmed ones alone lower it by a tenth
//! each, to seven tenths at the least. Lessons count for a year.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use reeve_estate::Metric;
use reeve_recommend::words::minute;

use super::super::record::{AnomalyClass, Reading};
use super::{Direction, Lesson, LessonKind, ThresholdKey, excess};

/// False alarms that raise a threshold.
const FALSE_ALARMS: usize = 3;
/// The threshold lies this much beyond the largest of them.
const BEYOND: f64 = 1.1;
/// A threshold at the least, in usual bands.
pub(crate) const LOWEST: f64 = 0.7;
/// A threshold at the most, in usual bands.
const HIGHEST: f64 = 4.0;
/// The same of behavior, whose scores end at 1.
const BEHAVIOR_MOST: f64 = 1.5;
/// Factor of each confirmed anomaly.
const CONFIRMED: f64 = 0.9;
/// Time for which a lesson counts.
const COUNTS_FOR: SignedDuration = SignedDuration::from_hours(24 * 365);

/// Threshold of one kind of anomaly at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonThreshold {
    /// Kind of anomaly and place that the threshold applies to.
    pub key: ThresholdKey,
    /// Multiple of the usual band from which a deviation is reported; 1 where nothing moved it.
    pub factor: f64,
    /// Start of the level that people called usual; what came before does not count.
    pub baseline_from: Option<Timestamp>,
    /// Lessons that count, newest first.
    pub lessons: Vec<Lesson>,
}

impl LessonThreshold {
    /// The threshold that lessons of one key lead to.
    #[must_use]
    pub fn from_lessons(key: ThresholdKey, mut lessons: Vec<Lesson>, now: Timestamp) -> Self {
        lessons.retain(|one| one.withdrawn.is_none() && now.duration_since(one.at) <= COUNTS_FOR);
        lessons.sort_by_key(|one| std::cmp::Reverse(one.at));
        let factor = factor(&key, &lessons);
        let accepted = lessons
            .iter()
            .filter(|one| one.kind == LessonKind::NewNormal);
        let baseline_from = accepted.map(|one| one.started_at).max();

        LessonThreshold {
            key,
            factor,
            baseline_from,
            lessons,
        }
    }

    fn count(&self, kinds: &[LessonKind]) -> usize {
        self.lessons
            .iter()
            .filter(|one| kinds.contains(&one.kind))
            .count()
    }

    /// Explains in a sentence how the lessons moved the threshold.
    #[must_use]
    pub fn reason(&self) -> String {
        let false_alarms = self.count(&[LessonKind::FalseAlarm]);
        let confirmed = self.count(&[LessonKind::Confirmed, LessonKind::RemedyHeld]);
        let said = format!("{false_alarms} false alarms and {confirmed} confirmed anomalies count");
        let moved = if self.factor > 1.0 {
            "raised beyond the last three false alarms".to_owned()
        } else if self.factor < 1.0 {
            "lowered by a tenth for each confirmed anomaly".to_owned()
        } else if false_alarms > 0 && false_alarms < FALSE_ALARMS {
            format!("as configured: {FALSE_ALARMS} false alarms raise it")
        } else {
            "as configured".to_owned()
        };

        match self.baseline_from {
            Some(from) => format!("{moved}; {said}; the baseline begins on {}", minute(from)),
            None => format!("{moved}; {said}"),
        }
    }
}

fn factor(key: &ThresholdKey, lessons: &[Lesson]) -> f64 {
    let of =
        |kinds: &'static [LessonKind]| lessons.iter().filter(move |one| kinds.contains(&one.kind));
    let real: &'static [LessonKind] = &[LessonKind::Confirmed, LessonKind::RemedyHeld];
    let last: Vec<f64> = of(&[LessonKind::FalseAlarm])
        .take(FALSE_ALARMS)
        .map(|one| one.excess)
        .collect();
    let most = if key.class == AnomalyClass::Security {
        BEHAVIOR_MOST
    } else {
        HIGHEST
    };

    if last.len() < FALSE_ALARMS {
        return CONFIRMED
            .powi(i32::try_from(of(real).count()).unwrap_or(i32::MAX))
            .max(LOWEST);
    }

    let raised = BEYOND * last.into_iter().fold(1.0, f64::max);
    let confirmed = of(real).map(|one| one.excess).fold(f64::INFINITY, f64::min);
    raised.min(confirmed).clamp(1.0, most)
}

/// All thresholds that were moved.
#[derive(Debug, Clone, Default)]
pub struct LessonThresholds {
    all: HashMap<ThresholdKey, LessonThreshold>,
}

impl LessonThresholds {
    /// The thresholds that lessons lead to.
    #[must_use]
    pub fn from_lessons(lessons: Vec<Lesson>, now: Timestamp) -> Self {
        let mut by_key: BTreeMap<ThresholdKey, Vec<Lesson>> = BTreeMap::new();
        for lesson in lessons {
            by_key.entry(lesson.key.clone()).or_default().push(lesson);
        }

        let all = by_key
            .into_iter()
            .map(|(key, lessons)| {
                (
                    key.clone(),
                    LessonThreshold::from_lessons(key, lessons, now),
                )
            })
            .collect();
        LessonThresholds { all }
    }

    /// Every threshold, in the order of its key.
    #[must_use]
    pub fn list(&self) -> Vec<&LessonThreshold> {
        let mut all: Vec<&LessonThreshold> = self
            .all
            .values()
            .filter(|one| !one.lessons.is_empty())
            .collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    }

    /// The threshold of a key; 1 where no lesson moved it.
    #[must_use]
    pub fn factor(&self, key: &ThresholdKey) -> f64 {
        self.all.get(key).map_or(1.0, |one| one.factor)
    }

    /// Returns `true` if a deviation lies beyond the threshold of its kind and place.
    #[must_use]
    pub fn passes(&self, class: AnomalyClass, place: &str, reading: &Reading) -> bool {
        let factor = self.factor(&ThresholdKey::new(class, place, reading));
        factor <= 1.0 || excess(reading) >= factor
    }

    /// The lowest threshold of a metric of a resource, at most 1: how much more sensitive its
    /// detector is.
    #[must_use]
    pub(crate) fn sensitivity(
        &self,
        class: AnomalyClass,
        metric: Option<Metric>,
        place: &str,
    ) -> f64 {
        let key = |direction| ThresholdKey {
            class,
            metric,
            direction,
            place: place.to_owned(),
        };
        Direction::ALL
            .iter()
            .map(|direction| self.factor(&key(*direction)))
            .fold(1.0, f64::min)
    }

    /// Start of the level that people called usual, of a metric of a resource or of a place's
    /// spending.
    #[must_use]
    pub(crate) fn baseline_from(
        &self,
        class: AnomalyClass,
        metric: Option<Metric>,
        place: &str,
    ) -> Option<Timestamp> {
        let key = |direction| ThresholdKey {
            class,
            metric,
            direction,
            place: place.to_owned(),
        };
        Direction::ALL
            .iter()
            .filter_map(|direction| self.all.get(&key(*direction))?.baseline_from)
            .max()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_recommend::recommendation::origin::AnomalyId;

    use super::*;

    fn key() -> ThresholdKey {
        let (class, metric) = (AnomalyClass::Performance, Some(Metric::CpuUtilization));
        ThresholdKey {
            class,
            metric,
            direction: Direction::Above,
            place: "i-1".to_owned(),
        }
    }

    fn lessons(of: &[(LessonKind, f64)]) -> Vec<Lesson> {
        let at = |hour: usize| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour as i64);
        let lesson = |(hour, (kind, excess)): (usize, &(LessonKind, f64))| Lesson {
            anomaly: AnomalyId(format!("an-{hour}")),
            key: key(),
            kind: *kind,
            excess: *excess,
            started_at: at(hour),
            at: at(hour),
            by: "ann@example.com".to_owned(),
            withdrawn: None,
        };

        of.iter().enumerate().map(lesson).collect()
    }

    fn factor_of(of: &[(LessonKind, f64)]) -> f64 {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24);
        (LessonThreshold::from_lessons(key(), lessons(of), now).factor * 1000.0).round() / 1000.0
    }

    #[test]
    fn false_alarms_raise_and_confirmed_ones_lower_within_bounds() {
        use LessonKind::{Confirmed, FalseAlarm, NewNormal, RemedyFailed, RemedyHeld};

        assert_eq!(factor_of(&[]), 1.0);
        assert_eq!(
            factor_of(&[(FalseAlarm, 2.0); 2]),
            1.0,
            "two answers raise nothing"
        );

        assert_eq!(
            factor_of(&[(FalseAlarm, 2.0), (FalseAlarm, 1.5), (FalseAlarm, 1.2)]),
            2.2
        );
        assert_eq!(
            factor_of(&[
                (FalseAlarm, 9.0),
                (FalseAlarm, 1.5),
                (FalseAlarm, 1.2),
                (FalseAlarm, 1.0)
            ]),
            1.65
        );

        assert_eq!(factor_of(&[(FalseAlarm, 50.0); 5]), 4.0, "at the most");
        assert_eq!(
            factor_of(&[
                (FalseAlarm, 3.0),
                (FalseAlarm, 3.0),
                (FalseAlarm, 3.0),
                (Confirmed, 2.0)
            ]),
            2.0
        );

        assert_eq!(factor_of(&[(Confirmed, 2.0)]), 0.9);
        assert_eq!(factor_of(&[(Confirmed, 2.0), (RemedyHeld, 2.0)]), 0.81);
        assert_eq!(factor_of(&[(Confirmed, 2.0); 9]), 0.7, "at the least");
        assert_eq!(factor_of(&[(RemedyFailed, 2.0), (NewNormal, 2.0)]), 1.0);
    }

    #[test]
    fn withdrawn_and_old_lessons_do_not_count() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24);
        let mut taken_back = lessons(&[(LessonKind::FalseAlarm, 2.0); 3]);
        taken_back[0].withdrawn = Some((now, "bob@example.com".to_owned()));
        assert_eq!(
            LessonThreshold::from_lessons(key(), taken_back, now).factor,
            1.0
        );
        let old = lessons(&[(LessonKind::FalseAlarm, 2.0); 3]);
        let later = now + SignedDuration::from_hours(24 * 366);
        assert_eq!(LessonThreshold::from_lessons(key(), old, later).factor, 1.0);
    }
}
