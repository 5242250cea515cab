//! Figures of predictions: calibration, skill beside controls, precision and lead time.

use reeve_learn::attack_chain::{
    AttackChainBelief, AttackChainStep, AttackStage, ChainModel, LabelledSequence, LabelledStep,
    STAGES, next_of_attack,
};

use crate::goal::Goal;

/// Probability of a next step from which on a chain is reported, as agents have it by default.
const REPORT_ABOVE: f64 = 0.1;
/// Other thresholds that are measured.
const THRESHOLDS: [f64; 6] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5];
/// Different stages below which a chain is not reported.
const FEWEST_STAGES: usize = 2;
const HOUR_MS: f64 = 3_600_000.0;

/// Steps of one principal.
pub(super) struct Sequence {
    pub(super) name: &'static str,
    pub(super) attack: bool,
    pub(super) steps: LabelledSequence,
}

impl Sequence {
    /// Stage of the attack's next step after a position.
    fn next_attack(&self, position: usize) -> Option<AttackStage> {
        next_of_attack(&self.steps, position).map(|step| step.stage)
    }

    /// Time of the first step of the attack that does harm.
    fn harm_ms(&self) -> Option<i64> {
        let harm = |one: &&LabelledStep| one.attack && one.step.stage.harms();
        self.steps.iter().find(harm).map(|one| one.step.at_ms)
    }
}

/// Forecast of the next step after each step of a sequence.
type Forecast<'a> = Box<dyn Fn(&Sequence) -> Vec<[f64; STAGES]> + 'a>;

/// Figures of one method.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures {
    brier: f64,
    area: f64,
    first_right: f64,
    reported: f64,
    before_harm: f64,
    lead_h: f64,
    precision: f64,
    /// By tenth of the forecast: forecasts, their mean, the share that came true.
    reliability: Vec<(f64, f64, f64)>,
}

/// Measures the model and the controls; `fitted_to` is what the controls may know. Returns the
/// figures of the model.
pub(super) fn report(
    fitted_to: &[Sequence],
    sequences: &[Sequence],
    model: &ChainModel,
    prior: f64,
) -> Figures {
    let campaigns = sequences.iter().filter(|one| one.attack).count();
    println!(
        "{campaigns} campaigns among {} look-alikes and principals at ordinary work; figures are at {:.0} % attacks.\n",
        sequences.len() - campaigns,
        100.0 * prior
    );
    println!(
        "| method | Brier x1000 | area (sequences) | next stage right | reported | before harm | median lead | precision |\n|---|---|---|---|---|---|---|---|"
    );

    let table = frequencies(fitted_to, prior);
    let single = single_event(fitted_to, prior);
    let methods: [(&str, Forecast<'_>); 3] = [
        ("**chain**", Box::new(|one| chain(one, model))),
        (
            "control: frequency table",
            Box::new(|one| {
                one.steps
                    .iter()
                    .map(|step| table[step.step.stage as usize])
                    .collect()
            }),
        ),
        (
            "control: single events",
            Box::new(|one| {
                one.steps
                    .iter()
                    .map(|step| single[step.step.band()])
                    .collect()
            }),
        ),
    ];

    let mut all = Vec::new();
    for (name, forecast) in methods {
        let figures = measure(sequences, &forecast, prior, REPORT_ABOVE);
        println!(
            "| {name} | {:.2} | {:.3} | {:.1} % | {:.1} % | {:.1} % | {:.1} h | {:.1} % |",
            1000.0 * figures.brier,
            figures.area,
            100.0 * figures.first_right,
            100.0 * figures.reported,
            100.0 * figures.before_harm,
            figures.lead_h,
            100.0 * figures.precision,
        );
        all.push(figures);
    }

    println!(
        "\n| reported above | reported | before harm | median lead | precision |\n|---|---|---|---|---|"
    );
    let forecast: Forecast<'_> = Box::new(|one| chain(one, model));
    for threshold in THRESHOLDS {
        let found = measure(sequences, &forecast, prior, threshold);
        println!(
            "| {:.0} % | {:.1} % | {:.1} % | {:.1} h | {:.1} % |",
            100.0 * threshold,
            100.0 * found.reported,
            100.0 * found.before_harm,
            found.lead_h,
            100.0 * found.precision
        );
    }

    let figures = all.swap_remove(0);
    println!("\n| forecast of a stage | forecasts | mean | came true |\n|---|---|---|---|");
    for (tenth, (count, mean, came_true)) in figures.reliability.iter().enumerate() {
        if *count > 0.0 {
            println!(
                "| {} to {} % | {count:.1} | {:.1} % | {:.1} % |",
                10 * tenth,
                10 * (tenth + 1),
                100.0 * mean,
                100.0 * came_true
            );
        }
    }
    println!();
    loudest(sequences, model);
    figures
}

/// Prints the figures as goals.
pub(super) fn goals(figures: &Figures) {
    Goal::AtLeast(50.0, 70.0).print(
        "attack campaigns reported before data leaves or is destroyed",
        100.0 * figures.before_harm,
        1,
        " %",
    );
    Goal::AtLeast(50.0, 80.0).print(
        "precision of reported attack chains at 2 % attacks",
        100.0 * figures.precision,
        1,
        " %",
    );
}

fn chain(sequence: &Sequence, model: &ChainModel) -> Vec<[f64; STAGES]> {
    let mut belief = AttackChainBelief::default();
    sequence
        .steps
        .iter()
        .map(|one| {
            belief.add(model, &one.step);
            belief.next(model, one.step.at_ms)
        })
        .collect()
}

/// Weight of a sequence, so that attacks have their share by the prior.
fn weights(sequences: &[Sequence], prior: f64) -> impl Fn(&Sequence) -> f64 {
    let attacks = sequences.iter().filter(|one| one.attack).count() as f64;
    let others = sequences.len() as f64 - attacks;
    let (attack, other) = (prior / attacks.max(1.0), (1.0 - prior) / others.max(1.0));
    move |one: &Sequence| if one.attack { attack } else { other }
}

/// Shares of next stages by the last stage.
fn frequencies(sequences: &[Sequence], prior: f64) -> [[f64; STAGES]; STAGES] {
    shares(sequences, prior, |step| step.stage as usize)
}

/// Shares of next stages by the surprise of the last event alone.
fn single_event(sequences: &[Sequence], prior: f64) -> [[f64; STAGES]; STAGES] {
    shares(sequences, prior, AttackChainStep::band)
}

fn shares(
    sequences: &[Sequence],
    prior: f64,
    key: impl Fn(&AttackChainStep) -> usize,
) -> [[f64; STAGES]; STAGES] {
    let weight = weights(sequences, prior);
    let mut counts = [[0.0; STAGES]; STAGES];
    let mut all = [1e-9; STAGES];
    for sequence in sequences {
        for (position, one) in sequence.steps.iter().enumerate() {
            let key = key(&one.step);
            all[key] += weight(sequence);
            if let Some(next) = sequence.next_attack(position) {
                counts[key][next as usize] += weight(sequence);
            }
        }
    }
    for (counts, all) in counts.iter_mut().zip(all) {
        counts.iter_mut().for_each(|count| *count /= all);
    }
    counts
}

fn measure(
    sequences: &[Sequence],
    forecast: &Forecast<'_>,
    prior: f64,
    report_above: f64,
) -> Figures {
    let weight = weights(sequences, prior);
    let (mut brier, mut forecasts) = (0.0, 0.0);
    let mut tenths = vec![(0.0, 0.0, 0.0); 10];
    let (mut right, mut asked) = (0_usize, 0_usize);
    let (mut told, mut reported, mut in_time) = ([0.0; 2], 0.0, 0.0);
    let (mut leads, mut peaks) = (Vec::new(), Vec::new());
    let campaigns = sequences.iter().filter(|one| one.attack).count() as f64;
    // Weights of one kind of sequence are equal, so counts in tables are in sequences.
    let unit = sequences.len() as f64;

    for sequence in sequences {
        let weight = weight(sequence);
        let found = forecast(sequence);
        let mut first_report = None;
        let mut stages = std::collections::BTreeSet::new();
        for (position, next) in found.iter().enumerate() {
            let truth = sequence.next_attack(position);
            for (stage, probability) in AttackStage::ALL.iter().zip(next) {
                let came = f64::from(truth == Some(*stage));
                brier += weight * (probability - came).powi(2);
                let tenth = &mut tenths[((probability * 10.0) as usize).min(9)];
                tenth.0 += weight * unit;
                tenth.1 += weight * unit * probability;
                tenth.2 += weight * unit * came;
            }
            forecasts += weight;

            let step = &sequence.steps[position];
            if step.attack
                && let Some(truth) = truth
            {
                asked += 1;
                let best = (0..STAGES).max_by(|a, b| next[*a].total_cmp(&next[*b]));
                right += usize::from(best == Some(truth as usize));
            }
            stages.insert(step.step.stage);
            let sum: f64 = next.iter().sum();
            if first_report.is_none() && stages.len() >= FEWEST_STAGES && sum >= report_above {
                first_report = Some(step.step.at_ms);
            }
        }

        let peak = found
            .iter()
            .map(|next| next.iter().sum::<f64>())
            .fold(0.0, f64::max);
        peaks.push((peak, sequence.attack));
        if let Some(at_ms) = first_report {
            told[usize::from(sequence.attack)] += weight;
            if sequence.attack {
                reported += 1.0;
            }
            if let Some(harm) = sequence.harm_ms().filter(|harm| at_ms < *harm) {
                in_time += 1.0;
                leads.push((harm - at_ms) as f64 / HOUR_MS);
            }
        }
    }

    leads.sort_by(f64::total_cmp);
    Figures {
        brier: brier / forecasts,
        area: area(&peaks),
        first_right: right as f64 / asked.max(1) as f64,
        reported: reported / campaigns,
        before_harm: in_time / campaigns,
        lead_h: leads.get(leads.len() / 2).copied().unwrap_or(f64::NAN),
        precision: told[1] / (told[0] + told[1]),
        reliability: tenths
            .into_iter()
            .map(|(count, sum, came)| (count, sum / count, came / count))
            .collect(),
    }
}

/// Probability that a campaign's highest forecast is above another sequence's; ties count half.
fn area(peaks: &[(f64, bool)]) -> f64 {
    let of = |attack: bool| peaks.iter().filter(move |one| one.1 == attack);
    let mut above = 0.0;
    for (attack, _) in of(true) {
        for (other, _) in of(false) {
            above += match attack.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    above / (of(true).count() * of(false).count()).max(1) as f64
}

/// Prints the share of each course that is reported: what false reports come from.
fn loudest(sequences: &[Sequence], model: &ChainModel) {
    let mut by_name: std::collections::BTreeMap<(bool, &str), (usize, usize)> =
        std::collections::BTreeMap::new();
    for sequence in sequences {
        let mut stages = std::collections::BTreeSet::new();
        let reported = chain(sequence, model)
            .iter()
            .zip(&sequence.steps)
            .any(|(next, one)| {
                stages.insert(one.step.stage);
                stages.len() >= FEWEST_STAGES && next.iter().sum::<f64>() >= REPORT_ABOVE
            });
        let (told, all) = by_name
            .entry((!sequence.attack, sequence.name))
            .or_default();
        (*told, *all) = (*told + usize::from(reported), *all + 1);
    }
    let texts: Vec<String> = by_name
        .iter()
        .map(|((_, name), (told, all))| format!("{name} {told}/{all}"))
        .collect();
    println!("Reported: {}.\n", texts.join(", "));
}
