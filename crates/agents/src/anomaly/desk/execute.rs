//! Executing: what is done about an anomaly where the settings ask for it.

use reeve_estate::{ResourceId, StoreError};

use super::super::record::{Anomaly, AnomalyClass, Stage};
use super::Desk;
use crate::action::ActionId;
use crate::engine::{Caller, EngineError, Remedy};

impl Desk {
    /// Hands an anomaly to the engine, and tells what came of it. The anomaly is kept already.
    pub(super) async fn execute(
        &self,
        mut anomaly: Anomaly,
        suspect: Option<&ActionId>,
        caller: &Caller,
    ) -> Result<Anomaly, EngineError> {
        let detail = match anomaly.class {
            AnomalyClass::Security => {
                "nothing was done: none of Reeve's connections can cut a principal or an address off; block it where it signs in"
                    .to_owned()
            }
            AnomalyClass::Cost => "nothing was done: spending of a service has no single remedy".to_owned(),
            AnomalyClass::Performance | AnomalyClass::Operational => {
                let why = format!("anomaly {}: {}", anomaly.id.0, anomaly.title);
                match self.ports.engine.remedy(&ResourceId::new(anomaly.place.id.clone()), suspect, &why).await {
                    Ok(Remedy::Undoing(action)) => format!("action {} is being undone", action.0),
                    Ok(Remedy::Began(action)) => format!("action {} has begun", action.0),
                    Ok(Remedy::Nothing(reason)) => format!("nothing was done: {reason}"),
                    Err(error) => format!("nothing was done: {error}"),
                }
            }
        };
        self.answer(&mut anomaly, Stage::Execute, detail, caller).await?;
        anomaly.version += 1;
        match self.ports.anomalies.anomaly_update(&anomaly).await {
            // Somebody answered it meanwhile; what was done stands in the log.
            Ok(()) | Err(StoreError::Conflict(_)) => Ok(anomaly),
            Err(error) => Err(error.into()),
        }
    }
}
