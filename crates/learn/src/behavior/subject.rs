//! Memory of a principal, of its peers, and of the estate.

use std::collections::{BTreeMap, VecDeque};

use super::event::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind};
use super::habit::Habits;
use super::hours::Hours;
use super::names::NameId;
use super::pace::BehaviorPace;
use super::prior::Meaning;
use super::profile::Unusual;
use super::words::Verb;

/// Different actions remembered of one subject.
const MOST_ACTIONS: usize = 256;
/// Different networks, regions, programs, steps remembered of one subject.
const MOST_OTHER: usize = 96;
/// Different paces kept of one subject.
const MOST_PACES: usize = 48;
/// Those who did one thing, by name, up to so many.
const MOST_DOERS: usize = 8;
/// Members of a group that are distinguished.
const MOST_MEMBERS: usize = 512;
/// A visit lasts so long from its first event on.
const SESSION_MS: i64 = 3_600_000;
/// Time in which the gravity of an event halves for what is done beside it. With one that lasted an
/// hour, somebody who does one severe thing an hour was suspect all day, and everything they did
/// ranked alike.
const SEVERITY_HALF_LIFE_MS: f64 = 600_000.0;
/// Unusual events remembered of one principal.
const MOST_UNUSUAL: usize = 8;

/// The parts of an event that habits are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Service, operation, outcome and severe traits.
    pub(crate) action: NameId,
    pub(crate) network: Option<NameId>,
    pub(crate) region: Option<NameId>,
    pub(crate) country: Option<NameId>,
    pub(crate) tool: Option<NameId>,
    pub(crate) meaning: Meaning,
    pub(crate) hour: i64,
    pub(crate) at_ms: i64,
    /// From the kind of event before to this one.
    pub(crate) transition: Option<NameId>,
    /// `true` if the action succeeded: a refused or failed one makes no place a usual one.
    pub(crate) done: bool,
}

impl Step {
    /// Returns `true` if the action is a sign-in that failed.
    pub(crate) fn failed_sign_in(&self, event: &ActivityEvent) -> bool {
        self.meaning.verb == Verb::SignIn && event.outcome != BehaviorOutcome::Done
    }
}

/// Habits of any subject.
#[derive(Debug, Clone, Default)]
pub(crate) struct Past {
    pub(crate) actions: Habits,
    pub(crate) networks: Habits,
    pub(crate) regions: Habits,
    pub(crate) countries: Habits,
    pub(crate) tools: Habits,
    /// From one kind of event to the next.
    pub(crate) transitions: Habits,
    pub(crate) hours: Hours,
}

impl Past {
    pub(crate) fn note(&mut self, step: &Step, weight: f64) {
        self.actions
            .note(step.action, step.at_ms, weight, MOST_ACTIONS);
        let other = |habits: &mut Habits, name: Option<NameId>| {
            if let Some(name) = name {
                habits.note(name, step.at_ms, weight, MOST_OTHER);
            }
        };

        if step.done {
            other(&mut self.networks, step.network);
            other(&mut self.countries, step.country);
        }

        other(&mut self.regions, step.region);
        other(&mut self.tools, step.tool);
        other(&mut self.transitions, step.transition);
        self.hours.note(step.hour, weight);
    }
}

/// Actions of a principal within an hour.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActivitySession {
    began_ms: Option<i64>,
    /// Bits of the kinds of looking around, by fingerprint.
    pub(crate) looks: BehaviorSample,
    /// Secrets and copies touched.
    pub(crate) targets: BehaviorSample,
    pub(crate) denied: u32,
    /// Different operations that were refused.
    pub(crate) refused: BehaviorSample,
    pub(crate) failed_logins: u32,
    /// Accounts whose sign-ins failed.
    pub(crate) accounts: BehaviorSample,
    /// Severity of the most severe action, without the severity that it passed on to others.
    pub(crate) severity: f64,
    /// Time of the most severe action.
    pub(crate) severest_ms: i64,
    /// Name of the most severe action.
    pub(crate) severest: Option<NameId>,
    /// Stages of an intrusion, a bit each.
    pub(crate) stages: u8,
}

impl ActivitySession {
    /// The visit that an event of this time belongs to: events may arrive out of order.
    pub(crate) fn at(&mut self, at_ms: i64) -> &mut Self {
        let near = self
            .began_ms
            .is_some_and(|began| (at_ms - began).abs() < SESSION_MS);
        if !near {
            *self = Self {
                began_ms: Some(at_ms),
                ..Self::default()
            };
        }

        self
    }

    /// Returns the severity of the earlier actions at a time: it halves every ten minutes.
    pub(crate) fn severity_at(&self, at_ms: i64) -> f64 {
        let away = (at_ms - self.severest_ms).unsigned_abs() as f64 / SEVERITY_HALF_LIFE_MS;
        self.severity * (-away).exp2()
    }
}

/// Counts distinct things with 256 bits (linear counting, Whang and others 1990).
#[derive(Debug, Clone, Default)]
pub(crate) struct BehaviorSample([u64; 4]);

impl BehaviorSample {
    pub(crate) fn insert(&mut self, fingerprint: u64) {
        self.0[(fingerprint >> 6) as usize & 3] |= 1 << (fingerprint & 63);
    }

    /// Adds everything of another.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(word, more)| *word |= more);
    }

    /// About how many there are; beyond some thousand, some thousand.
    pub(crate) fn count(&self) -> f64 {
        let zeros: u32 = self.0.iter().map(|word| word.count_zeros()).sum();
        if zeros == 0 {
            1420.0
        } else {
            -256.0 * (f64::from(zeros) / 256.0).ln()
        }
    }
}

/// Everything the watch remembers of one principal.
#[derive(Debug, Clone, Default)]
pub(crate) struct BehaviorSubject {
    pub(crate) kind: BehaviorPrincipalKind,
    pub(crate) peers: String,
    pub(crate) past: Past,
    pub(crate) paces: BTreeMap<(Verb, u8), BehaviorPace>,
    pub(crate) session: ActivitySession,
    pub(crate) last: Option<Meaning>,
    /// Number of actions that set something up.
    pub(crate) setups: u32,
    pub(crate) unusual: VecDeque<Unusual>,
    pub(crate) events: u64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
    /// Last activity, as the number of actions that the whole watch had seen by then.
    pub(crate) seen: u64,
}

impl BehaviorSubject {
    /// Counts an event of this meaning.
    pub(crate) fn count(&mut self, step: &Step) {
        let key = self.pace_key(step);
        self.paces.entry(key).or_default().count(step.at_ms);
    }

    /// Returns the usual rate of actions with this meaning.
    pub(crate) fn pace(&self, step: &Step) -> Option<&BehaviorPace> {
        self.paces.get(&self.pace_key(step))
    }

    fn pace_key(&self, step: &Step) -> (Verb, u8) {
        let key = (step.meaning.verb, step.meaning.class as u8);
        if self.paces.len() < MOST_PACES || self.paces.contains_key(&key) {
            key
        } else {
            (Verb::Other, 0)
        }
    }

    pub(crate) fn remember(&mut self, unusual: Unusual) {
        if self.unusual.len() == MOST_UNUSUAL {
            self.unusual.pop_front();
        }
        self.unusual.push_back(unusual);
    }
}

/// A group of peers, or the whole estate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Population {
    pub(crate) past: Past,
    /// Principals by action, as fingerprints. Late ones are not listed, so a full list means many.
    principals_by_action: BTreeMap<NameId, Vec<u64>>,
    members: Vec<u64>,
    pub(crate) seen: u64,
}

impl Population {
    pub(crate) fn note(&mut self, step: &Step, weight: f64, principal: u64) {
        self.past.note(step, weight);
        if !self.members.contains(&principal) && self.members.len() < MOST_MEMBERS {
            self.members.push(principal);
        }
        if self.principals_by_action.len() >= 4 * MOST_ACTIONS
            && !self.principals_by_action.contains_key(&step.action)
        {
            self.principals_by_action.pop_first();
        }

        let principals_by_action = self.principals_by_action.entry(step.action).or_default();
        if principals_by_action.len() < MOST_DOERS && !principals_by_action.contains(&principal) {
            principals_by_action.push(principal);
        }
    }

    /// Returns the number of other members that performed the action, as far as they are counted.
    pub(crate) fn others_did(&self, action: NameId, principal: u64) -> usize {
        self.principals_by_action
            .get(&action)
            .map_or(0, |principals_by_action| {
                principals_by_action
                    .iter()
                    .filter(|one| **one != principal)
                    .count()
            })
    }

    /// Returns the number of other members.
    pub(crate) fn others(&self, principal: u64) -> usize {
        self.members.iter().filter(|one| **one != principal).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_things_are_counted_about() {
        for n in [1_u64, 5, 30, 200] {
            let mut sample = BehaviorSample::default();
            for _ in 0..3 {
                (0..n).for_each(|i| {
                    sample.insert(super::super::names::fingerprint(&[&i.to_string()]))
                });
            }
            let error = (sample.count() - n as f64).abs() / n as f64;
            assert!(error < 0.25, "{n}: {}", sample.count());
        }
    }

    #[test]
    fn a_visit_ends_after_an_hour_either_way() {
        let mut session = ActivitySession::default();
        session.at(10 * SESSION_MS).denied = 3;
        assert_eq!(session.at(10 * SESSION_MS - 60_000).denied, 3);
        assert_eq!(session.at(11 * SESSION_MS + 1).denied, 0);
    }
}
