//! Procedures: plans that were read, ready to be executed on a resource, on a twin or on the
//! simulated twin.

use std::sync::Arc;

use reeve_estate::ResourceKind;

use crate::change::{Change, ChangeRegistry, PlanError, Task, v1};
use crate::plan::Plan;

/// Least limit of a change of a database, seconds: RDS takes its time, and calls every step of it
/// "modifying".
const DATABASE_S: i64 = 1800;

/// A plan with its typed change.
#[derive(Debug, Clone)]
pub struct Procedure {
    plan: Plan,
    change: Arc<dyn Change>,
    tasks: Vec<Task>,
}

impl ChangeRegistry {
    /// Reads a plan. One of format 1 has no typed change of its own: its steps are read as one.
    ///
    /// # Errors
    /// The reason why it cannot be executed; it may be shown all the same.
    pub fn procedure(&self, plan: &Plan) -> Result<Procedure, PlanError> {
        if !plan.is_intact() {
            return Err(PlanError::Altered {
                hash: plan.hash.clone(),
            });
        }

        let Some(planned) = &plan.change else {
            return v1::procedure(plan);
        };

        let change = self.parse(&planned.name, &planned.parameters)?;
        let tasks = change.tasks(&planned.resource);
        Ok(Procedure {
            plan: plan.clone(),
            change,
            tasks,
        })
    }
}

impl Procedure {
    /// Joins a stored plan with its change, which was read before.
    pub(super) fn from_parts(plan: Plan, change: Arc<dyn Change>, tasks: Vec<Task>) -> Procedure {
        Procedure {
            plan,
            change,
            tasks,
        }
    }

    /// A new plan of a change on a resource, ready to be executed.
    #[must_use]
    pub fn new(change: Arc<dyn Change>, target: &str) -> Procedure {
        let (plan, tasks) = (Plan::new(&*change, target), change.tasks(target));
        Procedure {
            plan,
            change,
            tasks,
        }
    }

    /// Returns the plan that is stored and hashed.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the typed change.
    #[must_use]
    pub fn change(&self) -> &Arc<dyn Change> {
        &self.change
    }

    /// Returns the steps with their work.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The same change on another resource; see [`Change::retarget`].
    #[must_use]
    pub fn on(&self, target: &str, rename: &dyn Fn(&str) -> Option<String>) -> Procedure {
        Procedure::new(self.change.retarget(rename), target)
    }

    /// Returns the seconds after which the change is undone if it has not come about: the
    /// guardrails' time-out, and more for what cannot be done in it.
    #[must_use]
    pub fn limit_s(&self, kind: ResourceKind, timeout_s: i64) -> i64 {
        let database = if kind == ResourceKind::Database {
            DATABASE_S
        } else {
            0
        };
        timeout_s.max(database).max(self.change.least_limit_s())
    }

    /// Returns the longest time that the resource may be interrupted, seconds, the way back
    /// included; 0 for a change that interrupts nothing.
    #[must_use]
    pub fn interruption_limit_s(&self, kind: ResourceKind, timeout_s: i64) -> i64 {
        let limit_s = self.limit_s(kind, timeout_s);
        if self.plan.restart_needed {
            self.change.interruption_limit_s(limit_s)
        } else {
            0
        }
    }
}
