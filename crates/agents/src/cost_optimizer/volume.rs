//! `identify_idle_resources` for volumes that nothing is attached to: keep a snapshot, then delete
//! them.

use reeve_estate::{Metric, Money};
use reeve_learn::{Backtest, DAY_MS, Summary, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::DeleteVolume;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::assessment::{Hazards, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::{delete_unattached, iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, RecommendationType,
};
use reeve_recommend::words::{at_most, day, dollars};

use super::Facts;
use super::evidence::CostEvidence;
use super::settings::Thresholds;
use crate::confidence::{confidence, signs};
use crate::discounts;
use crate::load::data_points;

const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;

pub(super) fn judge(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let days = Thresholds::from(facts.settings).idle_days;
    let volume = facts.resource;
    let now_ms = facts.now.as_millisecond();
    let mut path = Path::default();
    path.ask(
        "Is the volume attached to nothing?",
        true,
        "the cloud lists no attachment",
    );

    if let Some(created) = volume.created_at {
        let age_days = (now_ms - created.as_millisecond()) / DAY_MS;
        if !path.ask(
            format!("Is it older than {days} days?"),
            age_days >= days,
            format!("{age_days} days old"),
        ) {
            return Err(Abstention::unjudged(
                KIND,
                "too_young",
                format!("{age_days} days old, {days} are needed"),
            ));
        }
    }

    if let Some(changed) = facts.attachment_changed_at {
        let free_days = (now_ms - changed.as_millisecond()) / DAY_MS;
        let detail = format!("a sync saw it attached {free_days} days ago");
        if !path.ask(
            format!("Was it attached to nothing for {days} days?"),
            free_days >= days,
            detail.clone(),
        ) {
            return Err(Abstention::unjudged(
                KIND,
                "too_young",
                format!("{detail}, {days} are needed"),
            ));
        }
    }

    let activity = activity(facts, days, now_ms);
    if let Some(busy) = activity.as_ref().filter(|days| days.held < days.windows) {
        let detail = format!(
            "operations were seen on {} of the last {days} days",
            busy.windows - busy.held
        );
        return Err(Abstention::decided(KIND, "in_use", detail));
    }

    match &activity {
        Some(days) => {
            path.ask(
                "Was it silent?",
                true,
                format!("no operation on {} measured days", days.windows),
            );
        }
        None => path.unanswered(
            "Was it silent?",
            "the cloud measures nothing of an unattached volume",
        ),
    }

    propose(
        facts,
        activity.unwrap_or_default(),
        activity.is_none(),
        path,
    )
}

/// Time since when nothing is attached, as far as it is known.
fn unattached(facts: &Facts<'_>) -> String {
    match facts.attachment_changed_at {
        Some(since) => format!("Attached to nothing since {} at the latest", day(since)),
        None => "The cloud lists no attachment; since when is not known".to_owned(),
    }
}

/// Days of the last week without an operation, of days that were measured; `None` when none was.
fn activity(facts: &Facts<'_>, days: i64, now_ms: i64) -> Option<Backtest> {
    let operations = |m: Metric| {
        matches!(
            m,
            Metric::DiskReadOps | Metric::DiskWriteOps | Metric::DiskRead | Metric::DiskWrite
        )
    };

    let series = facts
        .series
        .iter()
        .filter(|s| operations(s.metric) && s.resource == facts.resource.id);
    let loads: Vec<Vec<(i64, f64)>> = series
        .map(|s| {
            s.points
                .iter()
                .map(|(at, value)| (at.as_millisecond(), *value))
                .collect()
        })
        .collect();

    let days = Window::ending(now_ms, days * DAY_MS).blocks(DAY_MS);
    let counted = Backtest::over(&days, |day| {
        let mut figures = loads
            .iter()
            .filter_map(|points| Summary::new(points, day, 300_000))
            .peekable();
        figures.peek()?;
        Some(figures.all(|figure| figure.max <= 0.0))
    });

    (counted.windows > 0).then_some(counted)
}

/// Cost of an unattached volume a month, and of the snapshot that takes its place.
struct Cost {
    monthly: Option<Money>,
    /// At most: a snapshot stores written blocks alone.
    snapshot: Option<Money>,
    /// Source and date of the list prices.
    origin: Option<String>,
}

impl Cost {
    fn new(facts: &Facts<'_>) -> Cost {
        let volume = facts.resource;
        let listed = facts.catalogue.monthly_cost(volume).map(|month| month.cost);
        let gib = volume.specification.storage_gib;
        let snapshot = gib.and_then(|gib| {
            facts
                .catalogue
                .snapshot_monthly(volume.provider, &volume.region, gib)
        });
        let origin = discounts::origin(facts);

        Cost {
            monthly: volume.monthly_cost.or(listed),
            snapshot: snapshot.map(|month| month.cost),
            origin,
        }
    }

    /// Savings, at least; `None` without a price.
    fn savings(&self) -> Option<Money> {
        Some(self.monthly? - self.snapshot?)
    }

    fn words(&self) -> String {
        let snapshot = at_most(self.snapshot);
        match (self.monthly, self.savings()) {
            (Some(monthly), Some(savings)) => {
                let origin = self
                    .origin
                    .as_ref()
                    .map(|origin| format!(" ({origin})"))
                    .unwrap_or_default();
                let (monthly, savings) = (dollars(monthly), dollars(savings));
                format!(
                    "the volume costs {monthly} a month, its snapshot {snapshot}{origin}: deleting it saves at least {savings}"
                )
            }
            (Some(monthly), None) => format!(
                "the volume costs {} a month: deleting it saves that, less the price of its snapshot, which is not known",
                dollars(monthly)
            ),
            _ => "no list price is known for the volume, so no saving is claimed".to_owned(),
        }
    }
}

fn propose(
    facts: &Facts<'_>,
    counted: Backtest,
    unmeasured: bool,
    mut path: Path,
) -> Result<Proposal, Abstention> {
    let volume = facts.resource;
    let cost = Cost::new(facts);
    let (savings, words) = (cost.savings(), cost.words());

    match savings {
        None => path.unanswered("Is its snapshot cheaper?", words.clone()),
        Some(savings) => {
            if !path.ask(
                "Is its snapshot cheaper?",
                savings > Money::ZERO,
                words.clone(),
            ) {
                return Err(Abstention::decided(KIND, "not_cheaper", words));
            }
        }
    }

    let trust = confidence(counted, &Vec::new(), 0.0, None);
    let evidence = CostEvidence::new(facts);
    let unknown = if unmeasured { 1.0 } else { 0.0 };
    let signs = signs(evidence.facts, Vec::new(), counted.windows, unknown);
    let iac = owned_by_code(volume);
    let hazards = Hazards {
        unmeasured: false,
        iac: iac.is_some(),
        unpriced: cost.monthly.is_none(),
        idle: true,
    };

    let missing = [
        (unmeasured, "since_when_unattached"),
        (savings.is_none(), "price"),
    ];
    let not_measured = missing
        .into_iter()
        .filter(|(missing, _)| *missing)
        .map(|(_, name)| name.to_owned())
        .collect();

    let size = volume
        .specification
        .storage_gib
        .map_or(String::new(), |gib| format!(" ({gib:.0} GiB)"));
    let lost = format!("It cannot be undone: {}", DeleteVolume::LOST);
    let mut proposal = Proposal::new(
        KIND,
        "identify_idle_resources",
        title("Delete ", &volume.name, &format!("{size} after a snapshot")),
        subject(volume, None),
        ImpactAssessment {
            cost_percent: share_saved(&cost),
            cost: words.clone(),
            performance_degradation_percent: Some(0.0),
            performance: "none: nothing uses it".to_owned(),
            security: "the snapshot keeps the volume's encryption".to_owned(),
        },
        Explanation::new(
            format!("Snapshot {} ({}), then delete it", volume.name, volume.id),
            risk(volume, hazards).max(Impact::Medium),
        )
        .with_factors(Factors::from([
            (FactorKind::Measured, unattached(facts)),
            (FactorKind::Price, words.clone()),
            (FactorKind::Consequence, lost),
            (FactorKind::Confidence, trust.words()),
        ]))
        .with_data_points(data_points(facts, super::METRICS))
        .with_confidence_range(trust.range)
        .with_cost_reduction(words)
        .with_performance_impact("none: nothing uses it".to_owned())
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(trust.percent, Trust::new(trust.raw, None, &signs))
    // Nobody can take it back: the default approval matrix wants a signature from medium impact
    // on.
    .with_impact_level(
        evidence
            .impact_level(savings, cost.monthly, hazards)
            .max(Impact::Medium),
    )
    .with_savings(savings)
    .with_monthly_cost(cost.monthly)
    .with_plan(delete_unattached(volume))
    .with_reason_codes(vec!["unattached".to_owned(), "cannot_be_undone".to_owned()])
    .with_not_measured(not_measured);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    Ok(proposal)
}

/// Change of the volume's cost in percent; `None` without a price.
fn share_saved(cost: &Cost) -> Option<f64> {
    let (savings, monthly) = (
        cost.savings()?,
        cost.monthly.filter(|monthly| *monthly > Money::ZERO)?,
    );
    Some(-savings.usd() / monthly.usd() * 100.0)
}
