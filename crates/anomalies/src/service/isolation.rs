//! Quarantine of the machine, key, user or role that a security anomaly is of: recommended, and for
//! a critical threat done at once where that is configured.

use reeve_audit::Obstacle;
use reeve_estate::{ResourceId, ResourceKind};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::event::{EventContent, JudgementEvent, SECURITY_THREAT};
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::ports::responses::ResponseRemedy;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{Priority, Recommendation, RecommendationId};

use super::super::record::Anomaly;
use super::super::remediation::Remediation;
use super::super::subject::identities;
use super::AnomalyService;

impl AnomalyService {
    /// Makes the quarantine of the anomaly's machine or credentials a recommendation, where the
    /// threat is severe enough to interrupt them. The anomaly's advice says so.
    pub(super) async fn recommend_isolation(
        &self,
        anomaly: &mut Anomaly,
    ) -> Result<Option<Result<RecommendationId, Obstacle>>, EngineError> {
        let Some(target) = self.quarantined(anomaly).await? else {
            anomaly.remediation = Some(Remediation::none(cannot_block(anomaly)));
            return Ok(None);
        };
        if anomaly.severity > Priority::High {
            let why = format!("the threat is {}; {ONLY_SEVERE}", anomaly.severity);
            anomaly.remediation = Some(Remediation::none(why));
            return Ok(None);
        }

        let proposed = match self.report_threat(anomaly, target).await {
            Ok(proposed) => proposed,
            Err(error) if error.is_outage() => return Err(error),
            Err(error) => Err(Obstacle::of(error)),
        };

        anomaly.remediation = Some(match &proposed {
            Ok(recommendation) => Remediation {
                description: format!(
                    "{}: recommendation {}",
                    recommendation.title, recommendation.id.0
                ),
                recommendation: Some(recommendation.id.clone()),
                action: None,
                has_plan: recommendation.plan.is_some(),
                by_hand: None,
            },
            Err(why) => Remediation::none(why.clone()),
        });

        if let Ok(recommendation) = &proposed {
            let how = if recommendation.plan.is_some() {
                "which can be undone"
            } else {
                "by hand"
            };
            let more = format!(
                "{}, {how}: recommendation {}.",
                recommendation.title, recommendation.id.0
            );
            anomaly.advice = format!("{} {more}", anomaly.advice);
        }

        Ok(Some(proposed.map(|recommendation| recommendation.id)))
    }

    /// Returns what is quarantined for the anomaly: its machine, or the key, user or role that its
    /// principal is. `None` for an address, a principal that the inventory does not have, and one
    /// that several identities may be.
    async fn quarantined(&self, anomaly: &Anomaly) -> Result<Option<ResourceId>, EngineError> {
        let place = &anomaly.place;
        if is_machine(anomaly) {
            return Ok(Some(ResourceId::new(place.id.clone())));
        }
        if place.kind != "principal" {
            return Ok(None);
        }
        let account = place.account.as_deref();
        let found = identities(&*self.ports.estate, &place.id, account).await?;
        Ok(match &found[..] {
            [one] => Some(one.id.clone()),
            _ => None,
        })
    }

    /// Reports the threat, and returns the recommendation that the agent type which it wakes makes
    /// of it. The inner error is the reason why there is none.
    async fn report_threat(
        &self,
        anomaly: &Anomaly,
        resource: ResourceId,
    ) -> Result<Result<Recommendation, Obstacle>, EngineError> {
        let event = JudgementEvent {
            at: anomaly.last_at,
            resource: resource.clone(),
            connection: None,
            cause: OriginCause::Anomaly(anomaly.id.clone()),
            content: EventContent::Observation {
                source: SECURITY_THREAT,
                facts: OpenFacts::default().with(anomaly.report()),
            },
        };

        let answers = self.ports.responses.judge_event(&event).await?;
        let found = answers
            .into_iter()
            .reduce(|best, one| if best.is_ok() { best } else { one });
        let unknown = || {
            Err(Obstacle::of(format_args!(
                "{resource} is not in the inventory"
            )))
        };
        Ok(found
            .unwrap_or_else(unknown)
            .map_err(|reason| Obstacle::from(reason.as_str().replace('_', " "))))
    }

    /// Carries the isolation out for a critical threat. What came of it, in words.
    pub(super) async fn isolate(
        &self,
        anomaly: &Anomaly,
        isolation: Option<Result<RecommendationId, Obstacle>>,
    ) -> Result<String, EngineError> {
        let severity = anomaly.severity;
        Ok(match isolation {
            None => {
                let why = anomaly.remediation.as_ref();
                let why = why.and_then(|remediation| remediation.by_hand.clone());
                format!(
                    "nothing was done: {}",
                    why.unwrap_or_else(|| cannot_block(anomaly))
                )
            }
            Some(Err(reason)) => format!("nothing was done: {reason}"),
            Some(Ok(recommendation)) if severity != Priority::Critical => {
                let words = "only critical threats are quarantined without approval";
                format!(
                    "nothing was done: {words}, and this one is {severity}; recommendation {} waits",
                    recommendation.0
                )
            }
            Some(Ok(recommendation)) => {
                let why = format!("anomaly {}: {}", anomaly.id.0, anomaly.title);
                self.ports
                    .responses
                    .respond(&recommendation, &why)
                    .await
                    .map_or_else(failure_text, remedy_text)
            }
        })
    }
}

/// Reason for which lesser threats are left to people.
const ONLY_SEVERE: &str =
    "machines and credentials are quarantined only for high and critical threats";

fn is_machine(anomaly: &Anomaly) -> bool {
    anomaly.place.kind == ResourceKind::VirtualMachine.as_str()
}

fn cannot_block(anomaly: &Anomaly) -> String {
    let what = anomaly.place.kind.replace('_', " ");
    format!("Reeve cannot block this {what}; disable it in your identity provider or firewall")
}

/// Describes the result of a remedy.
pub(super) fn remedy_text(remedy: ResponseRemedy) -> String {
    match remedy {
        ResponseRemedy::Undoing(action) => format!("action {} is being undone", action.0),
        ResponseRemedy::Began(action) => format!("action {} has begun", action.0),
        ResponseRemedy::Asked(approval) => format!(
            "nothing was done yet: approval {} was requested",
            approval.0
        ),
        ResponseRemedy::Nothing(reason) => format!("nothing was done: {reason}"),
    }
}

// The signature is `map_or_else`'s.
#[allow(clippy::needless_pass_by_value)]
pub(super) fn failure_text(error: EngineError) -> String {
    format!("nothing was done: {error}")
}
