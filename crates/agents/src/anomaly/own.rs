//! What Reeve itself changed of a resource, so that the watch is not startled by it: half the memory makes twice the percentage, a
//! disk that was grown has more room, and a machine that starts is busy for a while.
//!
//! Series are judged as if the resource had kept the size that it had first: a percentage by the work behind it, free space less
//! what was added. What is not known in numbers (a size that the catalogue lacks) lets the series begin anew.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Catalogue, InstanceSpec, Metric, Provider, ResourceId};

use super::pace::POINT;
use crate::action::{Action, ActionId, Purpose, StepOutcome};

/// So long after a change readings tell of starting, and of caches that fill.
const SETTLING: SignedDuration = SignedDuration::from_mins(10);
const GIB: f64 = 1_073_741_824.0;

/// A step that changed a size.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    at: Timestamp,
    /// Sizes by name: before, after.
    sizes: Option<(String, String)>,
    /// Bytes of storage that were added.
    added: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Own {
    /// From when until when each of its steps ran.
    spans: Vec<(Timestamp, Timestamp)>,
    changes: Vec<Change>,
}

/// Reeve's own changes, resource by resource.
#[derive(Debug, Default)]
pub struct OwnChanges {
    of: HashMap<ResourceId, BTreeMap<ActionId, Own>>,
}

impl OwnChanges {
    /// Takes in actions as they stand at a time. What was taken in before stays, so that what was judged stays comparable.
    pub fn learn(&mut self, actions: &[Action], now: Timestamp) {
        for action in actions.iter().filter(|action| action.purpose != Purpose::Simulate) {
            let own = Own {
                spans: action.steps.iter().map(|step| (step.started_at, step.finished_at.unwrap_or(now))).collect(),
                changes: action.steps.iter().filter_map(change).collect(),
            };
            self.of.entry(action.resource.clone()).or_default().insert(action.id.clone(), own);
        }
    }

    /// What they mean for a metric of a resource.
    pub(super) fn lens(&self, resource: &ResourceId, metric: Metric) -> Lens {
        let own: Vec<&Own> = self.of.get(resource).map(|own| own.values().collect()).unwrap_or_default();
        let mut steps: Vec<(Timestamp, Step)> = own
            .iter()
            .flat_map(|own| &own.changes)
            .filter_map(|change| Some((change.at, change.step(metric)?)))
            .collect();
        steps.sort_by_key(|(at, _)| *at);
        let spans = own.iter().flat_map(|own| &own.spans);
        // A point that began before a change may tell of it too.
        Lens { busy: spans.map(|(from, until)| (*from - POINT, *until + SETTLING)).collect(), steps }
    }
}

fn change(step: &StepOutcome) -> Option<Change> {
    let at = step.finished_at.filter(|_| step.ok == Some(true))?;
    let told =
        |of: &[(String, String)], name: &str| of.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    let both = |name: &str| {
        let (before, after) = (told(&step.before, name)?, told(&step.after, name)?);
        (before != after).then_some((before, after))
    };
    let gib = |text: &str| text.parse::<f64>().ok();
    let added = both("storage_gib").and_then(|(before, after)| Some((gib(&after)? - gib(&before)?) * GIB));
    let change = Change { at, sizes: both("instance_type"), added };
    (change.sizes.is_some() || change.added.is_some()).then_some(change)
}

/// What a change does to the numbers of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Factor(f64),
    Offset(f64),
    Anew,
}

impl Change {
    fn step(&self, metric: Metric) -> Option<Step> {
        let ratio = |capacity: fn(&InstanceSpec) -> Option<f64>| {
            let (before, after) = self.sizes.as_ref()?;
            let of = |name: &str| size(name).and_then(|spec| capacity(&spec)).filter(|capacity| *capacity > 0.0);
            let both = of(before).zip(of(after));
            Some(both.map_or(Step::Anew, |(before, after)| Step::Factor(before / after)))
        };
        match metric {
            Metric::CpuUtilization => ratio(|spec| Some(f64::from(spec.vcpu))),
            Metric::MemoryUtilization => ratio(|spec| spec.memory_gib),
            Metric::FreeStorage => self.added.map(Step::Offset),
            _ => None,
        }
    }
}

fn size(name: &str) -> Option<InstanceSpec> {
    let catalogue = Catalogue::builtin();
    let machine = || Provider::ALL.iter().find_map(|provider| catalogue.instance(*provider, name).cloned());
    catalogue.database(name).map(|database| database.machine).or_else(machine)
}

/// A metric seen through the changes: as if there had been none.
#[derive(Debug, Default)]
pub(super) struct Lens {
    busy: Vec<(Timestamp, Timestamp)>,
    steps: Vec<(Timestamp, Step)>,
}

impl Lens {
    /// Whether a point tells of a change itself.
    pub(super) fn hides(&self, at: Timestamp) -> bool {
        self.busy.iter().any(|(from, until)| (from..=until).contains(&&at))
    }

    /// The size at a time.
    pub(super) fn view(&self, at: Timestamp) -> View {
        let before = self.steps.iter().take_while(|(changed, _)| *changed <= at);
        before.fold(View { factor: 1.0, offset: 0.0, since: Timestamp::MIN }, |view, (changed, step)| match step {
            Step::Factor(factor) => View { factor: view.factor * factor, ..view },
            Step::Offset(offset) => View { offset: view.offset + offset, ..view },
            Step::Anew => View { factor: 1.0, offset: 0.0, since: *changed },
        })
    }
}

/// How values read at one size compare with those of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct View {
    factor: f64,
    offset: f64,
    /// What was before is not comparable.
    pub(super) since: Timestamp,
}

impl View {
    /// A value as it would be at the first size.
    pub(super) fn at_first(&self, value: f64) -> f64 {
        (value - self.offset) / self.factor
    }

    /// A value of the first size as it is at this one.
    pub(super) fn as_is(&self, value: f64) -> f64 {
        value * self.factor + self.offset
    }
}
