//! Scores that know nothing of behavior: what they nearly reach is not measured by this set.

use std::collections::BTreeMap;

use reeve_anomalies::behavior::event;
use reeve_audit::Entry;
use reeve_learn::behavior::BehaviorPrincipalKind;
use reeve_learn::behavior::prior::Meaning;

use super::figures::Scored;
use super::set::Unit;
use crate::chance::Chance;

/// Data that a control may use.
pub(super) struct Context {
    times: BTreeMap<String, usize>,
    /// Events of the same principal in the same service.
    company: BTreeMap<(String, String), usize>,
    chance: Chance,
}

/// A control's score of an event.
pub(super) type Control = fn(&mut Context, &Entry) -> f64;

/// Every control, by its name.
pub(super) const CONTROLS: [(&str, Control); 7] = [
    ("random", |context, _| context.chance.unit()),
    ("rarity of the event's name in the set", |context, entry| {
        -(times(context, entry) as f64)
    }),
    (
        "frequency of the event's name in the set",
        |context, entry| times(context, entry) as f64,
    ),
    (
        "events of the same principal and service in the set",
        |context, entry| company(context, entry) as f64,
    ),
    ("any write", |context, entry| {
        f64::from(writes(entry)) + 1e-6 * context.chance.unit()
    }),
    ("a user's own key", |context, entry| {
        f64::from(person(entry)) + 1e-6 * context.chance.unit()
    }),
    ("a write with a user's own key", |context, entry| {
        f64::from(writes(entry)) + f64::from(person(entry)) + 1e-6 * context.chance.unit()
    }),
];

/// Scores every event by a control.
pub(super) fn score(units: &[Unit], control: Control) -> Vec<Scored> {
    let mut context = Context {
        times: BTreeMap::new(),
        company: BTreeMap::new(),
        chance: Chance::new(11, 42),
    };

    for entry in units.iter().flat_map(|unit| &unit.events) {
        *context.times.entry(name(entry)).or_default() += 1;
        *context.company.entry(with(entry)).or_default() += 1;
    }

    let scored = units
        .iter()
        .flat_map(|unit| unit.events.iter().map(move |entry| (unit, entry)));
    scored
        .map(|(unit, entry)| Scored::new(unit, entry, control(&mut context, entry), String::new()))
        .collect()
}

fn name(entry: &Entry) -> String {
    entry.action.operation.clone().unwrap_or_default()
}

fn with(entry: &Entry) -> (String, String) {
    let event = event(entry);
    (event.principal, event.service)
}

fn company(context: &Context, entry: &Entry) -> usize {
    context.company.get(&with(entry)).copied().unwrap_or(0)
}

fn times(context: &Context, entry: &Entry) -> usize {
    context.times.get(&name(entry)).copied().unwrap_or(0)
}

fn writes(entry: &Entry) -> bool {
    let event = event(entry);
    !Meaning::from_operation(&event.service, &event.operation)
        .verb
        .only_looks()
}

fn person(entry: &Entry) -> bool {
    event(entry).kind == BehaviorPrincipalKind::Person
}
