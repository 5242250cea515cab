//! Causes of generated incidents: a fault in one service of a graph, its way to the callers with
//! delays, noise, and a change elsewhere at the same time that has nothing to do with it.
//!
//! Controls: the node with the largest deviation, the one with the earliest onset, and a random
//! walk from the symptom along calls to deviating nodes (as MicroRank and its kin do). Constants
//! were chosen on seeds 1 to 200; 1,001 to 1,400 were looked at once.

use std::collections::BTreeMap;

use anyhow::Result;
use reeve_learn::causes::{
    Cause, CauseEdge, CauseGrade, IncidentSymptom, NodeDeviation, NodeMetric, causes, deviations,
};

use crate::data::Data;

mod world;

use world::{Incident, World};

const METHODS: [&str; 5] = [
    "ours",
    "ours, without edges",
    "largest deviation",
    "earliest onset",
    "random walk",
];

/// Hits of a method.
#[derive(Debug, Clone, Copy, Default)]
struct Hits {
    first: usize,
    three: usize,
}

/// Answers of one grade, and those of them that were right.
type Grades = BTreeMap<CauseGrade, (usize, usize)>;

/// Prints the tables.
pub(crate) fn run(_data: &Data) -> Result<()> {
    println!("| incidents | method | cause first | among three |");
    println!("|---|---|---|---|");
    let mut grades = Vec::new();
    for (what, seeds) in [("chosen on", 1..201), ("confirmed on", 1_001..1_401)] {
        for world in World::ALL {
            let name = format!("{what}: {}", world.name());
            grades.push((name.clone(), judge(&name, world, seeds.clone())));
        }
    }

    println!("\n| incidents | grade of the first | answers | right |");
    println!("|---|---|---|---|");
    for (name, (with, without)) in grades {
        for (edges, grades) in [("", with), (", without edges", without)] {
            for (grade, (answers, right)) in grades.iter().rev() {
                println!(
                    "| {name}{edges} | {} | {answers} | {:.1} % |",
                    grade.as_str(),
                    100.0 * *right as f64 / *answers as f64
                );
            }
        }
    }
    Ok(())
}

fn judge(name: &str, world: World, seeds: std::ops::Range<u64>) -> (Grades, Grades) {
    let mut hits = [Hits::default(); 5];
    let mut grades = (Grades::new(), Grades::new());
    let count = seeds.clone().count();

    for seed in seeds {
        let incident = world::incident(world, seed);
        let Incident {
            metrics,
            edges,
            symptom,
            cause,
        } = &incident;
        let ours = causes(metrics, Some(edges), symptom);
        let blind = causes(metrics, None, symptom);
        note(&mut grades.0, &ours, cause);
        note(&mut grades.1, &blind, cause);

        let found = deviations(metrics, symptom);
        let names = |causes: &[Cause]| causes.iter().map(|one| one.node.clone()).collect();
        let ranked: [Vec<String>; 5] = [
            names(&ours),
            names(&blind),
            ranked(&found, |_, one| one.largest.size),
            ranked(&found, |_, one| -(one.onset_ms as f64)),
            walk(&found, edges, symptom),
        ];
        for (hits, ranked) in hits.iter_mut().zip(&ranked) {
            hits.first += usize::from(ranked.first() == Some(cause));
            hits.three += usize::from(ranked.iter().take(3).any(|one| one == cause));
        }
    }

    for (method, hits) in METHODS.iter().zip(hits) {
        let share = |hits: usize| 100.0 * hits as f64 / count as f64;
        println!(
            "| {name} | {method} | {:.1} % | {:.1} % |",
            share(hits.first),
            share(hits.three)
        );
    }
    grades
}

fn note(grades: &mut Grades, found: &[Cause], cause: &str) {
    let first = found.first();
    let entry = grades
        .entry(first.map_or(CauseGrade::Inconclusive, |one| one.grade))
        .or_default();
    entry.0 += 1;
    entry.1 += usize::from(first.is_some_and(|one| one.node == cause));
}

fn ranked(
    found: &BTreeMap<String, NodeDeviation>,
    score: impl Fn(&str, &NodeDeviation) -> f64,
) -> Vec<String> {
    let mut scored: Vec<(f64, &String)> = found
        .iter()
        .map(|(node, one)| (score(node, one), node))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().map(|(_, node)| node.clone()).collect()
}

/// Personalised PageRank: steps go to callees and stay by how much each deviates.
fn walk(
    found: &BTreeMap<String, NodeDeviation>,
    edges: &[CauseEdge],
    symptom: &IncidentSymptom,
) -> Vec<String> {
    const RESTART: f64 = 0.15;
    let size = |node: &str| found.get(node).map_or(0.05, |one| one.largest.size);
    let mut callees: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        callees.entry(&edge.caller).or_default().push(&edge.callee);
    }

    let start = symptom.node.as_str();
    let mut visits = BTreeMap::from([(start, 1.0)]);
    for _ in 0..50 {
        let mut next: BTreeMap<&str, f64> = BTreeMap::from([(start, RESTART)]);
        for (node, share) in &visits {
            let stay = [*node];
            let ways = callees.get(node).into_iter().flatten().chain(&stay);
            let whole: f64 = ways.clone().map(|way| size(way)).sum();
            for way in ways {
                *next.entry(way).or_default() += (1.0 - RESTART) * share * size(way) / whole;
            }
        }
        visits = next;
    }
    ranked(found, |node, _| visits.get(node).copied().unwrap_or(0.0))
}

/// Metric of a node of a generated incident.
fn metric(node: usize, metric: &str, values: Vec<f64>) -> NodeMetric {
    NodeMetric {
        node: world::name(node),
        metric: metric.to_owned(),
        points: (0..).map(|row| row * 60_000).zip(values).collect(),
    }
}
