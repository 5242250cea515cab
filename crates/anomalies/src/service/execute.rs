//! Executing: what is done about an anomaly where the settings ask for it.

use reeve_estate::{ResourceId, StoreError};

use super::super::record::{Anomaly, AnomalyClass, Stage};
use super::isolation::{failure_text, remedy_text};
use super::{AnomalyService, Remedies};
use reeve_recommend::{Caller, EngineError};

impl AnomalyService {
    /// Hands an anomaly to the engine, and tells what came of it. The anomaly is kept already.
    pub(super) async fn execute(
        &self,
        mut anomaly: Anomaly,
        remedies: Remedies,
        caller: &Caller,
    ) -> Result<Anomaly, EngineError> {
        let detail = match anomaly.class {
            AnomalyClass::Security => self.isolate(&anomaly, remedies.isolation).await?,
            AnomalyClass::Cost => "nothing was done: spending of a service has no single remedy".to_owned(),
            AnomalyClass::Performance | AnomalyClass::Operational => {
                let why = format!("anomaly {}: {}", anomaly.id.0, anomaly.title);
                let place = ResourceId::new(anomaly.place.id.clone());
                self.ports
                    .responses
                    .remedy(&place, remedies.action.as_ref(), &why)
                    .await
                    .map_or_else(failure_text, remedy_text)
            }
        };
        self.record_stage(&mut anomaly, Stage::Execute, detail, caller).await?;
        anomaly.version += 1;
        match self.ports.anomalies.anomaly_update(&anomaly).await {
            // Somebody answered it meanwhile; what was done stands in the log.
            Ok(()) | Err(StoreError::Conflict(_)) => Ok(anomaly),
            Err(error) => Err(error.into()),
        }
    }
}
