//! Evidence from the parameters of an action.

use super::super::event::{ActivityEvent, Trait};
use super::super::evidence::{BehaviorReason, EvidenceList};
use super::super::words::{Verb, WordClass};
use super::Meaning;

/// Adds evidence from the traits of an event.
pub(super) fn add_evidence(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let changes = !matches!(
        meaning.verb,
        Verb::Read | Verb::SignOut | Verb::SignIn | Verb::Tag
    );
    if changes {
        // What takes something away takes away the opening, too.
        if !matches!(meaning.verb, Verb::Remove | Verb::Stop) {
            opening(event, meaning, evidence);
        }
        damage(event, meaning, evidence);
    }

    identity(event, meaning, evidence);
    let has = |one| event.traits.has(one);

    if meaning.verb == Verb::Read && has(Trait::LooksAbroad) {
        evidence.add(
            BehaviorReason::Parameters,
            2.2,
            "searches for shared or public resources",
        );
    }

    if meaning.verb == Verb::Read && has(Trait::BringsCode) {
        evidence.add(
            BehaviorReason::Parameters,
            1.4,
            "reads a machine's user data, which often contains secrets",
        );
    }

    if has(Trait::Many) && (changes || meaning.class == WordClass::Secret) {
        evidence.add(BehaviorReason::Parameters, 0.7, "on many resources at once");
    }
}

fn opening(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let has = |one| event.traits.has(one);
    let outward = super::severity::admits(meaning.class);
    if has(Trait::OpensToAll) && !meaning.outbound {
        evidence.add(BehaviorReason::Parameters, 2.4, "opens it to the internet");
    }
    if has(Trait::GivesAdmin) {
        evidence.add(
            BehaviorReason::Parameters,
            2.4,
            "grants administrator rights",
        );
    } else if has(Trait::GivesReading)
        && meaning.class == WordClass::Rights
        && !has(Trait::OpensToAll)
    {
        evidence.add(BehaviorReason::Parameters, -0.8, "");
    }

    if has(Trait::NamesForeignAccount) && outward {
        evidence.add(
            BehaviorReason::Parameters,
            1.4,
            "grants access to another account",
        );
    }

    if has(Trait::Shares) {
        evidence.add(
            BehaviorReason::Parameters,
            1.2,
            "shares data with an outside account",
        );
    }

    if has(Trait::RemotePort) && meaning.class == WordClass::Gate {
        evidence.add(
            BehaviorReason::Parameters,
            0.8,
            "on a remote administration port",
        );
    }
    if has(Trait::BringsCode)
        && matches!(
            meaning.class,
            WordClass::Machine | WordClass::Code | WordClass::Other
        )
    {
        // A machine is usually made with code of its own; to change that of one that runs is
        // another thing.
        let weight = if meaning.verb == Verb::Create || meaning.verb == Verb::Run {
            0.4
        } else {
            2.2
        };
        evidence.add(BehaviorReason::Parameters, weight, "supplies code to run");
    }
}

fn damage(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let has = |one| event.traits.has(one);
    // A machine, a function or a key that is switched off is no safeguard.
    let guards = !matches!(
        meaning.class,
        WordClass::Machine | WordClass::Code | WordClass::Credential | WordClass::Member
    );

    if has(Trait::SwitchesOff) && guards {
        evidence.add(
            BehaviorReason::Parameters,
            2.2,
            "disables or weakens a protection",
        );
    } else if has(Trait::SwitchesOn) {
        evidence.add(BehaviorReason::Parameters, -0.8, "");
    }

    if has(Trait::Costly) && matches!(meaning.verb, Verb::Create | Verb::Run | Verb::Change) {
        evidence.add(
            BehaviorReason::Parameters,
            1.6,
            "requests expensive or very many machines",
        );
    }

    if has(Trait::ForeignKey) {
        evidence.add(
            BehaviorReason::Parameters,
            2.6,
            "encrypts with a key of another account",
        );
    }

    if has(Trait::Extortion) {
        evidence.add(BehaviorReason::Parameters, 3.2, "contains a ransom demand");
    }
    if has(Trait::NoWayBack) {
        evidence.add(
            BehaviorReason::Parameters,
            1.2,
            "leaves no backup to restore",
        );
    }
}

fn identity(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let has = |one| event.traits.has(one);
    let about_identity = matches!(
        meaning.class,
        WordClass::Credential | WordClass::Rights | WordClass::Member
    );

    if meaning.verb == Verb::SignIn {
        if has(Trait::SecondFactor) {
            evidence.add(BehaviorReason::Identity, -1.2, "");
        } else if has(Trait::NoSecondFactor) {
            evidence.add(BehaviorReason::Identity, 2.6, "signed in without MFA");
        }
    } else if about_identity && has(Trait::OnOwnIdentity) {
        evidence.add(BehaviorReason::Parameters, -0.8, "");
    } else if meaning.class == WordClass::Credential
        && has(Trait::OnOtherIdentity)
        && !meaning.verb.only_looks()
    {
        evidence.add(
            BehaviorReason::Parameters,
            0.6,
            "on another user's identity",
        );
    }

    if has(Trait::ForCloudService) {
        evidence.add(BehaviorReason::Parameters, -2.2, "");
    }
}
