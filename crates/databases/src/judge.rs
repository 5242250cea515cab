//! The judgement of a database as a whole.

use crate::advice::DatabaseReport;
use crate::index::{missing, usage};
use crate::observation::Observation;
use crate::thresholds::DatabaseThresholds;
use crate::trial::IndexTrial;
use crate::{health, parameter, query, replica};

/// Judges a database; the advice stands in the order of its severity.
#[must_use]
pub fn judge(
    observation: &Observation,
    trials: &[IndexTrial],
    thresholds: &DatabaseThresholds,
) -> DatabaseReport {
    let mut advice = Vec::new();
    let mut unjudged = Vec::new();
    let parts = [
        missing::judge(observation, trials, thresholds),
        usage::judge(observation, thresholds),
        parameter::judge(observation),
        query::judge(observation),
        health::judge(observation),
    ];
    for (found, missing) in parts {
        advice.extend(found);
        unjudged.extend(missing);
    }
    match replica::judge(observation, thresholds) {
        Ok(found) => advice.extend(found),
        Err(missing) => unjudged.push(missing),
    }

    advice.sort_by(|one, other| {
        let key = |advice: &crate::advice::DatabaseAdvice| {
            (std::cmp::Reverse(advice.severity), advice.area)
        };
        key(one)
            .cmp(&key(other))
            .then_with(|| one.object.cmp(&other.object))
    });
    DatabaseReport {
        engine: observation.engine,
        version: observation.version.clone(),
        database: observation.database.clone(),
        advice,
        unjudged,
    }
}
