//! Record of an alert of another tool, from its arrival to its closing on both sides.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Severity;
use reeve_estate::named;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::report::AlertReport;
use crate::source::{AlertSource, AlertSourceId};
use crate::weight::AlertWeight;

/// Identifiers of a sender that one alert holds at most.
pub(crate) const MAX_SENDER_ALERTS: usize = 100;
/// Waits before further attempts at closing an alert at its sender.
const RETRIES: [SignedDuration; 6] = [
    SignedDuration::from_secs(30),
    SignedDuration::from_mins(2),
    SignedDuration::from_mins(10),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(4),
    SignedDuration::from_hours(12),
];

/// Identifier of an alert. It follows from the source and the sender's identifier, so that the same
/// alert pushed twice is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InboundAlertId(pub String);

impl InboundAlertId {
    /// Derives the identifier of the alert that a sender calls by an identifier of its own.
    #[must_use]
    pub fn of(source: &AlertSourceId, sender_id: &str) -> InboundAlertId {
        let mut hash = Sha256::new_with_prefix(source.0.as_bytes());
        hash.update([0]);
        hash.update(sender_id.as_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        let id = uuid::Builder::from_custom_bytes(bytes).into_uuid();
        InboundAlertId(id.to_string())
    }
}

named!(
    /// Status of an alert of another tool.
    AlertStatus {
        Open => "open",
        /// Closed here or by its sender.
        Closed => "closed",
    }
);

named!(
    /// Verdict of a person on an alert of another tool.
    AlertVerdict {
        /// The alert was right, and what it reports is harmful.
        TruePositive => "true_positive",
        /// The alert was wrong.
        FalsePositive => "false_positive",
        /// The alert was right, and what it reports was wanted.
        Benign => "benign",
    }
);

/// One alert of the sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderAlert {
    /// Identifier that the sender gave it.
    pub id: String,
    /// `true` if the sender has closed it.
    pub is_closed: bool,
}

/// Verdict of a person, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedAlert {
    pub verdict: AlertVerdict,
    pub comments: Option<String>,
    /// E-mail address of the person.
    pub by: String,
    pub at: Timestamp,
}

/// End of an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertEnd {
    pub at: Timestamp,
    /// E-mail address of the person; `None` if the sender closed it, or it expired.
    pub by: Option<String>,
    /// Incident whose closing closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
    /// Days without a report after which it expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired_after_days: Option<u32>,
}

impl AlertEnd {
    /// Returns the end that a person makes, or the sender where there is none.
    pub(crate) fn at(at: Timestamp, by: Option<String>) -> AlertEnd {
        AlertEnd {
            at,
            by,
            incident: None,
            expired_after_days: None,
        }
    }
}

/// Progress of closing an alert at its sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// Identifiers that are not closed there yet.
    pub pending: Vec<String>,
    /// Attempts so far.
    pub tries: usize,
    /// Time of the next attempt; `None` once it succeeded or was given up.
    pub next_at: Option<Timestamp>,
    /// Failure of the last attempt.
    pub error: Option<String>,
    /// Time at which the last identifier was closed there.
    pub done_at: Option<Timestamp>,
}

impl Callback {
    /// Begins with all identifiers, due at once.
    pub(crate) fn begin(pending: Vec<String>, now: Timestamp) -> Callback {
        Callback {
            pending,
            tries: 0,
            next_at: Some(now),
            error: None,
            done_at: None,
        }
    }

    /// Notes a failed attempt: a further one follows until all waits are used up.
    pub(crate) fn fail(&mut self, error: String, now: Timestamp) {
        self.next_at = RETRIES
            .get(self.tries)
            .and_then(|wait| now.checked_add(*wait).ok());
        self.tries += 1;
        self.error = Some(error);
    }

    /// Notes that everything is closed there.
    pub(crate) fn finish(&mut self, now: Timestamp) {
        self.tries += 1;
        self.next_at = None;
        self.error = None;
        self.done_at = Some(now);
    }
}

/// Alert of another tool, with all reports of the same cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboundAlert {
    pub id: InboundAlertId,
    pub source: AlertSourceId,
    /// The report that it began with; severity and end follow later ones.
    pub report: AlertReport,
    /// Key that reports of one cause share.
    pub cause: String,
    /// The sender's alerts that it stands for, oldest first.
    pub sender_alerts: Vec<SenderAlert>,
    pub status: AlertStatus,
    pub weight: AlertWeight,
    pub judgement: Option<JudgedAlert>,
    pub end: Option<AlertEnd>,
    /// Closing at the sender; `None` where the source offers none or the sender closed it.
    pub callback: Option<Callback>,
    pub received_at: Timestamp,
    /// Arrival of the last report.
    pub last_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

impl InboundAlert {
    /// Creates an open alert of a first report.
    pub(crate) fn new(
        source: &AlertSourceId,
        report: AlertReport,
        weight: AlertWeight,
        now: Timestamp,
    ) -> InboundAlert {
        let closed = report.is_closed;
        InboundAlert {
            id: InboundAlertId::of(source, &report.sender_id),
            source: source.clone(),
            cause: report.cause(),
            sender_alerts: vec![SenderAlert {
                id: report.sender_id.clone(),
                is_closed: closed,
            }],
            status: if closed {
                AlertStatus::Closed
            } else {
                AlertStatus::Open
            },
            weight,
            judgement: None,
            end: closed.then(|| AlertEnd::at(now, None)),
            callback: None,
            received_at: now,
            last_at: now,
            version: 1,
            report,
        }
    }

    /// Adds a report of the same cause. The severity never falls by it.
    pub(crate) fn repeat(&mut self, report: &AlertReport, now: Timestamp) {
        self.sender_alerts.push(SenderAlert {
            id: report.sender_id.clone(),
            is_closed: false,
        });
        self.raise(report.severity);
        self.last_at = now;
        self.version += 1;
    }

    pub(crate) fn raise(&mut self, severity: Severity) {
        self.report.severity = self.report.severity.max(severity);
    }

    /// Notes that the sender closed one of its alerts. Returns `true` if that was the last one and
    /// the alert is closed by it.
    pub(crate) fn close_at_sender(&mut self, sender_id: &str, now: Timestamp) -> bool {
        for known in &mut self.sender_alerts {
            if known.id == sender_id {
                known.is_closed = true;
            }
        }
        if let Some(callback) = &mut self.callback {
            callback.pending.retain(|pending| pending != sender_id);
            if callback.pending.is_empty() && callback.next_at.is_some() {
                callback.finish(now);
            }
        }
        self.version += 1;

        let ends = self.status == AlertStatus::Open
            && self.sender_alerts.iter().all(|known| known.is_closed);
        if ends {
            self.status = AlertStatus::Closed;
            self.end = Some(AlertEnd::at(now, None));
        }
        ends
    }

    /// Ends it here. It stays as it is at its sender.
    pub(crate) fn end_here(&mut self, end: AlertEnd) {
        self.status = AlertStatus::Closed;
        self.end = Some(end);
        self.version += 1;
    }

    /// Ends it here and, where its source offers it, at its sender.
    pub(crate) fn close(&mut self, end: AlertEnd, source: &AlertSource) {
        let pending = self.open_at_sender();
        self.callback = (source.callback.is_some() && !pending.is_empty())
            .then(|| Callback::begin(pending, end.at));
        self.end_here(end);
    }

    /// Returns the words about its closing that the sender gets.
    pub(crate) fn closing_comment(&self) -> String {
        let incident = self.end.as_ref().and_then(|end| end.incident.as_ref());
        match (&self.judgement, incident) {
            (Some(judged), _) => match &judged.comments {
                Some(text) => format!("{text} ({})", judged.verdict),
                None => format!("Closed in Reeve: {}", judged.verdict),
            },
            (None, Some(incident)) => format!("Closed in Reeve with incident {incident}"),
            (None, None) => String::new(),
        }
    }

    /// Returns the time of its last report; of one report the time that the sender gives.
    pub(crate) fn last_report_at(&self) -> Timestamp {
        if self.sender_alerts.len() > 1 {
            self.last_at
        } else {
            self.report.at
        }
    }

    /// Returns the identifiers that the sender gave and has not closed.
    pub(crate) fn open_at_sender(&self) -> Vec<String> {
        if !self.report.has_sender_id {
            return Vec::new();
        }
        let open = self.sender_alerts.iter().filter(|known| !known.is_closed);
        open.map(|known| known.id.clone()).collect()
    }
}
