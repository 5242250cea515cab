//! Time, volume and sequence: when, how much, and after what.

use super::event::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind, Trait};
use super::evidence::{BehaviorReason, EvidenceList};
use super::names::BehaviorNames;
use super::pace::BehaviorPace;
use super::rarity::{Baselines, known};
use super::subject::{ActivitySession, Step};
use super::words::{Verb, WordClass};

/// Largest weight that a severe action adds to the actions beside it.
const MOST_AFTER_SEVERE: f64 = 1.0;
/// Hours in which something was done that make it half a habit.
const HALF_A_HABIT_H: f64 = 3.0;

/// Stages of an intrusion as a bit set, in their usual order.
pub(crate) const LOOKS: u8 = 1;
const ENTERS: u8 = 2;
const ESCALATES: u8 = 4;
const HIDES: u8 = 8;
const TAKES: u8 = 16;
const HARMS: u8 = 32;

/// The stage of an intrusion that an event would be; 0 for none.
pub(crate) fn stage(step: &Step) -> u8 {
    let verb = step.meaning.verb;
    match (step.meaning.class, verb) {
        (WordClass::Secret, Verb::Read) => TAKES,
        (_, Verb::Read) => LOOKS,
        (_, Verb::Assume | Verb::SignIn) => ENTERS,
        (_, Verb::SignOut | Verb::Tag) => 0,
        (WordClass::Credential | WordClass::Trust | WordClass::Rights | WordClass::Member, _) => {
            ESCALATES
        }
        (WordClass::Watching | WordClass::Organization, _) => HIDES,
        (WordClass::Code, _) => ESCALATES,
        (WordClass::Gate, Verb::Grant | Verb::Change | Verb::Create) => TAKES,
        (WordClass::Copy, Verb::Change | Verb::Grant) => TAKES,
        (WordClass::Copy | WordClass::Store | WordClass::Safeguard, Verb::Remove | Verb::Stop) => {
            HARMS
        }
        _ => 0,
    }
}

/// Adds evidence from the hour.
pub(crate) fn time(step: &Step, baselines: &Baselines<'_>, evidence: &mut EvidenceList) {
    let person = matches!(
        baselines.own.kind,
        BehaviorPrincipalKind::Person | BehaviorPrincipalKind::Root | BehaviorPrincipalKind::Role
    );
    let verb_factor = match step.meaning.verb {
        Verb::Read | Verb::SignOut => 0.4,
        Verb::SignIn | Verb::Assume => 1.0,
        _ => 0.8,
    } * if person { 1.0 } else { 0.5 };
    let own = baselines.own.past.hours.surprise(step.hour);

    // Somebody of whom too little is known keeps the hours of its peers, as a guess.
    let guess = if baselines.own.past.hours.days() < 4 {
        baselines
            .peers
            .map_or(0.0, |peers| 0.4 * peers.past.hours.surprise(step.hour))
    } else {
        0.0
    };

    let (surprise, owner) = if own >= guess {
        (own, "its")
    } else {
        (guess, "its peers'")
    };

    let weight = (0.9 * (surprise - 0.5)).max(0.0) * verb_factor;
    evidence.add_with(BehaviorReason::Time, weight, || {
        format!(
            "outside {owner} usual hours (it was {:02}:00 UTC)",
            step.hour.rem_euclid(24)
        )
    });
}

/// Share of a weight that is left where nothing is known that it could be compared with.
const UNKNOWN_SHARE: f64 = 0.4;

/// Returns the share of a weight that holds at this knowledge (0 to 1). In the first hours of an
/// estate everybody does for the first time what they will do every day: an application reads all
/// of its secrets, a robot is refused in a loop.
fn share(known: f64) -> f64 {
    UNKNOWN_SHARE + (1.0 - UNKNOWN_SHARE) * known
}

/// Adds evidence from the number of such events in ten minutes, this one included. `known` is how
/// much is known of the estate, 0 to 1.
pub(crate) fn volume(
    event: &ActivityEvent,
    count: u32,
    pace: &BehaviorPace,
    known: f64,
    evidence: &mut EvidenceList,
) {
    let prior = match event.kind {
        BehaviorPrincipalKind::Person | BehaviorPrincipalKind::Root => 12.0,
        BehaviorPrincipalKind::Role
        | BehaviorPrincipalKind::Unknown
        | BehaviorPrincipalKind::Anonymous => 30.0,
        BehaviorPrincipalKind::Program | BehaviorPrincipalKind::Service => 120.0,
    };
    let (fast, slow) = pace.usual(prior);
    let over = |usual: f64| ((f64::from(count) + 1.0) / (usual + 1.0)).ln();

    // What is known well may speak loudly.
    let spans = f64::from(pace.spans());
    let most = (2.0 + 3.0 * spans / (spans + 20.0)) * share(known.max(spans / (spans + 2.0)));
    let burst = (1.3 * (over(fast.max(3.0)) - 1.1)).clamp(0.0, most);
    let grown = if pace.spans() < 200 {
        0.0
    } else {
        (1.0 * (over(slow.max(3.0)) - 1.6)).clamp(0.0, 3.0)
    };

    if burst >= grown {
        evidence.add_with(BehaviorReason::Volume, burst, || {
            format!("{count} in ten minutes, usually {fast:.0}")
        });
    } else {
        evidence.add_with(BehaviorReason::Volume, grown, || {
            format!("{count} in ten minutes, grown slowly from about {slow:.0}")
        });
    }
}

/// Adds evidence from the earlier events of the same hour.
pub(crate) fn sequence(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
    names: &BehaviorNames,
    evidence: &mut EvidenceList,
) {
    let session = &baselines.own.session;
    if event.kind == BehaviorPrincipalKind::Service {
        return;
    }

    let (own, estate) = (
        baselines.own.past.hours.total(),
        baselines.estate.past.hours.total(),
    );
    let known = known(own.max(estate / 4.0));

    // An application is new where the estate is; a person who reads every secret is not setting up.
    let program =
        event.kind == BehaviorPrincipalKind::Program || event.traits.has(Trait::MachineCredentials);
    let share = if program { share(known) } else { 1.0 };
    refusals(event, step, session, (known, share), evidence);
    let stage = stage(step);
    let targets = session.targets.count();
    if stage == TAKES
        && step.meaning.class == WordClass::Secret
        && !step.meaning.lists
        && targets >= 2.5
    {
        let weight = (1.2 * (targets / 1.5).ln()).min(3.4) * share;
        evidence.add_with(BehaviorReason::Volume, weight, || {
            format!("{targets:.0} secrets read within the hour")
        });
    }

    if stage & (ESCALATES | HIDES | TAKES | HARMS) != 0 {
        let looks = session.looks.count();
        let others =
            (session.stages & !stage & (ENTERS | ESCALATES | HIDES | TAKES | HARMS)).count_ones();
        let looked = if looks >= 2.5 {
            (0.5 * (looks / 1.5).ln()).min(1.2)
        } else {
            0.0
        };
        // Where nothing is known, everything is new.
        let looked = looked * known;
        evidence.add_with(BehaviorReason::Sequence, looked, || {
            format!("within an hour of {looks:.0} kinds of discovery calls that are new for it")
        });
        let grave = 0.25 * f64::from(others.min(3)) * session.severity_at(step.at_ms);
        evidence.add_with(BehaviorReason::Sequence, grave, || {
            "one of several stages of an attack within the hour".to_owned()
        });
    }

    severity(session, names, step, habit(step, baselines), evidence);
}

/// Returns the degree to which an action is a habit of its principal: 0 for a new one, towards 1
/// for a daily one.
fn habit(step: &Step, baselines: &Baselines<'_>) -> f64 {
    let hours = baselines
        .own
        .past
        .actions
        .hours_before(step.action, step.at_ms);
    hours / (hours + HALF_A_HABIT_H)
}

/// Adds evidence to actions that follow a severe one.
fn severity(
    session: &ActivitySession,
    names: &BehaviorNames,
    step: &Step,
    habit: f64,
    evidence: &mut EvidenceList,
) {
    // What is done day by day is likely itself also beside a severe event.
    let near = if session.severity > 0.0 {
        session.severity_at(step.at_ms) / session.severity
    } else {
        0.0
    };
    let weight = MOST_AFTER_SEVERE * (2.0 * session.severity - 1.0).max(0.0) * near * (1.0 - habit);

    if let Some(severest) = session.severest.filter(|severest| *severest != step.action) {
        evidence.add_with(BehaviorReason::Sequence, weight, || {
            let text = names.text(severest);
            let severest = text
                .split(['+', '!'])
                .find(|part| !part.is_empty())
                .unwrap_or("a severe event");
            let minutes = (step.at_ms - session.severest_ms).abs() / 60_000;
            if minutes == 0 {
                format!("within a minute of {severest}")
            } else {
                format!("{minutes} min after {severest}")
            }
        });
    }
}

fn refusals(
    event: &ActivityEvent,
    step: &Step,
    session: &ActivitySession,
    (known, share): (f64, f64),
    evidence: &mut EvidenceList,
) {
    // The visit counts this one, too.
    let refused = event.outcome == BehaviorOutcome::Denied;
    let kinds = session.refused.count();

    if refused && kinds >= 3.5 {
        // One permission that is missing is refused again and again; whoever tries what a key is
        // good for is refused everything. Where nothing is known yet, an administrator who finds
        // out what is permitted looks the same.
        let weight = (1.2 * (kinds - 1.0).ln()).min(2.6) * known;
        evidence.add_with(BehaviorReason::Outcome, weight, || {
            format!("{kinds:.0} different requests denied within the hour")
        });
    }

    let denied = session.denied.saturating_sub(u32::from(refused));
    let failures = session
        .failed_logins
        .saturating_sub(u32::from(step.failed_sign_in(event)));

    if refused && denied >= 3 {
        // To be refused in looking around says more: a change that was refused has changed nothing.
        let verb_factor = if step.meaning.verb.only_looks() {
            1.3
        } else {
            0.4
        };
        let weight = verb_factor * (f64::from(denied) - 1.0).ln().min(3.2) * share;
        evidence.add_with(BehaviorReason::Outcome, weight, || {
            format!("denied {denied} times before within the hour")
        });
    }

    if step.meaning.verb == Verb::SignIn && failures >= 2 {
        let weight = (0.9 * f64::from(failures).ln()).min(3.0);
        let weight = if event.outcome == BehaviorOutcome::Done {
            weight + 0.4
        } else {
            weight
        };
        evidence.add_with(BehaviorReason::Sequence, weight, || {
            format!("after {failures} failed sign-ins within the hour")
        });
        let accounts = session.accounts.count();
        if accounts >= 2.5 {
            let weight = (0.8 * (accounts - 1.0).ln() + 0.4).min(2.4);
            evidence.add_with(BehaviorReason::Guessing, weight, || {
                format!(
                    "sign-ins to {accounts:.0} accounts failed from one network within the hour"
                )
            });
        }
    }
}
