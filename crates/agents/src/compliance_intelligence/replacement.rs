//! Replacements of resources that the cloud cannot encrypt in place: an encrypted copy takes the
//! place of a volume or of a database.

use reeve_controls::ControlCheck;
use reeve_estate::{Resource, ResourceKind};
use reeve_recommend::change::{EncryptDatabase, EncryptVolume};
use reeve_recommend::judgement::Facts;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::{FactorKind, Factors, ImpactAssessment};

/// Rise of the cost while the old resource is kept beside its copy, percent at most.
const KEPT_PERCENT: f64 = 100.0;

/// Replacement of a resource by an encrypted copy.
pub(super) enum EncryptedReplacement {
    Volume(EncryptVolume),
    Database(EncryptDatabase),
    /// People have to replace it, for a reason: a clause about the resource.
    ByPeople(String),
}

impl EncryptedReplacement {
    /// Returns the replacement that mends a failed check; `None` where there is none.
    pub(super) fn of(facts: &Facts<'_>) -> Option<EncryptedReplacement> {
        let resource = facts.resource;
        match resource.kind {
            ResourceKind::Volume => EncryptVolume::on(resource).map(EncryptedReplacement::Volume),
            ResourceKind::Database => {
                let change = EncryptDatabase::on(resource, facts.document?.json());
                Some(match change {
                    Ok(change) => EncryptedReplacement::Database(change),
                    Err(obstacle) => EncryptedReplacement::ByPeople(obstacle.to_string()),
                })
            }
            _ => None,
        }
    }

    /// Returns the plan; `None` where people have to replace the resource.
    pub(super) fn plan(&self, target: &str) -> Option<Plan> {
        match self {
            EncryptedReplacement::Volume(change) => Some(Plan::new(change, target)),
            EncryptedReplacement::Database(change) => Some(Plan::new(change, target)),
            EncryptedReplacement::ByPeople(_) => None,
        }
    }

    /// Adds what a person has to know before signing, or the reason why there is no plan.
    pub(super) fn explain(&self, resource: &Resource, factors: &mut Factors) {
        let name = &resource.name;
        match self {
            EncryptedReplacement::Volume(_) => {}
            EncryptedReplacement::Database(change) => {
                let (minutes, size) = (change.minutes(), change.storage_gib);
                for text in [
                    format!(
                        "A write between the snapshot and the exchange of names would be lost, so no client reaches {name} from before the snapshot until after the exchange: about {minutes} minutes by its {size} GiB, an estimate. A change that takes more than three times as long, and more than four hours, is taken back."
                    ),
                    format!(
                        "Jobs inside {name}, such as events and pg_cron, run on until it is stopped. What they write after the snapshot is not in the encrypted database: turn them off before."
                    ),
                    "The name and the endpoint stay. The resource identifier is another one, Enhanced Monitoring is off, and an RDS Proxy has to register the database again.".to_owned(),
                ] {
                    factors.add(FactorKind::Consequence, text);
                }
            }
            EncryptedReplacement::ByPeople(reason) => {
                let text = format!("Reeve does not replace it: {name} {reason}.");
                factors.add(FactorKind::Consequence, text);
            }
        }
    }

    /// Effects of the replacement; `None` where people have to do it.
    pub(super) fn assessment(&self, check: &ControlCheck) -> Option<ImpactAssessment> {
        let (cost, performance) = match self {
            EncryptedReplacement::ByPeople(_) => return None,
            EncryptedReplacement::Volume(change) => (
                "The disk is charged twice, and its snapshot once, until the old one is deleted; the encrypted disk costs what the old one did",
                match change.machine.as_str() {
                    "" => "None: no machine uses the disk".to_owned(),
                    machine => format!(
                        "{machine} is stopped while the snapshot and the encrypted disk are made, which takes minutes to hours, and gets another public address unless it has an Elastic IP"
                    ),
                },
            ),
            EncryptedReplacement::Database(change) => (
                "The storage of the old database and two snapshots are charged until they are deleted; RDS starts a stopped database again after seven days, and charges it whole then; the encrypted database costs what the old one did",
                format!(
                    "No client reaches the database for about {} minutes, and it answers more slowly at first: blocks are loaded from the snapshot when they are read",
                    change.minutes()
                ),
            ),
        };
        Some(ImpactAssessment {
            cost_percent: Some(KEPT_PERCENT),
            cost: cost.to_owned(),
            performance_degradation_percent: None,
            performance,
            security: check.why.clone(),
        })
    }
}
