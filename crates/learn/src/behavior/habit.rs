//! Frequency of actions, counted in hours rather than calls, so that a loop of ten thousand calls
//! makes no more of a habit than one call does. Older hours fade.
//!
//! The hours are those of the clock. What is under way must not vouch for itself, though, and an
//! intruder does not mind the clock: so [`Habits::hours_before`] leaves out every hour of the clock
//! whose first such event is less than sixty minutes old.

use std::collections::BTreeMap;

use super::names::NameId;

/// After so many hours what was done counts half: 45 days.
const HALF_LIFE_H: f64 = 45.0 * 24.0;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;

/// An hour of the clock in which something was done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Span {
    /// Time of the first event in it.
    first_ms: i64,
    /// Share of an hour that it counts for.
    weight: f64,
}

/// One thing that is done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Habit {
    /// Hours in which it was done, faded to `last_hour`.
    hours: f64,
    /// The latest of them, since the epoch.
    pub(crate) last_hour: i64,
    /// Number of calls, ever.
    pub(crate) times: u64,
    /// The two latest of those hours, the latest first. No more of them can begin within sixty
    /// minutes.
    latest: [Span; 2],
}

impl Habit {
    /// Returns the number of hours with such a call, faded to `now_hour`.
    pub(crate) fn hours(&self, now_hour: i64) -> f64 {
        self.hours * fade(now_hour - self.last_hour)
    }

    /// Returns the number of hours with such a call, without the hours whose first call came within
    /// sixty minutes before `at_ms` or after it.
    fn hours_before(&self, at_ms: i64) -> f64 {
        let now_hour = at_ms.div_euclid(HOUR_MS);
        let fresh = self
            .latest
            .iter()
            .filter(|span| span.first_ms > at_ms - HOUR_MS);
        let fresh: f64 = fresh
            .map(|span| span.weight * fade(now_hour - span.first_ms.div_euclid(HOUR_MS)))
            .sum();
        (self.hours(now_hour) - fresh).max(0.0)
    }

    fn note(&mut self, at_ms: i64, weight: f64) {
        self.times = self.times.saturating_add(1);
        let hour = at_ms.div_euclid(HOUR_MS);

        if self.hours == 0.0 || hour > self.last_hour {
            self.hours = self.hours(hour) + weight;
            self.last_hour = hour;
            self.latest = [
                Span {
                    first_ms: at_ms,
                    weight,
                },
                self.latest[0],
            ];
        } else if hour == self.last_hour {
            self.latest[0].first_ms = self.latest[0].first_ms.min(at_ms);
        }
        // What comes late into an hour before the last is in the past of that habit already.
    }
}

fn fade(hours: i64) -> f64 {
    if hours <= 0 {
        1.0
    } else {
        (-(hours as f64) / HALF_LIFE_H).exp2()
    }
}

/// Habits by name, up to a limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    items: BTreeMap<NameId, Habit>,
    all: Habit,
}

impl Habits {
    /// Notes that `name` was done at a time, milliseconds since the epoch.
    pub(crate) fn note(&mut self, name: NameId, at_ms: i64, weight: f64, most: usize) {
        let hour = at_ms.div_euclid(HOUR_MS);
        if !self.items.contains_key(&name) && self.items.len() >= most {
            self.forget_rarest(hour);
        }

        let habit = self.items.entry(name).or_default();
        let known = habit.hours(hour);
        habit.note(at_ms, weight);
        let gained = habit.hours(hour) - known;

        // The whole is the sum over all names, so it may gain several in one hour.
        self.all.hours = self.all.hours(hour) + gained.max(0.0);
        self.all.last_hour = self.all.last_hour.max(hour);
        self.all.times = self.all.times.saturating_add(1);
    }

    fn forget_rarest(&mut self, hour: i64) {
        let rarest = self
            .items
            .iter()
            .min_by(|a, b| a.1.hours(hour).total_cmp(&b.1.hours(hour)))
            .map(|(name, _)| *name);
        if let Some(name) = rarest {
            self.items.remove(&name);
        }
    }

    /// Hours in which `name` was done.
    pub(crate) fn hours(&self, name: NameId, now_hour: i64) -> f64 {
        self.items
            .get(&name)
            .map_or(0.0, |habit| habit.hours(now_hour))
    }

    /// Hours in which `name` was done before the last sixty minutes: what is under way makes no
    /// habit of itself.
    pub(crate) fn hours_before(&self, name: NameId, at_ms: i64) -> f64 {
        self.items
            .get(&name)
            .map_or(0.0, |habit| habit.hours_before(at_ms))
    }

    /// Hours over all names: how much is known at all.
    pub(crate) fn total(&self, now_hour: i64) -> f64 {
        self.all.hours(now_hour)
    }

    /// Returns the number of different names that are remembered.
    pub(crate) fn kinds(&self) -> usize {
        self.items.len()
    }

    /// Names and their habits, the firmest first.
    pub(crate) fn firmest(&self, now_hour: i64) -> Vec<(NameId, Habit)> {
        let mut items: Vec<_> = self
            .items
            .iter()
            .map(|(name, habit)| (*name, *habit))
            .collect();

        items.sort_by(|a, b| {
            b.1.hours(now_hour)
                .total_cmp(&a.1.hours(now_hour))
                .then(a.0.cmp(&b.0))
        });
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_count_and_fade() {
        let mut habits = Habits::default();
        let name = NameId(1);
        for _ in 0..10_000 {
            habits.note(name, 100 * HOUR_MS, 1.0, 8);
        }

        assert_eq!(habits.hours(name, 100), 1.0);
        habits.note(name, 101 * HOUR_MS, 1.0, 8);
        assert!(
            (habits.hours(name, 101) - 2.0).abs() < 0.01 && (habits.total(101) - 2.0).abs() < 0.01
        );
        assert!((habits.hours(name, 101 + 45 * 24) - 1.0).abs() < 0.01);
        assert_eq!(habits.firmest(101)[0].1.times, 10_001);
    }

    /// An event is repeated for an hour from a minute on: whatever that minute is, none of it is a
    /// habit until an hour has passed.
    #[test]
    fn an_ongoing_burst_is_no_habit_at_the_turn_of_the_hour() {
        const MINUTE_MS: i64 = 60_000;
        for begins_at_minute in 0..60 {
            let (mut habits, name) = (Habits::default(), NameId(1));
            let begun = 100 * HOUR_MS + begins_at_minute * MINUTE_MS;
            for minute in 0..60 {
                let at = begun + minute * MINUTE_MS;
                assert_eq!(
                    habits.hours_before(name, at),
                    0.0,
                    "begun at minute {begins_at_minute}, {minute} min later"
                );
                habits.note(name, at, 1.0, 8);
            }
            assert!(
                habits.hours_before(name, begun + HOUR_MS) > 0.99,
                "begun at minute {begins_at_minute}"
            );
        }
    }

    /// Unusual actions count for less, no more than that is taken off again, and late ones change
    /// nothing.
    #[test]
    fn a_habit_of_before_stays_beside_what_is_under_way() {
        let (mut habits, name) = (Habits::default(), NameId(1));
        for hour in 0..10 {
            habits.note(name, hour * HOUR_MS, 1.0, 8);
        }

        habits.note(name, 20 * HOUR_MS - 1, 0.25, 8);
        habits.note(name, 20 * HOUR_MS + 1, 0.25, 8);
        let before = habits.hours_before(name, 20 * HOUR_MS + 2);
        assert!((before - 10.0).abs() < 0.1, "{before}");
        habits.note(name, 3 * HOUR_MS + 7, 1.0, 8);
        assert_eq!(habits.hours_before(name, 20 * HOUR_MS + 2), before);
    }

    #[test]
    fn the_rarest_is_forgotten_first() {
        let mut habits = Habits::default();
        for (name, hours) in [(1, 5), (2, 1), (3, 3)] {
            for hour in 0..hours {
                habits.note(NameId(name), hour * HOUR_MS, 1.0, 3);
            }
        }

        habits.note(NameId(4), 5 * HOUR_MS, 1.0, 3);
        assert_eq!(habits.hours(NameId(2), 5), 0.0);
        assert!(habits.hours(NameId(1), 5) > 4.0 && habits.hours(NameId(4), 5) == 1.0);
    }
}
