//! `identify_idle_resources`: 0 % utilisation for 7 days. The plan stops, after a snapshot; nothing is ever deleted.
//!
//! No cloud reports an exact 0 for a machine that is on, so 0 % is what rounds to it: mean below 0.5, p99 below 1. A
//! machine must also be silent on the network, which has to be measured: what is not measured is not idle. A database is
//! idle when nobody connected, whatever its CPU says.

use reeve_estate::{Money, Resource, ResourceKind};
use reeve_learn::{Summary, Window};

use super::confidence::{Confidence, backtest, confidence};
use super::evidence::{Evidence, Load};
use super::gate;
use super::margin::{self, signs};
use super::price::{after_discounts, hourly};
use super::procedure::{iac_note, restarts_by_itself, stop_idle, subject};
use super::proposal::{Abstention, Path, Proposal};
use super::trust::Trust;
use super::weigh::{Hazards, impact_level, priority_by_savings, risk};
use super::words::{at_most, byte_rate, dollars, percent, thousands};
use crate::agent::Impact;
use crate::recommendation::{Effort, Explanation, ImpactAssessment, RecommendationType};

/// Days the rule looks at.
pub(super) const DAYS: i64 = 7;
const COVERAGE: f64 = 0.9;
/// Mean CPU below this rounds to 0 %.
const MEAN_PERCENT: f64 = 0.5;
/// p99 CPU below this, percent.
const P99_PERCENT: f64 = 1.0;
/// Network p99 below this, bytes per second: name service, clock and management chatter.
const NETWORK_P99: f64 = 5_000.0;
/// Network mean below this, bytes per second.
const NETWORK_MEAN: f64 = 1_000.0;

const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;
const RULE: &str = "identify_idle_resources";

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Proposal, Abstention> {
    let mut path = Path::default();
    if evidence.facts.resource.kind == ResourceKind::Database {
        let (load, words) = silent_database(evidence, &mut path)?;
        Ok(propose(evidence, load, words, path, &|window| stayed_idle(evidence, window)))
    } else {
        let (load, words) = silent_machine(evidence, &mut path)?;
        Ok(propose(evidence, load, words, path, &|window| stayed_idle(evidence, window)))
    }
}

/// Whether nobody used it in a window; `None` without measurements.
pub(super) fn stayed_idle(evidence: &Evidence<'_>, window: Window) -> Option<bool> {
    if evidence.facts.resource.kind == ResourceKind::Database {
        return evidence.connections.as_ref()?.summary(window).map(|s| s.coverage >= 0.8 && s.max <= 0.0);
    }
    let quiet = evidence.network.as_ref().and_then(|n| n.summary(window)).is_some_and(|n| is_quiet(&n));
    evidence.cpu.as_ref()?.summary(window).map(|s| s.coverage >= 0.8 && is_zero(&s) && quiet)
}

/// The largest share that any figure takes of its limit of idleness.
pub(super) fn share_of_limits(cpu: &Summary, network: &Summary) -> f64 {
    let of_cpu = (cpu.mean / MEAN_PERCENT).max(cpu.p99 / P99_PERCENT);
    of_cpu.max(network.mean / NETWORK_MEAN).max(network.p99 / NETWORK_P99)
}

fn is_zero(cpu: &Summary) -> bool {
    cpu.mean < MEAN_PERCENT && cpu.p99 < P99_PERCENT
}

fn is_quiet(network: &Summary) -> bool {
    network.mean < NETWORK_MEAN && network.p99 < NETWORK_P99
}

fn covered(load: Option<&Load>, window: Window, name: &str, path: &mut Path) -> Result<Summary, Abstention> {
    let question = format!("Was {name} measured for {DAYS} days?");
    let Some(summary) = load.and_then(|load| load.summary(window)) else {
        path.unanswered(question, "not measured");
        return Err(Abstention::unjudged(
            KIND,
            "not_measured",
            format!("{name} was not measured, and that is not idle"),
        ));
    };
    let detail =
        format!("{} points, {} of the last {DAYS} days", thousands(summary.count), percent(summary.coverage * 100.0));
    if path.ask(question, summary.coverage >= COVERAGE, detail.clone()) {
        Ok(summary)
    } else {
        Err(Abstention::unjudged(KIND, "thin_data", format!("{name}: {detail}")))
    }
}

fn silent_machine<'e>(evidence: &'e Evidence<'_>, path: &mut Path) -> Result<(&'e Load, Vec<String>), Abstention> {
    let window = evidence.last_days(DAYS);
    let cpu = covered(evidence.cpu.as_ref(), window, "CPU", path)?;
    let cpu_words = format!(
        "CPU over {DAYS} days: mean {:.2} %, p99 {:.2} %, highest {:.2} %, {} points; 0 % is mean below {MEAN_PERCENT} and p99 below {P99_PERCENT}",
        cpu.mean,
        cpu.p99,
        cpu.max,
        thousands(cpu.count)
    );
    if !path.ask(format!("Was CPU 0 % for {DAYS} days?"), is_zero(&cpu), cpu_words.clone()) {
        return Err(Abstention::decided(KIND, "cpu_in_use", cpu_words));
    }
    let network = covered(evidence.network.as_ref(), window, "network traffic", path)?;
    let network_words = format!(
        "Network over {DAYS} days: mean {}, p99 {}; limits {} and {}",
        byte_rate(network.mean),
        byte_rate(network.p99),
        byte_rate(NETWORK_MEAN),
        byte_rate(NETWORK_P99)
    );
    if !path.ask("Was the network silent?", is_quiet(&network), network_words.clone()) {
        return Err(Abstention::decided(KIND, "network_in_use", network_words));
    }
    let load =
        evidence.cpu.as_ref().ok_or_else(|| Abstention::unjudged(KIND, "no_cpu_samples", "CPU was not measured"))?;
    Ok((load, vec![cpu_words, network_words]))
}

fn silent_database<'e>(evidence: &'e Evidence<'_>, path: &mut Path) -> Result<(&'e Load, Vec<String>), Abstention> {
    let connections = covered(evidence.connections.as_ref(), evidence.last_days(DAYS), "connections", path)?;
    let words = format!(
        "Connections over {DAYS} days: highest {:.0}, {} points",
        connections.max,
        thousands(connections.count)
    );
    if !path.ask(format!("Did nobody connect for {DAYS} days?"), connections.max <= 0.0, words.clone()) {
        return Err(Abstention::decided(KIND, "connections_in_use", words));
    }
    let load = evidence
        .connections
        .as_ref()
        .ok_or_else(|| Abstention::unjudged(KIND, "not_measured", "connections were not measured"))?;
    Ok((load, vec![words]))
}

fn propose(
    evidence: &Evidence<'_>,
    load: &Load,
    mut factors: Vec<String>,
    mut path: Path,
    idle_in: &dyn Fn(Window) -> Option<bool>,
) -> Proposal {
    let resource = evidence.facts.resource;
    let counted =
        backtest(evidence, load, DAYS, |before, day| idle_in(before).filter(|idle| *idle).and_then(|_| idle_in(day)));
    let trust: Confidence = confidence(counted, 0.0, None);
    let signs = signs(evidence, margin::idle(evidence), counted.windows, 0.0);
    path.ask("Did it stay idle on the held-out days?", counted.held == counted.windows, trust.words());
    let bill = Bill::of(evidence);
    let iac = gate::managed_by(resource);
    let hazards = Hazards { unmeasured: false, iac: iac.is_some(), unpriced: bill.compute.is_none(), idle: true };
    let savings = bill.compute;
    let monthly_cost = resource.monthly_cost.or(bill.compute);
    factors.push(trust.words());
    factors.push(bill.words(resource));
    let mut reason_codes = vec![
        if resource.kind == ResourceKind::Database { "no_connections" } else { "cpu_and_network_zero" }.to_owned(),
        "stop_not_delete".to_owned(),
    ];
    if restarts_by_itself(resource) {
        reason_codes.push("restarts_after_seven_days".to_owned());
        factors.push(
            "RDS starts a stopped database again after seven days; stop it again or delete it by hand".to_owned(),
        );
    }
    let not_measured = evidence.not_measured(bill.compute.is_none());
    let impact = ImpactAssessment {
        cost_percent: bill.compute.map(|_| -bill.share_percent()),
        cost: bill.words(resource),
        performance_degradation_percent: Some(0.0),
        performance: "none expected: nothing used it; starting it again takes minutes".to_owned(),
        security: "one machine less that can be reached".to_owned(),
    };
    let explanation = Explanation { risk: risk(resource, hazards), ..explain(evidence, factors, path, &bill, &impact) };
    let mut proposal = Proposal {
        kind: KIND,
        rule: RULE,
        title: format!("Stop {}: idle for {DAYS} days", resource.name),
        subject: subject(resource, None),
        priority: priority_by_savings(savings),
        confidence: trust.percent,
        trust: Trust::of(&trust, None, &signs),
        impact_level: impact_level(resource, savings, monthly_cost, hazards),
        impact,
        effort: Effort::Low,
        savings_monthly: savings,
        savings_after_discounts: after_discounts(resource, bill.compute, savings),
        monthly_cost,
        plan: Some(stop_idle(resource, evidence.facts.volumes)),
        reason_codes,
        not_measured,
        explanation,
    };
    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }
    proposal
}

fn explain(
    evidence: &Evidence<'_>,
    factors: Vec<String>,
    path: Path,
    bill: &Bill,
    impact: &ImpactAssessment,
) -> Explanation {
    let resource = evidence.facts.resource;
    Explanation {
        action: format!("Stop {} ({}) after a snapshot; nothing is deleted", resource.name, resource.id),
        factors,
        data_points: evidence.data_points(),
        similar_cases: 0,
        success_rate: None,
        risk: Impact::Low,
        cost_reduction: match bill.compute {
            Some(compute) => format!("{} a month of compute", dollars(compute)),
            None => "not claimed: no list price".to_owned(),
        },
        performance_impact: impact.performance.clone(),
        decision_path: path.into_decisions(),
    }
}

/// What is billed while it runs and what goes on being billed when it is stopped.
struct Bill {
    /// Compute a month at list price; `None` without a price.
    compute: Option<Money>,
    hourly: f64,
    /// Disks a month, which go on.
    disks: Money,
    /// Storage of the snapshots a month, at most; `None` where a size or price is not known.
    snapshots: Option<Money>,
}

impl Bill {
    fn of(evidence: &Evidence<'_>) -> Self {
        let facts = evidence.facts;
        let resource = facts.resource;
        let size = resource.specification.instance_type.as_deref();
        let price = size.and_then(|size| hourly(facts.catalogue, resource, size));
        let snapshot = |volume: &Resource| {
            let gib = volume.specification.storage_gib?;
            Some(facts.catalogue.snapshot_monthly(volume.provider, &volume.region, gib)?.cost)
        };
        Bill {
            compute: price.map(Money::per_month),
            hourly: price.unwrap_or(0.0),
            disks: facts.volumes.iter().filter_map(|volume| volume.monthly_cost).sum(),
            snapshots: facts.volumes.iter().map(snapshot).sum(),
        }
    }

    /// The share of machine and disks together that stopping saves, percent.
    fn share_percent(&self) -> f64 {
        let compute = self.compute.unwrap_or(Money::ZERO).usd();
        let all = compute + self.disks.usd();
        if all > 0.0 { compute / all * 100.0 } else { 0.0 }
    }

    fn words(&self, resource: &Resource) -> String {
        let Some(compute) = self.compute else {
            return format!("no list price is known for {}, so no saving is claimed", resource.name);
        };
        let disks = if self.disks == Money::ZERO {
            String::new()
        } else {
            let (disks, snapshots) = (dollars(self.disks), at_most(self.snapshots));
            format!("; its disks go on being billed ({disks} a month), the snapshots cost {snapshots}")
        };
        format!("${:.4} an hour x 730 hours = {} a month saved{disks}", self.hourly, dollars(compute))
    }
}
