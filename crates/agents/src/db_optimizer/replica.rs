//! More connections and reads than a database takes: a replica.

use reeve_audit::Obstacle;
use reeve_estate::ResourceKind;
use reeve_recommend::observation::{
    AnswerTerms, ForeseenCondition, ObservationAnswer, ShortCapacity, Shortage,
};
use reeve_recommend::plan::relief;
use reeve_recommend::predictive::ResponseKind;
use reeve_recommend::recommendation::RecommendationType;

use crate::anomaly_answer::{AnswerKind, answer, cannot_enlarge, shortage_facts};
use crate::predictive_answer;

const READ_REPLICA: AnswerKind = AnswerKind {
    kind: RecommendationType::DatabaseTuning,
    rule: "suggest_read_replicas",
};

/// Returns the replica that takes connections off a database; `None` for other capacities. The
/// error is the reason why there is no change.
pub(super) fn relieve(
    shortage: &Shortage<'_>,
    terms: AnswerTerms<'_>,
) -> Option<Result<ObservationAnswer, Obstacle>> {
    if shortage.capacity != ShortCapacity::Connections {
        return None;
    }
    let database = shortage.resource;
    if database.kind != ResourceKind::Database {
        return Some(Err(cannot_enlarge(database.kind)));
    }

    let facts = shortage_facts(shortage, database, terms.catalogue);
    let relief = relief::read_replica(database);
    Some(Ok(answer(
        shortage.anomaly,
        database,
        relief,
        READ_REPLICA,
        facts,
        terms,
    )))
}

/// Returns the replica that a predictive rule asks for; `None` for actions of other agent types.
pub(super) fn respond(
    foreseen: &ForeseenCondition<'_>,
    terms: AnswerTerms<'_>,
) -> Option<ObservationAnswer> {
    let is_replica = foreseen.rule.response.kind == ResponseKind::CreateReadReplica;
    let relief = || relief::read_replica(foreseen.target);
    is_replica.then(|| predictive_answer::answer(foreseen, relief(), terms))
}
