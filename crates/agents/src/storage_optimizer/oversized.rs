//! `shrink_volumes`: volumes of which a small share is used, today and by the forecast.
//!
//! Clouds let volumes grow and never shrink, so that this is advice with a migration plan: another
//! volume, a copy, a swap. No cloud measures how full a volume is; an agent on the machine does,
//! for all of its file systems together. So a volume is judged only where it is the one volume of
//! its machine, and one that nothing measures is never called oversized.

use reeve_estate::{Metric, Money, PriceCatalogue, Resource};
use reeve_learn::calibrate::Daily;
use reeve_learn::trend::Trend;
use reeve_learn::{DAY_MS, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, Explanation, FactorKind, Factors, ImpactAssessment};
use reeve_recommend::words::{dollars, percent};

use super::KIND;
use super::settings::Thresholds;
use crate::confidence::{Confidence, DAY_COVERAGE, backtest, confidence, signs};
use crate::discounts;
use crate::load::Load;

/// Name of the rule.
pub(super) const RULE: &str = "shrink_volumes";
/// Days ahead that the new size must hold the growth of.
const AHEAD_DAYS: f64 = 90.0;
/// Sizes are proposed in steps of so many GiB.
const STEP_GIB: f64 = 10.0;
/// Largest part of the present size that is worth a migration.
const WORTH_A_MOVE: f64 = 0.7;
/// Savings a month below which a migration is not worth its work, US dollars.
const LEAST_SAVINGS_USD: f64 = 5.0;
/// Days that the volume is kept after the swap.
const KEEP_DAYS: u32 = 7;
/// Days that come before the first held-out day.
const TRAINING_DAYS: i64 = 7;

/// Use of a volume, in percent of its size.
struct Used {
    load: Load,
    history: Window,
    days: u64,
    /// Highest use of the window, percent.
    highest: f64,
    /// Growth of the daily level by the days ahead.
    growth: f64,
}

/// Judges one volume that is in use and has no cheaper setup.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let volume = facts.resource;
    let mut path = Path::default();
    let (from_gib, least_gib) = sizes(volume, settings)?;
    let count = facts.volumes.len();

    if !path.ask(
        "Is it the one volume of its machine?",
        count == 1,
        format!("the machine has {count}"),
    ) {
        let detail = format!(
            "its machine has {count} volumes, and the measured share is not that of one of them"
        );
        return Err(Abstention::unjudged(KIND, "file_systems_not_apart", detail));
    }

    let used = measure(facts, settings)?;
    path.ask(
        "Was its used share measured?",
        true,
        format!("on {} days", used.days),
    );
    let limit = settings.shrink_below_percent;
    let words = format!(
        "its fullest file system used {} at most",
        percent(used.highest)
    );

    if !path.ask(
        format!("Was at most {limit:.0} % of it in use?"),
        used.highest <= limit,
        words.clone(),
    ) {
        return Err(decided("disk_in_use", words));
    }

    let then = used.highest + used.growth;
    let to_gib = wanted(from_gib, then, settings.shrink_headroom_percent).max(least_gib);
    let detail = format!(
        "{} of it by then, {:.0} GiB with {:.0} % of room",
        percent(then),
        to_gib,
        settings.shrink_headroom_percent
    );

    let question = format!("Is a smaller volume enough in {AHEAD_DAYS:.0} days too?");
    if !path.ask(question, to_gib <= from_gib * WORTH_A_MOVE, detail.clone()) {
        return Err(decided("no_smaller_size", detail));
    }

    let (now, after) = cost(facts.catalogue, volume, to_gib).ok_or_else(|| {
        let detail = format!("the catalogue has no volume prices of {}", volume.region);
        Abstention::unjudged(KIND, "price_not_known", detail)
    })?;
    let words = format!(
        "{} - {} = {} a month at list price",
        dollars(now),
        dollars(after),
        dollars(now - after)
    );

    if !path.ask(
        "Is it worth the migration?",
        (now - after).usd() >= LEAST_SAVINGS_USD,
        words.clone(),
    ) {
        return Err(decided("not_cheaper", words));
    }

    Ok(propose(
        facts,
        settings,
        &used,
        (from_gib, to_gib),
        (now, after),
        path,
    ))
}

fn decided(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail)
}

/// The size of a volume, and the least one that takes its IOPS; an abstention for a type whose
/// performance goes by its size.
fn sizes(volume: &Resource, settings: &Thresholds) -> Result<(f64, f64), Abstention> {
    if !settings.shrink {
        return Err(decided(
            "switched_off",
            format!("the setting {RULE}.enabled is off"),
        ));
    }

    let spec = &volume.specification;
    let size = spec.storage_gib.filter(|gib| *gib > 0.0);
    let size = size.ok_or_else(|| {
        Abstention::unjudged(KIND, "size_unknown", "the cloud did not report its size")
    })?;
    let iops = spec.iops.unwrap_or(0) as f64;

    // IOPS that a GiB takes: Amazon EBS user guide, volume types.
    let least = match spec.storage_type.as_deref() {
        Some("gp3" | "io2") => iops / 500.0,
        Some("io1") => iops / 50.0,
        other => {
            let name = other.unwrap_or("not known");
            let detail = format!("its type is {name}, whose performance goes by its size");
            return Err(decided("performance_by_size", detail));
        }
    };

    Ok((size, (least / STEP_GIB).ceil() * STEP_GIB))
}

/// The used share over the history; an abstention where it was not measured on enough days.
fn measure(facts: &Facts<'_>, settings: &Thresholds) -> Result<Used, Abstention> {
    let missing = |detail: String| Abstention::unjudged(KIND, "disk_not_measured", detail);
    let id = facts.resource.attached_to.first().cloned();
    let id = id.ok_or_else(|| missing("nothing is attached to it".to_owned()))?;
    let machine = Resource {
        id,
        ..facts.resource.clone()
    };
    let history = Window::ending(facts.now.as_millisecond(), settings.history_days * DAY_MS);

    // Samples from before the volume was attached are those of another volume.
    let of_machine = Facts {
        resource: &machine,
        series: facts.get::<MachineSeries>().map_or(&[], |own| &own.0),
        unchanged_since: facts.attachment_changed_at,
        ..*facts
    };

    let load = Load::measured(&of_machine, Metric::DiskUtilization).ok_or_else(|| {
        missing("nothing measures how full it is: no agent reports disk_utilization".to_owned())
    })?;
    let covered = |day: &Window| {
        load.summary(*day)
            .is_some_and(|summary| summary.coverage >= DAY_COVERAGE)
    };

    let days = history
        .blocks(DAY_MS)
        .iter()
        .filter(|day| covered(day))
        .count() as u64;

    if (days as i64) < settings.measured_days {
        let detail = format!(
            "its used share was measured on {days} days, {} are needed",
            settings.measured_days
        );
        return Err(missing(detail));
    }

    let highest = load.summary(history).map(|summary| summary.max);
    let highest = highest.ok_or_else(|| missing("its used share was not measured".to_owned()))?;
    let trend = Trend::fit(history.select(&load.points), 95.0);
    let growth = trend.map_or(0.0, |trend| trend.growth_in(AHEAD_DAYS));

    Ok(Used {
        load,
        history,
        days,
        highest,
        growth,
    })
}

/// Size for a share of the present one with room, in whole steps.
fn wanted(gib: f64, share_percent: f64, headroom_percent: f64) -> f64 {
    let need = gib * share_percent / 100.0 * (1.0 + headroom_percent / 100.0);
    (need / STEP_GIB).ceil().max(1.0) * STEP_GIB
}

/// Cost a month at list price, now and of the smaller volume.
fn cost(catalogue: &PriceCatalogue, volume: &Resource, gib: f64) -> Option<(Money, Money)> {
    let mut smaller = volume.clone();
    smaller.specification.storage_gib = Some(gib);
    Some((
        catalogue.monthly_cost(volume)?.cost,
        catalogue.monthly_cost(&smaller)?.cost,
    ))
}

/// Confidence from held-out days: the size chosen from the days before must be at most 90 % full on
/// each.
fn trust(
    facts: &Facts<'_>,
    settings: &Thresholds,
    used: &Used,
    (from, to): (f64, f64),
) -> (Confidence, Trust) {
    let highest = |window: Window| used.load.summary(window).map(|summary| summary.max);
    let counted = backtest(used.history, &used.load, TRAINING_DAYS, |before, day| {
        let chosen = wanted(from, highest(before)?, settings.shrink_headroom_percent);
        Some(highest(day)? / 100.0 * from <= chosen * 0.9)
    });
    let margin = |day: Window| highest(day).map(|share| 1.0 - share / 100.0 * from / to);
    let margins: Daily = used
        .history
        .blocks(DAY_MS)
        .into_iter()
        .map(margin)
        .collect();
    let found = confidence(counted, &margins, 0.0, None);

    let signs = signs(facts, margins, counted.windows, 0.0);
    let trust = Trust::new(found.raw, None, &signs);
    (found, trust)
}

/// The migration, a step a line.
fn steps(volume: &Resource, to_gib: f64) -> Vec<String> {
    let name = &volume.name;
    let kind = volume
        .specification
        .storage_type
        .as_deref()
        .unwrap_or("the same type");

    vec![
        format!("Step 1: take a snapshot of {name} and wait until it is complete"),
        format!(
            "Step 2: create a volume of {to_gib:.0} GiB ({kind}) in the same zone, with the same encryption key and tags, and attach it beside {name}"
        ),
        "Step 3: make a file system on it and copy the data; stop what writes, then copy once more what changed"
            .to_owned(),
        format!(
            "Step 4: mount the new volume in the place of {name}; if it is the root volume, stop the machine and make the new one bootable first"
        ),
        format!(
            "Step 5: detach {name}, keep it for {KEEP_DAYS} days, then delete it and, once it is not needed, the snapshot"
        ),
    ]
}

fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    used: &Used,
    (from_gib, to_gib): (f64, f64),
    (now, after): (Money, Money),
    path: Path,
) -> Proposal {
    let volume = facts.resource;
    let (found, trust) = trust(facts, settings, used, (from_gib, to_gib));
    let iac = owned_by_code(volume);
    let hazards = Hazards {
        iac: iac.is_some(),
        ..Hazards::default()
    };
    let savings = now - after;
    let share = if now == Money::ZERO {
        0.0
    } else {
        (after.usd() / now.usd() - 1.0) * 100.0
    };

    let cost = format!(
        "{} - {} = {} a month at list price, {} less; both volumes and the snapshot are paid for during the {KEEP_DAYS} days",
        dollars(now),
        dollars(after),
        dollars(savings),
        percent(-share)
    );

    let performance =
        "IOPS and throughput stay as they are; the swap interrupts what uses the volume".to_owned();
    let monthly = volume.monthly_cost.or(Some(now));
    let mut proposal = Proposal::new(
        KIND,
        RULE,
        title(
            "Move ",
            &volume.name,
            &format!(" ({from_gib:.0} GiB) to a volume of {to_gib:.0} GiB"),
        ),
        subject(volume, None),
        ImpactAssessment {
            cost_percent: Some(share),
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: performance.clone(),
            security: "none, if the new volume has the same encryption key".to_owned(),
        },
        explanation(
            facts,
            used,
            (from_gib, to_gib),
            &found,
            (risk(volume, hazards), cost, performance),
            path,
        ),
    )
    .with_priority(priority_by_savings(Some(savings)))
    .with_confidence(found.percent, trust)
    .with_impact_level(impact_level(
        &facts.guardrails.approval_matrix,
        volume,
        Some(savings),
        monthly,
        hazards,
    ))
    .with_effort(Effort::High)
    .with_savings(savings)
    .with_monthly_cost(monthly)
    .with_reason_codes(vec![RULE.to_owned()]);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    discounts::apply(facts, Some(now), &mut proposal);
    proposal
}

fn explanation(
    facts: &Facts<'_>,
    used: &Used,
    (from_gib, to_gib): (f64, f64),
    found: &Confidence,
    (risk, cost_reduction, performance_impact): (Impact, String, String),
    path: Path,
) -> Explanation {
    let volume = facts.resource;
    let at_most = format!(
        "On {} measured days at most {} of {from_gib:.0} GiB was in use",
        used.days,
        percent(used.highest)
    );

    let growth = format!(
        "By its trend it grows by {} of its size in {AHEAD_DAYS:.0} days",
        percent(used.growth)
    );
    let moves = "A volume cannot be made smaller, so that Reeve does not change it: the data moves to another one";
    let mut factors = Factors::from([
        (FactorKind::Measured, at_most),
        (FactorKind::Forecast, growth),
        (FactorKind::Price, cost_reduction.clone()),
        (FactorKind::Consequence, moves.to_owned()),
        (FactorKind::Confidence, found.words()),
    ]);

    factors.extend(
        steps(volume, to_gib)
            .into_iter()
            .map(|step| (FactorKind::Consequence, step)),
    );

    Explanation::new(
        format!(
            "Move the data of {} ({}) to a volume of {to_gib:.0} GiB",
            volume.name, volume.id
        ),
        risk,
    )
    .with_factors(factors)
    .with_data_points(used.load.points.len() as u64)
    .with_confidence_range(found.range)
    .with_cost_reduction(cost_reduction)
    .with_performance_impact(performance_impact)
    .with_decision_path(path.into_decisions())
}
