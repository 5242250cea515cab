//! Ends of alerts that no person closes one by one: those of closed incidents, and those that expire.
//!
//! A closed incident closes its alerts here and, where the source offers it, at their sender: people
//! have dealt with them. An alert that expires is closed here alone: no person has judged it, so
//! that it stays open at its sender. Alerts of incidents that are worked on do not expire.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Entry;
use reeve_incidents::{IncidentStatus, IncidentStore};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{Clock, Recorder, record_change};

use crate::alert::{AlertEnd, InboundAlert};
use crate::log_entry;
use crate::port::{AlertSourceStore, InboundAlertStore};
use crate::source::AlertSource;

/// Alerts that one round ends at most, of closed incidents and of each source.
const MOST_ENDED: u64 = 200;

/// Ports of the upkeep.
pub struct UpkeepPorts {
    pub sources: Arc<dyn AlertSourceStore>,
    pub alerts: Arc<dyn InboundAlertStore>,
    pub incidents: Arc<dyn IncidentStore>,
    /// Writer of the audit log.
    pub recorder: Arc<dyn Recorder>,
    pub clock: Arc<dyn Clock>,
}

/// Closes the alerts of closed incidents, and those that expired.
pub struct AlertUpkeep {
    ports: UpkeepPorts,
}

impl AlertUpkeep {
    /// Creates the upkeep over its ports.
    #[must_use]
    pub fn new(ports: UpkeepPorts) -> AlertUpkeep {
        AlertUpkeep { ports }
    }

    /// Ends what is due. Returns the number of alerts that ended; the next call goes on.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn keep(&self) -> Result<u64, EngineError> {
        Ok(self.close_with_incidents().await? + self.expire().await?)
    }

    async fn close_with_incidents(&self) -> Result<u64, EngineError> {
        let ports = &self.ports;
        let left = ports.alerts.inbound_alert_of_closed(MOST_ENDED).await?;
        let mut ended = 0;
        for (mut alert, id) in left {
            let incident = ports.incidents.incident_get(&id).await?;
            let last = incident.history.last();
            let Some(closing) = last.filter(|last| last.to == IncidentStatus::Closed) else {
                // It was opened again in between.
                continue;
            };
            let source = ports.sources.alert_source_get(&alert.source).await?;

            let end = AlertEnd {
                incident: Some(id.0.clone()),
                ..AlertEnd::at(ports.clock.now(), Some(closing.by.clone()))
            };
            alert.close(end, &source);
            // The act of the person is the closing of the incident, which has an entry of its own.
            let operation = "inbound_alert.close_with_incident";
            let mut entry = log_entry::about(operation, &alert, &Caller::system())
                .with_metadata("incident_id", id.0)
                .with_metadata("closed_by", closing.by.clone());
            if let Some(reason) = &closing.reason {
                entry = entry.with_metadata("reason", reason.clone());
            }
            ended += self.write(&alert, entry).await?;
        }
        Ok(ended)
    }

    async fn expire(&self) -> Result<u64, EngineError> {
        let now = self.ports.clock.now();
        let mut ended = 0;
        for source in self.ports.sources.alert_source_list().await? {
            let Some(before) = last_day(&source, now) else {
                continue;
            };
            let alerts = &self.ports.alerts;
            let due = alerts
                .inbound_alert_expired(&source.id, before, MOST_ENDED)
                .await?;
            for mut alert in due {
                let end = AlertEnd {
                    expired_after_days: Some(source.expire_after_days),
                    ..AlertEnd::at(now, None)
                };
                alert.end_here(end);
                let operation = "inbound_alert.expire";
                let reason = format!(
                    "no report for {} days, and no incident that is worked on has it",
                    source.expire_after_days
                );
                let entry = log_entry::about(operation, &alert, &Caller::system())
                    .with_metadata("alert_source", source.name.clone())
                    .with_metadata("reason", reason);
                ended += self.write(&alert, entry).await?;
            }
        }
        Ok(ended)
    }

    /// Writes an alert that ended. A report or a person may change it at this moment; the next round
    /// reads it again.
    async fn write(&self, alert: &InboundAlert, entry: Entry) -> Result<u64, EngineError> {
        let ports = &self.ports;
        let update = ports.alerts.inbound_alert_update(alert);
        let written = record_change(&*ports.recorder, &*ports.clock, entry, update).await;
        match written {
            Ok(()) => Ok(1),
            Err(EngineError::Conflict(_)) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// Returns the time before which the last report of an alert lies that expires now.
fn last_day(source: &AlertSource, now: Timestamp) -> Option<Timestamp> {
    let hours = i64::from(source.expire_after_days) * 24;
    now.checked_sub(SignedDuration::from_hours(hours)).ok()
}
