//! Severity of an operation as tables: log-odds by verb, by verb and class, and the least log-odds
//! of an effect.
//!
//! The weights are written by reasoning about what intruders need (the tactics of MITRE ATT&CK for
//! clouds: credential access, persistence, evasion, exfiltration, impact), not fitted to labelled
//! events. `docs/learning/severity.md` shows the scores that follow for an estate of which nothing
//! is known; a test keeps that page equal to the code.

use super::super::event::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind, Trait};
use super::super::words::{Verb, WordClass};
use super::Meaning;

/// Log-odds of a verb, whatever its object.
pub(super) const VERBS: [(Verb, f64); 13] = [
    (Verb::SignOut, -4.5),
    (Verb::Read, -4.0),
    (Verb::Tag, -3.6),
    (Verb::Start, -2.8),
    (Verb::Assume, -2.6),
    (Verb::SignIn, -2.6),
    (Verb::Other, -2.6),
    (Verb::Create, -2.2),
    (Verb::Change, -2.2),
    (Verb::Run, -2.2),
    (Verb::Grant, -2.0),
    (Verb::Stop, -2.0),
    (Verb::Remove, -1.8),
];

/// Condition on the operation's name under which a row of [`OBJECTS`] holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum When {
    Always,
    /// It restricts monitoring: filters, selectors, exceptions.
    Narrows,
    /// It lists names without content.
    Lists,
    /// One call affects many objects.
    Bulk,
}

/// Row of [`OBJECTS`]: log-odds that some verbs add when their object is of a class.
pub(super) struct ObjectSeverity {
    pub(super) class: WordClass,
    pub(super) verbs: &'static [Verb],
    pub(super) when: When,
    /// Log-odds added to those of the verb.
    pub(super) weight: f64,
    pub(super) words: &'static str,
}

const fn row(
    class: WordClass,
    verbs: &'static [Verb],
    when: When,
    weight: f64,
    words: &'static str,
) -> ObjectSeverity {
    ObjectSeverity {
        class,
        verbs,
        when,
        weight,
        words,
    }
}

const TAKES_OFF: &[Verb] = &[Verb::Remove, Verb::Stop];
const MAKES: &[Verb] = &[Verb::Create, Verb::Change, Verb::Grant];
const READS: &[Verb] = &[Verb::Read];
const REMOVES: &[Verb] = &[Verb::Remove];
const CHANGES: &[Verb] = &[Verb::Change];
const GIVES: &[Verb] = &[Verb::Change, Verb::Grant];

/// Log-odds that an object adds to its verb; the first row that fits holds, and without one nothing
/// is added.
pub(super) const OBJECTS: [ObjectSeverity; 37] = [
    row(
        WordClass::Watching,
        TAKES_OFF,
        When::Always,
        3.2,
        "removes logging or monitoring",
    ),
    row(
        WordClass::Watching,
        MAKES,
        When::Narrows,
        2.2,
        "reduces logging or monitoring",
    ),
    row(
        WordClass::Watching,
        CHANGES,
        When::Always,
        0.6,
        "changes logging or monitoring",
    ),
    row(
        WordClass::Organization,
        TAKES_OFF,
        When::Always,
        4.6,
        "removes an account from its organization",
    ),
    row(
        WordClass::Organization,
        MAKES,
        When::Always,
        1.2,
        "changes the organization",
    ),
    row(
        WordClass::Organization,
        READS,
        When::Always,
        1.2,
        "lists the organization's accounts",
    ),
    row(WordClass::Secret, READS, When::Lists, 0.8, "lists secrets"),
    row(
        WordClass::Secret,
        READS,
        When::Bulk,
        3.9,
        "reads secrets in bulk",
    ),
    row(
        WordClass::Secret,
        READS,
        When::Always,
        2.0,
        "reads a secret",
    ),
    row(
        WordClass::Secret,
        TAKES_OFF,
        When::Always,
        1.8,
        "deletes a secret",
    ),
    row(
        WordClass::Credential,
        MAKES,
        When::Always,
        2.5,
        "creates or changes credentials",
    ),
    row(
        WordClass::Credential,
        &[Verb::Stop],
        When::Always,
        2.6,
        "deactivates credentials",
    ),
    row(
        WordClass::Credential,
        REMOVES,
        When::Always,
        1.2,
        "deletes credentials",
    ),
    row(
        WordClass::Credential,
        READS,
        When::Always,
        0.6,
        "lists credentials",
    ),
    row(
        WordClass::Trust,
        MAKES,
        When::Always,
        2.6,
        "changes a trusted identity provider",
    ),
    row(
        WordClass::Trust,
        TAKES_OFF,
        When::Always,
        1.6,
        "removes a trusted identity provider",
    ),
    row(
        WordClass::Trust,
        &[Verb::Assume],
        When::Always,
        2.0,
        "issues credentials for another identity",
    ),
    row(
        WordClass::Rights,
        GIVES,
        When::Always,
        1.6,
        "changes permissions",
    ),
    row(
        WordClass::Rights,
        &[Verb::Create, Verb::Remove, Verb::Stop],
        When::Always,
        1.0,
        "changes permissions",
    ),
    row(
        WordClass::Member,
        &[Verb::Create, Verb::Grant],
        When::Always,
        1.7,
        "adds an identity",
    ),
    row(
        WordClass::Member,
        &[Verb::Remove, Verb::Stop, Verb::Change],
        When::Always,
        1.0,
        "changes an identity",
    ),
    row(
        WordClass::Safeguard,
        TAKES_OFF,
        When::Always,
        2.3,
        "removes a protection",
    ),
    row(
        WordClass::Safeguard,
        CHANGES,
        When::Always,
        0.3,
        "changes a protection",
    ),
    row(
        WordClass::Gate,
        &[Verb::Grant],
        When::Always,
        1.4,
        "opens network access",
    ),
    row(
        WordClass::Gate,
        &[Verb::Change, Verb::Create, Verb::Remove],
        When::Always,
        0.7,
        "changes network access",
    ),
    row(
        WordClass::Code,
        &[Verb::Run],
        When::Always,
        2.6,
        "runs commands on a machine",
    ),
    row(
        WordClass::Code,
        &[Verb::Start],
        When::Always,
        1.4,
        "opens access to a machine",
    ),
    row(
        WordClass::Gate,
        &[Verb::Start],
        When::Always,
        1.4,
        "opens access to a machine",
    ),
    row(
        WordClass::Code,
        GIVES,
        When::Always,
        1.4,
        "changes the code that runs",
    ),
    row(
        WordClass::Copy,
        GIVES,
        When::Always,
        1.2,
        "shares a copy of data",
    ),
    row(
        WordClass::Copy,
        REMOVES,
        When::Always,
        1.4,
        "deletes a backup or snapshot",
    ),
    row(WordClass::Store, REMOVES, When::Always, 1.0, "deletes data"),
    row(
        WordClass::Store,
        &[Verb::Stop],
        When::Always,
        0.9,
        "stops a data service",
    ),
    row(
        WordClass::Machine,
        REMOVES,
        When::Always,
        0.8,
        "removes machines",
    ),
    row(
        WordClass::Model,
        MAKES,
        When::Always,
        2.2,
        "enables a pay-per-use AI model",
    ),
    row(
        WordClass::Model,
        &[Verb::Run],
        When::Always,
        0.6,
        "calls a pay-per-use AI model",
    ),
    row(
        WordClass::Standing,
        READS,
        When::Always,
        0.9,
        "lists an identity's permissions",
    ),
];

/// Effect that several operations have. Whichever is called, the log-odds of its meaning and
/// parameters are at least these: a queue that anybody may read is as public as a bucket, and a
/// trail that is switched off by an update records as little as one that is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeverityEffect {
    /// Logging or monitoring no longer sees what it saw.
    Blinds,
    /// Anybody on the internet may use or read it.
    OpensToAll,
    /// An identity may administer the account.
    GivesAdmin,
    /// Another account may use or read it.
    OpensToAccount,
    /// A protection of data is gone.
    RemovesProtection,
    /// The account's owner signed in, with whichever factor.
    RootSignsIn,
}

/// Least log-odds of each effect, and its words where the operation's own do not say it.
pub(super) const EFFECTS: [(SeverityEffect, f64, &str); 6] = [
    (SeverityEffect::OpensToAll, 1.8, "opens it to the internet"),
    (
        SeverityEffect::GivesAdmin,
        1.8,
        "grants administrator rights",
    ),
    (SeverityEffect::Blinds, 1.2, "removes logging or monitoring"),
    (
        SeverityEffect::OpensToAccount,
        0.8,
        "grants access to another account",
    ),
    (
        SeverityEffect::RemovesProtection,
        0.5,
        "removes a protection",
    ),
    (
        SeverityEffect::RootSignsIn,
        0.4,
        "the account's root user signed in",
    ),
];

impl SeverityEffect {
    /// Returns `true` if the event has the effect. A call that was refused or failed has none, but
    /// that a refused attempt to blind the log says as much whichever call was tried.
    pub(super) fn of(self, event: &ActivityEvent, meaning: Meaning) -> bool {
        let tried = self == Self::Blinds
            && event.outcome == BehaviorOutcome::Denied
            && blinds(event, meaning);
        if event.outcome != BehaviorOutcome::Done && !tried
            || meaning.verb.only_looks()
            || event.traits.has(Trait::ForCloudService)
        {
            return false;
        }

        let has = |one| event.traits.has(one);
        let (takes_off, gives) = (
            TAKES_OFF.contains(&meaning.verb),
            MAKES.contains(&meaning.verb),
        );

        match self {
            Self::Blinds => {
                meaning.class == WordClass::Watching
                    && (blinds(event, meaning) || has(Trait::SwitchesOff))
            }
            Self::OpensToAll => has(Trait::OpensToAll) && gives && !meaning.outbound,
            Self::GivesAdmin => {
                has(Trait::GivesAdmin)
                    && meaning.class == WordClass::Rights
                    && GIVES.contains(&meaning.verb)
            }
            Self::OpensToAccount => {
                has(Trait::NamesForeignAccount) && gives && admits(meaning.class)
            }
            Self::RemovesProtection => {
                meaning.class == WordClass::Safeguard && (takes_off || has(Trait::SwitchesOff))
            }
            Self::RootSignsIn => {
                event.kind == BehaviorPrincipalKind::Root && meaning.verb == Verb::SignIn
            }
        }
    }
}

/// Returns `true` for calls that blind the log by their name: monitoring that is removed or
/// stopped, and a trail that is changed otherwise than by switching something on.
pub(super) fn blinds(event: &ActivityEvent, meaning: Meaning) -> bool {
    let redirects =
        meaning.trail && meaning.verb == Verb::Change && !event.traits.has(Trait::SwitchesOn);
    meaning.class == WordClass::Watching && (TAKES_OFF.contains(&meaning.verb) || redirects)
}

/// Returns `true` for objects that somebody is let in to.
pub(super) fn admits(class: WordClass) -> bool {
    matches!(
        class,
        WordClass::Copy
            | WordClass::Rights
            | WordClass::Trust
            | WordClass::Code
            | WordClass::Store
            | WordClass::Secret
            | WordClass::Gate
    )
}

/// Returns `true` for what is done many times while an estate is set up, and seldom later: new
/// identities, their rights and keys, rules of networks, code. What opens data, blinds the log or
/// destroys something belongs to no such work.
pub(crate) fn sets_up(event: &ActivityEvent, meaning: Meaning) -> bool {
    const NEVER: [Trait; 9] = [
        Trait::Shares,
        Trait::NamesForeignAccount,
        Trait::SwitchesOff,
        Trait::RemotePort,
        Trait::ForeignKey,
        Trait::Extortion,
        Trait::NoWayBack,
        Trait::Costly,
        Trait::NoSecondFactor,
    ];

    let gate = meaning.class == WordClass::Gate;
    let class = matches!(
        meaning.class,
        WordClass::Credential
            | WordClass::Member
            | WordClass::Rights
            | WordClass::Trust
            | WordClass::Code
            | WordClass::Gate
            | WordClass::Store
    );

    let verb = matches!(meaning.verb, Verb::Create | Verb::Change | Verb::Grant);
    let public = event.traits.has(Trait::OpensToAll) && !gate;
    event.outcome == BehaviorOutcome::Done
        && class
        && verb
        && !public
        && !NEVER.iter().any(|one| event.traits.has(*one))
}
