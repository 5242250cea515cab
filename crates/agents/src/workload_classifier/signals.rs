//! Signals of a workload beside the shape of its metrics, and the weights of all in one table.
//!
//! A weight is a logarithm of odds: 0.7 doubles the odds of a class, 2.5 makes them twelve times as
//! high. An environment tag tells production from development and nothing else, because batch and
//! analytics run in both. The shape tells jobs from serving. Weights were set by hand, before any
//! estate was measured; what people correct is learned beside them
//! (`reeve_recommend::models::WorkloadModel`).

use reeve_estate::{Metric, Purchase, Resource, ResourceKind};
use reeve_learn::workload::{class_of_word, is_purpose_key, words};
use reeve_learn::{HOUR_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::workload::{Scores, WorkloadClass, WorkloadSignal};
use reeve_recommend::words::percent;

use crate::load::Load;

/// Words for a role that serves: they say less of the environment than its own names do.
const SERVING: [&str; 4] = ["customer", "frontend", "web", "api"];

/// A word under a key that says what a resource is for (`env`, `role`, ...), by the class that it
/// speaks for.
const TAG: [Scores; 4] = [
    [2.5, -3.0, 0.0, 0.0],
    [-3.0, 2.5, 0.0, 0.0],
    [-0.5, 0.0, 2.5, 0.0],
    [-0.5, 0.0, 0.0, 2.5],
];
/// A word of the name, or of another tag.
const WORD: [Scores; 4] = [
    [1.0, -0.5, 0.0, 0.0],
    [-1.0, 1.2, 0.0, 0.0],
    [0.0, 0.0, 1.2, 0.0],
    [0.0, 0.0, 0.0, 1.2],
];
/// Databases serve something; they run no jobs of their own.
const DATABASE: Scores = [0.4, 0.0, -1.5, 0.0];
/// Scaling groups are made for what serves.
const GROUP: Scores = [0.5, 0.0, 0.0, 0.0];
/// Somebody decided that it may be interrupted.
const SPOT: Scores = [-0.6, 0.0, 0.6, 0.0];
/// Somebody pays for it around the clock.
const RESERVED: Scores = [0.6, -0.6, -0.3, 0.0];
/// Somebody pays for its availability.
const STANDBY: Scores = [0.8, -0.6, -0.6, 0.0];
/// Traffic in nearly every hour.
const ALWAYS_ASKED: Scores = [0.5, -0.3, -0.5, 0.0];
/// No traffic in most hours.
const SELDOM_ASKED: Scores = [-0.8, 0.2, 0.4, 0.0];

/// Traffic of an hour below which it is silent, bytes a second: above what agents and time services
/// send.
const SILENT: f64 = 5_000.0;
/// Share of silent hours up to which it is always asked, and from which it is seldom asked.
const SILENT_SHARE: (f64, f64) = (0.05, 0.7);

/// The signals, and whether tags contradict each other.
pub(super) struct Found {
    pub(super) signals: Vec<WorkloadSignal>,
    /// Values that name production and development at once.
    pub(super) conflict: Option<String>,
    /// `true` if a tag says what the resource is for.
    pub(super) has_purpose_tag: bool,
}

/// Reads the signals of a resource.
pub(super) fn find(facts: &Facts<'_>, history: Window) -> Found {
    let resource = facts.resource;
    let mut signals = Vec::new();
    let tagged = tags(resource, &mut signals);
    name(resource, &mut signals);
    let mut add = |is: bool, name: &str, detail: &str, weights: Scores| {
        if is {
            signals.push(WorkloadSignal {
                name: name.to_owned(),
                detail: detail.to_owned(),
                weights,
            });
        }
    };

    add(
        resource.kind == ResourceKind::Database,
        "kind",
        "a database",
        DATABASE,
    );

    add(
        resource.kind == ResourceKind::ScalingGroup,
        "kind",
        "a scaling group",
        GROUP,
    );

    add(
        resource.purchase == Some(Purchase::Spot),
        "purchase",
        "spot capacity",
        SPOT,
    );

    add(
        resource.purchase == Some(Purchase::Reserved),
        "purchase",
        "reserved capacity",
        RESERVED,
    );

    add(
        resource.specification.multi_az == Some(true),
        "standby",
        "in another zone",
        STANDBY,
    );

    signals.extend(network(facts, history));
    let environments = |class| {
        tagged
            .iter()
            .filter(move |(_, of)| *of == class)
            .map(|(text, _)| text.as_str())
    };

    let (production, development) = (
        environments(WorkloadClass::Production).next(),
        environments(WorkloadClass::Development).next(),
    );
    let conflict = production
        .zip(development)
        .map(|(a, b)| format!("{a} and {b}"));
    Found {
        signals,
        conflict,
        has_purpose_tag: !tagged.is_empty(),
    }
}

/// Adds the tags that say something; those whose keys name a purpose are returned.
fn tags(resource: &Resource, signals: &mut Vec<WorkloadSignal>) -> Vec<(String, WorkloadClass)> {
    let mut tagged = Vec::new();
    for (key, value) in resource
        .tags
        .iter()
        .filter(|(key, _)| !key.eq_ignore_ascii_case("name"))
        .take(100)
    {
        let Some((word, class)) = purpose_word(value) else {
            continue;
        };
        let detail = format!("{key}={value}");
        let names_purpose = is_purpose_key(key) && !SERVING.contains(&word.as_str());
        if names_purpose {
            tagged.push((detail.clone(), class));
        }
        // Two tags that say the same are one statement: `env=prod` and `stage=production`.
        let table = if names_purpose { TAG } else { WORD };
        let known = signals
            .iter()
            .any(|signal| signal.weights == table[class as usize]);
        if !known {
            signals.push(WorkloadSignal {
                name: format!("tag {key}"),
                detail,
                weights: table[class as usize],
            });
        }
    }

    tagged
}

fn name(resource: &Resource, signals: &mut Vec<WorkloadSignal>) {
    if resource.name == resource.id.0 {
        return;
    }
    if let Some((word, class)) = purpose_word(&resource.name) {
        let detail = format!("{word} in {}", resource.name);
        signals.push(WorkloadSignal {
            name: "name".to_owned(),
            detail,
            weights: WORD[class as usize],
        });
    }
}

/// The word of a text that says most: `staging-web` is a stage, not the web.
fn purpose_word(text: &str) -> Option<(String, WorkloadClass)> {
    let rank = |(word, class): &(String, WorkloadClass)| match class {
        WorkloadClass::Development => 0,
        WorkloadClass::Production if SERVING.contains(&word.as_str()) => 2,
        _ => 1,
    };
    words(text)
        .filter_map(|word| class_of_word(&word).map(|class| (word, class)))
        .min_by_key(rank)
}

/// Traffic by hours. What was not measured says nothing.
fn network(facts: &Facts<'_>, history: Window) -> Option<WorkloadSignal> {
    let load = Load::sum(facts, Metric::NetworkIn, Metric::NetworkOut)?;
    let hours: Vec<f64> = history
        .blocks(HOUR_MS)
        .into_iter()
        .filter_map(|hour| Some(load.summary(hour)?.mean))
        .collect();

    if hours.len() < 7 * 24 {
        return None;
    }

    let silent = hours.iter().filter(|mean| **mean < SILENT).count() as f64 / hours.len() as f64;
    let weights = match silent {
        share if share <= SILENT_SHARE.0 => ALWAYS_ASKED,
        share if share >= SILENT_SHARE.1 => SELDOM_ASKED,
        _ => return None,
    };

    let detail = format!(
        "silent in {} of {} hours",
        percent(silent * 100.0),
        hours.len()
    );

    Some(WorkloadSignal {
        name: "network".to_owned(),
        detail,
        weights,
    })
}
