//! From where, in which region, and with what program, against the past of principal, peers and
//! estate.

use super::event::{ActivityEvent, BehaviorPrincipalKind, Trait};
use super::evidence::{BehaviorReason, EvidenceList};
use super::habit::Habits;
use super::names::NameId;
use super::rarity::{Baselines, known};
use super::subject::Step;
use super::words::Verb;

/// Share of a new place's weight that is left for what follows within sixty minutes.
const STILL_NEW: f64 = 0.6;
/// Share of what is known that the estate lends to judge the network of a principal of whom nothing
/// is known.
const OF_THE_ESTATE: f64 = 0.6;

/// Adds evidence from the source of an event.
pub(crate) fn add_evidence(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
    evidence: &mut EvidenceList,
) {
    // The cloud's own services come from wherever they run.
    if event.kind == BehaviorPrincipalKind::Service || event.traits.has(Trait::PassedOn) {
        return;
    }
    if !machine(event, step, baselines, evidence) {
        network(event, step, baselines, evidence);
    }

    region(event, step, baselines, evidence);
    country(event, step, baselines, evidence);
    tool(step, baselines, evidence);
}

/// Factor by verb: reads weigh less than changes, sign-ins more.
fn verb_factor(step: &Step) -> f64 {
    match step.meaning.verb {
        Verb::Read | Verb::SignOut => 0.6,
        Verb::SignIn => 1.3,
        _ => 1.0,
    }
}

/// Returns the newness of a place for a principal: 1 at first, less for an hour after that, `None`
/// where it has been seen before. If the first call were enough to make a place known, an
/// intruder's second call would come from a usual one.
fn newness(own: &Habits, name: NameId, step: &Step) -> Option<f64> {
    let seen = own.hours(name, step.hour) > 0.0;
    (own.hours_before(name, step.at_ms) < 0.5).then_some(if seen { STILL_NEW } else { 1.0 })
}

fn network(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
    evidence: &mut EvidenceList,
) {
    let Some(network) = step.network else { return };
    let Some(newness) = newness(&baselines.own.past.networks, network, step) else {
        return evidence.add(BehaviorReason::Place, -0.2, "");
    };

    let peers = baselines.peers_hours(|past| &past.networks, network, step.hour);
    let estate = baselines.estate_hours(|past| &past.networks, network, step.hour);

    // An address of the company's own is no news for anybody of the company.
    let strangeness = if peers >= 0.5 {
        0.35
    } else if estate >= 0.5 {
        0.6
    } else {
        1.0
    };

    let public = if event.place.public { 1.0 } else { 0.6 };
    // Of somebody new only the estate can say that nobody comes from there.
    let estate_knows = if strangeness < 1.0 {
        0.0
    } else {
        OF_THE_ESTATE * known(baselines.estate.past.hours.total() / 4.0)
    };
    let knows = known(baselines.own.past.hours.total()).max(estate_knows);
    let weight = 1.4 * newness * knows * strangeness * public * verb_factor(step);

    let noun = baselines.own.kind.noun();
    evidence.add_with(BehaviorReason::Place, weight, || match strangeness {
        s if s < 0.5 => format!(
            "from a network ({}) new for this {noun}, known from its peers",
            event.place.network
        ),
        s if s < 1.0 => format!(
            "from a network ({}) new for this {noun} and its peers",
            event.place.network
        ),
        _ => format!("from a network ({}) never seen before", event.place.network),
    });
}

/// Weight of a machine's credentials from a network in which people work and that no machine used:
/// together with the log-odds of a read it is even.
const WHERE_PEOPLE_WORK: f64 = 4.2;
/// Weight of each e-fold by which the hours of a role exceed its networks.
const PER_STEADINESS: f64 = 1.1;
/// Weight of a network that an estate known well has never seen.
const NEW_TO_ESTATE: f64 = 1.6;
/// Largest weight of a machine's credentials from elsewhere.
const MOST_ELSEWHERE: f64 = 6.0;
/// Weight from which on the caller is rather somebody else than the machine.
const ELSEWHERE_FROM: f64 = 3.0;

/// Returns the weight of credentials of a machine that are used from a public address it does not
/// use; `None` for other credentials and addresses.
///
/// That the address is public says little by itself: machines call through gateways with public
/// addresses. It is the gateway's steadiness that speaks. A role that came from one network for a
/// hundred hours comes from another by theft or by rebuilding; one with a new address a day, as
/// behind no gateway, may have another. And a network in which people work is no machine's, unless
/// machines used it before.
pub(crate) fn machine_elsewhere(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
) -> Option<f64> {
    let network = step.network?;
    let machine = event.traits.has(Trait::MachineCredentials) && !event.traits.has(Trait::PassedOn);
    if !machine || !event.place.public || event.kind == BehaviorPrincipalKind::Service {
        return None;
    }

    let own = &baselines.own.past.networks;
    let known_for = own.hours_before(network, step.at_ms)
        + baselines.peers_hours(|past| &past.networks, network, step.hour);
    let others = own.kinds() - usize::from(own.hours(network, step.hour) > 0.0);
    let steadiness = ((own.total(step.hour) + 1.0) / (others as f64 + 0.5))
        .ln()
        .max(0.0);
    let at_work = baselines.people.hours(network, step.hour) > 0.0;
    let elsewhere = if at_work {
        WHERE_PEOPLE_WORK
    } else if baselines.estate_hours(|past| &past.networks, network, step.hour) < 0.5 {
        NEW_TO_ESTATE * known(baselines.estate.past.hours.total() / 4.0)
    } else {
        0.0
    };

    Some((PER_STEADINESS * steadiness + elsewhere).min(MOST_ELSEWHERE) / (1.0 + known_for))
}

/// Returns `true` for a weight of [`machine_elsewhere`] at which the caller is rather somebody
/// else.
pub(crate) fn is_elsewhere(weight: Option<f64>) -> bool {
    weight.is_some_and(|weight| weight >= ELSEWHERE_FROM)
}

/// Adds the evidence of [`machine_elsewhere`]. Returns `true` if the network was weighed here, so
/// that its newness is not counted a second time.
fn machine(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
    evidence: &mut EvidenceList,
) -> bool {
    let Some(weight) = machine_elsewhere(event, step, baselines) else {
        return false;
    };

    evidence.add_with(BehaviorReason::Place, weight, || {
        format!(
            "credentials of a machine are used from a public address ({})",
            event.place.network
        )
    });

    true
}

fn region(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
    evidence: &mut EvidenceList,
) {
    let Some(region) = step.region else { return };
    let own = &baselines.own.past.regions;
    if own.hours(region, step.hour) >= 0.5 {
        return;
    }

    let estate = baselines.estate_hours(|past| &past.regions, region, step.hour);
    let others = baselines.estate.past.hours.total();
    let nobody = if estate < 0.5 {
        0.7 * known(others / 4.0)
    } else {
        0.0
    };
    let weight = (0.5 * known(baselines.own.past.hours.total()) + nobody) * verb_factor(step);

    evidence.add_with(BehaviorReason::Place, weight, || {
        let seen_by = if nobody > 0.0 {
            "this estate has never used"
        } else {
            "it has never used"
        };
        format!("in a region ({}) that {seen_by}", event.place.region)
    });
}

/// Countries are few and change seldom, so that a new one says more than a new network does.
fn country(
    event: &ActivityEvent,
    step: &Step,
    baselines: &Baselines<'_>,
    evidence: &mut EvidenceList,
) {
    let Some(country) = step.country else { return };
    let own = &baselines.own.past.countries;
    let Some(newness) = newness(own, country, step) else {
        return evidence.add(BehaviorReason::Place, -0.1, "");
    };

    let others = baselines.estate_hours(|past| &past.countries, country, step.hour);
    let all = baselines.estate.past.countries.total(step.hour);

    // An intruder who was there twice makes no office of it.
    let nobody = known(all / 4.0) / (1.0 + others / 4.0);
    let weight = (0.7 * known(own.total(step.hour)) + 1.5 * nobody) * newness * verb_factor(step);
    evidence.add_with(BehaviorReason::Place, weight, || {
        let seen_by = if nobody >= 0.5 {
            "rare for this estate"
        } else {
            "new for it"
        };
        format!("from a country ({}) that is {seen_by}", event.place.country)
    });
}

fn tool(step: &Step, baselines: &Baselines<'_>, evidence: &mut EvidenceList) {
    let Some(tool) = step.tool else { return };
    let own = &baselines.own.past.tools;

    if own.hours(tool, step.hour) < 0.5 {
        let estate = baselines.estate_hours(|past| &past.tools, tool, step.hour);
        let weight = (0.25 * known(baselines.own.past.hours.total())
            + if estate < 0.5 { 0.15 } else { 0.0 })
            * verb_factor(step);
        let weight = if own.total(step.hour) < 1.0 {
            0.0
        } else {
            weight
        };
        evidence.add(
            BehaviorReason::Identity,
            weight,
            "with a program it has not used before",
        );
    }
}
