//! Attacks held against the work of others and against everything, the tools and administrators whose
//! calls are the attacker's own; and single events of rules that nobody has looked at.
//!
//! Techniques, rules and jobs are halved by name: the half for choosing may be looked at, the
//! held-out half is only reported.

use jiff::Timestamp;
use reeve_anomalies::attack::technique_of_call;
use reeve_anomalies::behavior::event;
use reeve_anomalies::chain::{ChainWatch, ObservedCall};
use reeve_learn::behavior::{ActivityEvent, ResourceWatch, Watch};

use super::chains::campaigns::{self, Half};
use super::figures::Scored;
use super::ordinary::work::Office;
use super::set::{Label, Unit};
use crate::chance::Chance;
use crate::goal::Goal;

/// Days that the watches have learned.
const LEARNED_DAYS: i64 = 50;
/// Runs of administrators' jobs among everything.
const JOBS: usize = 120;
/// Attacks of each recording.
const ATTACKS: usize = 6;
/// Share of the compared events that may lie above what counts as found.
const FALSE_POSITIVES: f64 = 0.005;

/// Ways of scoring an event that are compared.
const WAYS: [&str; 4] = [
    "event",
    "event, use of resources and tools",
    "event, chain",
    "**event, use of resources and tools, chain**",
];

/// Watches of principals and of resources, as the service has them.
#[derive(Clone, Default)]
struct Watches {
    principals: Watch,
    resources: ResourceWatch,
    chains: ChainWatch,
}

impl Watches {
    fn observe(&mut self, event: &ActivityEvent) -> [f64; WAYS.len()] {
        let score = self.principals.observe(event).score;
        let used = self.resources.observe(event, score >= 0.5);
        let used = used.map_or(0.0, |used| used.score);
        self.chains.observe(&ObservedCall {
            event,
            technique: technique_of_call(event),
            score,
            who: &event.principal,
            account: "",
            event_id: "",
            at: Timestamp::from_millisecond(event.at_ms).unwrap_or_default(),
        });
        let chain = self.chains.goes_on(&event.principal, event.at_ms);
        let either = |one: f64, other: f64| 1.0 - (1.0 - one) * (1.0 - other);

        [
            score,
            either(score, used),
            either(score, chain),
            either(either(score, used), chain),
        ]
    }
}

/// Prints the figures of both halves.
pub(super) fn run(units: &[Unit]) {
    println!("### Attacks against the work of others, and against everything\n");
    println!(
        "| half | score | against other people's work | against everything |\n|---|---|---|---|"
    );
    let office = Office::new(3);
    let mut learned = Watches::default();
    for event in office.days(0..LEARNED_DAYS) {
        learned.observe(&event);
    }

    for (half, name) in [(Half::Choosing, "choosing"), (Half::HeldOut, "held out")] {
        let (people, everything) = compared(&office, &learned, half);
        let attacks = attacks(units, &office, &learned, half);
        for (way, title) in WAYS.iter().enumerate() {
            let shares = [&people, &everything].map(|others| found(&attacks, others, way));
            println!(
                "| {name} | {title} | {:.1} % | {:.1} % |",
                100.0 * shares[0],
                100.0 * shares[1]
            );
            if way + 1 == WAYS.len() && matches!(half, Half::HeldOut) {
                Goal::AtLeast(21.0, 40.0).print(
                    "events of held-out attacks above 0.5 % of everything",
                    100.0 * shares[1],
                    1,
                    " %",
                );
            }
        }
    }
    println!();
}

/// Scores of events that are no attack: those of people who do not administer the estate, and all,
/// with tools and jobs of administrators among them.
fn compared(
    office: &Office,
    learned: &Watches,
    half: Half,
) -> (Vec<[f64; WAYS.len()]>, Vec<[f64; WAYS.len()]>) {
    let (mut people, mut everything) = (Vec::new(), Vec::new());
    let mut watches = learned.clone();
    for event in office.days(LEARNED_DAYS..LEARNED_DAYS + 7) {
        let scores = watches.observe(&event);
        if ["1:developers", "1:data"].contains(&event.peers.as_str()) {
            people.push(scores);
        }
        everything.push(scores);
    }
    // The owner's jobs are a tenth of what changes anything, so that they count.
    for job in campaigns::jobs(office, half, JOBS) {
        let mut watches = learned.clone();
        for event in &job.before {
            watches.observe(event);
        }
        everything.extend(job.events.iter().map(|(event, _)| watches.observe(event)));
    }
    (people, everything)
}

/// Scores of the events of attacks: each recording of a half with the credentials of people, of
/// administrators and of tools.
fn attacks(
    units: &[Unit],
    office: &Office,
    learned: &Watches,
    half: Half,
) -> Vec<[f64; WAYS.len()]> {
    let mut chance = Chance::new(61, 53);
    let techniques = units.iter().filter(|unit| unit.label == Label::Technique);
    let mut scores = Vec::new();
    for unit in half.of(techniques) {
        let events: Vec<ActivityEvent> = unit.events.iter().map(event).collect();
        for number in 0..ATTACKS {
            let own_place = chance.happens(0.5);
            let victim = match number % 3 {
                0 => office.victim(chance.below(office.victims()), own_place),
                1 => office.administrator(chance.below(office.administrators())),
                _ => office.tool(chance.below(2), own_place),
            };
            let mut watches = learned.clone();
            let moved = campaigns::moved(&events, &victim, victim.at_ms);
            scores.extend(moved.iter().map(|event| watches.observe(event)));
        }
    }
    scores
}

/// Share of attack events above all but a share of the others.
fn found(attacks: &[[f64; WAYS.len()]], others: &[[f64; WAYS.len()]], way: usize) -> f64 {
    let mut marks: Vec<f64> = others.iter().map(|scores| scores[way]).collect();
    marks.sort_by(|a, b| b.total_cmp(a));
    let allowed = (FALSE_POSITIVES * marks.len() as f64) as usize;
    let least = marks.get(allowed).copied().unwrap_or(0.0);
    let above = attacks.iter().filter(|scores| scores[way] > least).count();
    above as f64 / attacks.len().max(1) as f64
}

/// Area under the curve of rules' suspicious tests against the benign ones, by half, each event
/// judged alone; beside it any write as a control.
pub(super) fn unseen_rules(run: &[Scored], control: &[Scored]) {
    println!("### Single events of rules\n\n| half | area | control: any write |\n|---|---|---|");
    let mut groups: Vec<&str> = run.iter().map(|one| one.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    for (half, name) in [(Half::Choosing, "choosing"), (Half::HeldOut, "held out")] {
        let own = half.of(groups.iter().copied());
        let areas = [run, control].map(|scored| {
            let of = |label| -> Vec<f64> {
                let own = scored
                    .iter()
                    .filter(|one| one.label == label && own.contains(&one.group.as_str()));
                own.map(|one| one.score).collect()
            };
            area(&of(Label::Suspicious), &of(Label::Benign))
        });
        println!("| {name} | {:.3} | {:.3} |", areas[0], areas[1]);
        if matches!(half, Half::HeldOut) {
            Goal::AtLeast(0.64, 0.75).print(
                "area under the curve, single events of held-out rules",
                areas[0],
                3,
                "",
            );
        }
    }
    println!();
}

fn area(bad: &[f64], good: &[f64]) -> f64 {
    let mut above = 0.0;
    for one in bad {
        for other in good {
            above += match one.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    above / (bad.len() * good.len()).max(1) as f64
}
