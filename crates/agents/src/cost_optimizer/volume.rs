//! `identify_idle_resources` for volumes that nothing is attached to: keep a snapshot, leave the deletion to a person.

use reeve_estate::{Metric, Money};
use reeve_learn::{Backtest, DAY_MS, Summary, Window};

use super::Facts;
use super::evidence::Evidence;
use super::settings::Thresholds;
use crate::confidence::{confidence, signs};
use crate::load::data_points;
use reeve_recommend::assessment::{Hazards, priority_by_savings, risk};
use reeve_recommend::owned_by_code;
use reeve_recommend::procedure::{iac_note, keep_unattached, subject};
use reeve_recommend::proposal::{Abstention, Path, Proposal};
use reeve_recommend::recommendation::{Effort, Explanation, ImpactAssessment, RecommendationType};
use reeve_recommend::trust::Trust;
use reeve_recommend::words::{at_most, dollars};

const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;

pub(super) fn judge(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let days = Thresholds::from(facts.settings).idle_days;
    let volume = facts.resource;
    let now_ms = facts.now.as_millisecond();
    let mut path = Path::default();
    path.ask("Is the volume attached to nothing?", true, "the cloud lists no attachment");
    if let Some(created) = volume.created_at {
        let age_days = (now_ms - created.as_millisecond()) / DAY_MS;
        if !path.ask(format!("Is it older than {days} days?"), age_days >= days, format!("{age_days} days old")) {
            return Err(Abstention::unjudged(KIND, "too_young", format!("{age_days} days old, {days} are needed")));
        }
    }
    if let Some(changed) = facts.attachment_changed_at {
        let free_days = (now_ms - changed.as_millisecond()) / DAY_MS;
        let detail = format!("a sync saw it attached {free_days} days ago");
        if !path.ask(format!("Was it attached to nothing for {days} days?"), free_days >= days, detail.clone()) {
            return Err(Abstention::unjudged(KIND, "too_young", format!("{detail}, {days} are needed")));
        }
    }
    let activity = activity(facts, days, now_ms);
    if let Some(busy) = activity.as_ref().filter(|days| days.held < days.windows) {
        let detail = format!("operations were seen on {} of the last {days} days", busy.windows - busy.held);
        return Err(Abstention::decided(KIND, "in_use", detail));
    }
    match &activity {
        Some(days) => {
            path.ask("Was it silent?", true, format!("no operation on {} measured days", days.windows));
        }
        None => path.unanswered("Was it silent?", "the cloud measures nothing of an unattached volume"),
    }
    Ok(propose(facts, activity.unwrap_or_default(), activity.is_none(), path))
}

/// Days of the last week without an operation, of days that were measured; `None` when none was.
fn activity(facts: &Facts<'_>, days: i64, now_ms: i64) -> Option<Backtest> {
    let operations =
        |m: Metric| matches!(m, Metric::DiskReadOps | Metric::DiskWriteOps | Metric::DiskRead | Metric::DiskWrite);
    let series = facts.series.iter().filter(|s| operations(s.metric) && s.resource == facts.resource.id);
    let loads: Vec<Vec<(i64, f64)>> =
        series.map(|s| s.points.iter().map(|(at, value)| (at.as_millisecond(), *value)).collect()).collect();
    let days = Window::ending(now_ms, days * DAY_MS).blocks(DAY_MS);
    let counted = Backtest::over(&days, |day| {
        let mut figures = loads.iter().filter_map(|points| Summary::new(points, day, 300_000)).peekable();
        figures.peek()?;
        Some(figures.all(|figure| figure.max <= 0.0))
    });
    (counted.windows > 0).then_some(counted)
}

fn cost_words(monthly: Option<Money>, snapshot: &str) -> String {
    match monthly {
        Some(monthly) => {
            let monthly = dollars(monthly);
            format!(
                "the snapshot costs {snapshot}; the snapshot saves nothing until the volume is deleted, which saves {monthly} a month"
            )
        }
        None => "no list price is known; the snapshot saves nothing until the volume is deleted".to_owned(),
    }
}

fn propose(facts: &Facts<'_>, counted: Backtest, unmeasured: bool, path: Path) -> Proposal {
    let volume = facts.resource;
    let listed = facts.catalogue.monthly_cost(volume);
    let monthly = volume.monthly_cost.or(listed.as_ref().map(|month| month.cost));
    let gib = volume.specification.storage_gib;
    let snapshot = gib.and_then(|gib| facts.catalogue.snapshot_monthly(volume.provider, &volume.region, gib));
    let snapshot = snapshot.map(|month| month.cost);
    // The plan keeps a snapshot and no more, so it costs; the volume's cost goes when a person deletes it.
    let savings = snapshot.map(|cost| -cost);
    let snapshot = at_most(snapshot);
    let trust = confidence(counted, &Vec::new(), 0.0, None);
    let evidence = Evidence::new(facts);
    let unknown = if unmeasured { 1.0 } else { 0.0 };
    let signs = signs(evidence.facts, Vec::new(), counted.windows, unknown);
    let iac = owned_by_code(volume);
    let hazards = Hazards { unmeasured: false, iac: iac.is_some(), unpriced: monthly.is_none(), idle: true };
    let cost = cost_words(monthly, &snapshot);
    let missing = [(unmeasured, "since_when_unattached"), (savings.is_none(), "price")];
    let not_measured = missing.into_iter().filter(|(missing, _)| *missing).map(|(_, name)| name.to_owned()).collect();
    let size = gib.map_or(String::new(), |gib| format!(" ({gib:.0} GiB)"));
    let mut proposal = Proposal {
        kind: KIND,
        rule: "identify_idle_resources",
        title: format!("Snapshot {}{size}, to be deleted by a person: attached to nothing", volume.name),
        subject: subject(volume, None),
        // What deleting it is worth, not what the snapshot costs.
        priority: priority_by_savings(monthly),
        confidence: trust.percent,
        trust: Trust::new(trust.raw, None, &signs),
        impact_level: evidence.impact_level(savings, monthly, hazards),
        impact: ImpactAssessment {
            cost_percent: monthly.map(|_| 0.0),
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: "none: nothing uses it".to_owned(),
            security: "the snapshot keeps the volume's encryption".to_owned(),
        },
        effort: Effort::Low,
        savings_monthly: savings,
        savings_after_discounts: None,
        monthly_cost: monthly,
        plan: Some(keep_unattached(volume)),
        reason_codes: vec!["unattached".to_owned(), "delete_by_hand".to_owned()],
        not_measured,
        explanation: Explanation {
            action: format!("Snapshot {} ({}); delete it manually afterwards", volume.name, volume.id),
            factors: vec![trust.words(), "The cloud lists no attachment".to_owned(), cost.clone()],
            data_points: data_points(facts, super::METRICS),
            confidence_range: Some(trust.range),
            similar_cases: 0,
            models: Vec::new(),
            success_rate: None,
            risk: risk(volume, hazards),
            cost_reduction: cost,
            performance_impact: "none: nothing uses it".to_owned(),
            decision_path: path.into_decisions(),
        },
    };
    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }
    proposal
}
