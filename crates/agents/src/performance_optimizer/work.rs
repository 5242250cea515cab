//! `optimize_instance_types`: instance types that do the same work, by the work that each does for
//! a dollar.
//!
//! Machines behind one load balancer do the same work, and each gets the same share of it. So the
//! CPU that a machine uses for its share tells the requests that it could serve, and its price
//! tells those for a dollar. Types are compared on machines that the estate has; nothing is claimed
//! about a type that none of them is.

use std::collections::BTreeMap;

use reeve_estate::{InstanceSpec, Metric, Money, Resource};
use reeve_learn::{Backtest, DAY_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::service_load::{MeasuredResource, ServiceLoad};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority, RecommendationType};
use reeve_recommend::words::figures;

use super::finding::PerformanceFinding;
use super::settings::Thresholds;
use crate::confidence::{confidence, signs};
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::InstanceType;
pub(super) const RULE: &str = "optimize_instance_types";
/// Days over which types are compared.
const COMPARED_DAYS: i64 = 7;
/// Days of them that must have been measured.
const LEAST_DAYS: usize = 5;
/// CPU below which a machine does too little to be compared, percent.
const LEAST_CPU: f64 = 5.0;
/// CPU that the machines of the better type may have after the others are gone, percent.
const ROOM: f64 = 60.0;
/// Confidence of a comparison at most: the share of each machine is not measured.
const MOST_CONFIDENCE: f64 = 85.0;

/// Machines of one type, and the work that each of them does for a dollar, by day.
struct Measured<'a> {
    spec: &'a InstanceSpec,
    machines: Vec<&'a MeasuredResource>,
    hourly_usd: f64,
    /// Requests of a whole machine for a dollar, by the beginning of the day.
    days: BTreeMap<i64, f64>,
}

impl Measured<'_> {
    fn mean(&self) -> f64 {
        self.days.values().sum::<f64>() / self.days.len().max(1) as f64
    }
}

/// Judges the machines behind one load balancer.
pub(super) fn judge(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: &ServiceLoad,
) -> Result<Proposal, Abstention> {
    let balancer = facts.resource;
    let decided = |code, detail: String| Abstention::decided(KIND, code, detail);
    let mut path = Path::default();

    let requests = Load::measured(facts, Metric::RequestRate)
        .ok_or_else(|| Abstention::unjudged(KIND, "not_measured", "requests were not measured"))?;
    let types = measure(facts, service, &requests)?;
    let count = format!("{} types serve behind it", types.len());
    if !path.ask(
        "Do several types do its work?",
        types.len() > 1,
        count.clone(),
    ) {
        return Err(decided("one_type", count));
    }

    let better = |a: &&Measured<'_>, b: &&Measured<'_>| a.mean().total_cmp(&b.mean());
    let (Some(best), Some(worst)) = (types.iter().max_by(better), types.iter().min_by(better))
    else {
        return Err(decided("one_type", count));
    };
    let more = (best.mean() / worst.mean() - 1.0) * 100.0;
    let words = format!(
        "{} serves {} requests for a dollar at full CPU, {} {}: {more:.0} % more",
        best.spec.name,
        figures(best.mean()),
        worst.spec.name,
        figures(worst.mean())
    );
    if !path.ask(
        format!("Does one do {:.0} % more for a dollar?", settings.better_by),
        more >= settings.better_by,
        words.clone(),
    ) {
        return Err(decided("types_equal", words));
    }

    guarded(facts, best, worst, &mut path)?;

    let both: Vec<bool> = best
        .days
        .iter()
        .filter_map(|(day, value)| Some(*value > *worst.days.get(day)?))
        .collect();
    let backtest = Backtest {
        held: both.iter().filter(|held| **held).count() as u64,
        windows: both.len() as u64,
    };
    let margins = std::iter::empty().collect();
    let own = confidence(backtest, &margins, 0.0, Some(MOST_CONFIDENCE));
    let trust = Trust::new(
        own.raw,
        Some(MOST_CONFIDENCE),
        &signs(facts, margins, backtest.windows, 0.0),
    );

    // The same work by machines of the better type.
    let now_usd = worst.hourly_usd * worst.machines.len() as f64;
    let saved = Money::per_month(now_usd * (1.0 - worst.mean() / best.mean()));
    let (from, to) = (&worst.spec.name, &best.spec.name);
    let relief = Relief {
        words: format!(
            "Serve the requests of {} by {to} instead of the {} machines of {from}",
            balancer.name,
            worst.machines.len()
        ),
        target: Some(to.clone()),
        added: Some(-saved),
        ..Relief::advice(
            title(
                "Serve ",
                &balancer.name,
                &format!(" by {to} instead of {from}"),
            ),
            Effort::Medium,
            "the types of a service are set in its launch templates",
        )
    };

    Ok(PerformanceFinding {
        kind: KIND,
        rule: RULE,
        aspect: None,
        codes: vec!["work_per_dollar"],
        priority: Priority::Medium,
        confidence: (own.percent, trust),
        factors: Factors::from([
            (FactorKind::Measured, words),
            (
                FactorKind::Measured,
                "Each machine is taken to get the same share of the requests".to_owned(),
            ),
            (FactorKind::Confidence, own.words()),
        ]),
        performance: "the same requests at the same CPU".to_owned(),
        withheld: None,
        data_points: requests.points.len() as u64,
        relief,
        compared_with: facts.resource.monthly_cost,
        path,
    }
    .propose(facts))
}

/// Types behind the balancer with the work that they do, of those that were measured.
fn measure<'a>(
    facts: &Facts<'a>,
    service: &'a ServiceLoad,
    requests: &Load,
) -> Result<Vec<Measured<'a>>, Abstention> {
    let unmeasured = |detail: String| Abstention::unjudged(KIND, "machines_unmeasured", detail);
    let count = service.machines.len();
    if count == 0 {
        return Err(unmeasured(
            "the machines behind it are not known".to_owned(),
        ));
    }

    let days = Window::ending(facts.now.as_millisecond(), COMPARED_DAYS * DAY_MS).blocks(DAY_MS);
    let mut types: BTreeMap<&str, Measured<'a>> = BTreeMap::new();
    for machine in &service.machines {
        let own = &machine.resource;
        let name = own
            .specification
            .instance_type
            .as_deref()
            .unwrap_or_default();
        let (spec, hourly_usd) = priced(facts, own, name)
            .ok_or_else(|| unmeasured(format!("{} has no price: {name}", own.id)))?;
        let (points, period_ms) = machine
            .points(Metric::CpuUtilization)
            .ok_or_else(|| unmeasured(format!("the CPU of {} was not measured", own.id)))?;
        let cpu = Load { points, period_ms };

        let measured = types.entry(&spec.name).or_insert_with(|| Measured {
            spec,
            machines: Vec::new(),
            hourly_usd,
            days: BTreeMap::new(),
        });
        for day in &days {
            let (Some(used), Some(rate)) = (cpu.summary(*day), requests.summary(*day)) else {
                continue;
            };
            if used.mean < LEAST_CPU || used.coverage < 0.8 || rate.coverage < 0.8 {
                continue;
            }
            let whole = rate.mean / count as f64 / (used.mean / 100.0);
            let work = whole * 3600.0 / hourly_usd;
            // The mean of the machines of the type on the day.
            let known = measured.machines.len() as f64;
            let sum = measured
                .days
                .get(&day.start_ms)
                .map_or(work, |mean| (mean * known + work) / (known + 1.0));
            measured.days.insert(day.start_ms, sum);
        }
        measured.machines.push(machine);
    }

    if let Some(few) = types.values().find(|one| one.days.len() < LEAST_DAYS) {
        let detail = format!(
            "{} was at work on {} of {COMPARED_DAYS} days, {LEAST_DAYS} are needed",
            few.spec.name,
            few.days.len()
        );
        return Err(unmeasured(detail));
    }
    Ok(types.into_values().collect())
}

fn priced<'a>(
    facts: &Facts<'a>,
    machine: &Resource,
    name: &str,
) -> Option<(&'a InstanceSpec, f64)> {
    let spec = facts.catalogue.instance(machine.provider, name)?;
    let price = facts.catalogue.hourly_for(machine, name)?;
    (price.usd_per_hour > 0.0).then_some((spec, price.usd_per_hour))
}

/// Refuses what would lose local disks, boot no image of the others, leave a license behind, or be
/// too small.
fn guarded(
    facts: &Facts<'_>,
    best: &Measured<'_>,
    worst: &Measured<'_>,
    path: &mut Path,
) -> Result<(), Abstention> {
    let decided = |code, detail: String| Abstention::decided(KIND, code, detail);
    let provider = facts.resource.provider;
    let (from, to) = (&worst.spec.name, &best.spec.name);
    let fits = facts.catalogue.exchangeable(provider, from);
    let fits = fits.iter().any(|spec| spec.name == *to);
    let words = format!("{to} boots the same images and has the local disks of {from}: {fits}");
    if !path.ask("Can one take the place of the other?", fits, words.clone()) {
        return Err(decided("not_exchangeable", words));
    }

    let platform = |one: &Measured<'_>| {
        let first = one.machines.first();
        first.and_then(|machine| machine.resource.specification.platform.clone())
    };
    let same = platform(best) == platform(worst);
    let license = "the license of its operating system is part of the price";
    if !path.ask("Do both run the same platform?", same, license) {
        return Err(decided("platforms_differ", license.to_owned()));
    }

    let memory = best.spec.memory_gib >= worst.spec.memory_gib;
    let words = format!("{to} has no less memory than {from}: {memory}");
    if !path.ask("Is its memory no less?", memory, words.clone()) {
        return Err(decided("less_memory", words));
    }

    let used: Vec<f64> = best
        .machines
        .iter()
        .filter_map(|machine| machine.points(Metric::CpuUtilization))
        .filter_map(|(points, period_ms)| {
            let week = Window::ending(facts.now.as_millisecond(), COMPARED_DAYS * DAY_MS);
            Some(Load { points, period_ms }.summary(week)?.p99)
        })
        .collect();
    let high = used.iter().copied().fold(0.0, f64::max);
    let words = format!("99 % of the time {to} used less than {high:.0} % of its CPU");
    if !path.ask(
        format!("Is its CPU below {ROOM:.0} %?"),
        high < ROOM,
        words.clone(),
    ) {
        return Err(decided("better_type_busy", words));
    }
    Ok(())
}
