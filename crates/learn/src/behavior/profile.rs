//! Profile of a principal's usual behavior for display: actions, hours, places, peers, and recent
//! unusual actions.

use super::event::{ActivityEvent, BehaviorPrincipalKind};
use super::evidence::BehaviorJudgement;
use super::habit::Habits;
use super::names::{BehaviorNames, NameId};
use super::subject::BehaviorSubject;

/// Entries of each list.
const MOST: usize = 10;

/// An event that was unusual.
#[derive(Debug, Clone, PartialEq)]
pub struct Unusual {
    /// Time of the action, in milliseconds since the epoch.
    pub at_ms: i64,
    pub operation: String,
    /// The resource; empty where none was named.
    pub resource: String,
    /// From 0 to 1.
    pub score: f64,
    /// Weightiest reasons of the score, in words.
    pub reasons: Vec<String>,
}

impl Unusual {
    pub(crate) fn new(event: &ActivityEvent, judgement: &BehaviorJudgement) -> Self {
        Self {
            at_ms: event.at_ms,
            operation: event.operation.clone(),
            resource: event.resource.clone(),
            score: judgement.score,
            reasons: judgement.reasons().take(3).map(str::to_owned).collect(),
        }
    }
}

/// Somebody of the same group.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    pub principal: String,
    /// Share of the principal's usual actions that the peer performs too, by hours: 0 to 1.
    pub likeness: f64,
}

/// Usual behavior of a principal.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Identifier of the principal.
    pub principal: String,
    /// Kind of the principal.
    pub kind: BehaviorPrincipalKind,
    /// The group it is compared with; empty for none.
    pub group: String,
    /// Events of the principal that the watch has read.
    pub events: u64,
    /// Days with any event.
    pub days: u32,
    /// The first and the last event, in milliseconds since the epoch.
    pub seen_ms: (i64, i64),
    /// Usual actions with their number of calls, the most habitual first.
    pub actions: Vec<(String, u64)>,
    /// Networks it comes from.
    pub networks: Vec<(String, u64)>,
    /// Regions it works in.
    pub regions: Vec<(String, u64)>,
    /// Hours of a working day (0 to 23, UTC) that hold nine tenths of what it does.
    pub hours: Vec<u8>,
    /// Its peers, the likest first.
    pub peers: Vec<Peer>,
    /// Recent unusual actions, the latest first.
    pub unusual: Vec<Unusual>,
}

impl Profile {
    pub(crate) fn new<'a>(
        principal: &str,
        subject: &BehaviorSubject,
        peers: impl Iterator<Item = (&'a String, &'a BehaviorSubject)>,
        names: &BehaviorNames,
    ) -> Self {
        let now_hour = subject.last_ms.div_euclid(3_600_000);
        let list = |habits: &Habits| -> Vec<(String, u64)> {
            let firmest = habits.firmest(now_hour).into_iter().take(MOST);
            firmest
                .map(|(name, habit)| (plain(names.text(name)), habit.times))
                .collect()
        };

        let own = subject.past.actions.firmest(now_hour);
        let mut peers: Vec<Peer> = peers
            .map(|(name, other)| Peer {
                principal: name.clone(),
                likeness: likeness(&own, other, now_hour),
            })
            .collect();

        peers.sort_by(|a, b| {
            b.likeness
                .total_cmp(&a.likeness)
                .then_with(|| a.principal.cmp(&b.principal))
        });
        peers.truncate(MOST);
        let mut unusual: Vec<Unusual> = subject.unusual.iter().cloned().collect();
        unusual.sort_by_key(|one| std::cmp::Reverse(one.at_ms));

        Self {
            principal: principal.to_owned(),
            kind: subject.kind,
            group: subject.peers.clone(),
            events: subject.events,
            days: subject.past.hours.days(),
            seen_ms: (subject.first_ms, subject.last_ms),
            actions: list(&subject.past.actions),
            networks: list(&subject.past.networks),
            regions: list(&subject.past.regions),
            hours: subject.past.hours.usual(),
            peers,
            unusual,
        }
    }
}

/// The share of the principal's habitual hours that went into things the other does too.
fn likeness(own: &[(NameId, super::habit::Habit)], other: &BehaviorSubject, now_hour: i64) -> f64 {
    let (mut shared, mut all) = (0.0, 0.0);
    for (name, habit) in own {
        let hours = habit.hours(now_hour);
        all += hours;
        shared += hours.min(other.past.actions.hours(*name, now_hour));
    }
    if all > 0.0 { shared / all } else { 0.0 }
}

/// An action without the marks of its outcome and gravity.
fn plain(action: &str) -> String {
    let action = action.split('+').next().unwrap_or(action);
    match action.strip_prefix('!') {
        Some(failed) => format!("{failed} (failed)"),
        None => action.to_owned(),
    }
}
