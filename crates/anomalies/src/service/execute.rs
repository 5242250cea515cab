//! Executing: what is done about an anomaly where the settings require it.

use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::RemedyTarget;

use super::super::record::{Anomaly, AnomalyClass, Stage};
use super::isolation::{failure_text, remedy_text};
use super::{AnomalyService, Isolation};

impl AnomalyService {
    /// Passes a stored anomaly to the engine, and records the result.
    pub(super) async fn execute(
        &self,
        mut anomaly: Anomaly,
        isolation: Isolation,
        caller: &Caller,
    ) -> Result<Anomaly, EngineError> {
        let detail = match anomaly.class {
            AnomalyClass::Security => self.isolate(&anomaly, isolation).await?,
            _ => self.carry_out(&anomaly).await,
        };
        self.record_stage(&mut anomaly, Stage::Execute, detail, caller)
            .await?;
        anomaly.version += 1;

        match self.ports.anomalies.anomaly_update(&anomaly).await {
            // Somebody answered it meanwhile; what was done stands in the log.
            Ok(()) | Err(StoreError::Conflict(_)) => Ok(anomaly),
            Err(error) => Err(error.into()),
        }
    }

    /// Carries out the recommended remedy. Returns the outcome in words.
    async fn carry_out(&self, anomaly: &Anomaly) -> String {
        let why = format!("anomaly {}: {}", anomaly.id.0, anomaly.title);
        let remediation = anomaly.remediation.as_ref();
        let action = remediation
            .and_then(|one| one.action.as_ref())
            .map(RemedyTarget::Undo);
        let recommended = remediation
            .and_then(|one| one.recommendation.as_ref())
            .map(RemedyTarget::Apply);

        match action.or(recommended) {
            Some(target) => self
                .ports
                .responses
                .remedy(target, &why)
                .await
                .map_or_else(failure_text, remedy_text),
            None => {
                let reason = remediation.and_then(|one| one.by_hand.as_deref());
                format!(
                    "nothing was done: {}",
                    reason.unwrap_or("no remedy is known")
                )
            }
        }
    }
}
