//! Storage that is short: more of it.

use reeve_audit::Obstacle;
use reeve_estate::ResourceKind;
use reeve_recommend::observation::{AnswerTerms, ObservationAnswer, ShortCapacity, Shortage};
use reeve_recommend::plan::relief;
use reeve_recommend::recommendation::RecommendationType;

use crate::anomaly_answer::{AnswerKind, answer, cannot_enlarge, shortage_facts};

/// Storage that is added, percent.
const STORAGE_PERCENT: f64 = 25.0;

const MORE_STORAGE: AnswerKind = AnswerKind {
    kind: RecommendationType::StorageExpansion,
    rule: "auto_remediate",
};

/// Returns the change that gives a database, a volume or the only disk of a machine more storage;
/// `None` for other capacities. The error is the reason why there is no change.
pub(super) fn relieve(
    shortage: &Shortage<'_>,
    terms: AnswerTerms<'_>,
) -> Option<Result<ObservationAnswer, Obstacle>> {
    if shortage.capacity != ShortCapacity::Storage {
        return None;
    }
    let resource = shortage.resource;
    let disk = match resource.kind {
        ResourceKind::Volume | ResourceKind::Database => resource,
        ResourceKind::VirtualMachine => {
            relief::only_disk(resource, shortage.around).unwrap_or(resource)
        }
        kind => return Some(Err(cannot_enlarge(kind))),
    };

    let relief = relief::more_storage(disk, STORAGE_PERCENT, terms.catalogue);
    let facts = shortage_facts(shortage, disk, terms.catalogue);
    Some(Ok(answer(
        shortage.anomaly,
        disk,
        relief,
        MORE_STORAGE,
        facts,
        terms,
    )))
}
