//! Evidence from the parameters of an action.

use super::super::deed::{Deed, Trait};
use super::super::evidence::{Reason, Scale};
use super::super::words::{Class, Verb};
use super::Meaning;

/// Weighs the traits of a deed.
pub(super) fn weigh(deed: &Deed, meaning: Meaning, scale: &mut Scale) {
    let changes = !matches!(meaning.verb, Verb::Read | Verb::SignOut | Verb::SignIn | Verb::Tag);
    if changes {
        // What takes something away takes away the opening, too.
        if !matches!(meaning.verb, Verb::Remove | Verb::Stop) {
            opening(deed, meaning, scale);
        }
        damage(deed, meaning, scale);
    }
    identity(deed, meaning, scale);
    let has = |one| deed.traits.has(one);
    if meaning.verb == Verb::Read && has(Trait::LooksAbroad) {
        scale.add(Reason::Parameters, 2.2, "looks for what others share or have made public");
    }
    if meaning.verb == Verb::Read && has(Trait::BringsCode) {
        scale.add(Reason::Parameters, 1.4, "reads what a machine starts with, in which secrets are often left");
    }
    if has(Trait::Many) && (changes || meaning.class == Class::Secret) {
        scale.add(Reason::Parameters, 0.7, "on many targets at once");
    }
}

fn opening(deed: &Deed, meaning: Meaning, scale: &mut Scale) {
    let has = |one| deed.traits.has(one);
    let outward = matches!(
        meaning.class,
        Class::Copy | Class::Rights | Class::Trust | Class::Code | Class::Store | Class::Secret | Class::Gate
    );
    if has(Trait::OpensToAll) && !meaning.outbound {
        scale.add(Reason::Parameters, 2.4, "opens it to everybody");
    }
    if has(Trait::GivesAdmin) {
        scale.add(Reason::Parameters, 2.4, "gives the rights of an administrator");
    } else if has(Trait::GivesReading) && meaning.class == Class::Rights && !has(Trait::OpensToAll) {
        scale.add(Reason::Parameters, -0.8, "");
    }
    if has(Trait::NamesForeignAccount) && outward {
        scale.add(Reason::Parameters, 1.4, "lets another account in");
    }
    if has(Trait::Shares) {
        scale.add(Reason::Parameters, 1.2, "shares data with somebody");
    }
    if has(Trait::RemotePort) && meaning.class == Class::Gate {
        scale.add(Reason::Parameters, 0.8, "at a port of remote administration");
    }
    if has(Trait::BringsCode) && matches!(meaning.class, Class::Machine | Class::Code | Class::Other) {
        // A machine is usually made with code of its own; to change that of one that runs is another thing.
        let weight = if meaning.verb == Verb::Create || meaning.verb == Verb::Run { 0.4 } else { 2.2 };
        scale.add(Reason::Parameters, weight, "brings code that will run");
    }
}

fn damage(deed: &Deed, meaning: Meaning, scale: &mut Scale) {
    let has = |one| deed.traits.has(one);
    // A machine, a function or a key that is switched off is no safeguard.
    let guards = !matches!(meaning.class, Class::Machine | Class::Code | Class::Credential | Class::Member);
    if has(Trait::SwitchesOff) && guards {
        scale.add(Reason::Parameters, 2.2, "switches a safeguard off or narrows it");
    } else if has(Trait::SwitchesOn) {
        scale.add(Reason::Parameters, -0.8, "");
    }
    if has(Trait::Costly) && matches!(meaning.verb, Verb::Create | Verb::Run | Verb::Change) {
        scale.add(Reason::Parameters, 1.6, "asks for costly or very many machines");
    }
    if has(Trait::ForeignKey) {
        scale.add(Reason::Parameters, 2.6, "encrypts with a key that is not the account's own");
    }
    if has(Trait::Extortion) {
        scale.add(Reason::Parameters, 3.2, "carries the wording of extortion");
    }
    if has(Trait::NoWayBack) {
        scale.add(Reason::Parameters, 1.2, "leaves no way to restore");
    }
}

fn identity(deed: &Deed, meaning: Meaning, scale: &mut Scale) {
    let has = |one| deed.traits.has(one);
    let about_identity = matches!(meaning.class, Class::Credential | Class::Rights | Class::Member);
    if meaning.verb == Verb::SignIn {
        if has(Trait::SecondFactor) {
            scale.add(Reason::Identity, -1.2, "");
        } else if has(Trait::NoSecondFactor) {
            scale.add(Reason::Identity, 2.6, "signed in without a second factor");
        }
    } else if about_identity && has(Trait::OnOwnIdentity) {
        scale.add(Reason::Parameters, -0.8, "");
    } else if meaning.class == Class::Credential && has(Trait::OnOtherIdentity) && !meaning.verb.only_looks() {
        scale.add(Reason::Parameters, 0.6, "on somebody else's identity");
    }
    if has(Trait::ForCloudService) {
        scale.add(Reason::Parameters, -2.2, "");
    }
}
