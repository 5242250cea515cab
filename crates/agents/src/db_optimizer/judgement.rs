//! The judgement of a database that was read over its own protocol: findings for each index,
//! statement, parameter and table.

use reeve_databases::{
    AdviceCost, Area, CostUnit, DatabaseAdvice, DatabaseChange, DatabaseReading,
    DatabaseThresholds as Limits, Observation, Severity, Unjudged, judge,
};
use reeve_estate::{Provider, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{Change, CreateIndex, DropIndex, IndexPlace, SetParameter};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::{
    EffectUnit, ExpectedEffect, Explanation, FactorKind, Factors, ImpactAssessment, Priority,
    RecommendationType,
};

use super::settings::Thresholds;

pub(super) const KIND: RecommendationType = RecommendationType::DatabaseTuning;
const GIB: f64 = 1_073_741_824.0;

/// Confidence of an index that the planner chose.
const PLANNED: f64 = 90.0;
/// Confidence of an index that was estimated.
const ESTIMATED: f64 = 65.0;
/// Confidence of what was counted or read.
const COUNTED: f64 = 85.0;

/// Judges the reading of a database: a finding for each piece of advice that the settings want, an
/// abstention for what could not be judged.
pub(super) fn judged(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    let Some(reading) = facts.get::<DatabaseReading>() else {
        let detail = "no connection reads the database itself";
        judgement.take(Err(Abstention::unjudged(KIND, "no_login", detail)));
        return judgement;
    };
    let (observation, trials) = match reading {
        DatabaseReading::Read {
            observation,
            trials,
        } => (observation, trials),
        DatabaseReading::Failed(reason) => {
            judgement.take(Err(Abstention::unjudged(KIND, "not_read", reason)));
            return judgement;
        }
    };

    let settings = Thresholds::from(facts.settings);
    let observation = with_memory(observation, &settings);
    let report = judge(&observation, trials, &limits(&settings));
    for advice in report
        .advice
        .iter()
        .filter(|advice| is_wanted(advice.area, &advice.rule, &settings))
    {
        judgement.take(Ok(proposal(facts, advice)));
    }

    // What was not judged refutes no earlier finding; the rest does.
    let is_missing =
        |one: &&Unjudged| one.object.is_empty() && is_wanted(one.area, &one.rule, &settings);
    let missing: Vec<&Unjudged> = report.unjudged.iter().filter(is_missing).collect();
    if !missing.iter().any(|one| hides_anything(one)) {
        let detail = format!(
            "{} tables and {} indexes were judged",
            observation.tables.len(),
            observation.indexes.len()
        );
        judgement.take(Err(Abstention::decided(KIND, "nothing_else", detail)));
    }
    for one in missing {
        let remedy = match one.remedy.as_str() {
            "" => String::new(),
            remedy => format!("; {remedy}"),
        };
        let detail = format!("{}: {}{remedy}", one.rule, one.reason);
        let abstention = Abstention::unjudged(KIND, "data_missing", detail);
        if hides_anything(one) {
            judgement.take(Err(abstention));
            continue;
        }
        for aspect in left_open(one) {
            judgement.take(Err(abstention.clone().with_aspect(aspect)));
        }
    }
    judgement
}

/// Returns `true` if any finding may be missing: the user lacks a right.
fn hides_anything(unjudged: &Unjudged) -> bool {
    (unjudged.area, unjudged.rule.as_str()) == (Area::Health, "permissions")
}

/// Beginnings of the aspects that stay as they are because something was not judged.
fn left_open(unjudged: &Unjudged) -> Vec<String> {
    match unjudged.area {
        // Statements that the server did not keep lead to indexes too.
        Area::Query => vec!["query:".to_owned(), "index:missing_index:".to_owned()],
        area => vec![format!("{}:{}:", area.as_str(), unjudged.rule)],
    }
}

fn with_memory(observation: &Observation, settings: &Thresholds) -> Observation {
    let mut observation = observation.clone();
    if settings.memory > 0 {
        observation.server.memory_bytes = Some(settings.memory as f64 * GIB);
    }
    observation
}

fn limits(settings: &Thresholds) -> Limits {
    Limits {
        unused_days: settings.unused_days as f64,
        least_saving: settings.least_saving / 100.0,
        index_budget_bytes: settings.index_budget as f64 * GIB,
        replica_queries_per_second: settings.replica_rate as f64,
    }
}

fn is_wanted(area: Area, rule: &str, settings: &Thresholds) -> bool {
    match area {
        Area::Index => settings.indexes,
        Area::Query => settings.queries,
        Area::Parameter => {
            let is_buffer = ["tune_shared_buffers", "tune_innodb_buffer_pool_size"].contains(&rule);
            settings.parameters && (settings.buffer_pool || !is_buffer)
        }
        Area::Replica => settings.replicas,
        Area::Health => true,
    }
}

/// The action of that advice belongs to.
fn action(advice: &DatabaseAdvice) -> &'static str {
    match (advice.area, advice.rule.as_str()) {
        (Area::Index, "missing_index") => "create_missing_indexes",
        (Area::Index, _) => "remove_unused_indexes",
        (Area::Parameter, "tune_shared_buffers" | "tune_innodb_buffer_pool_size") => {
            "adjust_buffer_pool"
        }
        (Area::Parameter, _) => "parameter_tuning",
        (Area::Query, _) => "query_pattern_analysis",
        (Area::Replica, _) => "suggest_read_replicas",
        (Area::Health, _) => "database_health",
    }
}

fn proposal(facts: &Facts<'_>, advice: &DatabaseAdvice) -> Proposal {
    let resource = facts.resource;
    let mut subject = subject(resource, None);
    subject.aspect = Some(format!(
        "{}:{}:{}",
        advice.area.as_str(),
        advice.rule,
        advice.object
    ));

    let mut path = Path::default();
    let mut reasons = advice.reasons.iter();
    if let Some(first) = reasons.next() {
        path.ask(
            format!("Does the rule {} apply?", advice.rule),
            true,
            first.clone(),
        );
    }
    let mut factors = Factors::default();
    factors.extend(
        advice
            .reasons
            .iter()
            .map(|reason| (FactorKind::Measured, reason.clone())),
    );
    factors.extend(
        advice
            .statements
            .iter()
            .map(|text| (FactorKind::Consequence, format!("Execute: {text}"))),
    );
    factors.extend(
        advice
            .undo
            .iter()
            .map(|text| (FactorKind::Consequence, format!("Undo with: {text}"))),
    );
    if advice.needs_restart {
        factors.add(
            FactorKind::Consequence,
            "It takes effect after a restart of the server",
        );
    }

    let confidence = confidence(advice);
    let performance = performance(advice);
    Proposal::new(
        KIND,
        action(advice),
        advice.title.clone(),
        subject,
        ImpactAssessment {
            cost_percent: None,
            cost: "none".to_owned(),
            performance_degradation_percent: None,
            performance: performance.clone(),
            security: "none".to_owned(),
        },
        Explanation::new(advice.title.clone(), impact(advice))
            .with_factors(factors)
            .with_cost_reduction("none".to_owned())
            .with_performance_impact(performance)
            .with_effect(effect(advice.cost))
            .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority(advice.severity))
    .with_confidence(
        confidence,
        Trust {
            raw: confidence / 100.0,
            features: Vec::new(),
            cap_percent: Some(confidence),
        },
    )
    .with_impact_level(impact(advice))
    .with_plan(plan(resource, advice))
    .with_monthly_cost(resource.monthly_cost)
    .with_reason_codes(vec![advice.rule.clone()])
    .with_not_measured(Vec::new())
}

/// Figure that advice is about.
fn effect(cost: AdviceCost) -> ExpectedEffect {
    ExpectedEffect {
        before: cost.before,
        after: cost.after,
        unit: match cost.unit {
            CostUnit::PlannerCost => EffectUnit::PlannerCost,
            CostUnit::RowsExamined => EffectUnit::RowsExamined,
            CostUnit::Bytes => EffectUnit::Bytes,
            CostUnit::Milliseconds => EffectUnit::Milliseconds,
            CostUnit::Value => EffectUnit::Value,
            CostUnit::Percent => EffectUnit::Percent,
            CostUnit::Count => EffectUnit::Count,
            CostUnit::Seconds => EffectUnit::Seconds,
        },
    }
}

/// Plan of advice on a server that Reeve reaches itself.
fn plan(resource: &Resource, advice: &DatabaseAdvice) -> Option<Plan> {
    let change = advice.change.as_ref();
    let change = change.filter(|_| resource.provider == Provider::Database)?;
    let state = resource.state;
    let place = |schema, table, name| IndexPlace {
        schema,
        table,
        name,
    };
    let whole = |value: f64| value.max(0.0).round() as u64;
    let change: Box<dyn Change> = match change.clone() {
        DatabaseChange::CreateIndex {
            schema,
            table,
            name,
            columns,
        } => Box::new(CreateIndex {
            state,
            index: place(schema, table, name),
            columns,
        }),
        DatabaseChange::DropIndex {
            schema,
            table,
            name,
            definition,
            is_unused,
        } => Box::new(DropIndex {
            state,
            index: place(schema, table, name),
            definition,
            unused: is_unused,
        }),
        DatabaseChange::SetParameter {
            name,
            from,
            to,
            is_lasting,
        } => Box::new(SetParameter {
            state,
            name,
            from: whole(from),
            to: whole(to),
            lasting: is_lasting,
        }),
    };
    Some(Plan::new(&*change, resource.id.as_str()))
}

/// Returns `true` if no plan was made with the index.
fn is_estimated(advice: &DatabaseAdvice) -> bool {
    let mut reasons = advice.reasons.iter();
    reasons.any(|reason| reason.starts_with("estimated"))
}

fn confidence(advice: &DatabaseAdvice) -> f64 {
    match (advice.rule.as_str(), is_estimated(advice)) {
        ("missing_index", true) => ESTIMATED,
        ("missing_index", false) => PLANNED,
        _ => COUNTED,
    }
}

fn performance(advice: &DatabaseAdvice) -> String {
    let cost = &advice.cost;
    match (advice.area, cost.after) {
        (Area::Index, Some(after)) if advice.rule == "missing_index" => {
            let share = (1.0 - after / cost.before.max(f64::MIN_POSITIVE)) * 100.0;
            format!("saves {share:.0} % of the cost of its statements")
        }
        (Area::Index, _) => "writes of the table become cheaper".to_owned(),
        _ => "not predicted".to_owned(),
    }
}

/// An index that the planner chose is built beside the work of the server and dropped if it does not
/// help: its approval is that of a low impact (`create_missing_indexes: auto_approve`).
fn impact(advice: &DatabaseAdvice) -> Impact {
    let is_planned = advice.rule == "missing_index" && !is_estimated(advice);
    match (advice.area, advice.needs_restart) {
        (_, true) => Impact::High,
        (Area::Index, _) if is_planned && advice.change.is_some() => Impact::Low,
        (Area::Index | Area::Parameter, _) => Impact::Medium,
        _ => Impact::Low,
    }
}

const fn priority(severity: Severity) -> Priority {
    match severity {
        Severity::Low => Priority::Low,
        Severity::Medium => Priority::Medium,
        Severity::High => Priority::High,
        Severity::Critical => Priority::Critical,
    }
}
