//! Workloads: the table of shapes is judged on simulated estates, beside the majority and a table
//! with its classes turned. No part of the table was fitted: `REEVE_BENCH_CHOOSING` uses the seed
//! that it was looked at with.

use std::time::Instant;

use anyhow::Result;
use reeve_learn::workload::{Features, Metrics, WorkloadClass, probabilities, properties, scores};

use crate::chance::Chance;
use crate::data::Data;

mod estate;

use estate::{Estate, Resource};

const JUDGED: u64 = 4_000;
/// Probability below which a resource stays unclassified, as `workload_classifier` has it.
const CLEAR: f64 = 0.7;

/// Measures the classes and prints their tables.
pub(crate) fn run(_: &Data) -> Result<()> {
    let choosing = std::env::var_os("REEVE_BENCH_CHOOSING").is_some();
    let seed = if choosing { 43 } else { 2_029 };
    println!(
        "Judged on {JUDGED} simulated resources (seed {seed}), by the shape of their metrics alone.\n"
    );

    for kind in [Estate::Usual, Estate::Foreign] {
        let judged: Vec<Resource> = resources(kind, seed, JUDGED);
        println!(
            "### {kind:?}\n\n| method | abstained | accuracy | precision | recall | F1 | Brier | ECE |\n|---|---|---|---|---|---|---|---|"
        );
        row("ours", &judged, 0, CLEAR);
        row("ours, never unclear", &judged, 0, 0.0);
        row("classes turned by one", &judged, 1, 0.0);
        majority(&judged);
        confusion(&judged);
    }

    Ok(())
}

fn resources(kind: Estate, seed: u64, count: u64) -> Vec<Resource> {
    (0..count)
        .map(|number| estate::resource(kind, &mut Chance::new(seed, number)))
        .collect()
}

fn metrics(resource: &Resource) -> Metrics<'_> {
    Metrics {
        cpu: &resource.cpu,
        network: &resource.network,
        disk: &resource.disk,
    }
}

/// Probability of each class; `None` for thin data.
fn chances(resource: &Resource) -> Option<[f64; 4]> {
    Some(probabilities(scores(&properties(&Features::new(
        &metrics(resource),
    )?))))
}

/// Scores over those that are answered; recall counts what was abstained from as missed only where
/// data was enough.
fn row(name: &str, judged: &[Resource], turned: usize, clear: f64) {
    let mut table = [[0.0f64; 4]; 4];
    let (mut abstained, mut brier, mut said) = (0.0, 0.0, Vec::new());

    for one in judged {
        let Some(mut chances) = chances(one) else {
            abstained += 1.0;
            continue;
        };
        chances.rotate_right(turned);
        let best = (0..4)
            .max_by(|a, b| chances[*a].total_cmp(&chances[*b]))
            .unwrap_or(0);
        let truth = one.class as usize;
        brier += (0..4)
            .map(|at| (chances[at] - f64::from(at == truth)).powi(2))
            .sum::<f64>();
        said.push((chances[best], f64::from(best == truth)));
        if chances[best] < clear {
            abstained += 1.0;
        } else {
            table[truth][best] += 1.0;
        }
    }

    let answered: f64 = table.iter().flatten().sum();
    let right: f64 = (0..4).map(|at| table[at][at]).sum();
    let precision = (0..4)
        .map(|at| table[at][at] / (0..4).map(|row| table[row][at]).sum::<f64>().max(1.0))
        .sum::<f64>()
        / 4.0;
    let recall = (0..4)
        .map(|at| table[at][at] / table[at].iter().sum::<f64>().max(1.0))
        .sum::<f64>()
        / 4.0;
    println!(
        "| {name} | {:.1} % | {:.3} | {precision:.3} | {recall:.3} | {:.3} | {:.3} | {:.3} |",
        100.0 * abstained / judged.len() as f64,
        right / answered.max(1.0),
        2.0 * precision * recall / (precision + recall).max(1e-9),
        brier / said.len().max(1) as f64,
        calibration_error(said),
    );
}

fn calibration_error(mut said: Vec<(f64, f64)>) -> f64 {
    said.sort_by(|a, b| a.0.total_cmp(&b.0));
    let size = said.len().div_ceil(15).max(1);
    said.chunks(size)
        .map(|bin| bin.iter().map(|one| one.0 - one.1).sum::<f64>().abs())
        .sum::<f64>()
        / said.len().max(1) as f64
}

fn majority(judged: &[Resource]) {
    let count = |class: &WorkloadClass| judged.iter().filter(|one| one.class == *class).count();
    let most = WorkloadClass::ALL.iter().map(count).max().unwrap_or(0) as f64 / judged.len() as f64;
    println!(
        "| always the commonest | 0.0 % | {most:.3} | {:.3} | 0.250 | {:.3} | | |",
        most / 4.0,
        0.5 * most / (1.0 + most)
    );
}

fn confusion(judged: &[Resource]) {
    let started = Instant::now();
    let mut table = [[0u32; 6]; 4];

    for one in judged {
        let best = |chances: [f64; 4]| {
            WorkloadClass::ALL
                .into_iter()
                .map(|class| class as usize)
                .find(|at| chances[*at] >= CLEAR)
        };
        let column = chances(one).map_or(5, |chances| best(chances).unwrap_or(4));
        table[one.class as usize][column] += 1;
    }

    println!(
        "\n| is, said | production | development | batch | analytics | unclear | thin data |\n|---|---|---|---|---|---|---|"
    );
    for (class, row) in WorkloadClass::ALL.iter().zip(table) {
        println!(
            "| {class:?} | {} |",
            row.map(|count| count.to_string()).join(" | ")
        );
    }

    println!(
        "\nEach resource took {:?}.\n",
        started.elapsed() / judged.len() as u32
    );
}
