//! Prior risk of an operation, before anything is known of the principal: the severity of this verb and class if the
//! action were not intended, in log-odds. The table is written by reasoning about what intruders need (the tactics of
//! MITRE ATT&CK for clouds: credential access, persistence, evasion, exfiltration, impact), not fitted to labelled
//! events.

use super::event::{ActivityEvent, Outcome, PrincipalKind, Trait};
use super::evidence::{EvidenceList, Reason};
use super::words::{Class, Verb, Words};

mod parameters;

/// Verb and class of an event's operation, and whether it affects many objects at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meaning {
    /// Verb of the operation.
    pub verb: Verb,
    /// To what.
    pub class: Class,
    /// `true` if one call affects many objects.
    pub bulk: bool,
    /// `true` if it restricts monitoring: filters, selectors, exceptions.
    pub narrows: bool,
    /// `true` if it only lists names, without content.
    pub lists: bool,
    /// `true` if it concerns outbound traffic, where an open range is no exposure.
    pub outbound: bool,
    /// `true` if it copies data out of the account.
    pub exports: bool,
}

impl Meaning {
    /// Of an operation of a service.
    pub fn from_operation(service: &str, operation: &str) -> Self {
        let words = Words::from_operation(service, operation);
        let verb = Verb::classify(&words);
        Self {
            verb,
            class: Class::classify(&words, verb),
            bulk: words.operation_has(&["batch", "bulk", "all"]),
            narrows: words.operation_has(&[
                "selector",
                "filter",
                "suppression",
                "exclusion",
                "exception",
                "ipset",
                "session",
            ]) || words.operation_has(&["set"]) && words.operation_has(&["ip", "threat", "trusted"])
                || words.operation_has(&["ip"]) && words.has("guardduty"),
            lists: words.last_part().first().is_some_and(|word| matches!(word.as_str(), "list" | "describe"))
                && !words.operation_has(&["key"]),
            outbound: words.operation_has(&["egress", "outbound"]),
            exports: words.operation_has(&["export"]) && !verb.only_looks(),
        }
    }

    /// The meaning where the name of the operation does not tell the verb, from what the parameters change.
    fn with_traits(self, event: &ActivityEvent) -> Self {
        let has = |one| event.traits.has(one);
        let verb = match self.verb {
            Verb::Other if has(Trait::OpensToAll) || has(Trait::Shares) || has(Trait::NamesForeignAccount) => {
                Verb::Grant
            }
            Verb::Other if has(Trait::SwitchesOff) => Verb::Stop,
            Verb::Other if has(Trait::NoWayBack) => Verb::Remove,
            known => known,
        };
        Self { verb, ..self }
    }

    /// Log-odds of the verb alone.
    fn of_verb(self) -> f64 {
        match self.verb {
            Verb::Read => -4.0,
            Verb::SignOut => -4.5,
            Verb::Tag => -3.6,
            Verb::Start => -2.8,
            Verb::Assume | Verb::SignIn | Verb::Other => -2.6,
            Verb::Create | Verb::Change | Verb::Run => -2.2,
            Verb::Grant | Verb::Stop => -2.0,
            Verb::Remove => -1.8,
        }
    }

    /// Returns the log-odds that the class adds to the verb, and the reason in words.
    fn of_class(self) -> (f64, &'static str) {
        use Verb::{Assume, Change, Create, Grant, Read, Remove, Run, Start, Stop};
        match (self.class, self.verb) {
            (Class::Watching, Remove | Stop) => (3.2, "removes logging or monitoring"),
            (Class::Watching, Change | Create | Grant) if self.narrows => (2.2, "reduces logging or monitoring"),
            (Class::Watching, Change) => (0.6, "changes logging or monitoring"),
            (Class::Organization, Stop | Remove) => (4.6, "removes an account from its organization"),
            (Class::Organization, Create | Change | Grant) => (1.2, "changes the organization"),
            (Class::Organization, Read) => (1.2, "lists the organization's accounts"),
            (Class::Secret, Read) if self.lists => (0.8, "lists secrets"),
            (Class::Secret, Read) if self.bulk => (3.9, "reads secrets in bulk"),
            (Class::Secret, Read) => (2.0, "reads a secret"),
            (Class::Secret, Remove | Stop) => (1.8, "deletes a secret"),
            (Class::Credential, Create | Change | Grant) => (2.5, "creates or changes credentials"),
            (Class::Credential, Stop) => (2.6, "deactivates credentials"),
            (Class::Credential, Remove) => (1.2, "deletes credentials"),
            (Class::Credential, Read) => (0.6, "lists credentials"),
            (Class::Trust, Create | Change | Grant) => (2.6, "changes a trusted identity provider"),
            (Class::Trust, Remove | Stop) => (1.6, "removes a trusted identity provider"),
            (Class::Trust, Assume) => (2.0, "issues credentials for another identity"),
            (Class::Rights, Grant | Change) => (1.6, "changes permissions"),
            (Class::Rights, Create | Remove | Stop) => (1.0, "changes permissions"),
            (Class::Member, Create | Grant) => (1.7, "adds an identity"),
            (Class::Member, Remove | Stop | Change) => (1.0, "changes an identity"),
            (Class::Safeguard, Remove | Stop) => (2.3, "removes a protection"),
            (Class::Safeguard, Change) => (0.3, "changes a protection"),
            (Class::Gate, Grant) => (1.4, "opens network access"),
            (Class::Gate, Change | Create | Remove) => (0.7, "changes network access"),
            (Class::Code, Run) => (2.6, "runs commands on a machine"),
            (Class::Code | Class::Gate, Start) => (1.4, "opens access to a machine"),
            (Class::Code, Change | Grant) => (1.4, "changes the code that runs"),
            (Class::Copy, Change | Grant) => (1.2, "shares a copy of data"),
            (Class::Copy, Remove) => (1.4, "deletes a backup or snapshot"),
            (Class::Store, Remove) => (1.0, "deletes data"),
            (Class::Store, Stop) => (0.9, "stops a data service"),
            (Class::Machine, Remove) => (0.8, "removes machines"),
            (Class::Model, Create | Change | Grant) => (2.2, "enables a pay-per-use AI model"),
            (Class::Model, Run) => (0.6, "calls a pay-per-use AI model"),
            (Class::Standing, Read) => (0.9, "lists an identity's permissions"),
            _ => (0.0, ""),
        }
    }
}

/// Adds evidence from the meaning of an event, regardless of the principal: verb, class, parameters, kind of principal, outcome.
pub(crate) fn add_evidence(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let meaning = meaning.with_traits(event);
    evidence.add(Reason::Meaning, meaning.of_verb(), "");
    let (weight, words) = meaning.of_class();
    evidence.add(Reason::Meaning, weight, words);
    if meaning.exports {
        evidence.add(Reason::Meaning, 1.2, "exports a copy of data");
    }
    parameters::add_evidence(event, meaning, evidence);
    kind(event, meaning, evidence);
    outcome(event, meaning, evidence);
}

fn kind(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let reads = meaning.verb.only_looks();
    let has = |one| event.traits.has(one);
    match event.kind {
        PrincipalKind::Root if reads => evidence.add(Reason::Identity, 0.8, "done as the account's root user"),
        PrincipalKind::Root if event.outcome != Outcome::Done => {
            evidence.add(Reason::Identity, 1.2, "tried as the account's root user");
        }
        PrincipalKind::Root => evidence.add(Reason::Identity, 2.6, "done as the account's root user"),
        PrincipalKind::Anonymous => evidence.add(Reason::Identity, 1.0, "done by an unknown caller"),
        PrincipalKind::Service => evidence.add(Reason::Identity, -2.5, ""),
        _ => {}
    }
    if has(Trait::PassedOn) && event.kind != PrincipalKind::Service {
        evidence.add(Reason::Identity, -1.8, "");
    }
    if has(Trait::LongLivedKey) {
        evidence.add(Reason::Identity, if reads { 0.3 } else { 0.9 }, "done with a long-lived access key");
    }
}

/// Weighs the outcome. A failed action changed nothing, but a refused read is a sign of reconnaissance.
fn outcome(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let signs_in = meaning.verb == Verb::SignIn;
    // To try it says it all: nobody stops the log by mistake, and whoever was refused tries another way.
    let blinds = matches!(meaning.class, Class::Watching | Class::Organization)
        && matches!(meaning.verb, Verb::Remove | Verb::Stop);
    match event.outcome {
        Outcome::Done => {}
        Outcome::Denied | Outcome::Failed if signs_in => evidence.add(Reason::Outcome, 0.3, "the sign-in failed"),
        Outcome::Denied if meaning.verb.only_looks() => evidence.add(Reason::Outcome, 0.7, "the request was denied"),
        Outcome::Denied if blinds => evidence.add(Reason::Outcome, -0.2, ""),
        Outcome::Failed if blinds => evidence.add(Reason::Outcome, -1.0, ""),
        Outcome::Denied => evidence.add(Reason::Outcome, -1.6, ""),
        Outcome::Failed => evidence.add(Reason::Outcome, -2.4, ""),
        Outcome::Rehearsed => evidence.add(Reason::Outcome, -1.2, ""),
    }
}
