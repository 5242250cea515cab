//! Unused access as proposals, each with a change that is taken back by one call.

use std::collections::BTreeMap;

use jiff::civil::Date;
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use serde_json::{Value, json};

use super::break_glass::TAG;
use super::last_access::LastUse;
use super::unused::{UNUSED_KEY, UNUSED_PERMISSIONS, UNUSED_PRINCIPAL, UnusedSubject};
use super::unused_permissions::{Narrowed, Replay};
use crate::configuration_fact::ConfigurationFact;

/// Rule of the findings about keys, users and roles.
const UNUSED_ACCESS: &str = "unused_access";
/// Name of the policy that denies everything.
const SUSPENDED: &str = "reeve-suspended";
/// Longest part of a policy that an explanation prints.
const MOST_TEXT: usize = 1500;

/// Name of the change of the findings about keys.
pub(super) const KEY_CHANGE: &str = "deactivate_access_key";

/// Names of the changes of the findings about users and roles.
pub(crate) const POLICY_CHANGES: [&str; 6] = [
    "remove_unused_role_policy",
    "remove_unused_user_policy",
    "suspend_unused_role",
    "suspend_unused_user",
    "tighten_role_policy",
    "tighten_user_policy",
];

/// Returns `true` if a principal is denied everything already.
pub(super) fn is_suspended(document: &Value) -> bool {
    ["RolePolicyList", "UserPolicyList"]
        .iter()
        .filter_map(|list| document[*list].as_array())
        .flatten()
        .any(|policy| policy["PolicyName"] == SUSPENDED)
}

/// Makes the finding about a key.
pub(super) fn key(subject: &UnusedSubject<'_>, last: LastUse, since: Date) -> Proposal {
    let user = subject.document.json()["UserName"].as_str();
    let user = user.unwrap_or("an unknown user");
    let mut path = Path::default();
    path.ask("Is the key active?", true, "its status is Active");
    used_since(&mut path, subject, last, since);

    let change = change(subject, KEY_CHANGE, BTreeMap::new());
    Finding {
        rule: UNUSED_ACCESS,
        aspect: UNUSED_KEY,
        title: title("Deactivate the access key of ", user, ": nothing uses it"),
        priority: Priority::Medium,
        measured: sentence(subject, last),
        consequence: format!(
            "Whoever finds the key has the permissions of {user} until it is deactivated"
        ),
        action: "Deactivate the key, and delete it when nothing failed for some weeks.".to_owned(),
        change,
        path,
    }
    .about(subject)
}

/// Makes the finding about a user or role.
pub(super) fn principal(subject: &UnusedSubject<'_>, last: LastUse, since: Date) -> Proposal {
    let kind = kind(subject);
    let mut path = Path::default();
    used_since(&mut path, subject, last, since);

    let change = change(subject, &format!("suspend_unused_{kind}"), BTreeMap::new());

    Finding {
        rule: UNUSED_ACCESS,
        aspect: UNUSED_PRINCIPAL,
        title: title(
            &format!("Suspend {kind} "),
            &subject.resource.name,
            ": nothing uses it",
        ),
        priority: Priority::Medium,
        measured: sentence(subject, last),
        consequence: format!("Whoever gets hold of the {kind} has its permissions, which no program misses"),
        action: format!(
            "Deny everything to the {kind}, and delete it when nothing failed for some weeks. Tag it {TAG}=true if it is kept for emergencies."
        ),
        change,
        path,
    }
    .about(subject)
}

/// Makes the finding about permissions that are not used.
pub(super) fn permissions(subject: &UnusedSubject<'_>, narrowed: &Narrowed) -> Proposal {
    let kind = kind(subject);
    let name = &subject.resource.name;
    let mut path = Path::default();
    path.ask(
        format!(
            "Is every service that policy {} names used?",
            narrowed.policy
        ),
        false,
        format!(
            "In {} days the {kind} used {}; it did not use what {} allow",
            subject.days,
            narrowed.used.join(", "),
            narrowed.cut.join(", ")
        ),
    );
    path.ask(
        "Does the narrower version refuse something of the used services?",
        false,
        format!(
            "{} requests that the former version allows were evaluated with both",
            narrowed.tried
        ),
    );
    replayed(&mut path, narrowed.replay.as_ref());
    for one in &narrowed.unjudged {
        path.unanswered(format!("Is {} used?", one.actions), one.reason.clone());
    }

    let mut with = BTreeMap::from([
        ("policy".to_owned(), json!(narrowed.policy)),
        ("former".to_owned(), narrowed.former.clone()),
        ("remaining".to_owned(), json!(narrowed.remaining)),
    ]);
    let row = match &narrowed.tight {
        Some(tight) => {
            with.insert("tight".to_owned(), tight.clone());
            format!("tighten_{kind}_policy")
        }
        None => format!("remove_unused_{kind}_policy"),
    };
    let change = change(subject, &row, with);
    let left = match &narrowed.tight {
        Some(tight) => format!("The policy becomes {}", shortened(tight)),
        None => "Nothing of the policy is used, and it is removed".to_owned(),
    };

    Finding {
        rule: UNUSED_PERMISSIONS,
        aspect: UNUSED_PERMISSIONS,
        title: title("Remove unused permissions of ", name, ""),
        priority: Priority::Medium,
        measured: format!(
            "Not used in {} days: {}. IAM's own record of last uses covers data events too",
            subject.days,
            narrowed.cut.join(", ")
        ),
        consequence: "Whoever gets hold of the credentials has these permissions as well"
            .to_owned(),
        action: format!("{left}. A permission that was granted lately may not have been used yet."),
        change,
        path,
    }
    .about(subject)
}

/// Adds the answer of the log: a version that would have refused an accepted call is no finding.
fn replayed(path: &mut Path, replay: Option<&Replay>) {
    let ask = "Would the narrower version have refused a past accepted call?";
    match replay {
        None => path.unanswered(ask, "the log was not read"),
        Some(replay) if replay.calls == 0 => path.unanswered(
            ask,
            format!(
                "the log has no accepted call of the past {} days that the policy allows",
                replay.days
            ),
        ),
        Some(replay) => {
            path.ask(
                ask,
                false,
                format!(
                    "{} calls of {} actions in the past {} days were tried with both versions",
                    replay.calls, replay.actions, replay.days
                ),
            );
        }
    }
}

/// Members in which findings about unused access differ.
struct Finding {
    rule: &'static str,
    aspect: &'static str,
    title: String,
    priority: Priority,
    measured: String,
    consequence: String,
    action: String,
    change: Option<ConfigurationChange>,
    path: Path,
}

impl Finding {
    fn about(mut self, subject: &UnusedSubject<'_>) -> Proposal {
        if let Some(why) = subject.kept_because {
            self.change = None;
            self.path
                .unanswered("Is it kept for emergencies?", why.clone());
            self.action = format!(
                "Decide by hand, since {why}. Tag the user or role {TAG}=true if it is kept for emergencies, and it is not proposed again; {TAG}=false says that it is none."
            );
        }
        let row = self.change.as_ref().map(ConfigurationChange::row);
        let loses = row.and_then(|row| row.loses).unwrap_or("Not measured");
        let risk = row.map_or(Impact::High, |row| row.risk);
        let target = subject.resource.id.as_str();
        ConfigurationFact {
            kind: RecommendationType::IamOptimization,
            rule: self.rule,
            title: self.title,
            aspect: self.aspect.to_owned(),
            priority: self.priority,
            risk,
            impact: ImpactAssessment {
                cost_percent: Some(0.0),
                cost: "None: access is not charged".to_owned(),
                performance_degradation_percent: None,
                performance: loses.to_owned(),
                security: self.consequence.clone(),
            },
            effort: match self.change {
                Some(_) => Effort::Low,
                None => Effort::Medium,
            },
            plan: self.change.map(|change| Plan::new(&change, target)),
            reason_code: self.aspect.to_owned(),
            action: self.action,
            factors: Factors::from([
                (FactorKind::Measured, self.measured),
                (FactorKind::Consequence, self.consequence),
            ]),
            data_points: u64::try_from(subject.days).unwrap_or(0),
            path: self.path,
        }
        .about(subject.resource)
    }
}

fn change(
    subject: &UnusedSubject<'_>,
    row: &str,
    with: BTreeMap<String, Value>,
) -> Option<ConfigurationChange> {
    let row = ConfigurationRow::named(row)?;
    ConfigurationChange::on(row, subject.resource, subject.document, with).ok()
}

fn kind(subject: &UnusedSubject<'_>) -> &'static str {
    match subject.resource.kind.as_str() {
        "iam_role" => "role",
        _ => "user",
    }
}

fn used_since(path: &mut Path, subject: &UnusedSubject<'_>, last: LastUse, since: Date) {
    path.ask(
        format!("Was it used since {since}?"),
        false,
        sentence(subject, last),
    );
}

fn sentence(subject: &UnusedSubject<'_>, last: LastUse) -> String {
    match last {
        LastUse::On(day) => format!(
            "Last used on {day}, more than {} days ago, by IAM's own record",
            subject.days
        ),
        _ => "No use is on IAM's own record, which goes back 400 days".to_owned(),
    }
}

/// Returns a document as text, without the end of a long one: the plan has it whole.
fn shortened(document: &Value) -> String {
    let text = document.to_string();
    match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
