//! `failure_prediction` of read replicas: one whose replication RDS reports as broken, or that was
//! behind its source for half an hour. A replica that is behind answers old data, and one that does
//! not replicate is no standby.

use reeve_estate::Metric;
use reeve_learn::Window;
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::is_production;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority};
use reeve_recommend::words::figures;
use serde_json::Value;

use super::PREVENTION;
use super::health::RULE;
use super::maintenance::none_but;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;
use crate::load::Load;

const ASPECT: &str = "replica";
/// Time for which a replica must be behind, and in which it must have been measured.
const BEHIND_MS: i64 = 30 * 60_000;

/// Judges a database that replicates another.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let decided =
        |code, detail: &str| Err(Abstention::decided(PREVENTION, code, detail).with_aspect(ASPECT));
    if !settings.failures {
        return decided(
            "switched_off",
            "the setting failure_prediction.enabled is off",
        );
    }
    let Some(document) = facts.document.map(reeve_estate::Document::json) else {
        let detail = "its configuration was not read";
        return Err(Abstention::unjudged(PREVENTION, "not_read", detail).with_aspect(ASPECT));
    };
    let Some(source) = document["ReadReplicaSourceDBInstanceIdentifier"].as_str() else {
        return decided("no_replica", "it replicates no other database");
    };

    if let Some(words) = broken(document) {
        return Ok(propose(facts, source, words, true));
    }
    match lag(facts) {
        None => {
            let detail = "its lag was not measured in half an hour: the connection needs cloudwatch:GetMetricData";
            Err(Abstention::unjudged(PREVENTION, "lag_not_measured", detail).with_aspect(ASPECT))
        }
        Some((least, most)) => {
            let words = format!(
                "it was {} to {} seconds behind in the last half hour, {} are allowed",
                figures(least),
                figures(most),
                settings.replica_lag
            );
            match least > settings.replica_lag as f64 {
                true => Ok(propose(facts, source, words, false)),
                false => decided("in_step", &words),
            }
        }
    }
}

/// Returns what RDS says of replication that does not run.
fn broken(document: &Value) -> Option<String> {
    let infos = document["StatusInfos"].as_array()?;
    let one = infos.iter().find(|info| {
        let is_of_replica = info["StatusType"].as_str() == Some("read replication");
        is_of_replica && info["Normal"] == false
    })?;
    let text = |member: &str| one[member].as_str().unwrap_or_default();
    Some(format!(
        "replication is {}: {}",
        text("Status"),
        text("Message")
    ))
}

/// Least and most seconds behind in the last half hour; `None` where it was not measured to its end.
fn lag(facts: &Facts<'_>) -> Option<(f64, f64)> {
    let load = Load::measured(facts, Metric::ReplicaLag)?;
    let window = Window::ending(facts.now.as_millisecond(), BEHIND_MS);
    let values: Vec<f64> = window
        .select(&load.points)
        .iter()
        .map(|(_, value)| *value)
        // RDS reports -1 while replication does not run.
        .filter(|value| *value >= 0.0)
        .collect();
    let half = BEHIND_MS / load.period_ms.max(1) / 2;
    if (values.len() as i64) < half.max(1) {
        return None;
    }
    let least = values.iter().copied().reduce(f64::min)?;
    Some((least, values.iter().copied().reduce(f64::max)?))
}

fn propose(facts: &Facts<'_>, source: &str, words: String, is_broken: bool) -> Proposal {
    let replica = facts.resource;
    let mut path = Path::default();
    path.ask("Is it a read replica?", true, format!("of {source}"));
    path.ask("Is it broken or behind?", true, words.clone());
    let factors = Factors::from([
        (FactorKind::Measured, words),
        (FactorKind::Measured, format!("It replicates {source}")),
        (
            FactorKind::Consequence,
            advice_only(
                "whether it is too small, its source writes too much or its schema differs is for its people to see",
            ),
        ),
    ]);
    let by = match is_broken {
        true => ", which does not replicate",
        false => ", which is behind its source",
    };
    ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: title("Mend replica ", &replica.name, by),
        aspect: ASPECT.to_owned(),
        priority: match (is_broken, is_production(replica)) {
            (true, true) => Priority::Critical,
            (true, false) | (false, true) => Priority::High,
            (false, false) => Priority::Medium,
        },
        risk: Impact::Low,
        impact: none_but("Reads from it are old, and it is no standby".to_owned()),
        effort: Effort::Medium,
        plan: None,
        reason_code: RULE.to_owned(),
        action: match is_broken {
            true => format!(
                "Read the error of {}, and create the replica again where it cannot continue",
                replica.name
            ),
            false => format!(
                "Compare the writes of {source} with the size of {}",
                replica.name
            ),
        },
        factors,
        data_points: 1,
        path,
    }
    .about(replica)
}
