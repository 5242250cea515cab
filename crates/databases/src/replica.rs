//! Read replicas: above a rate of statements, where most of them read.

use crate::advice::{AdviceCost, Area, CostUnit, DatabaseAdvice, Severity, Unjudged};
use crate::observation::{Observation, StatementSource};
use crate::thresholds::DatabaseThresholds;
use crate::unit::{count, percent};

const RULE: &str = "suggest_read_replicas";
/// Share of reads from which a replica takes a load that counts.
const READ_SHARE: f64 = 0.7;
/// Shortest time that a rate is of, seconds.
const MIN_COUNTED_S: f64 = 60.0;

/// Judges the load of reads.
pub(crate) fn judge(
    observation: &Observation,
    thresholds: &DatabaseThresholds,
) -> Result<Option<DatabaseAdvice>, Unjudged> {
    let unjudged = |reason: &str, remedy: &str| Unjudged::new(Area::Replica, RULE, reason, remedy);
    if observation.server.is_standby {
        return Ok(None);
    }
    let (reads, writes, counted) =
        load(observation).map_err(|(reason, remedy)| unjudged(&reason, &remedy))?;
    if counted < MIN_COUNTED_S {
        return Err(unjudged(
            "statements are counted for less than a minute",
            "run the analysis again later",
        ));
    }

    let rate = (reads + writes) / counted;
    let share = reads / (reads + writes).max(1.0);
    if rate < thresholds.replica_queries_per_second || share < READ_SHARE {
        return Ok(None);
    }
    let replicas = observation.replication.replicas.unwrap_or_default();
    Ok(Some(DatabaseAdvice::for_people(
        Area::Replica,
        RULE,
        observation.database.as_str(),
        &format!("Add a read replica: {} statements a second", count(rate)),
        Severity::Medium,
        AdviceCost {
            before: rate,
            after: Some(rate - rate * share / f64::from(replicas + 2)),
            unit: CostUnit::Value,
        },
        vec![
            format!(
                "{} statements a second, above {}",
                count(rate),
                count(thresholds.replica_queries_per_second)
            ),
            format!("{} of them read", percent(share)),
            format!("{replicas} replicas are connected"),
            format!(
                "with one more, the primary would serve {} of the reads",
                percent(1.0 / f64::from(replicas + 2))
            ),
        ],
    )))
}

/// Reads, writes and the seconds that they were counted for.
fn load(observation: &Observation) -> Result<(f64, f64, f64), (String, String)> {
    let server = &observation.server;
    if let (Some(reads), Some(writes), Some(counted)) = (
        server.read_statements,
        server.write_statements,
        server.counted_s,
    ) {
        return Ok((reads, writes, counted));
    }
    let (statements, counted) = match &observation.statements {
        StatementSource::Read {
            statements,
            counted_s: Some(counted),
            ..
        } => (statements, *counted),
        StatementSource::Read { .. } => {
            return Err((
                "the time of the last reset of the statements is not known".to_owned(),
                String::new(),
            ));
        }
        StatementSource::Missing { reason, remedy } => {
            return Err((reason.clone(), remedy.clone()));
        }
    };
    let (mut reads, mut writes) = (0.0, 0.0);
    for statement in statements {
        let first = statement
            .text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match first.as_str() {
            "select" | "with" | "table" | "values" => reads += statement.calls,
            "insert" | "update" | "delete" | "merge" | "replace" => writes += statement.calls,
            _ => {}
        }
    }
    Ok((reads, writes, counted))
}

#[cfg(test)]
mod tests;
