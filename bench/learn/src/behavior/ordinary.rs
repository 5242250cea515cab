//! Ordinary life: false alarms a user and day on the simulated company's activity and on generated
//! CloudTrail-like work, what the stories told in the former and attacks transplanted into the
//! latter are scored, and the speed.

pub(super) mod work;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use anyhow::{Context as _, Result};
use jiff::{SignedDuration, Timestamp};
use reeve_anomalies::behavior::{EntryWatch, event};
use reeve_connect_simulated::SimulatedEstate;
use reeve_learn::behavior::{ActivityEvent, BehaviorPrincipalKind, Review, Watch};

use super::set::{self, Blank, Label, Unit};
use crate::chance::Chance;
use crate::data::Data;

const DAY_MS: i64 = 86_400_000;
/// A score from which on somebody is told.
const ALARM: f64 = 0.5;
/// Days in which the watch only learns.
const LEARNING_DAYS: i64 = 14;
/// Days of ordinary work.
const DAYS: i64 = 60;

/// Counts false alarms on both kinds of ordinary activity.
pub(super) fn run(data: &Data) -> Result<()> {
    simulated()?;
    generated(data)?;
    speed();
    Ok(())
}

/// Alarms of ordinary events, by principal and day.
#[derive(Default)]
struct Alarms {
    by_day: BTreeMap<(String, i64), usize>,
    active: BTreeSet<(String, i64)>,
    events: usize,
    operations: BTreeMap<String, usize>,
}

impl Alarms {
    fn note(&mut self, event: &ActivityEvent, score: f64) {
        let key = (event.principal.clone(), event.at_ms.div_euclid(DAY_MS));
        self.events += 1;
        if score >= ALARM {
            *self.by_day.entry(key.clone()).or_default() += 1;
            *self.operations.entry(event.operation.clone()).or_default() += 1;
        }
        self.active.insert(key);
    }

    fn print(&self, title: &str) {
        let alarms: usize = self.by_day.values().sum();
        println!(
            "- {title}: {alarms} alarms in {} events, {} principal-days with any of {} active ones: {:.4} a principal and day",
            self.events,
            self.by_day.len(),
            self.active.len(),
            self.by_day.len() as f64 / self.active.len().max(1) as f64,
        );

        let mut loud: Vec<_> = self.operations.iter().collect();
        loud.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let words: Vec<String> = loud
            .iter()
            .take(6)
            .map(|(name, times)| format!("{name} {times}"))
            .collect();

        if !words.is_empty() {
            println!("  ({})", words.join(", "));
        }
    }
}

fn simulated() -> Result<()> {
    println!("### Ordinary work: the simulated company, {DAYS} days\n");
    let now: Timestamp = "2026-11-01T00:00:00Z".parse().context("a time")?;
    let from = now - SignedDuration::from_hours(24 * DAYS);
    let estate = SimulatedEstate::new(7, now);
    let mut watch = EntryWatch::default();
    let (mut first, mut later) = (Alarms::default(), Alarms::default());
    let (mut reported, mut caught) = (
        BTreeMap::<String, usize>::new(),
        BTreeMap::<String, usize>::new(),
    );

    for entry in estate.activity(from, now) {
        let event = event(&entry);
        let score = watch.observe(&entry).score;
        if entry.metadata.tags.iter().any(|tag| tag == "suspicious") {
            // A story is what the same minute-scale episode tells; its operation names it well
            // enough.
            let name = event.operation.clone();
            *reported.entry(name.clone()).or_default() += 1;
            *caught.entry(name).or_default() += usize::from(score >= ALARM);
            continue;
        }
        let learning = entry.timestamp < from + SignedDuration::from_hours(24 * LEARNING_DAYS);
        if learning { &mut first } else { &mut later }.note(&event, score);
    }

    first.print(&format!("the first {LEARNING_DAYS} days"));
    later.print("after them");
    let words: Vec<String> = reported
        .iter()
        .map(|(name, times)| format!("{name} {}/{times}", caught.get(name).copied().unwrap_or(0)))
        .collect();
    println!(
        "- events of the company's stories (tagged suspicious, the tag not looked at) at {ALARM} or above: {}\n",
        words.join(", ")
    );

    Ok(())
}

/// Surprise of an action by three methods.
struct Marks {
    live: Vec<f64>,
    hindsight: Vec<f64>,
    /// A control that knows nothing of what is done: events of the same principal in the same
    /// service within the hour.
    count: Vec<f64>,
}

impl Marks {
    /// Judges events one after the other; `watch` learns them.
    fn new(
        watch: &mut Watch,
        events: &[ActivityEvent],
        mut each: impl FnMut(&ActivityEvent, &Watch, f64),
    ) -> Self {
        let mut counts: HashMap<(&str, &str, i64), f64> = HashMap::new();
        for event in events {
            *counts.entry(hour(event)).or_default() += 1.0;
        }

        let mut marks = Self {
            live: Vec::new(),
            hindsight: Vec::new(),
            count: Vec::new(),
        };
        let mut review = Review::new(watch.clone(), 50_000);

        for event in events {
            let judgement = watch.observe(event);
            each(event, watch, judgement.score);
            marks.live.push(judgement.score);
            marks
                .count
                .push(counts.get(&hour(event)).copied().unwrap_or(0.0));
            marks.hindsight.extend(
                review
                    .add(event.clone(), ())
                    .map(|((), judgement)| judgement.score),
            );
        }

        marks
            .hindsight
            .extend(std::iter::from_fn(|| review.release()).map(|((), judgement)| judgement.score));
        marks
    }

    fn all(&self) -> [&Vec<f64>; 3] {
        [&self.live, &self.hindsight, &self.count]
    }
}

fn hour(event: &ActivityEvent) -> (&str, &str, i64) {
    (
        &event.principal,
        &event.service,
        event.at_ms.div_euclid(3_600_000),
    )
}

/// The mark above which a share of all lies.
fn above(marks: &[f64], share: f64) -> f64 {
    let mut marks = marks.to_vec();
    marks.sort_by(|a, b| b.total_cmp(a));
    marks
        .get((share * marks.len() as f64) as usize)
        .copied()
        .unwrap_or(f64::NAN)
}

fn generated(data: &Data) -> Result<()> {
    println!(
        "### Ordinary work: generated CloudTrail activity, {DAYS} days, and attacks transplanted into it\n"
    );
    let office = work::Office::new(3);
    let (mut first, mut later, mut whole) =
        (Alarms::default(), Alarms::default(), Alarms::default());
    let mut learnt = None;
    let events = office.days(0..DAYS);
    let marks = Marks::new(&mut Watch::default(), &events, |event, watch, score| {
        let learning = event.at_ms < work::START_MS + LEARNING_DAYS * DAY_MS;
        if event.at_ms >= work::START_MS + (DAYS - 10) * DAY_MS && learnt.is_none() {
            learnt = Some(watch.clone());
        }
        if learning { &mut first } else { &mut later }.note(event, score);
    });

    events
        .iter()
        .zip(&marks.hindsight)
        .for_each(|(event, score)| whole.note(event, *score));
    first.print(&format!("the first {LEARNING_DAYS} days"));
    later.print("after them");
    whole.print("all days in hindsight");
    let begins = first.events;
    let strict = marks
        .all()
        .map(|marks| [0.02, 0.001].map(|share| above(&marks[begins..], share)));
    println!(
        "- live, the thousandth part of ordinary events after the first days lies above {:.3}",
        strict[0][1]
    );
    let Some(learnt) = learnt else { return Ok(()) };
    let units = set::load(data, Blank::Names)?;

    for (title, own_place) in [
        ("at the victim's own desk and hours", true),
        ("from elsewhere, at night", false),
    ] {
        transplants(&units, &office, &learnt, own_place, (strict, title));
    }

    println!();
    Ok(())
}

/// Each technique done once by each of ten ordinary users, against a watch that has learnt fifty
/// days. `strict` holds what the fiftieth and the thousandth part of ordinary events pass, by each
/// account.
fn transplants(
    units: &[Unit],
    office: &work::Office,
    learnt: &Watch,
    own_place: bool,
    (strict, title): ([[f64; 2]; 3], &str),
) {
    let mut chance = Chance::new(5, 44);
    let (mut tried, mut alarmed, mut passed, mut events) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut found = [[0_usize; 2]; 3];
    let mut missed: BTreeMap<&str, usize> = BTreeMap::new();

    for unit in units.iter().filter(|unit| unit.label == Label::Technique) {
        for _ in 0..10 {
            let victim = office.victim(chance.below(office.victims()), own_place);
            let mut attack: Vec<ActivityEvent> = unit.events.iter().map(event).collect();
            attack.sort_by_key(|event| event.at_ms);
            let first = attack.first().map_or(0, |event| event.at_ms);
            let attack: Vec<ActivityEvent> = attack
                .into_iter()
                .map(|event| transplant(event, first, &victim))
                .collect();
            let marks = Marks::new(&mut learnt.clone(), &attack, |_, _, _| {});
            for (found, (marks, strict)) in
                found.iter_mut().zip(marks.all().into_iter().zip(strict))
            {
                for (found, least) in found.iter_mut().zip(strict) {
                    *found += marks.iter().filter(|mark| **mark > least).count();
                }
            }
            let best = marks.live.iter().copied().fold(0.0, f64::max);
            (tried, events) = (tried + 1, events + attack.len());
            alarmed += usize::from(best >= ALARM);
            passed += usize::from(best > strict[0][1]);
            *missed.entry(&unit.name).or_default() += usize::from(best < ALARM);
        }
    }

    let missed: Vec<&str> = missed
        .into_iter()
        .filter(|(_, times)| *times >= 5)
        .map(|(name, _)| name)
        .collect();

    println!(
        "- attacks {title}: {:.1} % of {tried} at {ALARM} or above, {:.1} % above the thousandth part; missed: {}",
        100.0 * alarmed as f64 / tried as f64,
        100.0 * passed as f64 / tried as f64,
        if missed.is_empty() {
            "none".to_owned()
        } else {
            missed.join(", ")
        }
    );

    for (name, found) in [
        "live",
        "in hindsight",
        "control, events in that hour and service",
    ]
    .iter()
    .zip(found)
    {
        let [fiftieth, thousandth] = found.map(|found| 100.0 * found as f64 / events as f64);
        println!(
            "  - single events, {name}: {fiftieth:.1} % above 2 % of ordinary events, {thousandth:.1} % above 0.1 %"
        );
    }
}

fn transplant(mut event: ActivityEvent, first_ms: i64, victim: &ActivityEvent) -> ActivityEvent {
    event.at_ms = victim.at_ms + event.at_ms - first_ms;
    event.place = victim.place.clone();
    event.tool.clear();

    if event.kind == BehaviorPrincipalKind::Person {
        event.principal.clone_from(&victim.principal);
        event.peers.clone_from(&victim.peers);
        event.traits = event
            .traits
            .without(reeve_learn::behavior::Trait::LongLivedKey);
    }

    event
}

fn speed() {
    let office = work::Office::new(9);
    let events: Vec<ActivityEvent> = office
        .days(0..DAYS)
        .into_iter()
        .cycle()
        .take(100_000)
        .collect();

    let start = Instant::now();
    let mut watch = Watch::default();
    let loud = events
        .iter()
        .filter(|event| watch.observe(event).score >= ALARM)
        .count();
    let took = start.elapsed().as_secs_f64();
    println!(
        "### Speed\n\n- {} events in {took:.2} s on one core ({loud} alarms)\n",
        events.len()
    );
}
