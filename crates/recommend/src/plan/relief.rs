//! Relief of a resource that runs short of something: the change that gives it more, with a plan
//! where a cloud has a call that Reeve can apply and check, else advice with the reason. Predictive
//! rules and anomalies offer the same changes.
//!
//! Bounds: EBS "Constraints on volume sizes" (16 TiB; `io2` 64 TiB; `standard` 1 TiB), Azure
//! "Scalability and performance targets for VM disks" (32,767 GiB), Compute Engine "Disks" (64
//! TiB), RDS "Increasing DB instance storage capacity" (at least 10 % more, at most 64 TiB).

mod members;
mod related;
mod size;
mod storage;

use reeve_estate::{Money, PriceCatalogue, Provider, Resource};

use crate::agent::Impact;
use crate::change::Replicate;
use crate::judgement::assessment::{Hazards, risk};
use crate::plan::Plan;
use crate::plan::procedure::advice_only;
use crate::recommendation::Effort;
use crate::recommendation::title::title;

pub use members::{more_members, scale_until};
pub use related::{group_behind, only_disk};
pub use size::{Shortage, larger_size};
pub use storage::{grow, more_storage};

/// Replicas that RDS allows of one database.
const MOST_REPLICAS: usize = 15;
/// Characters of an RDS identifier at most.
const LONGEST_NAME: usize = 63;

/// A change that relieves a resource, or the reason why none can be planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Relief {
    /// Title: `Resize web from t3.large to t3.xlarge`.
    pub title: String,
    /// Description with what the title leaves out, such as times.
    pub words: String,
    /// Size that a machine or database gets.
    pub target: Option<String>,
    /// Plan; `None` for advice.
    pub plan: Option<Plan>,
    /// Reason why there is no plan.
    pub by_hand: Option<String>,
    /// Further notes for the user.
    pub notes: Vec<String>,
    /// Added cost a month, or once for what is withdrawn; `None` where no price is known.
    pub added: Option<Money>,
    /// `true` for a one-time cost, `false` for a monthly one.
    pub once: bool,
    /// Compares the cost with the account's bill if `true`: growing or added resources have no cost
    /// of their own to compare with.
    pub against_bill: bool,
    /// Storage after the change, GB.
    pub after_gb: Option<f64>,
    /// Effort of the change.
    pub effort: Effort,
}

impl Relief {
    /// Advice without a plan, which its title describes.
    #[must_use]
    pub fn advice(title: String, effort: Effort, why: impl Into<String>) -> Relief {
        Relief {
            words: title.clone(),
            title,
            target: None,
            plan: None,
            by_hand: Some(why.into()),
            notes: Vec::new(),
            added: None,
            once: false,
            against_bill: false,
            after_gb: None,
            effort,
        }
    }

    /// The same at no cost.
    #[must_use]
    pub fn free(self) -> Relief {
        Relief {
            added: Some(Money::ZERO),
            ..self
        }
    }

    /// The same with a plan.
    #[must_use]
    pub fn planned(self, plan: Plan) -> Relief {
        Relief {
            plan: Some(plan),
            by_hand: None,
            ..self
        }
    }

    /// Returns the risk of the change. What stops nothing and takes nothing away has none of its
    /// own, in production or not.
    #[must_use]
    pub fn risk(&self, resource: &Resource, hazards: Hazards) -> Impact {
        let harmless =
            self.plan.as_ref().is_some_and(|plan| !plan.restart_needed) && self.against_bill;
        if !harmless {
            return risk(resource, hazards);
        }

        if hazards.iac {
            Impact::Medium
        } else {
            Impact::Low
        }
    }

    /// Returns the rise of the cost, percent of a monthly cost.
    #[must_use]
    pub fn cost_percent(&self, monthly: Option<Money>) -> Option<f64> {
        match self.added {
            Some(added) if added == Money::ZERO => Some(0.0),
            added => {
                let (added, now) = added.zip(monthly).filter(|(_, now)| now.usd() > 0.0)?;
                Some(added.usd() / now.usd() * 100.0)
            }
        }
    }

    /// Returns sentences about what follows from the change: notes, the reason why there is no plan,
    /// and the tag of infrastructure as code that owns the resource.
    pub fn consequences(&self, code_owner: Option<&str>) -> impl Iterator<Item = String> {
        let by_hand = self.by_hand.as_deref().map(advice_only);
        let code = code_owner
            .map(|tag| format!("It is managed by infrastructure as code ({tag}): change it there"));
        self.notes.iter().cloned().chain(by_hand).chain(code)
    }

    /// Describes the added cost.
    #[must_use]
    pub fn cost_words(&self, percent: Option<f64>) -> String {
        let share = percent
            .filter(|_| self.against_bill)
            .map_or_else(String::new, |percent| {
                format!(", {percent:.2} % of what the account costs a month")
            });
        match self.added {
            Some(added) if added == Money::ZERO => "none".to_owned(),
            Some(added) if self.once => format!("${:.2} once{share}", added.usd()),
            Some(added) => format!("${:.2} a month more{share}", added.usd()),
            None => "no list price is known".to_owned(),
        }
    }
}

/// A read replica of a database.
#[must_use]
pub fn read_replica(database: &Resource) -> Relief {
    let name = &database.name;
    let id = database
        .id
        .database_name()
        .map_or(database.id.as_str(), |database| database.name);
    let taken = &database.specification.replicas;
    let replica = (1..=taken.len() + 1)
        .map(|n| format!("{id}-reeve-{n}"))
        .find(|name| !taken.contains(name));
    let relief = Relief {
        added: database.monthly_cost,
        against_bill: true,
        ..Relief::advice(
            title("Create a read replica of ", name, ""),
            Effort::High,
            "Reeve makes replicas on RDS alone",
        )
    };

    let fits = database.provider == Provider::Aws && taken.len() < MOST_REPLICAS;
    match replica.filter(|replica| fits && replica.len() <= LONGEST_NAME) {
        Some(replica) => Relief {
            notes: vec![
                "Reads go to it once the application is configured with its address, which is a manual step".to_owned(),
            ],
            ..relief.planned(replicate(database, &replica))
        },
        None => relief,
    }
}

/// Plan of a replica that takes reads.
#[must_use]
pub fn replicate(database: &Resource, name: &str) -> Plan {
    let size = database.specification.instance_type.clone();
    let change = Replicate {
        state: database.state,
        size,
        replica: name.to_owned(),
    };
    Plan::new(&change, database.id.as_str())
}

/// Returns the monthly cost that a change adds at list price.
fn added(catalogue: &PriceCatalogue, now: &Resource, after: &Resource) -> Option<Money> {
    if let (Some(now), Some(after)) = (catalogue.monthly_cost(now), catalogue.monthly_cost(after)) {
        return Some(after.cost - now.cost);
    }

    // The storage of a database whose class has no price, where the change is one of storage.
    let same_class = now.specification.instance_type == after.specification.instance_type;
    let storage = |database: &Resource| {
        catalogue
            .database_storage_monthly(database)
            .filter(|_| same_class)
    };

    Some(storage(after)?.cost - storage(now)?.cost)
}
