//! Generated incidents whose cause is known.

use reeve_learn::causes::{CauseEdge, IncidentSymptom, NodeMetric};

use crate::chance::Chance;

/// Minutes before the fault, and after it.
const BEFORE: usize = 240;
const AFTER: usize = 30;

/// Conditions of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    /// The fault reaches its callers within two minutes a call and fades.
    Plain,
    /// Callers deviate more than the cause, as latencies add up and retries pile up.
    LoudSymptoms,
    /// A third of the calls do not pass the fault on, metrics are restless, and a fifth of the
    /// nodes is not measured.
    Noisy,
    /// The faulty service is not measured: no answer is right.
    HiddenCause,
}

impl World {
    pub(crate) const ALL: [Self; 4] = [
        Self::Plain,
        Self::LoudSymptoms,
        Self::Noisy,
        Self::HiddenCause,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::LoudSymptoms => "loud symptoms",
            Self::Noisy => "noise, gaps",
            Self::HiddenCause => "cause not measured",
        }
    }
}

/// One incident.
pub(crate) struct Incident {
    pub(crate) metrics: Vec<NodeMetric>,
    pub(crate) edges: Vec<CauseEdge>,
    pub(crate) symptom: IncidentSymptom,
    pub(crate) cause: String,
}

/// Effect of the fault, or of the unrelated change, on a node.
#[derive(Debug, Clone, Copy)]
struct Effect {
    minute: usize,
    strength: f64,
}

pub(crate) fn name(node: usize) -> String {
    format!("service-{node}")
}

/// Draws incidents until one has a symptom away from its cause.
pub(crate) fn incident(world: World, seed: u64) -> Incident {
    let mut chance = Chance::new(seed, 120 + world as u64);
    loop {
        if let Some(found) = draw(world, &mut chance) {
            return found;
        }
    }
}

fn draw(world: World, chance: &mut Chance) -> Option<Incident> {
    let nodes = 10 + chance.below(51);
    // Nodes call later ones, so that the first are entries.
    let mut calls: Vec<(usize, usize)> = Vec::new();
    for callee in 1..nodes {
        for _ in 0..1 + chance.below(2) {
            calls.push((chance.below(callee), callee));
        }
    }
    calls.sort_unstable();
    calls.dedup();

    let fault = nodes / 2 + chance.below(nodes - nodes / 2);
    let effects = spread(world, chance, &calls, nodes, fault);
    let symptom = (0..nodes / 2).find(|node| *node != fault && effects[*node].is_some())?;
    let start = effects[symptom]?.minute + chance.below(3);

    let upstream = |node: usize| effects[node].is_some();
    let unrelated = (0..20)
        .map(|_| chance.below(nodes))
        .find(|node| !upstream(*node))?;
    let mut effects = effects.clone();
    effects[unrelated] = Some(Effect {
        minute: BEFORE - 8 + chance.below(14),
        strength: chance.between(0.6, 1.8),
    });

    let mut metrics = Vec::new();
    for (node, effect) in effects.iter().enumerate() {
        let hidden = match world {
            World::HiddenCause => node == fault,
            World::Noisy => node != fault && node != symptom && chance.happens(0.2),
            _ => false,
        };
        if !hidden {
            metrics.extend(measured(world, chance, node, *effect, node == fault));
        }
    }

    Some(Incident {
        metrics,
        edges: calls
            .into_iter()
            .map(|(caller, callee)| CauseEdge {
                caller: name(caller),
                callee: name(callee),
            })
            .collect(),
        symptom: IncidentSymptom {
            node: name(symptom),
            metric: None,
            start_ms: start as i64 * 60_000,
            end_ms: None,
        },
        cause: name(fault),
    })
}

/// Effects of a fault: its callers follow, and theirs.
fn spread(
    world: World,
    chance: &mut Chance,
    calls: &[(usize, usize)],
    nodes: usize,
    fault: usize,
) -> Vec<Option<Effect>> {
    let passes = if world == World::Noisy { 0.67 } else { 0.9 };
    let mut effects = vec![None; nodes];
    effects[fault] = Some(Effect {
        minute: BEFORE,
        strength: chance.between(0.5, 1.5),
    });

    for node in (0..fault).rev() {
        let callees = calls.iter().filter(|(caller, _)| *caller == node);
        let mut found: Option<Effect> = None;
        for effect in callees.filter_map(|(_, callee)| effects[*callee]) {
            let minute = effect.minute + chance.below(3);
            let factor = match world {
                World::LoudSymptoms => chance.between(0.9, 1.5),
                _ => chance.between(0.5, 1.0),
            };
            let earlier = found.is_none_or(|found| minute < found.minute);
            if earlier && chance.happens(passes) {
                found = Some(Effect {
                    minute,
                    strength: effect.strength * factor,
                });
            }
        }
        effects[node] = found;
    }
    effects
}

/// Latency, errors, requests and processor of a node, a value a minute.
fn measured(
    world: World,
    chance: &mut Chance,
    node: usize,
    effect: Option<Effect>,
    faulty: bool,
) -> Vec<NodeMetric> {
    let noise = if world == World::Noisy { 0.12 } else { 0.05 };
    let spikes = if world == World::Noisy { 0.01 } else { 0.003 };
    let latency = chance.scale(5.0, 500.0);
    let requests = chance.scale(10.0, 1_000.0);
    let mut wander = 0.0f64;
    let mut series: [Vec<f64>; 4] = Default::default();

    for minute in 0..BEFORE + AFTER {
        wander = 0.9 * wander + 0.3 * noise * chance.normal();
        let strength = effect
            .filter(|effect| minute >= effect.minute)
            .map_or(0.0, |effect| {
                let grown = (minute - effect.minute + 1) as f64 / 3.0;
                effect.strength * grown.min(1.0)
            });
        let mut factor = || {
            let spike = if chance.happens(spikes) { 2.0 } else { 1.0 };
            spike * (wander + noise * chance.normal()).exp()
        };
        series[0].push(latency * (1.0 + 2.0 * strength) * factor());
        series[1].push(
            0.2 * factor()
                + if strength > 0.3 {
                    5.0 * strength * factor()
                } else {
                    0.0
                },
        );
        series[2].push(requests * (1.0 - 0.25 * strength.min(1.5)) * factor());
        series[3].push(20.0 * (1.0 + if faulty { 2.0 * strength } else { 0.0 }) * factor());
    }

    ["latency", "errors", "requests", "cpu"]
        .into_iter()
        .zip(series)
        .map(|(metric, values)| super::metric(node, metric, values))
        .collect()
}
