//! Remediation of an anomaly: the recommendation with a plan that relieves it, a rollback of
//! Reeve's own change, or the reason why there is neither.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_estate::{
    Attribute, Metric, Money, Resource, ResourceFilter, ResourceId, ResourceKind, StoreError,
};
use reeve_recommend::agent::AgentType;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::observation::{
    AnswerTerms, CostIncrease, CpuUse, Observation, ObservationAnswer, Shortage,
};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::ports::responses::ResponseOffer;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;

use super::super::contribution::Contribution;
use super::super::likely_cause::LikelyCause;
use super::super::record::{Anomaly, AnomalyClass};
use super::super::remediation::Remediation;
use super::super::shortage::short_capacity;
use super::super::subject::resource_at;
use super::super::words;
use super::AnomalyService;

/// Period before a cost anomaly in which a changed size may be its cause: bills are a day or two
/// late.
const ENLARGED_WITHIN: SignedDuration = SignedDuration::from_hours(96);
/// Resources of a bill that are looked at, the costliest first.
const MOST_PARTS: usize = 3;
/// States in which a recommendation is still to be decided or carried out.
const OPEN: [Status; 5] = [
    Status::Open,
    Status::PendingApproval,
    Status::Approved,
    Status::Scheduled,
    Status::Snoozed,
];

/// Change that answers an anomaly, with the agent type that owns it.
type Remedy = (AgentType, ObservationAnswer);

impl AnomalyService {
    /// Finds the remedy of an anomaly that is not of security and keeps it as a recommendation. The
    /// anomaly's advice says so.
    pub(super) async fn recommend(&self, anomaly: &mut Anomaly) -> Result<(), EngineError> {
        let suspect = anomaly
            .cause
            .as_ref()
            .and_then(LikelyCause::suspect)
            .cloned();
        let is_rollback = suspect.is_some();
        let remediation = match suspect {
            Some(action) => Remediation::rollback(action),
            None => match self.remedy(anomaly).await? {
                Ok(remedy) => self.keep_remedy(anomaly, remedy).await?,
                Err(why) => Remediation::none(why),
            },
        };

        if !is_rollback {
            anomaly.advice = format!("{} {}.", anomaly.advice, remediation.description);
        }

        anomaly.remediation = Some(remediation);
        Ok(())
    }

    /// Judges which change relieves an anomaly; the inner error is the reason why there is none.
    async fn remedy(&self, anomaly: &Anomaly) -> Result<Result<Remedy, Obstacle>, EngineError> {
        if anomaly.class == AnomalyClass::Cost {
            return self.cheaper(anomaly).await;
        }

        if ResourceKind::parse(&anomaly.place.kind).is_none() {
            return Ok(Err(
                "it is not about a resource that Reeve can change".into()
            ));
        }

        let Some(resource) = resource_at(&*self.ports.estate, &anomaly.place).await? else {
            return Ok(Err(Obstacle::of(format_args!(
                "{} is not a resource in the inventory",
                anomaly.place.id
            ))));
        };

        if is_opted_out(&resource) {
            return Ok(Err(Obstacle::of("a tag excludes the resource")));
        }

        let around = self.around(&resource).await?;
        let account_cost = self.account_cost(&resource).await?;
        let matrix = self.ports.responses.approval_matrix().await?;
        let terms = self.terms(&matrix);
        let report = anomaly.report();
        let mut why = None;

        for reading in &anomaly.readings {
            let evidence = words::evidence(reading).unwrap_or_default();
            let answer = short_capacity(reading).and_then(|capacity| {
                let times = (reading.expected > 0.0).then_some(reading.value / reading.expected);
                let shortage = Shortage {
                    anomaly: &report,
                    capacity,
                    times,
                    evidence: &evidence,
                    resource: &resource,
                    around: &around,
                    account_cost,
                };
                let observation = Observation::Shortage(&shortage);
                self.ports.agent_types.answer(observation, terms)
            });
            match answer {
                Ok(remedy) => return Ok(Ok(remedy)),
                Err(reason) => why = why.or(Some(reason)),
            }
        }

        Ok(Err(
            why.unwrap_or_else(|| "no measured capacity is short".into())
        ))
    }

    /// Terms that the agent types answer by.
    fn terms<'a>(&'a self, matrix: &'a ApprovalMatrix) -> AnswerTerms<'a> {
        AnswerTerms {
            catalogue: &self.ports.catalogue,
            matrix,
            now: self.ports.clock.now(),
        }
    }

    /// Judges the resources that make the difference of a bill, the costliest first.
    async fn cheaper(&self, anomaly: &Anomaly) -> Result<Result<Remedy, Obstacle>, EngineError> {
        if anomaly
            .readings
            .first()
            .is_some_and(|reading| reading.value < reading.expected)
        {
            return Ok(Err(Obstacle::of("it costs less than usual")));
        }

        let mut why = None;
        let parts = anomaly
            .contributions
            .iter()
            .filter(|part| part.observed > part.expected);

        for part in parts.take(MOST_PARTS) {
            match self.cheaper_resource(anomaly, part).await? {
                Ok(remedy) => return Ok(Ok(remedy)),
                Err(reason) => why = why.or(Some(reason)),
            }
        }

        Ok(Err(why.unwrap_or_else(|| {
            "the bill does not name a resource that explains the difference".into()
        })))
    }

    async fn cheaper_resource(
        &self,
        anomaly: &Anomaly,
        part: &Contribution,
    ) -> Result<Result<Remedy, Obstacle>, EngineError> {
        let mut found = None;
        for name in [part.resource_id(), part.resource.as_str()] {
            if found.is_none() && !name.is_empty() {
                found = self.resource(&ResourceId::new(name)).await?;
            }
        }

        let Some(resource) = found else {
            return Ok(Err(Obstacle::of(format_args!(
                "{} is not a resource in the inventory",
                part.name()
            ))));
        };

        let since = anomaly
            .started_at
            .checked_sub(ENLARGED_WITHIN)
            .unwrap_or(Timestamp::MIN);
        let changes = self
            .ports
            .estate
            .resource_changes(
                &resource.connection,
                std::slice::from_ref(&resource.id),
                since,
            )
            .await?;

        let now = resource.specification.instance_type.clone();
        let resized = changes
            .iter()
            .filter(|change| change.attribute == Attribute::InstanceType);
        let before = resized
            .max_by_key(|change| change.seen_at)
            .filter(|change| Some(&change.after) == now.as_ref());
        let before = before.map(|change| change.before.as_str());
        let attached = ResourceFilter {
            kind: Some(ResourceKind::Volume),
            attached_to: Some(resource.id.clone()),
            ..connected(&resource)
        };
        let (volumes, _) = self.ports.estate.resource_list(&attached).await?;
        let matrix = self.ports.responses.approval_matrix().await?;
        let increase = CostIncrease {
            anomaly: &anomaly.report(),
            resource: &resource,
            observed: part.observed,
            expected: part.expected,
            cpu: self.cpu_use(&resource, anomaly.started_at).await,
            former_size: before,
            volumes: &volumes,
        };

        let observation = Observation::CostIncrease(&increase);
        Ok(self
            .ports
            .agent_types
            .answer(observation, self.terms(&matrix)))
    }

    /// The group, the disks and the targets of a resource, and the groups of its targets. An estate
    /// is not read for one anomaly.
    async fn around(&self, resource: &Resource) -> Result<Vec<Resource>, EngineError> {
        let mut ids: Vec<ResourceId> = resource
            .attached_to
            .iter()
            .chain(&resource.group)
            .cloned()
            .collect();

        let attached = ResourceFilter {
            attached_to: Some(resource.id.clone()),
            ..connected(resource)
        };
        let (mut around, _) = self.ports.estate.resource_list(&attached).await?;

        // The groups of the targets are known once the targets are.
        for _ in 0..2 {
            if !ids.is_empty() {
                let filter = ResourceFilter {
                    ids: std::mem::take(&mut ids),
                    ..connected(resource)
                };
                let (found, _) = self.ports.estate.resource_list(&filter).await?;
                let groups = found.iter().filter_map(|one| one.group.clone());
                ids = groups
                    .filter(|id| !found.iter().any(|one| one.id == *id))
                    .collect();
                ids.sort();
                ids.dedup();
                around.extend(found);
            }
        }

        Ok(around)
    }

    /// Monthly cost of a resource's connection at list prices; `None` where no resource has a
    /// price.
    async fn account_cost(&self, resource: &Resource) -> Result<Option<Money>, EngineError> {
        let totals = self.ports.estate.resource_totals().await?;
        let own = totals
            .iter()
            .filter(|one| one.connection == resource.connection && one.resources > one.unpriced);
        Ok(own.map(|one| one.monthly_cost).reduce(|sum, one| sum + one))
    }

    /// CPU since a time; `None` where it was not measured or cannot be read.
    async fn cpu_use(&self, resource: &Resource, from: Timestamp) -> Option<CpuUse> {
        let now = self.ports.clock.now();
        let (ids, metric) = (std::slice::from_ref(&resource.id), [Metric::CpuUtilization]);
        let read = self
            .ports
            .samples
            .sample_series(&resource.connection, ids, &metric, from, now)
            .await;

        let read = read
            .inspect_err(
                |error| tracing::warn!(%error, resource = resource.id.0, "its use was not read"),
            )
            .ok()?;
        read.first().and_then(CpuUse::from_series)
    }

    async fn resource(&self, id: &ResourceId) -> Result<Option<Resource>, EngineError> {
        match self.ports.estate.resource_get(id).await {
            Ok(found) => Ok(Some(found)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps a remedy as a recommendation, unless one of its kind waits already.
    async fn keep_remedy(
        &self,
        anomaly: &Anomaly,
        remedy: Remedy,
    ) -> Result<Remediation, EngineError> {
        let words = remedy.1.proposal.explanation.action.clone();
        if let Some(open) = self.open_already(&remedy).await? {
            let words = format!("{}, as recommended before", open.explanation.action);
            return Ok(of_recommendation(&open, &words, remedy.1.by_hand));
        }

        let (agent_type, answer) = remedy;
        let by_hand = answer.by_hand;
        let offer = ResponseOffer {
            resource: answer.resource,
            proposal: answer.proposal,
            cause: OriginCause::Anomaly(anomaly.id.clone()),
        };

        let kept = match self.ports.responses.keep(agent_type, offer).await {
            Ok(kept) => kept,
            Err(error) if error.is_outage() => return Err(error),
            Err(error) => Err(Obstacle::of(error)),
        };

        Ok(match kept {
            Ok(kept) => of_recommendation(&kept, &words, by_hand),
            Err(reason) => {
                Remediation::none(format!("{words}: {}", reason.as_str().replace('_', " ")))
            }
        })
    }

    /// A recommendation of the remedy's kind and agent type that waits on its resource.
    async fn open_already(
        &self,
        (agent_type, answer): &Remedy,
    ) -> Result<Option<Recommendation>, EngineError> {
        let filter = RecommendationFilter {
            status: OPEN.to_vec(),
            resource: Some(answer.resource.id.0.clone()),
            ..RecommendationFilter::default()
        };
        let (open, _) = self.ports.agents.recommendation_list(&filter).await?;
        Ok(open.into_iter().find(|one| {
            one.kind == answer.proposal.kind
                && one.subject.id == answer.resource.id
                && one.subject.target_type == answer.proposal.subject.target_type
                && one.origin.agent_type == *agent_type
        }))
    }
}

/// The resources of the same connection.
fn connected(resource: &Resource) -> ResourceFilter {
    ResourceFilter {
        connection: Some(resource.connection.clone()),
        ..ResourceFilter::default()
    }
}

fn of_recommendation(of: &Recommendation, words: &str, by_hand: Option<String>) -> Remediation {
    let has_plan = of.plan.is_some();
    Remediation {
        description: format!("{words}: recommendation {}", of.id.0),
        recommendation: Some(of.id.clone()),
        action: None,
        has_plan,
        by_hand: by_hand.filter(|_| !has_plan),
    }
}
