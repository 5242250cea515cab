//! Activity behind a security anomaly: what was tried, from where, on which accounts, and how it
//! went. Title, cause and evidence of the anomaly are made of these figures, so that they cannot
//! disagree.

use std::collections::BTreeSet;
use std::net::IpAddr;

use reeve_audit::Entry;
use serde::{Deserialize, Serialize};

use super::attack::{AttackTechnique, NoTechnique, technique_by_id};
use super::attack_keys::AttackKeys;
use super::entry_names::{operation, who};

/// Accounts that are kept by name; beyond them their number is a lower bound.
pub const MOST_ACCOUNTS: usize = 200;
/// Operations, addresses and resources that are kept.
const MOST_KEPT: usize = 20;
/// Names that a sentence lists.
const MOST_NAMED: usize = 10;
/// Entries that are kept from the beginning, and as many from the end.
const MOST_ENTRIES: usize = 10;
/// Accounts from which attempts at passwords are a spray.
const SPRAY: usize = 3;

/// Activity behind a security anomaly.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SecurityActivity {
    /// `true` for sign-ins from one address.
    pub sign_ins: bool,
    /// `true` for the use of one resource by callers that never used it.
    pub of_resource: bool,
    /// Calls or sign-ins that succeeded.
    pub succeeded: u64,
    /// Calls or sign-ins that failed or were refused.
    pub refused: u64,
    /// Accounts that were used or tried, at most [`MOST_ACCOUNTS`].
    pub accounts: BTreeSet<String>,
    /// Accounts that a sign-in succeeded for.
    pub entered: BTreeSet<String>,
    /// Addresses of the callers.
    pub addresses: BTreeSet<IpAddr>,
    pub succeeded_operations: BTreeSet<String>,
    /// Operations that failed or were refused.
    pub refused_operations: BTreeSet<String>,
    /// Resources that the calls named.
    pub resources: BTreeSet<String>,
    /// Identifiers of the first and the newest entries, oldest first.
    pub entries: Vec<String>,
    /// Identifiers of the ATT&CK techniques that the calls show.
    pub techniques: BTreeSet<String>,
    /// Reason why no call shows a technique; `None` where one does.
    pub no_technique: Option<String>,
}

fn keep<T: Ord>(set: &mut BTreeSet<T>, value: T, most: usize) {
    if set.len() < most {
        set.insert(value);
    }
}

impl SecurityActivity {
    /// Returns the number of calls or sign-ins.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.succeeded + self.refused
    }

    /// Counts an entry by outcome, and keeps its operation, account and address.
    pub(super) fn add(&mut self, entry: &Entry, succeeded: bool) {
        let (count, operations) = if succeeded {
            (&mut self.succeeded, &mut self.succeeded_operations)
        } else {
            (&mut self.refused, &mut self.refused_operations)
        };
        *count += 1;

        keep(operations, operation(entry), MOST_KEPT);
        keep(&mut self.accounts, who(entry), MOST_ACCOUNTS);
        if self.sign_ins && succeeded {
            keep(&mut self.entered, who(entry), MOST_ACCOUNTS);
        }
        if let Some(address) = entry.actor.ip_address {
            keep(&mut self.addresses, address.to_canonical(), MOST_KEPT);
        }

        // The resource of a sign-in is the place signed in to, which says nothing about the attack.
        if let Some(resource) = entry.resource.id.clone().filter(|_| !self.sign_ins) {
            keep(&mut self.resources, resource, MOST_KEPT);
        }
        if self.entries.len() >= 2 * MOST_ENTRIES {
            self.entries.remove(MOST_ENTRIES);
        }

        self.entries.push(entry.event_id.as_str().to_owned());
    }

    /// Adds the technique that a call shows, or the reason why it shows none.
    pub(super) fn show(&mut self, technique: Result<&'static AttackTechnique, NoTechnique>) {
        match technique {
            Ok(technique) => {
                keep(&mut self.techniques, technique.id.to_owned(), MOST_KEPT);
                self.no_technique = None;
            }
            Err(why) if self.techniques.is_empty() => self.no_technique = Some(why.to_string()),
            Err(_) => {}
        }
    }

    /// Returns the techniques that the calls show.
    pub fn attack_techniques(&self) -> impl Iterator<Item = &'static AttackTechnique> + '_ {
        self.techniques.iter().filter_map(|id| technique_by_id(id))
    }

    /// Returns the techniques as sentences, or the reason why there is none.
    fn technique_words(&self) -> impl Iterator<Item = String> + '_ {
        let techniques = self.attack_techniques().map(AttackTechnique::words);
        techniques.chain(self.no_technique.clone())
    }

    /// Returns a name of the activity: `password spray` for sign-ins to several accounts.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (self.sign_ins, self.accounts.len() >= SPRAY) {
            (true, true) => "password spray",
            (true, false) => "failed sign-ins",
            (false, _) => "unusual activity",
        }
    }

    /// Title of sign-ins from an address, one line.
    pub(super) fn sign_in_title(&self, address: &str) -> String {
        let name = if self.accounts.len() >= SPRAY {
            "Password spray"
        } else {
            "Failed sign-ins"
        };
        format!("{name} from {address}: {}", self.counts())
    }

    /// `25 failed sign-ins on 6 accounts, none succeeded`.
    fn counts(&self) -> String {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let succeeded = match self.succeeded {
            0 => "none succeeded".to_owned(),
            count => format!("{count} succeeded"),
        };
        format!(
            "{} failed sign-in{} on {} account{}, {succeeded}",
            self.refused,
            plural(self.refused),
            self.account_count(),
            plural(self.accounts.len() as u64)
        )
    }

    /// Number of accounts: `6`, or `at least 200`.
    fn account_count(&self) -> String {
        let least = if self.accounts.len() >= MOST_ACCOUNTS {
            "at least "
        } else {
            ""
        };
        format!("{least}{}", self.accounts.len())
    }

    /// Returns the likely cause as a clause. `subject` is the address of sign-ins, or else whose
    /// credentials were used; `sign` is the strongest sign.
    pub(super) fn cause(&self, subject: &str, sign: &str) -> String {
        if self.sign_ins {
            let taken = if self.succeeded == 0 {
                ""
            } else {
                "; treat the accounts that signed in as taken over"
            };
            return format!(
                "someone tries passwords from {subject}: {}{taken}",
                self.counts()
            );
        }

        if self.of_resource {
            return format!("someone who never used {subject} before did: {sign}");
        }

        let refused = listed(self.refused_operations.iter().map(String::as_str));
        match (self.succeeded, self.refused) {
            (0, 1..) => format!(
                "someone may be trying the credentials of {subject}: {refused} was refused, and nothing unusual succeeded"
            ),
            (_, 0) => format!("someone may be using the credentials of {subject}: {sign}"),
            _ => {
                let done = listed(self.succeeded_operations.iter().map(String::as_str));
                format!(
                    "someone may be using the credentials of {subject}: {done} succeeded, {refused} was refused"
                )
            }
        }
    }

    /// Returns the activity in sentences. Accounts are named where `may_see` allows it, else
    /// counted.
    pub fn words(&self, may_see: impl Fn(&str) -> bool) -> Vec<String> {
        let mut words = Vec::new();
        if self.sign_ins {
            words.push(self.counts());
            words.extend(self.named("accounts tried", &self.accounts, &may_see));
            words.extend(self.named("signed in", &self.entered, &may_see));
            words.extend(self.technique_words());
            return words;
        }

        let mut say = |what: &str, values: &mut dyn Iterator<Item = String>| {
            let values: Vec<String> = values.collect();
            if !values.is_empty() {
                words.push(format!(
                    "{what} {}",
                    listed(values.iter().map(String::as_str))
                ));
            }
        };
        say("succeeded:", &mut self.succeeded_operations.iter().cloned());

        say("refused:", &mut self.refused_operations.iter().cloned());
        say("from", &mut self.addresses.iter().map(ToString::to_string));
        say("on", &mut self.resources.iter().cloned());
        words.extend(self.technique_words());

        words
    }

    fn named(
        &self,
        what: &str,
        accounts: &BTreeSet<String>,
        may_see: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let seen: Vec<&str> = accounts
            .iter()
            .map(String::as_str)
            .filter(|account| may_see(account))
            .collect();
        match (seen.len(), accounts.len() - seen.len()) {
            (0, _) => None,
            (_, 0) => Some(format!("{what}: {}", listed(seen.into_iter()))),
            (_, hidden) => Some(format!(
                "{what}: {}, and {hidden} that you may not see",
                listed(seen.into_iter())
            )),
        }
    }

    /// Returns the advice for people.
    pub(super) fn advice(&self, subject: &str) -> String {
        if self.of_resource {
            return format!(
                "Ask the owner of {subject} whether these callers are to use it. Unless they are, take the permission away and change what they read."
            );
        }

        match (self.sign_ins, self.succeeded) {
            (true, 0) => format!(
                "Block {subject} unless it is yours, and check that these accounts have a second factor and no weak password."
            ),
            (true, _) => format!(
                "End the sessions of the accounts that signed in, reset their credentials, and block {subject} unless it is yours."
            ),
            (false, 0) => format!(
                "Ask the owner of {subject} about these calls. Disable the credentials if the caller is unknown."
            ),
            (false, _) => format!(
                "Look at these entries. Unless they were planned, undo what succeeded and disable the credentials of {subject}."
            ),
        }
    }

    /// Returns what the activity has in common with other findings of one attack.
    #[must_use]
    pub fn keys(&self) -> AttackKeys {
        AttackKeys {
            principals: self.accounts.clone(),
            addresses: self.addresses.clone(),
            resources: self.resources.clone(),
        }
    }
}

/// `a, b and 3 more`.
fn listed<'t>(names: impl Iterator<Item = &'t str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown = names
        .iter()
        .take(MOST_NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");

    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use reeve_audit::{ActionMethod, ActionStatus, Actor, EventType, ResourceRef};

    use super::*;

    fn entry(operation: &str, who: &str, address: &str) -> Entry {
        Entry::new(EventType::from_static("api.call"))
            .by(Actor::user(who).with_ip_address(address.parse().unwrap()))
            .on(ResourceRef::new("account", "1"))
            .with_action(operation, ActionStatus::Success, ActionMethod::Api)
    }

    #[test]
    fn title_cause_and_evidence_of_a_spray_have_the_same_numbers() {
        let mut spray = SecurityActivity {
            sign_ins: true,
            ..SecurityActivity::default()
        };
        for n in 0..25 {
            spray.add(
                &entry("login", &format!("user-{}", n % 4), "203.0.113.130"),
                false,
            );
        }

        let counts = "25 failed sign-ins on 4 accounts, none succeeded";
        assert_eq!(
            spray.sign_in_title("203.0.113.130"),
            format!("Password spray from 203.0.113.130: {counts}")
        );
        assert!(spray.cause("203.0.113.130", "").contains(counts));
        assert_eq!(
            spray.words(|_| true),
            [counts, "accounts tried: user-0, user-1, user-2, user-3"]
        );
        assert_eq!(
            spray.words(|_| false),
            [counts],
            "whoever may not see the accounts is told their number"
        );
        assert_eq!(spray.entries.len(), 20);
        spray.add(&entry("login", "user-3", "203.0.113.130"), true);
        assert!(
            spray
                .words(|_| true)
                .contains(&"signed in: user-3".to_owned())
        );

        assert!(
            spray
                .advice("203.0.113.130")
                .starts_with("End the sessions")
        );
    }

    #[test]
    fn refused_calls_are_told_as_refused() {
        let mut calls = SecurityActivity::default();
        calls.add(&entry("CreateAccessKey", "AKIA1", "203.0.113.33"), false);
        let cause = calls.cause("AKIA1", "creates or changes credentials");
        assert!(
            cause.contains("CreateAccessKey was refused") && !cause.contains("creates"),
            "{cause}"
        );
        assert_eq!(
            calls.words(|_| true),
            ["refused: CreateAccessKey", "from 203.0.113.33", "on 1"]
        );
        calls.add(&entry("ListBuckets", "AKIA1", "203.0.113.33"), true);
        assert!(
            calls
                .cause("AKIA1", "")
                .ends_with("ListBuckets succeeded, CreateAccessKey was refused")
        );
    }

    #[test]
    fn activities_are_joined_by_address_account_or_network() {
        let of = |who: &str, address: &str, resource: &str| {
            let mut activity = SecurityActivity::default();
            activity.add(
                &entry("Do", who, address).on(ResourceRef::new("x", resource)),
                true,
            );
            activity
        };
        let one = of("ann", "203.0.113.130", "a");

        for (other, expect) in [
            (
                of("bob", "203.0.113.130", "b"),
                Some("the same address 203.0.113.130"),
            ),
            (of("ann", "198.51.100.1", "b"), Some("the same account")),
            (of("bob", "198.51.100.1", "a"), Some("the same resource a")),
            (
                of("bob", "203.0.113.33", "b"),
                Some("the same network 203.0.113.0/24"),
            ),
            (of("bob", "198.51.100.1", "b"), None),
        ] {
            assert_eq!(one.keys().shared_with(&other.keys()).as_deref(), expect);
        }
    }
}
