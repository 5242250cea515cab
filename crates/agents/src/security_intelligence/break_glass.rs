//! Users and roles that are kept for emergencies: unused by design, and the last way in on a bad day.
//!
//! A principal that people named is never suspended or narrowed. One that only looks like it, or that
//! may be the last administrator of its account, is advice for people without a change: suspending it
//! cannot be taken back by someone who is locked out.

use std::collections::{BTreeMap, HashMap};

use reeve_estate::{ConnectionId, Resource};
use reeve_iam::{AccountPolicies, Principal, PrincipalName, ReachGrade, administrators};
use reeve_recommend::agent::settings::{AgentSetting, SettingValue};
use serde_json::Value;

use super::last_access::{LastAccess, LastUse};

/// Setting that names users and roles that are kept for emergencies.
pub(super) const BREAK_GLASS: AgentSetting = AgentSetting {
    path: "break_glass_principals",
    description: "Names or ARNs of users and roles that are kept for emergencies; they and their access keys are never suspended, deactivated or narrowed as unused",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 100.0),
    choices: &[],
};

/// Tag that says the same about one user or role, with the value `true`.
pub(super) const TAG: &str = "reeve:break-glass";

/// Words of names and tags of principals that are kept for emergencies.
const WORDS: &[&str] = &[
    "breakglass",
    "emergency",
    "firecall",
    "firefighter",
    "lastresort",
    "root",
    "superadmin",
    "superuser",
];

/// Care that a principal needs before it is suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Care {
    /// People named it: nothing is proposed.
    Named(String),
    /// It may be needed in an emergency: people decide, and there is no change.
    Advice(String),
}

/// Returns `true` unless it is a role that only services of AWS assume.
fn is_used_by_people(principal: &Principal) -> bool {
    let trust = principal.trust.as_ref();
    let Some(trust) = trust.and_then(|trust| trust.document.as_ref()) else {
        return true;
    };
    let mut named = trust.statements.iter().flat_map(|one| &one.principals);
    named.any(|principals| {
        let is_service = |name: &PrincipalName| matches!(name, PrincipalName::Service(_));
        principals.negated || !principals.names.iter().all(is_service)
    })
}

/// Principals that the setting names, and those that may be the last administrator.
#[derive(Debug)]
pub(super) struct BreakGlass {
    named: Vec<String>,
    /// Principals whose account was judged; `true` for the last administrator that people can use.
    is_last: HashMap<(ConnectionId, String), bool>,
}

impl BreakGlass {
    pub(super) fn new(named: Vec<String>) -> BreakGlass {
        BreakGlass {
            named,
            is_last: HashMap::new(),
        }
    }

    /// Judges the administrators of an account: each of them is the last one where no other was used
    /// in the window of these days.
    pub(super) fn judge(
        &mut self,
        connection: &ConnectionId,
        account: &AccountPolicies,
        report: Option<&LastAccess>,
        days: i64,
    ) {
        let grades: HashMap<String, ReachGrade> = administrators(account).into_iter().collect();
        let was_used = |arn: &str| {
            report.is_some_and(|report| match report.of_principal(arn) {
                LastUse::On(day) => day >= report.since(days),
                _ => false,
            })
        };
        let by_people = account
            .principals
            .iter()
            .filter(|one| is_used_by_people(one));
        let used: Vec<&str> = by_people
            .map(|principal| principal.arn.as_str())
            .filter(|arn| grades.get(*arn) == Some(&ReachGrade::Certain) && was_used(arn))
            .collect();

        for principal in &account.principals {
            let arn = principal.arn.as_str();
            let is_administrator = grades.contains_key(arn) && is_used_by_people(principal);
            let is_last = is_administrator && used.iter().all(|other| *other == arn);
            let key = (connection.clone(), arn.to_owned());
            self.is_last.insert(key, is_last);
        }
    }

    /// Returns the care that a user or role needs.
    pub(super) fn care(&self, principal: &Resource, document: &Value) -> Option<Care> {
        let arn = principal.id.as_str();
        let name = arn.rsplit('/').next().unwrap_or(arn);
        let tags = tags(principal, document);

        let is_named = |given: &&String| {
            let given = given.as_str();
            given.eq_ignore_ascii_case(name) || given.eq_ignore_ascii_case(arn)
        };
        if let Some(given) = self.named.iter().find(is_named) {
            let why = format!("{} of the agent names {given}", BREAK_GLASS.path);
            return Some(Care::Named(why));
        }
        let flag = tags.iter().find(|(key, _)| key.eq_ignore_ascii_case(TAG));
        if let Some((key, value)) = flag {
            // The tag with another value says that it is no such principal.
            if value.eq_ignore_ascii_case("true") {
                return Some(Care::Named(format!("its tag {key} is {value}")));
            }
        } else if let Some(why) = looks_like_one(name, &tags) {
            return Some(Care::Advice(why));
        }

        let key = (principal.connection.clone(), arn.to_owned());
        let why = match self.is_last.get(&key) {
            Some(false) => return None,
            Some(true) => "it is an administrator, and no other one was used in the window",
            None => "the policies of the account were not read: it may be its last administrator",
        };
        Some(Care::Advice(why.to_owned()))
    }
}

/// Returns the tags of a principal, those of its document among them.
fn tags(principal: &Resource, document: &Value) -> BTreeMap<String, String> {
    let own = document["Tags"].as_array().into_iter().flatten();
    let own = own.filter_map(|tag| {
        let (key, value) = (tag["Key"].as_str()?, tag["Value"].as_str()?);
        Some((key.to_owned(), value.to_owned()))
    });
    principal.tags.clone().into_iter().chain(own).collect()
}

fn looks_like_one(name: &str, tags: &BTreeMap<String, String>) -> Option<String> {
    if let Some(word) = word_in(name) {
        return Some(format!("its name says {word}"));
    }
    tags.iter().find_map(|(key, value)| {
        let word = word_in(key).or_else(|| word_in(value))?;
        Some(format!("its tag {key}={value} says {word}"))
    })
}

/// Returns the word of [`WORDS`] that a text has: as a whole word, or as two parts of it
/// (`break-glass`).
fn word_in(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let parts: Vec<&str> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let is_in = |word: &str| {
        let is_part = parts
            .iter()
            .any(|part| *part == word || part.trim_end_matches(char::is_numeric) == word);
        let are_parts = parts
            .windows(2)
            .any(|two| format!("{}{}", two[0], two[1]) == word);
        is_part || are_parts
    };
    WORDS.iter().copied().find(|word| is_in(word))
}
