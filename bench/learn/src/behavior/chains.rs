//! Attack chains: campaigns told from look-alikes before they do harm, and the next step predicted,
//! beside a frequency table and a detector of single events.
//!
//! The model is fitted to one half of the intrusions, techniques and jobs, and measured on the other
//! one. Both halves are judged by a watch that has learned fifty days of ordinary work.

pub(super) mod campaigns;
mod measure;

use anyhow::Result;
use reeve_anomalies::attack::technique_of_call;
use reeve_anomalies::chain::{StepFilter, may_be_step};
use reeve_learn::attack_chain::{ChainModel, FITTED, LabelledSequence, LabelledStep, fit};
use reeve_learn::behavior::Watch;

use super::ordinary::work::Office;
use super::set::{self, Blank};
use crate::data::Data;
use campaigns::{Course, Half, Pool};
use measure::Sequence;

/// Share of attacks among sequences that probabilities are made for.
const PRIOR: f64 = 0.02;
/// Campaigns of a half.
const CAMPAIGNS: usize = 210;
/// Jobs of a half.
const JOBS: usize = 300;
/// Days that the watch has learned.
const LEARNED_DAYS: i64 = 50;

/// Fits the model to one half and measures it, and the one in use, on the other.
pub(crate) fn run(data: &Data) -> Result<()> {
    let units = set::load(data, Blank::Names)?;
    let office = Office::new(3);
    let mut learned = Watch::default();
    for event in office.days(0..LEARNED_DAYS) {
        learned.observe(&event);
    }

    let half = |half: Half| {
        let pool = Pool::new(&units, half);
        println!("Recordings and tests by stage: {}.\n", pool.counts());
        let mut courses = vec![(campaigns::campaigns(&pool, &office, half, CAMPAIGNS), true)];
        courses.push((campaigns::jobs(&office, half, JOBS), false));
        courses.push((campaigns::ordinary(&office, half), false));
        let sequences: Vec<Sequence> = courses
            .iter()
            .flat_map(|(courses, attack)| {
                courses
                    .iter()
                    .map(|course| sequence(course, *attack, &learned))
            })
            .collect();
        sequences
    };

    let choosing = half(Half::Choosing);
    let steps: Vec<LabelledSequence> = choosing.iter().map(|one| one.steps.clone()).collect();
    let model = fit(&steps, PRIOR);
    print_model(&model);

    let held_out = half(Half::HeldOut);
    println!("### The half for choosing\n");
    measure::report(&choosing, &choosing, &model, PRIOR);
    println!("### The held-out half\n");
    measure::report(&choosing, &held_out, &model, PRIOR);
    let found = measure::report(&choosing, &held_out, &FITTED, PRIOR);
    measure::goals(&found);
    Ok(())
}

/// Judges a course and reduces it to its steps.
fn sequence(course: &Course, attack: bool, learned: &Watch) -> Sequence {
    let mut watch = learned.clone();
    for event in &course.before {
        watch.observe(event);
    }
    let mut filter = StepFilter::default();
    let steps = course
        .events
        .iter()
        .filter_map(|(event, is_attack)| {
            let score = watch.observe(event).score;
            let technique = technique_of_call(event).filter(|_| may_be_step(event))?;
            let step = filter.step(event, score, technique)?;
            Some(LabelledStep {
                step,
                attack: *is_attack,
            })
        })
        .collect();

    Sequence {
        name: course.name,
        attack,
        steps,
    }
}

/// Prints the model as `crates/learn/src/attack_chain/fitted.rs` holds it.
fn print_model(model: &ChainModel) {
    let row = |values: &[f64]| {
        let texts: Vec<String> = values.iter().map(|value| format!("{value:.4}")).collect();
        format!("[{}]", texts.join(", "))
    };
    let rows = |values: &[Vec<f64>]| {
        let texts: Vec<String> = values.iter().map(|value| row(value)).collect();
        format!(
            "[\n            {},\n        ]",
            texts.join(",\n            ")
        )
    };

    println!("```rust\npub const FITTED: ChainModel = ChainModel {{");
    for (name, process) in [("attack", &model.attack), ("ordinary", &model.ordinary)] {
        println!("    {name}: Process {{");
        println!("        first: {},", row(&process.first));
        println!(
            "        next: {},",
            rows(&process.next.map(|one| one.to_vec()))
        );
        println!("        end: {},", row(&process.end));
        println!(
            "        bands: {},\n    }},",
            rows(&process.bands.map(|one| one.to_vec()))
        );
    }
    println!(
        "    follows: {},",
        rows(&model.follows.map(|one| one.to_vec()))
    );
    println!(
        "    prior: {:.4},\n    calibration: ({:.4}, {:.4}),\n}};\n```\n",
        model.prior, model.calibration.0, model.calibration.1
    );
}
