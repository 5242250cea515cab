//! Indexes that are missing: trials of candidates, chosen by what they save less what they cost.
//!
//! The choice is greedy: the candidate with the greatest net saving first, a narrower one before a
//! wider one that saves hardly more; the costs of later candidates count from there. Each entry of
//! an index costs a write of the table, and the candidates together have a budget of storage.

use std::collections::BTreeMap;

use crate::advice::{
    AdviceCost, Area, CostUnit, DatabaseAdvice, DatabaseChange, Severity, Unjudged, titled,
};
use crate::candidate::IndexCandidate;
use crate::observation::{DatabaseStatement, DatabaseTable, Observation, StatementSource};
use crate::statement::short;
use crate::thresholds::DatabaseThresholds;
use crate::trial::{IndexTrial, TrialMethod};
use crate::unit::{bytes, count, percent};

pub(crate) const RULE: &str = "missing_index";

/// Cost of one entry written to an index, in the planner's unit: a descent, half a page of the
/// write-ahead log, and a page that is read where it is not in the buffer.
const WRITE_COST: f64 = 0.7;
/// The same in rows.
const WRITE_ROWS: f64 = 3.0;
/// Refused candidates that are named.
const MOST_REFUSED: usize = 5;

/// A trial with its sums over the workload.
struct WeighedTrial<'t> {
    trial: &'t IndexTrial,
    table: &'t DatabaseTable,
    /// Cost of the statements that it helps, over all calls, beside the indexes that were chosen.
    before: f64,
    /// The same without them.
    original: f64,
    /// Cost that it saves, over all calls.
    saved: f64,
    /// Cost of the entries that writes would have added.
    written: f64,
    size_bytes: f64,
}

impl WeighedTrial<'_> {
    fn net(&self) -> f64 {
        self.saved - self.written
    }
}

/// Returns advice for candidates whose trials help enough, and the reasons why others do not.
pub(crate) fn judge(
    observation: &Observation,
    trials: &[IndexTrial],
    thresholds: &DatabaseThresholds,
) -> (Vec<DatabaseAdvice>, Vec<Unjudged>) {
    if let StatementSource::Missing { reason, remedy } = &observation.statements {
        return (
            Vec::new(),
            vec![Unjudged::new(Area::Index, RULE, reason, remedy)],
        );
    }

    let mut current = BTreeMap::new();
    let mut chosen = Vec::new();
    let mut refused = Vec::new();
    let mut room = thresholds.index_budget_bytes;
    let mut left: Vec<&IndexTrial> = trials.iter().collect();

    while let Some(best) = best(observation, &left, &current) {
        left.retain(|trial| trial.candidate != best.trial.candidate);
        if let Some(reason) = refusal(&best, room, thresholds) {
            let object = described(&best.trial.candidate);
            refused.push(Unjudged::new(Area::Index, RULE, reason, "").about(object));
            continue;
        }

        room -= best.size_bytes;
        for cost in &best.trial.costs {
            let known = current
                .entry(cost.statement_id.clone())
                .or_insert(cost.before);
            *known = known.min(cost.after);
        }
        left.retain(|trial| !trial.candidate.is_prefix_of(&best.trial.candidate));
        chosen.push(advice(observation, &best));
    }

    refused.truncate(MOST_REFUSED);
    (chosen, refused)
}

/// Returns the trial with the greatest net saving; among those within 5 % of it the narrowest.
fn best<'t>(
    observation: &'t Observation,
    trials: &[&'t IndexTrial],
    current: &BTreeMap<String, f64>,
) -> Option<WeighedTrial<'t>> {
    let weighed = trials
        .iter()
        .filter_map(|trial| with_sums(observation, trial, current));
    let mut weighed: Vec<_> = weighed.filter(|trial| trial.saved > 0.0).collect();
    let greatest = weighed
        .iter()
        .map(WeighedTrial::net)
        .max_by(f64::total_cmp)?;

    let margin = greatest - greatest.abs() * 0.05;
    weighed.retain(|trial| trial.net() >= margin);
    weighed.sort_by(|one, other| {
        let width = |weighed: &WeighedTrial<'_>| weighed.trial.candidate.columns.len();
        width(one)
            .cmp(&width(other))
            .then(other.net().total_cmp(&one.net()))
    });
    weighed.into_iter().next()
}

fn with_sums<'t>(
    observation: &'t Observation,
    trial: &'t IndexTrial,
    current: &BTreeMap<String, f64>,
) -> Option<WeighedTrial<'t>> {
    let candidate = &trial.candidate;
    let table = observation.table(&candidate.schema, &candidate.table)?;
    let (mut before, mut original, mut saved) = (0.0, 0.0, 0.0);
    for cost in &trial.costs {
        let calls = statement(observation, &cost.statement_id)?.calls;
        let now = current
            .get(&cost.statement_id)
            .copied()
            .unwrap_or(cost.before);
        if cost.after < now {
            before += calls * now;
            original += calls * cost.before;
            saved += calls * (now - cost.after);
        }
    }

    let write = match observation.engine.is_mysql_like() {
        true => WRITE_ROWS,
        false => WRITE_COST,
    };
    Some(WeighedTrial {
        trial,
        table,
        before,
        original,
        saved,
        written: table.index_writes().unwrap_or_default() * write,
        size_bytes: trial
            .size_bytes
            .unwrap_or_else(|| candidate.size_bytes(table)),
    })
}

fn refusal(
    weighed: &WeighedTrial<'_>,
    room: f64,
    thresholds: &DatabaseThresholds,
) -> Option<String> {
    let share = weighed.saved / weighed.original.max(f64::MIN_POSITIVE);
    if share < thresholds.least_saving {
        return Some(format!(
            "it would save {} of the cost of its statements, less than {}",
            percent(share),
            percent(thresholds.least_saving)
        ));
    }
    if weighed.net() <= 0.0 {
        return Some(format!(
            "writes would cost more ({}) than reads save ({})",
            count(weighed.written),
            count(weighed.saved)
        ));
    }
    (weighed.size_bytes > room).then(|| {
        format!(
            "its {} exceed the {} that are left for indexes",
            bytes(weighed.size_bytes),
            bytes(room.max(0.0))
        )
    })
}

fn advice(observation: &Observation, weighed: &WeighedTrial<'_>) -> DatabaseAdvice {
    let candidate = &weighed.trial.candidate;
    let engine = observation.engine;
    let share = weighed.saved / weighed.before.max(f64::MIN_POSITIVE);
    let helped = weighed
        .trial
        .costs
        .iter()
        .filter(|cost| cost.after < cost.before);
    let helped: Vec<_> = helped
        .filter_map(|cost| Some((statement(observation, &cost.statement_id)?, cost)))
        .collect();
    let time_ms: f64 = helped.iter().map(|(statement, _)| statement.total_ms).sum();

    let mut reasons = vec![match weighed.trial.method {
        TrialMethod::Hypothetical => "the planner chose it as a hypothetical index".to_owned(),
        TrialMethod::Estimated => {
            "estimated from statistics of the table: no plan was made with it".to_owned()
        }
    }];
    reasons.extend(helped.iter().take(3).map(|(statement, cost)| {
        format!(
            "{} calls at a cost of {} instead of {}: {}",
            count(statement.calls),
            count(cost.after),
            count(cost.before),
            short(&statement.text, 90)
        )
    }));
    reasons.push(write_reason(weighed));
    reasons.push(format!("it would take about {}", bytes(weighed.size_bytes)));
    reasons.push(format!(
        "its statements took {} s in all",
        count(time_ms / 1_000.0)
    ));

    DatabaseAdvice {
        area: Area::Index,
        rule: RULE.to_owned(),
        object: described(candidate),
        title: titled(&format!("Create an index on {}", described(candidate))),
        severity: match share {
            share if share >= 0.9 => Severity::High,
            _ => Severity::Medium,
        },
        statements: vec![candidate.create(engine, true)],
        undo: vec![candidate.drop(engine)],
        cost: AdviceCost {
            before: weighed.before,
            after: Some(weighed.before - weighed.saved),
            unit: match engine.is_mysql_like() {
                true => CostUnit::RowsExamined,
                false => CostUnit::PlannerCost,
            },
        },
        reasons,
        needs_restart: false,
        change: Some(DatabaseChange::CreateIndex {
            schema: candidate.schema.clone(),
            table: candidate.table.clone(),
            name: candidate.name(),
            columns: candidate.columns.clone(),
        }),
    }
}

fn write_reason(weighed: &WeighedTrial<'_>) -> String {
    match weighed.table.index_writes() {
        Some(writes) => format!(
            "reads save {}, {} writes cost {}: {} in all",
            count(weighed.saved),
            count(writes),
            count(weighed.written),
            count(weighed.net())
        ),
        None => "writes of the table are not counted here, and not subtracted".to_owned(),
    }
}

fn statement<'o>(observation: &'o Observation, id: &str) -> Option<&'o DatabaseStatement> {
    observation
        .statements()
        .iter()
        .find(|statement| statement.id == id)
}

/// Writes a candidate as people name it.
fn described(candidate: &IndexCandidate) -> String {
    format!(
        "{}.{} ({})",
        candidate.schema,
        candidate.table,
        candidate.columns.join(", ")
    )
}

#[cfg(test)]
mod tests;
