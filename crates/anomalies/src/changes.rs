//! Changes of a resource, by Reeve or by others, which anomaly detection must allow for: half the
//! memory doubles the percentage, a disk that was grown has more free space, and a machine that
//! starts is busy for a while.
//!
//! Series are judged as if the resource had kept the size that it had first: a percentage by the
//! work behind it, free space less what was added. What is not known in numbers (a size that the
//! catalogue lacks) lets the series begin anew. Of what others changed is known between which two
//! looks it happened, and what was measured between them is not judged.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Attribute, GIB, InstanceSpec, Metric, PriceCatalogue, Provider, ResourceChange, ResourceId,
};
use reeve_recommend::action::{Action, ActionId, Purpose, StepOutcome};
use reeve_recommend::plan::StepKind;

use super::pace::POINT;

/// So long after a change readings tell of starting, and of caches that fill.
const SETTLING: SignedDuration = SignedDuration::from_mins(10);

/// A size that changed.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    /// Until when readings tell of the size before.
    since: Timestamp,
    /// From when on they tell of the size after.
    at: Timestamp,
    attribute: Attribute,
    before: String,
    after: String,
}

/// Time of a change, and the sizes after it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Known {
    /// Every metric may show its effect.
    spans: Vec<(Timestamp, Timestamp)>,
    changes: Vec<Change>,
}

/// Source of a change, so that a change that is reported twice is known once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Reeve(ActionId),
    Seen(Timestamp, Attribute),
}

/// Changes, resource by resource.
#[derive(Debug, Default)]
pub struct Changes {
    by_resource: HashMap<ResourceId, BTreeMap<Source, Known>>,
}

impl Changes {
    /// Takes in Reeve's actions as they stand at a time. What was taken in before stays, so that
    /// what was judged stays comparable.
    pub fn learn(&mut self, actions: &[Action], now: Timestamp) {
        for action in actions
            .iter()
            .filter(|action| action.purpose != Purpose::Simulate)
        {
            let known = Known {
                spans: action
                    .steps
                    .iter()
                    .map(|step| (step.started_at, step.finished_at.unwrap_or(now)))
                    .collect(),
                changes: action.steps.iter().flat_map(changes).collect(),
            };
            self.by_resource
                .entry(action.resource.clone())
                .or_default()
                .insert(Source::Reeve(action.id.clone()), known);
        }
    }

    /// Takes in what inventories showed. What of it was Reeve's own doing counts once.
    pub fn learn_seen(&mut self, seen: &[ResourceChange]) {
        for change in seen {
            let span = (change.last_seen_at, change.seen_at);
            let known = match change.attribute {
                Attribute::State | Attribute::LaunchedAt => Known {
                    spans: vec![span],
                    changes: Vec::new(),
                },
                Attribute::InstanceType | Attribute::StorageGib => Known {
                    // Storage grows without interruption; its own metric alone shows the effect.
                    spans: (change.attribute == Attribute::InstanceType)
                        .then_some(span)
                        .into_iter()
                        .collect(),
                    changes: vec![Change {
                        since: change.last_seen_at,
                        at: change.seen_at,
                        attribute: change.attribute,
                        before: change.before.clone(),
                        after: change.after.clone(),
                    }],
                },
                _ => continue,
            };
            let source = Source::Seen(change.seen_at, change.attribute);
            self.by_resource
                .entry(change.resource.clone())
                .or_default()
                .insert(source, known);
        }
    }

    /// Returns the effect of the known changes on a metric of a resource.
    pub(super) fn lens(&self, resource: &ResourceId, metric: Metric) -> Lens {
        let known = || {
            self.by_resource
                .get(resource)
                .into_iter()
                .flat_map(BTreeMap::values)
        };
        let mut changes: Vec<&Change> = known().flat_map(|known| &known.changes).collect();
        changes.sort_by_key(|change| change.at);

        // Two connections may see it, and an inventory what an action did.
        let mut now: BTreeMap<Attribute, &str> = BTreeMap::new();
        changes.retain(|change| now.insert(change.attribute, &change.after) != Some(&change.after));
        let steps = || {
            changes
                .iter()
                .filter_map(|change| Some((change, change.step(metric)?)))
        };

        let spans = known().flat_map(|known| known.spans.iter().copied());
        let spans = spans.chain(steps().map(|(change, _)| (change.since, change.at)));
        Lens {
            // A point that began before a change may tell of it too.
            busy: spans
                .map(|(from, until)| (from - POINT, until + SETTLING))
                .collect(),
            steps: steps().map(|(change, step)| (change.at, step)).collect(),
        }
    }
}

/// The sizes that a step changed.
fn changes(step: &StepOutcome) -> Vec<Change> {
    let value = |pairs: &[(String, String)], attribute: Attribute| {
        pairs
            .iter()
            .find(|(name, _)| name == attribute.as_str())
            .map(|(_, value)| value.clone())
    };

    let Some(at) = step.finished_at.filter(|_| step.ok == Some(true)) else {
        return Vec::new();
    };

    [Attribute::InstanceType, Attribute::StorageGib]
        .into_iter()
        .filter_map(|attribute| {
            let (before, after) = (
                value(&step.before, attribute)?,
                value(&step.after, attribute)?,
            );
            (before != after).then_some(Change {
                since: step.started_at,
                at,
                attribute,
                before,
                after,
            })
        })
        .collect()
}

/// Returns `true` if an action explains a change that an inventory showed: they overlap in time,
/// and the action set the same value or stopped and started the resource.
fn done_by(action: &Action, seen: &ResourceChange) -> bool {
    let ended = action.finished_at.unwrap_or(Timestamp::MAX);
    let met = action.resource == seen.resource
        && action.purpose != Purpose::Simulate
        && action.started_at <= seen.seen_at
        && ended >= seen.last_seen_at;
    let changed = |step: &StepOutcome| match seen.attribute {
        Attribute::Replicas => step.kind == StepKind::Replicate,
        attribute => {
            let values = step.before.iter().chain(&step.after);
            values
                .into_iter()
                .any(|(name, value)| name == attribute.as_str() && *value == seen.after)
        }
    };

    let moved = matches!(seen.attribute, Attribute::State | Attribute::LaunchedAt);
    met && action
        .steps
        .iter()
        .any(|step| step.effect().changes() && (moved || changed(step)))
}

/// Returns the changes that inventories showed and that no action explains.
#[must_use]
pub fn by_others<'a>(seen: &'a [ResourceChange], actions: &[Action]) -> Vec<&'a ResourceChange> {
    seen.iter()
        .filter(|change| !actions.iter().any(|action| done_by(action, change)))
        .collect()
}

/// Effect of a change on the values of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Factor(f64),
    Offset(f64),
    Anew,
}

impl Change {
    fn step(&self, metric: Metric) -> Option<Step> {
        let ratio = |capacity: fn(&InstanceSpec) -> Option<f64>| {
            let capacity_of = |name: &str| {
                size(name)
                    .and_then(|spec| capacity(&spec))
                    .filter(|capacity| *capacity > 0.0)
            };
            let both = capacity_of(&self.before).zip(capacity_of(&self.after));
            both.map_or(Step::Anew, |(before, after)| Step::Factor(before / after))
        };
        match (self.attribute, metric) {
            (Attribute::InstanceType, Metric::CpuUtilization) => {
                Some(ratio(|spec| Some(f64::from(spec.vcpu))))
            }
            (Attribute::InstanceType, Metric::MemoryUtilization) => {
                Some(ratio(|spec| spec.memory_gib))
            }
            (Attribute::StorageGib, Metric::FreeStorage) => {
                let gib = |text: &str| text.parse::<f64>().ok();
                Some(Step::Offset((gib(&self.after)? - gib(&self.before)?) * GIB))
            }
            _ => None,
        }
    }
}

fn size(name: &str) -> Option<InstanceSpec> {
    let catalogue = PriceCatalogue::builtin();
    let machine = || {
        Provider::ALL
            .iter()
            .find_map(|provider| catalogue.instance(*provider, name).cloned())
    };

    catalogue
        .database(name)
        .map(|database| database.machine)
        .or_else(machine)
}

/// A metric seen through the changes: as if there had been none.
#[derive(Debug, Default)]
pub(super) struct Lens {
    busy: Vec<(Timestamp, Timestamp)>,
    steps: Vec<(Timestamp, Step)>,
}

impl Lens {
    /// Returns `true` if a point falls into a change and is therefore not judged.
    pub(super) fn hides(&self, at: Timestamp) -> bool {
        self.busy
            .iter()
            .any(|(from, until)| (from..=until).contains(&&at))
    }

    /// The size at a time.
    pub(super) fn view(&self, at: Timestamp) -> ChangeView {
        let before = self.steps.iter().take_while(|(changed, _)| *changed <= at);
        before.fold(
            ChangeView {
                factor: 1.0,
                offset: 0.0,
                since: Timestamp::MIN,
            },
            |view, (changed, step)| match step {
                Step::Factor(factor) => ChangeView {
                    factor: view.factor * factor,
                    ..view
                },
                Step::Offset(offset) => ChangeView {
                    offset: view.offset + offset,
                    ..view
                },
                Step::Anew => ChangeView {
                    factor: 1.0,
                    offset: 0.0,
                    since: *changed,
                },
            },
        )
    }
}

/// Conversion of values measured at one size into those of the first size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChangeView {
    factor: f64,
    offset: f64,
    /// Time before which values are not comparable.
    pub(super) since: Timestamp,
}

impl ChangeView {
    /// Returns `true` if nothing that moves the metric changed since the first size.
    pub(super) fn is_first(&self) -> bool {
        *self
            == ChangeView {
                factor: 1.0,
                offset: 0.0,
                since: Timestamp::MIN,
            }
    }

    /// A value as it would be at the first size.
    pub(super) fn at_first(&self, value: f64) -> f64 {
        (value - self.offset) / self.factor
    }

    /// A value of the first size as it is at this one.
    pub(super) fn as_is(&self, value: f64) -> f64 {
        value * self.factor + self.offset
    }
}
