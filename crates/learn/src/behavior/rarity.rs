//! Rarity of an action for its principal, its peers and the estate, in that order. Each weighs more
//! the more it has seen.

use super::evidence::{BehaviorReason, EvidenceList};
use super::habit::Habits;
use super::names::NameId;
use super::subject::{BehaviorSubject, Past, Population, Step};
use super::words::Verb;

/// Hours of activity after which half is known.
const HALF_KNOWN_H: f64 = 15.0;
/// Below so many other members a group says nothing about what none of them did.
const LEAST_PEERS: usize = 2;

/// Weight that each e-fold of the actions that set something up takes off the next one in a new
/// estate.
const PER_SETUP: f64 = 0.9;
/// Most weight that set-up takes off one action.
const MOST_SETUP: f64 = 2.5;
/// Share with which what others set up counts for a principal.
const SETUP_OF_OTHERS: f64 = 0.1;
/// Hours of activity after which an estate is half set up. Squared, so that little is left of it
/// after a day.
const HALF_SET_UP_H: f64 = 8.0;

/// Sources of the evidence on rarity: the principal, its peers and the estate.
#[derive(Clone, Copy)]
pub(crate) struct Baselines<'a> {
    pub(crate) own: &'a BehaviorSubject,
    pub(crate) principal: u64,
    pub(crate) peers: Option<&'a Population>,
    pub(crate) estate: &'a Population,
    /// Networks from which people work.
    pub(crate) people: &'a Habits,
    /// Actions by which anybody set something up.
    pub(crate) setups: u32,
}

impl Baselines<'_> {
    /// Hours in which others of the group did something like it, by one kind of habit.
    pub(crate) fn peers_hours(&self, habits: fn(&Past) -> &Habits, name: NameId, hour: i64) -> f64 {
        let Some(peers) = self.peers else { return 0.0 };
        (habits(&peers.past).hours(name, hour) - habits(&self.own.past).hours(name, hour)).max(0.0)
    }

    /// Hours in which others of the estate did.
    pub(crate) fn estate_hours(
        &self,
        habits: fn(&Past) -> &Habits,
        name: NameId,
        hour: i64,
    ) -> f64 {
        (habits(&self.estate.past).hours(name, hour) - habits(&self.own.past).hours(name, hour))
            .max(0.0)
    }
}

/// Returns the completeness of the knowledge after so many hours of observation: 0 to 1.
pub(crate) fn known(hours: f64) -> f64 {
    hours / (hours + HALF_KNOWN_H)
}

/// Raises the bar while an estate is being set up: identities, rights, keys and rules are then made
/// by the dozen, and each would pass for severe. The first of them are judged in full, the next
/// ones the less the more there were, until the estate is known.
pub(crate) fn setting_up(baselines: &Baselines<'_>, evidence: &mut EvidenceList) {
    let own = f64::from(baselines.own.setups);
    let others = f64::from(baselines.setups) - own;
    let young = 1.0 / (1.0 + (baselines.estate.past.hours.total() / HALF_SET_UP_H).powi(2));
    let weight =
        (PER_SETUP * (own + SETUP_OF_OTHERS * others.max(0.0)).ln_1p()).min(MOST_SETUP) * young;
    evidence.add(BehaviorReason::Rarity, -weight, "");
}

/// Adds evidence from the rarity of the action and of the step that led to it.
///
/// With credentials used `elsewhere` than where they belong, what their owner does every day says
/// nothing for the caller.
pub(crate) fn add_evidence(
    step: &Step,
    baselines: &Baselines<'_>,
    (refused, elsewhere): (bool, bool),
    evidence: &mut EvidenceList,
) {
    let actions: fn(&Past) -> &Habits = |past| &past.actions;
    let reads = step.meaning.verb.only_looks();
    let own = baselines.own.past.actions.hours(step.action, step.hour);
    let peers = baselines.peers_hours(actions, step.action, step.hour);
    let estate = baselines.estate_hours(actions, step.action, step.hour);
    novelty(step, baselines, (own, peers, estate), evidence);
    let ease = |hours: f64, slope: f64, most: f64| (slope * hours.ln_1p()).min(most);
    let habit = baselines
        .own
        .past
        .actions
        .hours_before(step.action, step.at_ms);
    let familiar = ease(habit, 0.75, 2.5) + ease(peers, 0.35, 1.2) + ease(estate, 0.15, 0.5);

    // Of a read only so much can be taken; of one that is refused day by day, more.
    // That people mistype day by day says nothing about who fails now.
    let fails = step.meaning.verb == Verb::SignIn && !step.done;
    let most = if fails || reads && !refused { 1.0 } else { 3.2 };
    evidence.add(
        BehaviorReason::Rarity,
        if elsewhere { 0.0 } else { -familiar.min(most) },
        "",
    );
    transition(step, baselines, own, evidence);
}

fn novelty(
    step: &Step,
    baselines: &Baselines<'_>,
    (own, peers, estate): (f64, f64, f64),
    evidence: &mut EvidenceList,
) {
    let verb_factor = if step.meaning.verb.only_looks() {
        0.45
    } else {
        1.0
    };

    let noun = baselines.own.kind.noun();
    let own_known = known(baselines.own.past.hours.total());

    if own < 0.5 {
        let weight = 0.9 * verb_factor * own_known * (1.0 - 2.0 * own);
        evidence.add_with(BehaviorReason::Rarity, weight, || {
            format!("first time for this {noun}")
        });
    }

    if let Some(group) = baselines.peers.filter(|_| own < 0.5 && peers < 0.5) {
        let others = group.others(baselines.principal);
        if others >= LEAST_PEERS && group.others_did(step.action, baselines.principal) == 0 {
            let weight = 0.8 * verb_factor * known(group.past.hours.total());
            evidence.add_with(BehaviorReason::Rarity, weight, || {
                format!("none of its {others} peers has ever done it")
            });
        }
    }

    if own < 0.5 && peers < 0.5 && estate < 0.5 {
        let weight = 0.6 * verb_factor * known(baselines.estate.past.hours.total() / 4.0);
        evidence.add(BehaviorReason::Rarity, weight, "first time in this estate");
    }
}

/// The step from the event before to this one, where the event itself is known.
fn transition(step: &Step, baselines: &Baselines<'_>, own: f64, evidence: &mut EvidenceList) {
    let Some(transition) = step
        .transition
        .filter(|_| own >= 0.5 && !step.meaning.verb.only_looks())
    else {
        return;
    };

    let transitions = &baselines.own.past.transitions;
    if transitions.hours(transition, step.hour) < 0.5 {
        let theirs = baselines.peers_hours(|past| &past.transitions, transition, step.hour);
        let weight = 0.5 * known(baselines.own.past.hours.total() / 2.0) / (1.0 + theirs);
        evidence.add_with(BehaviorReason::Sequence, weight, || {
            format!(
                "never before right after what this {} did last",
                baselines.own.kind.noun()
            )
        });
    }
}
