//! Prior risk of an operation, before anything is known of the principal: the severity of this
//! verb, class and effect if the action were not intended, in log-odds. `severity` holds the
//! tables.

use super::event::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind, Trait};
use super::evidence::{BehaviorReason, EvidenceList};
use super::words::{Verb, WordClass, Words};

mod parameters;
mod severity;

pub(crate) use severity::sets_up;
use severity::{EFFECTS, OBJECTS, SeverityEffect, VERBS, When};

/// Log-odds above which a refused change does not rise by its meaning alone: it changed nothing,
/// and people are refused every day.
const MOST_REFUSED: f64 = -0.3;
/// The same for a change that failed for another reason, such as a name that does not exist.
const MOST_FAILED: f64 = -1.0;
/// The same for a rehearsal.
const MOST_REHEARSED: f64 = -0.8;

/// Verb and class of an event's operation, and whether it affects many objects at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meaning {
    /// Verb of the operation.
    pub verb: Verb,
    /// Class of the operation's object.
    pub class: WordClass,
    /// `true` if one call affects many objects.
    pub bulk: bool,
    /// `true` if it restricts monitoring: filters, selectors, exceptions.
    pub narrows: bool,
    /// `true` if it is about a trail, the record of what is done.
    pub trail: bool,
    /// `true` if it only lists names, without content.
    pub lists: bool,
    /// `true` if it concerns outbound traffic, where an open range is no exposure.
    pub outbound: bool,
    /// `true` if it copies data out of the account.
    pub exports: bool,
}

impl Meaning {
    /// Of an operation of a service.
    pub fn from_operation(service: &str, operation: &str) -> Self {
        let words = Words::from_operation(service, operation);
        let verb = Verb::classify(&words);
        Self {
            verb,
            class: WordClass::classify(&words, verb),
            bulk: words.operation_has(&["batch", "bulk", "all"]),
            narrows: words.operation_has(&[
                "selector",
                "filter",
                "suppression",
                "exclusion",
                "exception",
                "ipset",
                "session",
            ]) || words.operation_has(&["set"])
                && words.operation_has(&["ip", "threat", "trusted"])
                || words.operation_has(&["ip"]) && words.has("guardduty"),
            trail: words.operation_has(&["trail"]),
            lists: words
                .last_part()
                .first()
                .is_some_and(|word| matches!(word.as_str(), "list" | "describe"))
                && !words.operation_has(&["key"]),
            outbound: words.operation_has(&["egress", "outbound"]),
            exports: words.operation_has(&["export"]) && !verb.only_looks(),
        }
    }

    /// The meaning where the name of the operation does not tell the verb, from what the parameters
    /// change.
    fn with_traits(self, event: &ActivityEvent) -> Self {
        let has = |one| event.traits.has(one);
        let verb = match self.verb {
            Verb::Other
                if has(Trait::OpensToAll)
                    || has(Trait::Shares)
                    || has(Trait::NamesForeignAccount) =>
            {
                Verb::Grant
            }
            Verb::Other if has(Trait::SwitchesOff) => Verb::Stop,
            Verb::Other if has(Trait::NoWayBack) => Verb::Remove,
            known => known,
        };

        Self { verb, ..self }
    }

    /// Log-odds of the verb alone.
    fn of_verb(self) -> f64 {
        VERBS
            .iter()
            .find(|(verb, _)| *verb == self.verb)
            .map_or(0.0, |(_, weight)| *weight)
    }

    /// Returns the log-odds that the class adds to the verb, and the reason in words.
    fn of_class(self) -> (f64, &'static str) {
        let fits = |when| match when {
            When::Always => true,
            When::Narrows => self.narrows,
            When::Lists => self.lists,
            When::Bulk => self.bulk,
        };

        let row = OBJECTS.iter().find(|row| {
            row.class == self.class && row.verbs.contains(&self.verb) && fits(row.when)
        });
        row.map_or((0.0, ""), |row| (row.weight, row.words))
    }
}

/// Adds evidence from the meaning of an event, regardless of the principal: verb, class,
/// parameters, kind of principal, outcome.
pub(crate) fn add_evidence(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let meaning = meaning.with_traits(event);
    evidence.add(BehaviorReason::Meaning, meaning.of_verb(), "");
    let (weight, words) = meaning.of_class();

    // What only takes access away, or only switches a protection on, has not the gravity of the
    // opposite that the same operation can do.
    let harmless = is_harmless(event, meaning);
    evidence.add(
        BehaviorReason::Meaning,
        if harmless { weight.min(0.0) } else { weight },
        words,
    );

    if meaning.exports {
        evidence.add(BehaviorReason::Meaning, 1.2, "exports a copy of data");
    }

    parameters::add_evidence(event, meaning, evidence);
    effect(
        event,
        meaning,
        |effect| effect != SeverityEffect::RootSignsIn,
        evidence,
    );

    kind(event, meaning, evidence);
    effect(
        event,
        meaning,
        |effect| effect == SeverityEffect::RootSignsIn,
        evidence,
    );

    outcome(event, meaning, evidence);
}

/// Returns `true` for a change whose parameters only take access away or only switch a protection
/// on.
fn is_harmless(event: &ActivityEvent, meaning: Meaning) -> bool {
    let has = |one| event.traits.has(one);
    let opens = [
        Trait::OpensToAll,
        Trait::GivesAdmin,
        Trait::NamesForeignAccount,
        Trait::Shares,
    ]
    .into_iter()
    .any(has);

    let closes = has(Trait::TakesAway)
        && matches!(
            meaning.class,
            WordClass::Copy | WordClass::Rights | WordClass::Gate | WordClass::Store
        );
    let guards = has(Trait::SwitchesOn)
        && matches!(meaning.class, WordClass::Watching | WordClass::Safeguard);
    meaning.verb == Verb::Change && !opens && !has(Trait::SwitchesOff) && (closes || guards)
}

/// Adds what an effect weighs beyond the operation that had it, so that each way to the same effect
/// weighs as much. The identity of the caller comes on top, but for the effect that lies in it.
fn effect(
    event: &ActivityEvent,
    meaning: Meaning,
    takes: fn(SeverityEffect) -> bool,
    evidence: &mut EvidenceList,
) {
    let applies = EFFECTS
        .iter()
        .filter(|(effect, ..)| takes(*effect) && effect.of(event, meaning));
    if let Some((_, least, words)) = applies.max_by(|a, b| a.1.total_cmp(&b.1)) {
        evidence.add(
            BehaviorReason::Meaning,
            (least - evidence.sum()).max(0.0),
            *words,
        );
    }
}

fn kind(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let reads = meaning.verb.only_looks();
    let has = |one| event.traits.has(one);

    match event.kind {
        BehaviorPrincipalKind::Root if reads => evidence.add(
            BehaviorReason::Identity,
            0.8,
            "done as the account's root user",
        ),
        BehaviorPrincipalKind::Root if event.outcome != BehaviorOutcome::Done => {
            evidence.add(
                BehaviorReason::Identity,
                1.2,
                "tried as the account's root user",
            );
        }
        BehaviorPrincipalKind::Root => evidence.add(
            BehaviorReason::Identity,
            2.6,
            "done as the account's root user",
        ),
        BehaviorPrincipalKind::Anonymous => {
            evidence.add(BehaviorReason::Identity, 1.0, "done by an unknown caller")
        }
        BehaviorPrincipalKind::Service => evidence.add(BehaviorReason::Identity, -2.5, ""),
        _ => {}
    }

    if has(Trait::PassedOn) && event.kind != BehaviorPrincipalKind::Service {
        evidence.add(BehaviorReason::Identity, -1.8, "");
    }

    if has(Trait::LongLivedKey) {
        evidence.add(
            BehaviorReason::Identity,
            if reads { 0.3 } else { 0.9 },
            "done with a long-lived access key",
        );
    }
}

/// Weighs the outcome. A failed action changed nothing, but a refused read is a sign of
/// reconnaissance.
fn outcome(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let signs_in = meaning.verb == Verb::SignIn;
    // To try it says it all: nobody stops the log by mistake, and whoever was refused tries another
    // way.
    let leaves = meaning.class == WordClass::Organization
        && matches!(meaning.verb, Verb::Remove | Verb::Stop);
    let blinds = leaves || severity::blinds(event, meaning);
    let above = |most: f64| most - evidence.sum();
    let (weight, words) = match event.outcome {
        BehaviorOutcome::Done => return,
        BehaviorOutcome::Denied | BehaviorOutcome::Failed if signs_in => {
            (0.3, "the sign-in failed")
        }
        BehaviorOutcome::Denied if meaning.verb.only_looks() => (0.7, "the request was denied"),
        BehaviorOutcome::Denied if blinds => (-0.4, ""),
        BehaviorOutcome::Failed if blinds => (above(MOST_REFUSED).min(-1.0), ""),
        BehaviorOutcome::Denied => (above(MOST_REFUSED).min(-1.6), ""),
        BehaviorOutcome::Failed => (above(MOST_FAILED).min(-2.4), ""),
        BehaviorOutcome::Rehearsed => (above(MOST_REHEARSED).min(-1.2), ""),
    };

    evidence.add(BehaviorReason::Outcome, weight, words);
}
