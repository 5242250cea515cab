//! Privileges: what the principals of an account can become by their permissions.

use std::collections::{BTreeMap, HashMap};

use reeve_estate::{ConnectionId, Document, Resource, ResourceId};
use reeve_iam::{
    ADMIN, AccessReach, AccountBuilder, AccountPolicies, ReachGrade, UNKNOWN, administrators,
};
use reeve_recommend::judgement::estate::EstateError;
use reeve_recommend::judgement::evidence::{CheckAnswer, CheckResult, PRIVILEGES};
use serde_json::{Map, Value, json};

/// Kinds that decide, with the list of `GetAccountAuthorizationDetails` that each document is an
/// element of.
pub(super) const LISTS: [(&str, &str); 4] = [
    ("iam_group", "GroupDetailList"),
    ("iam_policy", "Policies"),
    ("iam_role", "RoleDetailList"),
    ("iam_user", "UserDetailList"),
];

/// Most ways of a principal that its answer names.
const MOST_WAYS: usize = 20;

/// Answer about a principal, and the way by which it becomes an administrator.
#[derive(Debug)]
pub(super) struct PrivilegeAnswer {
    pub(super) result: CheckResult,
    /// Set where every step is certain.
    pub(super) escalation: Option<AccessReach>,
}

pub(super) type PrivilegeAnswers = HashMap<(ConnectionId, ResourceId), PrivilegeAnswer>;

/// Authorization details of accounts, as a run passes them.
#[derive(Debug, Default)]
pub(super) struct Privileges {
    accounts: BTreeMap<(ConnectionId, String), Map<String, Value>>,
}

impl Privileges {
    pub(super) fn look(&mut self, resource: &Resource, document: &Document) {
        let kind = resource.kind.as_str();
        let Some((_, list)) = LISTS.iter().find(|(of, _)| *of == kind) else {
            return;
        };

        let key = (resource.connection.clone(), resource.account.clone());
        let details = self.accounts.entry(key).or_default();
        let list = details
            .entry((*list).to_owned())
            .or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(document.json().clone());
        }
    }

    /// Returns the accounts with their policies. An account whose policies cannot be read is left
    /// out; its checks say why.
    pub(super) fn accounts(self) -> Vec<(ConnectionId, AccountPolicies)> {
        let accounts = self.accounts.into_iter();
        accounts
            .filter_map(|((connection, _), details)| Some((connection, account(details)?)))
            .collect()
    }
}

/// Returns the answers about the users and roles of all accounts.
pub(super) fn answers(
    accounts: &[(ConnectionId, AccountPolicies)],
) -> Result<PrivilegeAnswers, EstateError> {
    let mut found = PrivilegeAnswers::new();
    for (connection, account) in accounts {
        answer(connection, account, &mut found)?;
    }
    Ok(found)
}

fn account(details: Map<String, Value>) -> Option<AccountPolicies> {
    let mut builder = AccountBuilder::default();
    builder.add_document(Value::from(details)).ok()?;
    builder.build().ok()
}

fn answer(
    connection: &ConnectionId,
    account: &AccountPolicies,
    found: &mut PrivilegeAnswers,
) -> Result<(), EstateError> {
    let administrators: HashMap<String, ReachGrade> = administrators(account).into_iter().collect();
    let mut ways: HashMap<String, Vec<AccessReach>> = HashMap::new();
    for reach in reeve_iam::reach(account) {
        ways.entry(reach.principal.clone()).or_default().push(reach);
    }

    for principal in &account.principals {
        if principal.is_service_linked() {
            continue;
        }
        let own = ways.remove(&principal.arn).unwrap_or_default();
        let answer = match administrators.get(&principal.arn) {
            Some(grade) => administrator(*grade)?,
            None => judged(own)?,
        };
        let key = (connection.clone(), ResourceId::new(principal.arn.clone()));
        found.insert(key, answer);
    }
    Ok(())
}

fn administrator(grade: ReachGrade) -> Result<PrivilegeAnswer, EstateError> {
    let why = match grade {
        ReachGrade::Certain => "It is an administrator by its own policies",
        _ => "It is an administrator if conditions hold that are not known",
    };
    Ok(PrivilegeAnswer {
        result: result(CheckAnswer::NotApplicable, why.to_owned(), ADMIN, None, &[])?,
        escalation: None,
    })
}

fn judged(ways: Vec<AccessReach>) -> Result<PrivilegeAnswer, EstateError> {
    let to_admin = |grade| {
        ways.iter()
            .find(|way| way.reaches == ADMIN && way.grade == grade)
    };
    let unread = ways.iter().find(|way| way.reaches == UNKNOWN);
    let others: Vec<&AccessReach> = ways
        .iter()
        .filter(|way| way.reaches != ADMIN && way.reaches != UNKNOWN)
        .filter(|way| way.grade == ReachGrade::Certain)
        .take(MOST_WAYS)
        .collect();

    if let Some(way) = to_admin(ReachGrade::Certain) {
        let why = format!("It can become an administrator: {}", steps(way));
        return Ok(PrivilegeAnswer {
            result: result(CheckAnswer::Fail, why, ADMIN, Some(way), &others)?,
            escalation: Some(way.clone()),
        });
    }

    let result = if let Some(way) = to_admin(ReachGrade::Possible) {
        let why = format!(
            "It can become an administrator if conditions hold that are not known: {}",
            steps(way)
        );
        result(CheckAnswer::Unknown, why, ADMIN, Some(way), &others)?
    } else if let Some(way) = unread {
        let why = format!("Policies of it were not read: {}", way.unread.join(", "));
        result(CheckAnswer::Unknown, why, UNKNOWN, None, &others)?
    } else if let Some(way) = to_admin(ReachGrade::Blocked) {
        let why = format!("Its way to an administrator is stopped: {}", blocker(way));
        result(CheckAnswer::Pass, why, "none", Some(way), &others)?
    } else {
        let why = match others.len() {
            0 => "It reaches nothing beyond its own permissions".to_owned(),
            1 => "It can act as 1 other principal; that is no administrator".to_owned(),
            number => format!("It can act as {number} other principals; none is an administrator"),
        };
        result(CheckAnswer::Pass, why, "none", None, &others)?
    };
    Ok(PrivilegeAnswer {
        result,
        escalation: None,
    })
}

/// Returns an answer, with its way in the form of the paths of exposures.
fn result(
    answer: CheckAnswer,
    why: String,
    reaches: &str,
    way: Option<&AccessReach>,
    others: &[&AccessReach],
) -> Result<CheckResult, EstateError> {
    let path: Vec<Value> = way
        .iter()
        .flat_map(|way| &way.path)
        .map(|step| json!({ "edge": step.technique, "resource": step.target, "says": step.title }))
        .collect();
    let stopped_by = way.and_then(|way| way.blocked_by.first()).map(
        |stop| json!({ "edge": stop.kind.label(), "resource": stop.policy, "says": stop.action }),
    );
    let acts_as: Vec<&str> = others.iter().map(|way| way.reaches.as_str()).collect();

    Ok(CheckResult {
        check: PRIVILEGES.to_owned(),
        answer,
        why,
        values: serde_json::to_value(json!({
            "reaches": reaches,
            "path": path,
            "stopped_by": stopped_by,
            "acts_as": acts_as,
        }))?,
        document: None,
    })
}

fn steps(way: &AccessReach) -> String {
    let titles: Vec<&str> = way.path.iter().map(|step| step.title.as_str()).collect();
    titles.join("; then ")
}

fn blocker(way: &AccessReach) -> String {
    way.blocked_by.first().map_or_else(String::new, |stop| {
        format!(
            "{} by the {} {}",
            stop.action,
            stop.kind.label(),
            stop.policy
        )
    })
}
