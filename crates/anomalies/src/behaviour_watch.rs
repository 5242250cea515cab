//! Watching behaviour: entries of the audit log that are unlike those before them become findings of the security class.

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_estate::ResourceKind;
use reeve_learn::behaviour::{Judgement, Reason};

use super::finding::Finding;
use super::lesson::{LOWEST, Thresholds};
use super::record::{AnomalyClass, Indication, Place, Reading};
use super::settings::AnomalySettings;
use crate::behaviour::{EntryWatch, failed_sign_in, machine};
use reeve_recommend::recommendation::Priority;

/// The watch over behaviour in the audit log.
#[derive(Default)]
pub struct BehaviourWatch {
    watch: EntryWatch,
    thresholds: Thresholds,
}

impl BehaviourWatch {
    /// Takes other learned thresholds from the next entry on.
    pub fn set_thresholds(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
    }

    /// Judges an entry by those before it; a finding where it is strange enough.
    pub fn observe(&mut self, entry: &Entry, recorded_at: Timestamp, settings: &AnomalySettings) -> Option<Finding> {
        // Reeve's own agents and schedule act as they are configured; their entries would only teach what is known.
        if entry.actor.is_empty() || is_own_account(entry) {
            return None;
        }
        let judged = self.watch.observe(entry);
        let least = settings.security.sensitivity.least_score();
        if !settings.security.behavioral_analysis || judged.score < least * LOWEST {
            return None;
        }
        let operation = operation(entry);
        let reasons: Vec<String> = judged.reasons().take(5).map(str::to_owned).collect();
        let (who, place) = sign_in_attack(entry, &judged).unwrap_or_else(|| place(entry));
        if judged.score < least * self.thresholds.sensitivity(AnomalyClass::Security, None, &place.0) {
            return None;
        }
        let why = reasons.first().map_or("unusual for them", String::as_str);
        let title = match place.1 {
            ADDRESS => format!("Sign-in attempts from {who}: {why}"),
            _ => format!("{who} called {operation}: {why}"),
        };
        let finding = SecurityFinding {
            severity: if judged.score >= 0.9 { Priority::High } else { Priority::Medium },
            title,
            place,
            score: judged.score,
            usual: least,
            indication: reasons.first().cloned().unwrap_or_default().into(),
            evidence: reasons,
        };
        Some(finding.finding(entry, recorded_at))
    }
}

/// Kind of a place that is an address.
const ADDRESS: &str = "address";

/// Returns `true` for Reeve's own account of what its agents do. The tag alone does not show that: whoever may append entries
/// could put it on their own, to stay unwatched.
fn is_own_account(entry: &Entry) -> bool {
    entry.may_be_by_reeve() && entry.metadata.tags.iter().any(|tag| tag == "intelligence")
}

/// The address from which sign-ins fail, or succeed after failing for several accounts: guessing is one trouble of its address, not
/// one of each account.
fn sign_in_attack(entry: &Entry, judged: &Judgement) -> Option<(String, (String, &'static str))> {
    let failed = judged.weight_of(Reason::Guessing) > 0.0 || failed_sign_in(entry);
    let address = entry.actor.ip_address.filter(|_| failed)?.to_string();
    Some((address.clone(), (address, ADDRESS)))
}

/// Finding about one entry.
pub(super) struct SecurityFinding {
    pub(super) severity: Priority,
    pub(super) title: String,
    /// Whom or what the problem is of, and its kind.
    pub(super) place: (String, &'static str),
    pub(super) score: f64,
    /// Scores up to this are usual.
    pub(super) usual: f64,
    pub(super) indication: Indication,
    pub(super) evidence: Vec<String>,
}

impl SecurityFinding {
    /// As a finding of the security class.
    pub(super) fn finding(self, entry: &Entry, recorded_at: Timestamp) -> Finding {
        let (id, kind) = self.place;
        Finding {
            class: AnomalyClass::Security,
            severity: self.severity,
            title: self.title,
            place: Place {
                id: id.clone(),
                name: id,
                kind: kind.to_owned(),
                provider: entry.resource.cloud_provider.clone(),
                account: entry.resource.account_id.clone(),
                region: entry.resource.region.clone(),
                service: None,
            },
            readings: vec![Reading {
                metric: None,
                at: recorded_at,
                value: self.score,
                expected: 0.0,
                low: 0.0,
                high: self.usual,
                score: self.score,
                indication: self.indication,
            }],
            evidence: self.evidence,
            contributions: Vec::new(),
            started_at: recorded_at,
            last_at: recorded_at,
        }
    }
}

/// Returns the principal's name, and the subject of the anomaly: the machine if its own credentials were used, else
/// the principal.
pub(super) fn place(entry: &Entry) -> (String, (String, &'static str)) {
    let who = who(entry);
    let place = match machine(entry) {
        Some(machine) => (machine, ResourceKind::VirtualMachine.as_str()),
        None => (who.clone(), "principal"),
    };
    (who, place)
}

/// Returns the operation of the entry, or the event's type.
pub(super) fn operation(entry: &Entry) -> String {
    entry.action.operation.clone().unwrap_or_else(|| entry.event_type.as_str().to_owned())
}

/// Returns the actor's e-mail address, or identifier.
pub(super) fn who(entry: &Entry) -> String {
    entry.actor.email.clone().or_else(|| entry.actor.id.clone()).unwrap_or_else(|| "unknown".to_owned())
}
