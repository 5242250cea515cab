//! Evidence from the parameters of an action.

use super::super::event::{ActivityEvent, Trait};
use super::super::evidence::{EvidenceList, Reason};
use super::super::words::{Class, Verb};
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
            Reason::Parameters,
            2.2,
            "searches for shared or public resources",
        );
    }

    if meaning.verb == Verb::Read && has(Trait::BringsCode) {
        evidence.add(
            Reason::Parameters,
            1.4,
            "reads a machine's user data, which often contains secrets",
        );
    }

    if has(Trait::Many) && (changes || meaning.class == Class::Secret) {
        evidence.add(Reason::Parameters, 0.7, "on many resources at once");
    }
}

fn opening(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let has = |one| event.traits.has(one);
    let outward = super::severity::admits(meaning.class);
    if has(Trait::OpensToAll) && !meaning.outbound {
        evidence.add(Reason::Parameters, 2.4, "opens it to the internet");
    }
    if has(Trait::GivesAdmin) {
        evidence.add(Reason::Parameters, 2.4, "grants administrator rights");
    } else if has(Trait::GivesReading) && meaning.class == Class::Rights && !has(Trait::OpensToAll)
    {
        evidence.add(Reason::Parameters, -0.8, "");
    }

    if has(Trait::NamesForeignAccount) && outward {
        evidence.add(Reason::Parameters, 1.4, "grants access to another account");
    }

    if has(Trait::Shares) {
        evidence.add(
            Reason::Parameters,
            1.2,
            "shares data with an outside account",
        );
    }

    if has(Trait::RemotePort) && meaning.class == Class::Gate {
        evidence.add(Reason::Parameters, 0.8, "on a remote administration port");
    }
    if has(Trait::BringsCode)
        && matches!(meaning.class, Class::Machine | Class::Code | Class::Other)
    {
        // A machine is usually made with code of its own; to change that of one that runs is
        // another thing.
        let weight = if meaning.verb == Verb::Create || meaning.verb == Verb::Run {
            0.4
        } else {
            2.2
        };
        evidence.add(Reason::Parameters, weight, "supplies code to run");
    }
}

fn damage(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let has = |one| event.traits.has(one);
    // A machine, a function or a key that is switched off is no safeguard.
    let guards = !matches!(
        meaning.class,
        Class::Machine | Class::Code | Class::Credential | Class::Member
    );

    if has(Trait::SwitchesOff) && guards {
        evidence.add(Reason::Parameters, 2.2, "disables or weakens a protection");
    } else if has(Trait::SwitchesOn) {
        evidence.add(Reason::Parameters, -0.8, "");
    }

    if has(Trait::Costly) && matches!(meaning.verb, Verb::Create | Verb::Run | Verb::Change) {
        evidence.add(
            Reason::Parameters,
            1.6,
            "requests expensive or very many machines",
        );
    }

    if has(Trait::ForeignKey) {
        evidence.add(
            Reason::Parameters,
            2.6,
            "encrypts with a key of another account",
        );
    }

    if has(Trait::Extortion) {
        evidence.add(Reason::Parameters, 3.2, "contains a ransom demand");
    }
    if has(Trait::NoWayBack) {
        evidence.add(Reason::Parameters, 1.2, "leaves no backup to restore");
    }
}

fn identity(event: &ActivityEvent, meaning: Meaning, evidence: &mut EvidenceList) {
    let has = |one| event.traits.has(one);
    let about_identity = matches!(
        meaning.class,
        Class::Credential | Class::Rights | Class::Member
    );

    if meaning.verb == Verb::SignIn {
        if has(Trait::SecondFactor) {
            evidence.add(Reason::Identity, -1.2, "");
        } else if has(Trait::NoSecondFactor) {
            evidence.add(Reason::Identity, 2.6, "signed in without MFA");
        }
    } else if about_identity && has(Trait::OnOwnIdentity) {
        evidence.add(Reason::Parameters, -0.8, "");
    } else if meaning.class == Class::Credential
        && has(Trait::OnOtherIdentity)
        && !meaning.verb.only_looks()
    {
        evidence.add(Reason::Parameters, 0.6, "on another user's identity");
    }

    if has(Trait::ForCloudService) {
        evidence.add(Reason::Parameters, -2.2, "");
    }
}
