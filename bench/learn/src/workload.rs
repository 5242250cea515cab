//! Workloads: the classifier is learnt on a simulated estate and judged on others with seeds and habits of their own, beside
//! the majority, tags alone, metrics alone and shuffled labels.

use std::time::Instant;

use anyhow::{Context, Result};
use reeve_learn::workload::{Abstention, Class, Classifier, Features, Metrics, classify};

use crate::chance::Chance;
use crate::data::Data;

mod estate;

use estate::{Estate, Resource};

const LEARNT_ON: u64 = 41;
const LEARNT: u64 = 8_000;
const JUDGED: u64 = 4_000;
/// The features that tags fill.
const TAGS: std::ops::Range<usize> = 15..20;

/// Prints the part. `REEVE_BENCH_WEIGHTS` prints the parameters that `crates/learn` carries.
pub(crate) fn run(_: &Data) -> Result<()> {
    let examples = examples(Estate::Alike, LEARNT_ON, LEARNT);
    let learnt = Classifier::fit(&examples).context("too few examples")?;
    if std::env::var_os("REEVE_BENCH_WEIGHTS").is_some() {
        weights(&learnt);
        return Ok(());
    }
    let choosing = std::env::var_os("REEVE_BENCH_CHOOSING").is_some();
    let seed = if choosing { 43 } else { 2_029 };
    println!(
        "Learnt on {} simulated resources (seed {LEARNT_ON}), judged on {JUDGED} others (seed {seed}).",
        examples.len()
    );
    let carried = Classifier::built_in();
    let same = learnt.coefficients.iter().flatten().zip(carried.coefficients.iter().flatten());
    let apart = same.fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    println!("The parameters carried by the library differ from these by at most {apart:.1e}.\n");
    let masked = |kept: &dyn Fn(usize) -> bool| {
        let set: Vec<_> = examples.iter().map(|(features, class)| (mask(features, kept), *class)).collect();
        Classifier::fit(&set).context("too few examples")
    };
    let (by_tags, by_metrics) = (masked(&|at| TAGS.contains(&at))?, masked(&|at| !TAGS.contains(&at))?);
    let turned: Vec<_> =
        examples.iter().zip(examples.iter().skip(97).chain(&examples)).map(|(one, other)| (one.0, other.1)).collect();
    let shuffled = Classifier::fit(&turned).context("too few examples")?;
    for kind in [Estate::Alike, Estate::Foreign] {
        let judged: Vec<Resource> = resources(kind, seed, JUDGED);
        println!(
            "### {kind:?}\n\n| method | abstained | accuracy | precision | recall | F1 | Brier | ECE |\n|---|---|---|---|---|---|---|---|"
        );
        row("ours", &judged, &Classifier::built_in(), &|_| true, 0.6);
        row("ours, never unclear", &judged, &Classifier::built_in(), &|_| true, 0.0);
        row("metrics only", &judged, &by_metrics, &|at| !TAGS.contains(&at), 0.0);
        row("tags only", &judged, &by_tags, &|at| TAGS.contains(&at), 0.0);
        row("learnt on shuffled labels", &judged, &shuffled, &|_| true, 0.0);
        majority(&judged);
        confusion(&judged);
    }
    Ok(())
}

fn resources(kind: Estate, seed: u64, count: u64) -> Vec<Resource> {
    (0..count).map(|number| estate::resource(kind, &mut Chance::new(seed, number))).collect()
}

fn examples(kind: Estate, seed: u64, count: u64) -> Vec<(Features, Class)> {
    resources(kind, seed, count).iter().filter_map(|one| Some((features(one)?, one.class))).collect()
}

fn metrics(resource: &Resource) -> Metrics<'_> {
    Metrics { cpu: &resource.cpu, network: &resource.network, disk: &resource.disk }
}

fn features(resource: &Resource) -> Option<Features> {
    Features::of(&metrics(resource), &resource.tags)
}

fn mask(features: &Features, kept: &dyn Fn(usize) -> bool) -> Features {
    Features(std::array::from_fn(|at| if kept(at) { features.0[at] } else { 0.0 }))
}

/// Scores over those that are answered; recall counts what was abstained from as missed only where data was enough.
fn row(name: &str, judged: &[Resource], by: &Classifier, kept: &dyn Fn(usize) -> bool, clear: f64) {
    let mut table = [[0.0f64; 4]; 4];
    let (mut abstained, mut brier, mut said) = (0.0, 0.0, Vec::new());
    for one in judged {
        let Some(found) = features(one) else {
            abstained += 1.0;
            continue;
        };
        let chances = by.probabilities(&mask(&found, kept));
        let best = (0..4).max_by(|a, b| chances[*a].total_cmp(&chances[*b])).unwrap_or(0);
        let truth = one.class as usize;
        brier += (0..4).map(|at| (chances[at] - f64::from(at == truth)).powi(2)).sum::<f64>();
        said.push((chances[best], f64::from(best == truth)));
        if chances[best] < clear {
            abstained += 1.0;
        } else {
            table[truth][best] += 1.0;
        }
    }
    let answered: f64 = table.iter().flatten().sum();
    let right: f64 = (0..4).map(|at| table[at][at]).sum();
    let precision =
        (0..4).map(|at| table[at][at] / (0..4).map(|row| table[row][at]).sum::<f64>().max(1.0)).sum::<f64>() / 4.0;
    let recall = (0..4).map(|at| table[at][at] / table[at].iter().sum::<f64>().max(1.0)).sum::<f64>() / 4.0;
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
    said.chunks(size).map(|bin| bin.iter().map(|one| one.0 - one.1).sum::<f64>().abs()).sum::<f64>()
        / said.len().max(1) as f64
}

fn majority(judged: &[Resource]) {
    let count = |class: &Class| judged.iter().filter(|one| one.class == *class).count();
    let most = Class::ALL.iter().map(count).max().unwrap_or(0) as f64 / judged.len() as f64;
    println!(
        "| always the commonest | 0.0 % | {most:.3} | {:.3} | 0.250 | {:.3} | | |",
        most / 4.0,
        0.5 * most / (1.0 + most)
    );
}

fn confusion(judged: &[Resource]) {
    let classifier = Classifier::built_in();
    let started = Instant::now();
    let mut table = [[0u32; 6]; 4];
    for one in judged {
        let found = classify(&classifier, &metrics(one), &one.tags);
        let column = match (found.class, found.abstention) {
            (Some(class), _) => class as usize,
            (None, Some(Abstention::ThinData { .. })) => 5,
            (None, _) => 4,
        };
        table[one.class as usize][column] += 1;
    }
    println!(
        "\n| is, said | production | development | batch | analytics | unclear | thin data |\n|---|---|---|---|---|---|---|"
    );
    for (class, row) in Class::ALL.iter().zip(table) {
        println!("| {class:?} | {} |", row.map(|count| count.to_string()).join(" | "));
    }
    println!("\nEach resource took {:?}.\n", started.elapsed() / judged.len() as u32);
}

fn weights(learnt: &Classifier) {
    println!("pub(super) const MEANS: [f64; 20] = {:?};", learnt.means);
    println!("pub(super) const SPREADS: [f64; 20] = {:?};", learnt.spreads);
    println!("pub(super) const COEFFICIENTS: [[f64; 21]; 4] = {:?};", learnt.coefficients);
    println!("pub(super) const TEMPERATURE: f64 = {:?};", learnt.temperature);
}
