//! Watching behavior: entries of the audit log that are unlike those before them become findings
//! of the security class.

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_estate::ResourceKind;
use reeve_learn::behavior::{
    ActivityEvent, BehaviorJudgement, BehaviorOutcome, BehaviorReason, Novelty, ResourceWatch,
    UnusualUse,
};

use super::attack::{AttackTechnique, NoTechnique, attribute, technique_of_call};
use super::attempts::Attempts;
use super::chain::{AttackChain, ChainWatch, ObservedCall};
use super::entry_names::{operation, who};
use super::finding::Finding;
use super::lesson::{LOWEST, LessonThresholds};
use super::record::{AnomalyClass, Indication, Place, Reading};
use super::security_activity::SecurityActivity;
use super::settings::AnomalySettings;
use crate::behavior::{self, EntryWatch, is_sign_in, machine};
use reeve_recommend::recommendation::Priority;

/// The watch over behavior in the audit log.
#[derive(Default)]
pub struct BehaviorWatch {
    watch: EntryWatch,
    thresholds: LessonThresholds,
    attempts: Attempts,
    chains: ChainWatch,
    resources: ResourceWatch,
    /// `true` where an agent learns the behavior of resources too.
    reports_resources: bool,
}

impl BehaviorWatch {
    /// Takes other learned thresholds from the next entry on.
    pub fn set_thresholds(&mut self, thresholds: LessonThresholds) {
        self.thresholds = thresholds;
    }

    /// Reports unusual uses of resources from the next entry on, or not. They are learned in any
    /// case.
    pub fn report_resources(&mut self, on: bool) {
        self.reports_resources = on;
    }

    /// Judges an entry by those before it; a finding where it is strange enough.
    pub fn observe(
        &mut self,
        entry: &Entry,
        recorded_at: Timestamp,
        settings: &AnomalySettings,
    ) -> Option<Finding> {
        // Reeve's own agents and schedule act as they are configured; their entries would only
        // teach what is known.
        if entry.actor.is_empty() || is_own_account(entry) {
            return None;
        }

        let event = behavior::event(entry);
        let judged = self.watch.observe_event(&event);
        let technique = technique_of_call(&event);
        self.follow_chain(entry, &event, technique, judged.score);
        let succeeded = event.outcome == BehaviorOutcome::Done;
        let sign_in_from = self.count_sign_in(entry, is_sign_in(&event), succeeded);
        let told = sign_in_from
            .as_deref()
            .is_some_and(|address| self.attempts.is_told(address));
        let least = settings.security.sensitivity.least_score();
        let used = self.resources.observe(&event, judged.score >= least);
        if !settings.security.behavioral_analysis {
            return None;
        }
        if judged.score < least * LOWEST && !told {
            return self.use_finding(used?, (&event, technique), least, entry, recorded_at);
        }

        // Guessing is one trouble of its address, not one of each account.
        let attack = judged.weight_of(BehaviorReason::Guessing) > 0.0 || !succeeded || told;
        if let Some(address) = sign_in_from.filter(|_| attack) {
            self.attempts
                .show(&address, attribute(&event, &judged, technique));
            return self.sign_in_finding(&address, &judged, least, entry, recorded_at);
        }

        let (who, place) = place(entry);
        if judged.score < self.least(least, &place.0) {
            return self.use_finding(used?, (&event, technique), least, entry, recorded_at);
        }

        self.attempts.call(&place.0, entry, succeeded);
        self.attempts
            .show(&place.0, attribute(&event, &judged, technique));
        let own_machine = place.1 != PRINCIPAL;
        let reasons: Vec<String> = judged.reasons().take(5).map(str::to_owned).collect();
        let indication = reasons.first().cloned().unwrap_or_default();
        let finding = SecurityFinding {
            severity: severity(judged.score, succeeded || own_machine),
            title: title(entry, &who, succeeded, &indication),
            activity: self.attempts.of(&place.0).cloned(),
            place,
            score: judged.score,
            usual: least,
            indication: indication.into(),
            evidence: reasons,
        };

        Some(finding.finding(entry, recorded_at))
    }

    /// Adds an entry to the chain of its principal.
    fn follow_chain(
        &mut self,
        entry: &Entry,
        event: &ActivityEvent,
        technique: Option<&'static AttackTechnique>,
        score: f64,
    ) {
        self.chains.observe(&ObservedCall {
            event,
            technique,
            score,
            who: &who(entry),
            account: entry.resource.account_id.as_deref().unwrap_or_default(),
            event_id: entry.event_id.as_str(),
            at: entry.timestamp,
        });
    }

    /// Returns the attack chains that grew since they were last taken.
    pub fn take_chains(&mut self, now: Timestamp) -> Vec<AttackChain> {
        self.chains.take_grown(now)
    }

    /// Takes the chains that grew for told.
    pub fn forget_grown(&mut self) {
        self.chains.forget_grown();
    }

    /// Counts a sign-in. Returns the address that it came from.
    fn count_sign_in(&mut self, entry: &Entry, sign_in: bool, succeeded: bool) -> Option<String> {
        let address = entry.actor.ip_address.filter(|_| sign_in)?.to_string();
        self.attempts.sign_in(&address, entry, succeeded);
        Some(address)
    }

    /// Finding about the use of a resource by a new caller, or a new call of a program.
    fn use_finding(
        &mut self,
        used: UnusualUse,
        (event, technique): (&ActivityEvent, Option<&'static AttackTechnique>),
        least: f64,
        entry: &Entry,
        recorded_at: Timestamp,
    ) -> Option<Finding> {
        let (who, principal) = place(entry);
        let place = match used.novelty {
            Novelty::Caller => {
                let kind = entry.resource.kind.as_deref();
                let kind = kind.and_then(ResourceKind::named);
                (
                    used.resource.clone(),
                    kind.map_or(RESOURCE, ResourceKind::as_str),
                )
            }
            Novelty::Call => principal,
        };
        if !self.reports_resources || used.score < self.least(least, &place.0) {
            return None;
        }

        let reason = used.words();
        self.attempts.call(&place.0, entry, true);
        if used.novelty == Novelty::Caller {
            self.attempts.mark_resource(&place.0);
        }
        let technique = technique.ok_or_else(|| NoTechnique::Unlisted(event.operation.clone()));
        self.attempts.show(&place.0, technique);
        let finding = SecurityFinding {
            severity: severity(used.score, true),
            title: title(entry, &who, true, &reason),
            activity: self.attempts.of(&place.0).cloned(),
            place,
            score: used.score,
            usual: least,
            indication: reason.clone().into(),
            evidence: vec![reason],
        };
        Some(finding.finding(entry, recorded_at))
    }

    fn least(&self, least: f64, place: &str) -> f64 {
        least
            * self
                .thresholds
                .sensitivity(AnomalyClass::Security, None, place)
    }

    /// Finding about sign-ins from one address, with all of them so far.
    fn sign_in_finding(
        &mut self,
        address: &str,
        judged: &BehaviorJudgement,
        least: f64,
        entry: &Entry,
        recorded_at: Timestamp,
    ) -> Option<Finding> {
        if judged.score < self.least(least, address) && !self.attempts.is_told(address) {
            return None;
        }

        self.attempts.tell(address);
        let activity = self.attempts.of(address).cloned().unwrap_or_default();

        // Counts of a moment would stand beside those of the whole attack.
        let counted = |reason: BehaviorReason| {
            matches!(
                reason,
                BehaviorReason::Guessing | BehaviorReason::Sequence | BehaviorReason::Volume
            )
        };
        let reasons = judged
            .evidence
            .iter()
            .filter(|one| one.weight > 0.0 && !counted(one.reason));
        let finding = SecurityFinding {
            severity: severity(judged.score, activity.succeeded > 0),
            title: activity.sign_in_title(address),
            place: (address.to_owned(), ADDRESS),
            score: judged.score,
            usual: least,
            indication: activity.name().into(),
            evidence: reasons
                .map(|one| one.words.to_string())
                .filter(|words| !words.is_empty())
                .take(5)
                .collect(),
            activity: Some(activity),
        };

        Some(finding.finding(entry, recorded_at))
    }
}

/// Title of an unusual call: `ann called StopLogging on main: ...`, or `ann tried CreateAccessKey
/// from 203.0.113.33: refused`.
fn title(entry: &Entry, who: &str, succeeded: bool, why: &str) -> String {
    let operation = operation(entry);
    if !succeeded {
        let from = entry
            .actor
            .ip_address
            .map(|address| format!(" from {address}"))
            .unwrap_or_default();
        return format!("{who} tried {operation}{from}: refused");
    }

    let why = if why.is_empty() {
        "unusual for them"
    } else {
        why
    };

    let on = entry
        .resource
        .id
        .as_ref()
        .map(|id| format!(" on {id}"))
        .unwrap_or_default();

    format!("{who} called {operation}{on}: {why}")
}

/// Severity of a score. What was refused changed nothing and is one step less severe, except with a
/// machine's own credentials: that they are in other hands is the damage, whatever was refused.
fn severity(score: f64, took_effect: bool) -> Priority {
    match (score >= 0.9, took_effect) {
        (true, true) => Priority::High,
        (true, false) | (false, true) => Priority::Medium,
        (false, false) => Priority::Low,
    }
}

/// Kind of a place that is an address.
const ADDRESS: &str = "address";
/// Kind of a place that is a resource of a kind without a name.
const RESOURCE: &str = "resource";
/// Kind of a place that is a user, a role or a key.
const PRINCIPAL: &str = "principal";

/// Returns `true` for Reeve's own account of what its agents do. The tag alone does not show that:
/// whoever may append entries could put it on their own, to stay unwatched.
fn is_own_account(entry: &Entry) -> bool {
    entry.may_be_by_reeve() && entry.metadata.tags.iter().any(|tag| tag == "intelligence")
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
    pub(super) activity: Option<SecurityActivity>,
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
            activity: self.activity,
            started_at: recorded_at,
            last_at: recorded_at,
        }
    }
}

/// Returns the principal's name, and the subject of the anomaly: the machine if its own credentials
/// were used, else the principal.
pub(super) fn place(entry: &Entry) -> (String, (String, &'static str)) {
    let who = who(entry);
    let place = match machine(entry) {
        Some(machine) => (machine, ResourceKind::VirtualMachine.as_str()),
        None => (who.clone(), PRINCIPAL),
    };
    (who, place)
}
