//! Rarity of an action for its principal, its peers and the estate, in that order. Each weighs more the more it has
//! seen.

use super::evidence::{Reason, Scale};
use super::names::NameId;
use super::subject::{Crowd, Past, Step, Subject};
use super::words::Verb;

/// Hours of activity after which half is known.
const HALF_KNOWN_H: f64 = 15.0;
/// Below so many other members a group says nothing about what none of them did.
const LEAST_PEERS: usize = 2;

/// Sources of the evidence on rarity: the principal, its peers and the estate.
#[derive(Clone, Copy)]
pub(crate) struct Witnesses<'a> {
    pub(crate) own: &'a Subject,
    pub(crate) principal: u64,
    pub(crate) peers: Option<&'a Crowd>,
    pub(crate) estate: &'a Crowd,
}

impl Witnesses<'_> {
    /// Hours in which others of the group did something like it, by one kind of habit.
    pub(crate) fn peers_hours(&self, habits: fn(&Past) -> &super::habit::Habits, name: NameId, hour: i64) -> f64 {
        let Some(peers) = self.peers else { return 0.0 };
        (habits(&peers.past).hours(name, hour) - habits(&self.own.past).hours(name, hour)).max(0.0)
    }

    /// Hours in which others of the estate did.
    pub(crate) fn estate_hours(&self, habits: fn(&Past) -> &super::habit::Habits, name: NameId, hour: i64) -> f64 {
        (habits(&self.estate.past).hours(name, hour) - habits(&self.own.past).hours(name, hour)).max(0.0)
    }
}

/// Returns the completeness of the knowledge after so many hours of observation: 0 to 1.
pub(crate) fn known(hours: f64) -> f64 {
    hours / (hours + HALF_KNOWN_H)
}

/// Weighs the rarity of the action and of the step that led to it.
pub(crate) fn weigh(step: &Step, witnesses: &Witnesses<'_>, refused: bool, scale: &mut Scale) {
    let actions: fn(&Past) -> &super::habit::Habits = |past| &past.actions;
    let reads = step.meaning.verb.only_looks();
    let own = witnesses.own.past.actions.hours(step.action, step.hour);
    let peers = witnesses.peers_hours(actions, step.action, step.hour);
    let estate = witnesses.estate_hours(actions, step.action, step.hour);
    novelty(step, witnesses, (own, peers, estate), scale);
    let ease = |hours: f64, slope: f64, most: f64| (slope * hours.ln_1p()).min(most);
    let habit = witnesses.own.past.actions.hours_before(step.action, step.at_ms);
    let familiar = ease(habit, 0.75, 2.5) + ease(peers, 0.35, 1.2) + ease(estate, 0.15, 0.5);
    // Of a read only so much can be taken; of one that is refused day by day, more.
    // That people mistype day by day says nothing about who fails now.
    let fails = step.meaning.verb == Verb::SignIn && !step.done;
    let most = if fails || reads && !refused { 1.0 } else { 3.2 };
    scale.add(Reason::Rarity, -familiar.min(most), "");
    turn(step, witnesses, own, scale);
}

fn novelty(step: &Step, witnesses: &Witnesses<'_>, (own, peers, estate): (f64, f64, f64), scale: &mut Scale) {
    let loudness = if step.meaning.verb.only_looks() { 0.45 } else { 1.0 };
    let noun = witnesses.own.kind.noun();
    let own_known = known(witnesses.own.past.hours.total());
    if own < 0.5 {
        let weight = 0.9 * loudness * own_known * (1.0 - 2.0 * own);
        scale.add_with(Reason::Rarity, weight, || format!("the first time this {noun} does it"));
    }
    if let Some(group) = witnesses.peers.filter(|_| own < 0.5 && peers < 0.5) {
        let others = group.others(witnesses.principal);
        if others >= LEAST_PEERS && group.others_did(step.action, witnesses.principal) == 0 {
            let weight = 0.8 * loudness * known(group.past.hours.total());
            scale.add_with(Reason::Rarity, weight, || format!("none of its {others} peers has done it"));
        }
    }
    if own < 0.5 && peers < 0.5 && estate < 0.5 {
        let weight = 0.6 * loudness * known(witnesses.estate.past.hours.total() / 4.0);
        scale.add(Reason::Rarity, weight, "nobody in the estate has done it");
    }
}

/// The step from the deed before to this one, where the deed itself is known.
fn turn(step: &Step, witnesses: &Witnesses<'_>, own: f64, scale: &mut Scale) {
    let Some(turn) = step.turn.filter(|_| own >= 0.5 && !step.meaning.verb.only_looks()) else { return };
    let turns = &witnesses.own.past.turns;
    if turns.hours(turn, step.hour) < 0.5 {
        let theirs = witnesses.peers_hours(|past| &past.turns, turn, step.hour);
        let weight = 0.5 * known(witnesses.own.past.hours.total() / 2.0) / (1.0 + theirs);
        scale.add_with(Reason::Sequence, weight, || {
            format!("never before right after what this {} did last", witnesses.own.kind.noun())
        });
    }
}
