//! Objectives of services: which resources each is measured at, its error budget, its course, and
//! the entry where a budget begins to burn too fast.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_estate::{Resource, ResourceId, ResourceKind, SampleStore, StoreError};
use reeve_learn::{DAY_MS, Point, Window};
use reeve_recommend::error::EngineError;
use reeve_recommend::objective::budget::ObjectiveBudget;
use reeve_recommend::objective::course::{CoursePoint, course};
use reeve_recommend::objective::{
    KINDS, MOST_RESOURCES, MeasuredObjective, Objective, ObjectiveStanding, ObjectiveStore,
    Service, burn_entry,
};
use tokio::sync::OnceCell;

use crate::agent::scope::ScopeService;
use crate::records::Records;
use crate::run::service_loads::ServingEstate;

/// Rate over an hour below which a budget that burned is quiet again.
const QUIET: f64 = 1.0;

/// Course of an objective, with the resources that it was measured at.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveCourse {
    /// Identifiers and names of the measured resources.
    pub resources: Vec<(ResourceId, String)>,
    pub points: Vec<CoursePoint>,
}

/// Objectives over the inventory and the samples.
pub struct ObjectiveService {
    objectives: Arc<dyn ObjectiveStore>,
    records: Arc<Records>,
    scopes: Arc<ScopeService>,
    samples: Arc<dyn SampleStore>,
}

/// Resources of an objective with the finite points of its metric.
struct Measured {
    resources: Vec<Resource>,
    points: Vec<Vec<Point>>,
}

impl Measured {
    /// Points of each resource that has some.
    fn series(&self) -> Vec<&[Point]> {
        let some = self.points.iter().filter(|points| !points.is_empty());
        some.map(Vec::as_slice).collect()
    }

    fn budget(&self, objective: &Objective, now: Timestamp) -> Option<ObjectiveBudget> {
        ObjectiveBudget::new(
            &self.series(),
            objective.window(now),
            objective.allowed(),
            |value| objective.is_bad(value),
        )
    }
}

/// Machines and balancers of the estate, read where a group's objective asks for them.
#[derive(Default)]
pub(crate) struct LateEstate(OnceCell<ServingEstate>);

impl ObjectiveService {
    /// Creates the service.
    #[must_use]
    pub fn new(
        objectives: Arc<dyn ObjectiveStore>,
        records: Arc<Records>,
        scopes: Arc<ScopeService>,
        samples: Arc<dyn SampleStore>,
    ) -> Self {
        ObjectiveService {
            objectives,
            records,
            scopes,
            samples,
        }
    }

    /// Returns the resources that an objective is measured at, at most [`MOST_RESOURCES`] of them
    /// by their identifiers.
    async fn resources(
        &self,
        objective: &Objective,
        estate: &LateEstate,
    ) -> Result<Vec<Resource>, EngineError> {
        let mut found = match &objective.service {
            Service::Resource(id) => match self.scopes.estate().resource_get(id).await {
                Ok(group) if group.kind == ResourceKind::ScalingGroup => {
                    let serving = || ServingEstate::read(&self.scopes);
                    let estate = estate.0.get_or_try_init(serving).await?;
                    estate.around(&group.connection, &group).balancers
                }
                Ok(resource) => vec![resource],
                Err(StoreError::NotFound { .. }) => Vec::new(),
                Err(error) => return Err(error.into()),
            },
            Service::Tag { .. } => {
                let mut all = self.scopes.of_kinds(&KINDS).await?;
                all.retain(|resource| objective.service.has_tagged(resource));
                all
            }
        };
        found.retain(|resource| resource.kind.has_metric(objective.metric));
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.truncate(MOST_RESOURCES);
        Ok(found)
    }

    async fn measure(
        &self,
        objective: &Objective,
        estate: &LateEstate,
        now: Timestamp,
    ) -> Result<Measured, EngineError> {
        let resources = self.resources(objective, estate).await?;
        let window = objective.window(now);
        let start = Timestamp::from_millisecond(window.start_ms).unwrap_or(Timestamp::MIN);
        let mut points = Vec::with_capacity(resources.len());
        for resource in &resources {
            let series = self
                .samples
                .sample_series(
                    &resource.connection,
                    std::slice::from_ref(&resource.id),
                    &[objective.metric],
                    start,
                    now,
                )
                .await?;
            let finite = series.iter().flat_map(|series| &series.points);
            let finite = finite.filter(|(_, value)| value.is_finite());
            points.push(
                finite
                    .map(|(at, value)| (at.as_millisecond(), *value))
                    .collect(),
            );
        }
        Ok(Measured { resources, points })
    }

    /// Returns an objective with its budget and the resources that it was measured at.
    pub(crate) async fn measured(
        &self,
        objective: &Objective,
        estate: &LateEstate,
        now: Timestamp,
    ) -> Result<MeasuredObjective, EngineError> {
        let measured = self.measure(objective, estate, now).await?;
        let day = Window::ending(now.as_millisecond(), DAY_MS);
        let is_bad = |points: &Vec<Point>| {
            let recent = day.select(points);
            recent.iter().any(|(_, value)| objective.is_bad(*value))
        };
        let each = || measured.resources.iter().zip(&measured.points);
        let with_points = each().filter(|(_, points)| !points.is_empty());
        let bad = each().filter(|(_, points)| is_bad(points));
        let ids = |resource: &Resource| resource.id.clone();
        Ok(MeasuredObjective {
            budget: measured.budget(objective, now),
            resources: with_points.map(|(resource, _)| ids(resource)).collect(),
            bad: bad
                .map(|(resource, _)| ids(resource))
                .collect::<BTreeSet<_>>(),
            objective: objective.clone(),
        })
    }

    /// Returns the stored objectives, each measured now.
    pub(crate) async fn all_measured(
        &self,
        now: Timestamp,
    ) -> Result<Vec<MeasuredObjective>, EngineError> {
        let estate = LateEstate::default();
        let mut found = Vec::new();
        for (objective, _) in self.objectives.objective_list().await? {
            found.push(self.measured(&objective, &estate, now).await?);
        }
        Ok(found)
    }

    /// Returns the course of an objective over the window that ends now.
    ///
    /// # Errors
    /// The inventory or the samples could not be read.
    pub async fn course(&self, objective: &Objective) -> Result<ObjectiveCourse, EngineError> {
        let now = self.records.clock.now();
        let measured = self.measure(objective, &LateEstate::default(), now).await?;
        let points = course(objective, &measured.series(), objective.window(now));
        let resources = measured.resources.into_iter();
        Ok(ObjectiveCourse {
            resources: resources.map(|one| (one.id, one.name)).collect(),
            points,
        })
    }

    /// Measures every objective, keeps how each stands, and records budgets that began to burn too
    /// fast. Returns the number of objectives.
    ///
    /// # Errors
    /// The store, the samples or the log failed. What was kept by then stays; the next call goes on
    /// with the rest.
    pub async fn evaluate(&self) -> Result<usize, EngineError> {
        let estate = LateEstate::default();
        let all = self.objectives.objective_list().await?;
        let count = all.len();
        for (objective, before) in all {
            self.stand(&objective, before.as_ref(), &estate).await?;
        }
        Ok(count)
    }

    /// Measures an objective that was added or changed, and keeps how it stands.
    ///
    /// # Errors
    /// As [`ObjectiveService::evaluate`].
    pub async fn evaluate_one(
        &self,
        objective: &Objective,
    ) -> Result<ObjectiveStanding, EngineError> {
        self.stand(objective, None, &LateEstate::default()).await
    }

    async fn stand(
        &self,
        objective: &Objective,
        before: Option<&ObjectiveStanding>,
        estate: &LateEstate,
    ) -> Result<ObjectiveStanding, EngineError> {
        let now = self.records.clock.now();
        let measured = self.measure(objective, estate, now).await?;
        let budget = measured.budget(objective, now);
        let standing = ObjectiveStanding {
            resources: measured.resources.len() as u64,
            measured: measured.series().len() as u64,
            budget,
            ..burning(before, budget.as_ref(), now)
        };
        self.keep(objective, &standing).await?;
        Ok(standing)
    }

    /// Keeps a standing. The beginning of a burn is kept before it is recorded, under an identifier
    /// that follows from it, so that a crash in between records it once.
    async fn keep(
        &self,
        objective: &Objective,
        standing: &ObjectiveStanding,
    ) -> Result<(), EngineError> {
        self.objectives
            .objective_measured(objective, standing)
            .await?;
        let (Some(since), Some(budget), false) = (
            standing.burning_since,
            &standing.budget,
            standing.is_recorded,
        ) else {
            return Ok(());
        };

        let entry = burn_entry(objective, budget, since)
            .map_err(|error| EngineError::Conflict(error.to_string()))?;
        self.records.recorder.record_once(entry).await?;
        let recorded = ObjectiveStanding {
            is_recorded: true,
            ..standing.clone()
        };
        Ok(self
            .objectives
            .objective_measured(objective, &recorded)
            .await?)
    }
}

/// Returns a standing with the burn that goes on, has begun or has ended.
fn burning(
    before: Option<&ObjectiveStanding>,
    budget: Option<&ObjectiveBudget>,
    now: Timestamp,
) -> ObjectiveStanding {
    let earlier = before.and_then(|before| Some((before.burning_since?, before.is_recorded)));
    let burns = budget.is_some_and(|budget| budget.burn.is_too_fast());
    // One that burned is quiet only after an hour at the allowed rate: it must not begin again with
    // each bad period.
    let is_quiet = budget.is_none_or(|budget| budget.burn.hour < QUIET);
    let (since, is_recorded) = match earlier {
        Some((since, is_recorded)) if burns || !is_quiet => (Some(since), is_recorded),
        None if burns => (Some(now), false),
        _ => (None, false),
    };
    ObjectiveStanding {
        measured_at: now,
        resources: 0,
        measured: 0,
        budget: None,
        burning_since: since,
        is_recorded,
    }
}
