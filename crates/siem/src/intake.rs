//! Service that takes alerts of other tools in and closes them on both sides.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Entry, EventId, FieldCode, FieldError};
use reeve_estate::{EstateStore, StoreError};
use reeve_incidents::{IncidentService, IncidentStore};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{Clock, RecordError, Recorder, record_change};

use crate::alert::{
    AlertEnd, AlertStatus, AlertVerdict, Callback, InboundAlert, InboundAlertId, JudgedAlert,
    MAX_SENDER_ALERTS,
};
use crate::format::{FormatRefusal, read};
use crate::port::{AlertCaller, AlertSourceStore, InboundAlertStore};
use crate::report::AlertReport;
use crate::source::AlertSource;
use crate::upkeep::{AlertUpkeep, UpkeepPorts};
use crate::weight::{AlertWeight, TrackRecord};
use crate::{join, log_entry};

/// Time within which reports of one cause are one alert.
const ONE_CAUSE: SignedDuration = SignedDuration::from_hours(24);
/// Closings that are attempted in one round.
const CALLBACKS: u64 = 50;
/// Longest comment, in characters.
const MAX_COMMENT: usize = 2_000;

/// Ports of the service.
pub struct IntakePorts {
    pub sources: Arc<dyn AlertSourceStore>,
    pub alerts: Arc<dyn InboundAlertStore>,
    /// Incidents that alerts join.
    pub incidents: Arc<IncidentService>,
    /// Incidents as they are, for the alerts of closed ones.
    pub incident_store: Arc<dyn IncidentStore>,
    /// Resources, for the assets of alerts.
    pub estate: Arc<dyn EstateStore>,
    /// Client that calls senders back.
    pub caller: Arc<dyn AlertCaller>,
    /// Writer of the audit log.
    pub recorder: Arc<dyn Recorder>,
    pub clock: Arc<dyn Clock>,
}

/// Result of a push.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Intake {
    /// Alerts that are new.
    pub new: u64,
    /// Reports of a cause that an open alert has already.
    pub repeated: u64,
    /// Reports with an identifier that arrived before, without a difference.
    pub known: u64,
    /// Alerts that the sender closed.
    pub closed: u64,
    /// Alerts that were not taken.
    pub refused: Vec<FormatRefusal>,
}

/// A push that is being taken.
struct Push<'a> {
    source: &'a AlertSource,
    /// Verdicts on the alerts of the source; no report of the push changes them.
    record: TrackRecord,
}

/// Way in which a report was taken.
enum Taken {
    New,
    Repeated,
    Known,
    Closed,
}

/// Service that takes alerts in.
pub struct AlertIntake {
    ports: IntakePorts,
    upkeep: AlertUpkeep,
}

impl AlertIntake {
    /// Creates the service over these ports.
    #[must_use]
    pub fn new(ports: IntakePorts) -> AlertIntake {
        let upkeep = AlertUpkeep::new(UpkeepPorts {
            sources: ports.sources.clone(),
            alerts: ports.alerts.clone(),
            incidents: ports.incident_store.clone(),
            recorder: ports.recorder.clone(),
            clock: ports.clock.clone(),
        });
        AlertIntake { ports, upkeep }
    }

    /// Returns the store of sources.
    #[must_use]
    pub fn sources(&self) -> &dyn AlertSourceStore {
        &*self.ports.sources
    }

    /// Returns the store of alerts.
    #[must_use]
    pub fn alerts(&self) -> &dyn InboundAlertStore {
        &*self.ports.alerts
    }

    /// Returns the upkeep, which ends alerts of closed incidents and those that expire.
    #[must_use]
    pub fn upkeep(&self) -> &AlertUpkeep {
        &self.upkeep
    }

    /// Returns the client that calls senders back.
    #[must_use]
    pub fn caller(&self) -> &dyn AlertCaller {
        &*self.ports.caller
    }

    /// Takes a push. Each alert is recorded before it is kept; a push that failed half-way may be
    /// sent again as a whole.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for a body that cannot be read as a whole; the store or the log
    /// failed.
    pub async fn receive(&self, source: &AlertSource, body: &[u8]) -> Result<Intake, EngineError> {
        let now = self.ports.clock.now();
        let (reports, refused) = match read(source.format, &source.mapping, body, now) {
            Ok(read) => read,
            Err(refusal) => {
                self.note(source, 0, std::slice::from_ref(&refusal)).await?;
                let field = FieldError::new("body", FieldCode::InvalidValue, refusal.message);
                return Err(EngineError::Invalid(vec![field]));
            }
        };

        let counts = self.ports.alerts.inbound_alert_counts(&source.id).await?;
        let push = Push {
            source,
            record: counts.record,
        };
        let taken = reports.len() as u64;
        let mut intake = Intake {
            refused,
            ..Intake::default()
        };
        for report in reports {
            match self.take(&push, report).await? {
                Taken::New => intake.new += 1,
                Taken::Repeated => intake.repeated += 1,
                Taken::Known => intake.known += 1,
                Taken::Closed => intake.closed += 1,
            }
        }

        self.note(source, taken, &intake.refused).await?;
        Ok(intake)
    }

    async fn note(
        &self,
        source: &AlertSource,
        taken: u64,
        refused: &[FormatRefusal],
    ) -> Result<(), EngineError> {
        let sources = &self.ports.sources;
        let mut state = sources.alert_source_state(&source.id).await?;
        state.note(taken, refused, self.ports.clock.now());
        Ok(sources.alert_source_state_put(&source.id, &state).await?)
    }

    async fn take(&self, push: &Push<'_>, report: AlertReport) -> Result<Taken, EngineError> {
        let (alerts, source) = (&self.ports.alerts, push.source);
        let known = alerts
            .inbound_alert_by_sender(&source.id, &report.sender_id)
            .await?;
        if let Some(known) = known {
            return self.take_known(push, known, &report).await;
        }

        let since = self.ports.clock.now().checked_sub(ONE_CAUSE);
        let same = alerts
            .inbound_alert_of_cause(
                &source.id,
                &report.cause(),
                since.unwrap_or(Timestamp::UNIX_EPOCH),
            )
            .await?;
        let same = same.filter(|same| {
            !report.is_closed
                && report.has_sender_id == same.report.has_sender_id
                && same.sender_alerts.len() < MAX_SENDER_ALERTS
        });
        match same {
            Some(same) => self.repeat(push, same, &report).await,
            None => self.open(push, report).await,
        }
    }

    /// Takes a report whose identifier arrived before: the sender may have closed the alert or made
    /// it more severe.
    async fn take_known(
        &self,
        push: &Push<'_>,
        mut alert: InboundAlert,
        report: &AlertReport,
    ) -> Result<Taken, EngineError> {
        let (source, now) = (push.source, self.ports.clock.now());
        let is_open = alert
            .sender_alerts
            .iter()
            .any(|known| known.id == report.sender_id && !known.is_closed);

        if report.is_closed && is_open {
            if alert.close_at_sender(&report.sender_id, now) {
                let entry = log_entry::about(
                    "inbound_alert.close_by_sender",
                    &alert,
                    &log_entry::sender(source),
                );
                self.record_once(entry, &alert, &report.sender_id, "closed")
                    .await?;
            }
            self.ports.alerts.inbound_alert_update(&alert).await?;
            return Ok(Taken::Closed);
        }

        if alert.status == AlertStatus::Open && report.severity > alert.report.severity {
            alert.raise(report.severity);
            alert.weight = self.weight_of(push.record, &alert.report).await?;
            alert.version += 1;
            let entry =
                log_entry::received("inbound_alert.raise", &alert, &report.sender_id, source);
            let step = format!("raised-{}", report.severity);
            self.record_once(entry, &alert, &report.sender_id, &step)
                .await?;
            self.ports.alerts.inbound_alert_update(&alert).await?;
            self.join(source, &alert).await?;
        }
        Ok(Taken::Known)
    }

    async fn repeat(
        &self,
        push: &Push<'_>,
        mut alert: InboundAlert,
        report: &AlertReport,
    ) -> Result<Taken, EngineError> {
        let source = push.source;
        alert.repeat(report, self.ports.clock.now());
        alert.weight = self.weight_of(push.record, &alert.report).await?;

        let entry = log_entry::received("inbound_alert.repeat", &alert, &report.sender_id, source);
        self.record_once(entry, &alert, &report.sender_id, "received")
            .await?;
        self.ports.alerts.inbound_alert_update(&alert).await?;
        self.join(source, &alert).await?;
        Ok(Taken::Repeated)
    }

    async fn open(&self, push: &Push<'_>, report: AlertReport) -> Result<Taken, EngineError> {
        let source = push.source;
        let weight = self.weight_of(push.record, &report).await?;
        let sender_id = report.sender_id.clone();
        let alert = InboundAlert::new(&source.id, report, weight, self.ports.clock.now());
        let entry = log_entry::received("inbound_alert.receive", &alert, &sender_id, source);
        self.record_once(entry, &alert, &sender_id, "received")
            .await?;
        match self.ports.alerts.inbound_alert_insert(&alert).await {
            Ok(()) => {
                self.join(source, &alert).await?;
                Ok(Taken::New)
            }
            // Another push brought it at the same time.
            Err(StoreError::Conflict(_)) => Ok(Taken::Known),
            Err(error) => Err(error.into()),
        }
    }

    async fn weight_of(
        &self,
        record: TrackRecord,
        report: &AlertReport,
    ) -> Result<AlertWeight, EngineError> {
        let asset = join::asset(&*self.ports.estate, report).await?;
        Ok(AlertWeight::of(
            report.severity,
            report.names_severity,
            record,
            &asset,
        ))
    }

    /// Lets an open alert join the incident that it is a part of, or open one.
    async fn join(&self, source: &AlertSource, alert: &InboundAlert) -> Result<(), EngineError> {
        if alert.status == AlertStatus::Open {
            let member = join::member(alert, &source.name);
            self.ports.incidents.join(member).await?;
        }
        Ok(())
    }

    /// Records a step of an alert. A push that is sent again records it no second time.
    async fn record_once(
        &self,
        entry: Entry,
        alert: &InboundAlert,
        sender_id: &str,
        step: &str,
    ) -> Result<(), EngineError> {
        // The sender's identifier may have letters that identifiers of entries do not have.
        let report = InboundAlertId::of(&alert.source, sender_id);
        let id = EventId::derived(&format!("inbound-alert-{}-{step}", report.0))
            .map_err(|error| RecordError(error.to_string()))?;
        let entry = entry.with_id(id).at(self.ports.clock.now());
        Ok(self.ports.recorder.record_once(entry).await?)
    }

    /// Closes an alert with a verdict, here and, where the source offers it, at its sender. Of an
    /// alert that is closed already the verdict alone changes.
    ///
    /// # Errors
    /// The comments are too long; the alert changed in between; the store or the log failed.
    pub async fn close(
        &self,
        id: &InboundAlertId,
        verdict: AlertVerdict,
        comments: Option<String>,
        caller: &Caller,
    ) -> Result<InboundAlert, EngineError> {
        let comments = comments
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
        let length = comments.as_ref().map_or(0, |text| text.chars().count());
        if length > MAX_COMMENT {
            let message = format!("must have at most {MAX_COMMENT} characters");
            return Err(EngineError::Invalid(vec![FieldError::new(
                "comments",
                FieldCode::TooLong,
                message,
            )]));
        }

        let mut alert = self.ports.alerts.inbound_alert_get(id).await?;
        let source = self.ports.sources.alert_source_get(&alert.source).await?;
        let now = self.ports.clock.now();
        let was_open = alert.status == AlertStatus::Open;
        alert.judgement = Some(JudgedAlert {
            verdict,
            comments: comments.clone(),
            by: caller.name.clone(),
            at: now,
        });

        if was_open {
            alert.close(AlertEnd::at(now, Some(caller.name.clone())), &source);
        } else {
            alert.version += 1;
        }

        let operation = if was_open {
            "inbound_alert.close"
        } else {
            "inbound_alert.judge"
        };
        let mut entry =
            log_entry::about(operation, &alert, caller).with_metadata("verdict", verdict.as_str());
        if let Some(comments) = comments {
            entry = entry.with_metadata("comments", comments);
        }
        let ports = &self.ports;
        record_change(
            &*ports.recorder,
            &*ports.clock,
            entry,
            ports.alerts.inbound_alert_update(&alert),
        )
        .await?;
        Ok(alert)
    }

    /// Closes at their senders what was closed here and is due. Returns the number of alerts that
    /// were looked at.
    ///
    /// # Errors
    /// The store or the log failed. A sender that fails is tried again later.
    pub async fn call_back(&self) -> Result<usize, EngineError> {
        let due = self
            .ports
            .alerts
            .inbound_alert_callbacks(self.ports.clock.now(), CALLBACKS)
            .await?;
        let count = due.len();
        for alert in due {
            self.call_back_for(alert).await?;
        }
        Ok(count)
    }

    async fn call_back_for(&self, mut alert: InboundAlert) -> Result<(), EngineError> {
        let Some(mut callback) = alert.callback.take() else {
            return Ok(());
        };
        let source = self.ports.sources.alert_source_get(&alert.source).await?;
        let failure = self.close_there(&source, &alert, &mut callback).await;

        let now = self.ports.clock.now();
        let given_up = match failure {
            Some(error) => {
                callback.fail(error, now);
                callback.next_at.is_none()
            }
            None => {
                callback.finish(now);
                for known in &mut alert.sender_alerts {
                    known.is_closed = true;
                }
                false
            }
        };
        let ended = callback.next_at.is_none();
        let error = callback.error.clone();
        alert.callback = Some(callback);
        alert.version += 1;

        match self.ports.alerts.inbound_alert_update(&alert).await {
            Ok(()) => {}
            // The sender reports about it at this moment; the next round reads it again.
            Err(StoreError::Conflict(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        if !ended {
            return Ok(());
        }

        let operation = "inbound_alert.close_at_sender";
        let mut entry = log_entry::about(operation, &alert, &Caller::system())
            .with_metadata("alert_source", source.name.clone())
            .at(now);
        if given_up {
            entry = entry.with_metadata("reason", error.unwrap_or_default());
            entry.action.status = Some(ActionStatus::Failed);
        }
        Ok(self.ports.recorder.record(vec![entry]).await?)
    }

    /// Closes the pending alerts of a sender one by one; returns the first failure.
    async fn close_there(
        &self,
        source: &AlertSource,
        alert: &InboundAlert,
        callback: &mut Callback,
    ) -> Option<String> {
        let Some(form) = source.callback.as_ref().filter(|_| source.enabled) else {
            return Some("the source has no callback any more, or is disabled".to_owned());
        };
        let sources = &self.ports.sources;
        let credentials = match sources.alert_source_credentials(&source.id).await {
            Ok(credentials) => credentials,
            Err(error) => return Some(error.to_string()),
        };
        let comment = alert.closing_comment();

        while let Some(sender_id) = callback.pending.first().cloned() {
            let request = form.request(&sender_id, &comment, credentials.as_deref());
            if let Err(error) = self.ports.caller.call(&request).await {
                return Some(error.to_string());
            }
            callback.pending.remove(0);
        }
        None
    }
}
