//! `batch = interruptible`: jobs on capacity that is paid for as if it must not be interrupted.

use reeve_estate::{Metric, Provider, Purchase};
use reeve_learn::{DAY_MS, Window, percentile};
use reeve_recommend::guardrail::protection::manager;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, RecommendationType};

use super::finding::{WorkloadCase, WorkloadFinding};
use super::shape::hours;
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::SpotInstances;
/// Longest job that is worth starting anew after an interruption, hours.
const LONGEST_JOB: usize = 12;

/// Checks a batch machine.
pub(super) fn check(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let machine = case.facts.resource;
    let mut path = case.path();
    let decided = |code, detail: &str| Err(Abstention::decided(KIND, code, detail));

    if machine.group.is_some() {
        return decided(
            "group_member",
            "its group decides what its members are bought as",
        );
    }

    match machine.purchase {
        Some(Purchase::OnDemand) => {}
        Some(Purchase::Spot) => return decided("spot_already", "it is spot capacity"),
        Some(Purchase::Reserved) => {
            return decided("reserved", "it is paid for whether it runs or not");
        }
        None => {
            return Err(Abstention::unjudged(
                KIND,
                "purchase_not_known",
                "the cloud did not report how it is bought",
            ));
        }
    }

    if let Some((manager, _)) = manager(machine) {
        return Err(Abstention::decided(
            KIND,
            "managed",
            format!("{manager} decides what it buys"),
        ));
    }

    path.ask("Is it bought on demand?", true, "on-demand capacity");
    let unmeasured = || Abstention::unjudged(KIND, "not_measured", "CPU was not measured");
    let cpu = Load::measured(case.facts, Metric::CpuUtilization).ok_or_else(unmeasured)?;
    let history = Window::ending(
        case.facts.now.as_millisecond(),
        case.settings.history_days * DAY_MS,
    );
    let longest = longest_job(&cpu, history).ok_or_else(unmeasured)?;
    let words = format!("its longest stretch of work took {longest} hours");

    if !path.ask(
        format!("Do its jobs end within {LONGEST_JOB} hours?"),
        longest <= LONGEST_JOB,
        words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "long_jobs", words));
    }

    case.switched(
        case.settings.architectures,
        KIND,
        "recommend_architectures.enabled",
    )?;
    let name = &machine.name;
    Ok(case.propose(WorkloadFinding {
        kind: KIND,
        code: "batch_on_demand",
        title: title("Run ", name, " on spot capacity"),
        action: format!("Start the jobs of {name} ({}) on spot capacity, from a launch template", machine.id),
        factors: Factors::from([
            (FactorKind::Measured, words.as_str()),
            (
                FactorKind::Consequence,
                "A running machine cannot become spot capacity: its successor is launched as such",
            ),
            (
                FactorKind::Consequence,
                match machine.provider {
                    Provider::Aws => {
                        "Its jobs must be able to restart: spot capacity is reclaimed with two minutes of notice"
                    }
                    Provider::Azure | Provider::Gcp | Provider::Database => {
                        "Its jobs must be able to restart: spot capacity is reclaimed with 30 seconds of notice"
                    }
                },
            ),
        ]),
        plan: None,
        target_type: None,
        effort: Effort::Medium,
        savings: None,
        cost_percent: None,
        cost: price_words(case.facts),
        performance: "interrupted jobs restart".to_owned(),
        security: "none: access stays as it is".to_owned(),
        tried: None,
        path,
    }))
}

/// The price of an hour beside the average spot price. No saving is claimed from it: spot prices
/// move, and jobs run fewer hours once they have a launch template of their own.
fn price_words(facts: &Facts<'_>) -> String {
    let machine = facts.resource;
    let platform = machine.specification.platform.as_deref();
    let prices = machine
        .specification
        .instance_type
        .as_deref()
        .and_then(|size| {
            let spot =
                facts
                    .catalogue
                    .spot_average(machine.provider, &machine.region, size, platform)?;
            Some((
                facts.catalogue.hourly_for(machine, size)?.usd_per_hour,
                spot,
            ))
        });

    match prices {
        Some((usual, spot)) if spot.usd_per_hour < usual => format!(
            "not claimed, since spot prices move: an hour costs ${usual:.4} on demand and about ${:.4} at the average spot price of its region ({})",
            spot.usd_per_hour, spot.origin
        ),
        _ => "not claimed: no spot price is known for it".to_owned(),
    }
}

/// Hours of the longest stretch of busy hours.
fn longest_job(cpu: &Load, history: Window) -> Option<usize> {
    let means = hours(cpu, history);
    let high = percentile(&means.values().copied().collect::<Vec<f64>>(), 97.0)?;
    let (mut longest, mut length, mut last) = (0, 0, i64::MIN);

    for (hour, mean) in means {
        let busy = mean > 0.5 * high;
        length = match busy {
            true if hour == last + 1 => length + 1,
            true => 1,
            false => 0,
        };
        longest = longest.max(length);
        if busy {
            last = hour;
        }
    }

    Some(longest)
}
