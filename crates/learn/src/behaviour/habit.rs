//! How often something was done: in how many hours, not how many times, so that a loop of ten thousand calls makes no more of a
//! habit than one call does. Older hours fade.

use std::collections::BTreeMap;

use super::names::NameId;

/// After so many hours what was done counts half: 45 days.
const HALF_LIFE_H: f64 = 45.0 * 24.0;

/// One thing that is done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Habit {
    /// Hours in which it was done, faded to `last_hour`.
    hours: f64,
    /// The latest of them, since the epoch.
    pub(crate) last_hour: i64,
    /// How often, ever.
    pub(crate) times: u64,
}

impl Habit {
    /// How many hours it was done in, faded to `now_hour`.
    pub(crate) fn hours(&self, now_hour: i64) -> f64 {
        self.hours * fade(now_hour - self.last_hour)
    }

    fn note(&mut self, hour: i64, weight: f64) {
        self.times = self.times.saturating_add(1);
        if self.hours == 0.0 {
            (self.hours, self.last_hour) = (weight, hour);
        } else if hour > self.last_hour {
            self.hours = self.hours(hour) + weight;
            self.last_hour = hour;
        }
        // What comes late into an hour before the last is in the past of that habit already.
    }
}

fn fade(hours: i64) -> f64 {
    if hours <= 0 { 1.0 } else { (-(hours as f64) / HALF_LIFE_H).exp2() }
}

/// What is done, each with its habit; at most so many.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    items: BTreeMap<NameId, Habit>,
    all: Habit,
}

impl Habits {
    /// Notes that `name` was done in an hour.
    pub(crate) fn note(&mut self, name: NameId, hour: i64, weight: f64, most: usize) {
        if !self.items.contains_key(&name) && self.items.len() >= most {
            self.forget_rarest(hour);
        }
        let habit = self.items.entry(name).or_default();
        let known = habit.hours(hour);
        habit.note(hour, weight);
        let gained = habit.hours(hour) - known;
        // The whole is the sum over all names, so it may gain several in one hour.
        self.all.hours = self.all.hours(hour) + gained.max(0.0);
        self.all.last_hour = self.all.last_hour.max(hour);
        self.all.times = self.all.times.saturating_add(1);
    }

    fn forget_rarest(&mut self, hour: i64) {
        let rarest =
            self.items.iter().min_by(|a, b| a.1.hours(hour).total_cmp(&b.1.hours(hour))).map(|(name, _)| *name);
        if let Some(name) = rarest {
            self.items.remove(&name);
        }
    }

    /// Hours in which `name` was done.
    pub(crate) fn hours(&self, name: NameId, now_hour: i64) -> f64 {
        self.items.get(&name).map_or(0.0, |habit| habit.hours(now_hour))
    }

    /// Hours before this one in which `name` was done: an hour that has not ended makes no habit.
    pub(crate) fn hours_before(&self, name: NameId, now_hour: i64) -> f64 {
        let Some(habit) = self.items.get(&name) else { return 0.0 };
        let hours = habit.hours(now_hour);
        if habit.last_hour >= now_hour { (hours - 1.0).max(0.0) } else { hours }
    }

    /// Hours over all names: how much is known at all.
    pub(crate) fn total(&self, now_hour: i64) -> f64 {
        self.all.hours(now_hour)
    }

    /// Names and their habits, the firmest first.
    pub(crate) fn firmest(&self, now_hour: i64) -> Vec<(NameId, Habit)> {
        let mut items: Vec<_> = self.items.iter().map(|(name, habit)| (*name, *habit)).collect();
        items.sort_by(|a, b| b.1.hours(now_hour).total_cmp(&a.1.hours(now_hour)).then(a.0.cmp(&b.0)));
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
            habits.note(name, 100, 1.0, 8);
        }
        assert_eq!(habits.hours(name, 100), 1.0);
        habits.note(name, 101, 1.0, 8);
        assert!((habits.hours(name, 101) - 2.0).abs() < 0.01 && (habits.total(101) - 2.0).abs() < 0.01);
        assert!((habits.hours(name, 101 + 45 * 24) - 1.0).abs() < 0.01);
        assert_eq!(habits.firmest(101)[0].1.times, 10_001);
    }

    #[test]
    fn the_rarest_is_forgotten_first() {
        let mut habits = Habits::default();
        for (name, hours) in [(1, 5), (2, 1), (3, 3)] {
            for hour in 0..hours {
                habits.note(NameId(name), hour, 1.0, 3);
            }
        }
        habits.note(NameId(4), 5, 1.0, 3);
        assert_eq!(habits.hours(NameId(2), 5), 0.0);
        assert!(habits.hours(NameId(1), 5) > 4.0 && habits.hours(NameId(4), 5) == 1.0);
    }
}
