//! Workloads of resources: what runs found, and the classes that people give instead.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::{ActionStatus, Entry, FieldCode, FieldError, Json, ResourceRef};
use reeve_estate::{EstateStore, Resource, ResourceId};
use reeve_recommend::agent::AgentId;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{OpenFacts, OutputKeeper};
use reeve_recommend::judgement::workload::{
    CLASSIFIED_KINDS, Classification, Correction, Workload, WorkloadClass, WorkloadStore, tokens,
};
use reeve_recommend::models::{ModelState as _, WorkloadModel};

use crate::log_entry;
use crate::models::Registry;
use crate::records::{Records, optional};

/// Workload of a resource as people see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceWorkload {
    /// Judgement of the last run; `None` if no agent judged the resource yet.
    pub found: Option<Workload>,
    /// Class that a person gave it.
    pub correction: Option<Correction>,
}

/// Keeper of the [`Classification`]s that judgements tell.
pub struct Workloads(Arc<dyn WorkloadStore>);

impl Workloads {
    /// A keeper over the store of workloads.
    #[must_use]
    pub fn new(workloads: Arc<dyn WorkloadStore>) -> Self {
        Workloads(workloads)
    }
}

#[async_trait]
impl OutputKeeper for Workloads {
    async fn keep(
        &self,
        agent: &AgentId,
        judged_at: Timestamp,
        outputs: &[(&Resource, &OpenFacts)],
    ) -> Result<(), EngineError> {
        let found: Vec<Workload> = outputs
            .iter()
            .filter_map(|(resource, outputs)| {
                Some(Workload {
                    connection: resource.connection.clone(),
                    resource: resource.id.clone(),
                    agent_id: agent.clone(),
                    judged_at,
                    classification: outputs.get::<Classification>()?.clone(),
                })
            })
            .collect();
        if found.is_empty() {
            Ok(())
        } else {
            Ok(self.0.workload_put(&found).await?)
        }
    }
}

/// Answers about workloads, and corrections of them.
pub struct WorkloadService {
    records: Arc<Records>,
    estate: Arc<dyn EstateStore>,
    workloads: Arc<dyn WorkloadStore>,
    registry: Arc<Registry>,
}

impl WorkloadService {
    /// Creates the service over its ports, and the registry of the models that learn from
    /// corrections.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        estate: Arc<dyn EstateStore>,
        workloads: Arc<dyn WorkloadStore>,
        registry: Arc<Registry>,
    ) -> Self {
        WorkloadService {
            records,
            estate,
            workloads,
            registry,
        }
    }

    /// Returns the workload of a resource.
    ///
    /// # Errors
    /// The resource does not exist, or the store failed.
    pub async fn get(&self, id: &ResourceId) -> Result<ResourceWorkload, EngineError> {
        let resource = self.estate.resource_get(id).await?;
        let corrections = self.workloads.correction_list().await?;
        Ok(ResourceWorkload {
            found: self.workloads.workload_get(id).await?,
            correction: corrections
                .into_iter()
                .find(|correction| is_of(correction, &resource)),
        })
    }

    /// Gives a resource a class, which takes precedence over every judgement and teaches resources
    /// alike.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for another class, a kind without workloads or a comment that is
    /// too long; the store's and the log's failures.
    pub async fn correct(
        &self,
        id: &ResourceId,
        class: &str,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<ResourceWorkload, EngineError> {
        let resource = self.estate.resource_get(id).await?;
        let (class, comment) = checked(&resource, class, comment)?;
        let known = self.get(id).await?;
        let scores = known
            .found
            .as_ref()
            .map_or([0.0; 4], |found| found.classification.scores);
        let correction = Correction {
            connection: resource.connection.clone(),
            resource: resource.id.clone(),
            class,
            comment,
            by: caller.name.clone(),
            at: self.records.clock.now(),
            tokens: tokens(&resource),
            scores,
        };

        let before = class_of(&known);
        let mut entry = entry("workload.correct", &resource, caller)
            .before(Json::object([(
                "workload",
                Json::from(before.map(WorkloadClass::as_str).map(str::to_owned)),
            )]))
            .after(Json::object([("workload", Json::from(class.as_str()))]));

        if let Some(comment) = &correction.comment {
            entry = entry.with_metadata("comment", comment.clone());
        }

        self.records
            .change(entry, self.workloads.correction_put(&correction))
            .await?;
        self.registry
            .learn_soon(WorkloadModel::NAME, caller)
            .await?;
        Ok(ResourceWorkload {
            correction: Some(correction),
            ..known
        })
    }

    /// Takes a correction back; the next run judges the resource again.
    ///
    /// # Errors
    /// Nobody corrected the resource; the store's and the log's failures.
    pub async fn withdraw(
        &self,
        id: &ResourceId,
        caller: &Caller,
    ) -> Result<ResourceWorkload, EngineError> {
        let resource = self.estate.resource_get(id).await?;
        let known = self.get(id).await?;
        let Some(correction) = &known.correction else {
            return Err(EngineError::NotFound {
                what: "correction",
                id: id.0.clone(),
            });
        };

        let entry = entry("workload.withdraw", &resource, caller).before(Json::object([(
            "workload",
            Json::from(correction.class.as_str()),
        )]));
        let deleted = self
            .workloads
            .correction_delete(&resource.connection, &resource.id);
        self.records.change(entry, deleted).await?;
        self.registry
            .learn_soon(WorkloadModel::NAME, caller)
            .await?;

        self.get(id).await
    }
}

/// The class that holds: the person's, else that of the last run.
fn class_of(known: &ResourceWorkload) -> Option<WorkloadClass> {
    let corrected = known.correction.as_ref().map(|correction| correction.class);
    corrected.or_else(|| {
        known
            .found
            .as_ref()
            .and_then(|found| found.classification.class)
    })
}

fn is_of(correction: &Correction, resource: &Resource) -> bool {
    correction.resource == resource.id && correction.connection == resource.connection
}

fn entry(operation: &str, resource: &Resource, caller: &Caller) -> Entry {
    let about = ResourceRef::new(resource.kind.as_str(), resource.id.0.clone()).in_cloud(
        resource.provider.as_str(),
        resource.account.clone(),
        resource.region.clone(),
    );
    log_entry::entry(log_entry::POLICY, operation, ActionStatus::Success, caller).on(about)
}

fn checked(
    resource: &Resource,
    class: &str,
    comment: Option<&str>,
) -> Result<(WorkloadClass, Option<String>), EngineError> {
    let mut errors = Vec::new();
    if !CLASSIFIED_KINDS.contains(&resource.kind) {
        let message = format!(
            "a {} has no workload; machines, databases and scaling groups have",
            resource.kind
        );
        errors.push(FieldError::new("class", FieldCode::InvalidValue, message));
    }

    let found = WorkloadClass::parse(class);
    if found.is_none() {
        let names: Vec<&str> = WorkloadClass::ALL
            .iter()
            .map(|class| class.as_str())
            .collect();
        errors.push(FieldError::new(
            "class",
            FieldCode::InvalidValue,
            format!("must be one of {}", names.join(", ")),
        ));
    }

    let comment = match optional("comment", comment) {
        Ok(comment) => comment,
        Err(EngineError::Invalid(more)) => {
            errors.extend(more);
            None
        }
        Err(other) => return Err(other),
    };

    match found.filter(|_| errors.is_empty()) {
        Some(class) => Ok((class, comment)),
        None => Err(EngineError::Invalid(errors)),
    }
}
