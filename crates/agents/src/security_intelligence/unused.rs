//! Access that nothing uses: keys, users, roles and permissions, by IAM's record of last uses.
//!
//! A use that was not read is no absence of use: without a record there is no advice. Nothing is
//! deleted: a key is deactivated, a principal is denied everything, a policy gets a narrower version,
//! and each of these is taken back by one call.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reeve_estate::{ConnectionId, Document, Resource, ResourceId};
use reeve_iam::AccountPolicies;
use reeve_recommend::agent::settings::{AgentSetting, SettingValue};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::estate::EstateFacts;
use reeve_recommend::judgement::evidence::{UseCoverage, UseState};
use reeve_recommend::judgement::past_calls::PastCalls;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::recommendation::RecommendationType;
use serde_json::{Value, json};

use super::break_glass::{BREAK_GLASS, BreakGlass, Care};
use super::last_access::{LastAccess, LastUse, REPORT};
use super::unused_finding;
use super::unused_permissions;

/// Setting of the days without a use after which access counts as unused.
pub(super) const UNUSED_DAYS: AgentSetting = AgentSetting {
    path: "unused_access_days",
    description: "Days without a use after which keys, users, roles and permissions count as unused; longer than a quarter, so that what runs once a quarter stays",
    default: SettingValue::Days(120),
    range: (90.0, 400.0),
    choices: &[],
};

/// Kinds that are judged by the report, with the report.
pub(super) const KINDS: [&str; 4] = ["access_key", "iam_role", "iam_user", REPORT];

/// Days of the log on which narrower policies are replayed.
pub(super) const REPLAYED_DAYS: i64 = 90;

/// Aspects of findings about unused access.
pub(super) const UNUSED_KEY: &str = "unused_key";
pub(super) const UNUSED_PRINCIPAL: &str = "unused_principal";
pub(super) const UNUSED_PERMISSIONS: &str = "unused_permissions";

/// Answer about one key or principal.
#[derive(Debug, Default)]
pub(super) struct UnusedAnswer {
    pub(super) proposals: Vec<Proposal>,
    pub(super) abstentions: Vec<Abstention>,
    /// Member of the evidence about a principal.
    pub(super) evidence: Option<Value>,
}

impl UnusedAnswer {
    /// Returns `true` if every question about it was answered.
    pub(super) fn is_known(&self) -> bool {
        self.abstentions.iter().all(|one| one.decisive)
    }

    /// Drops what was found about a principal that people keep for emergencies.
    fn keep(&mut self, why: &str) {
        let words = format!("it is kept for emergencies: {why}");
        for proposal in std::mem::take(&mut self.proposals) {
            let aspect = proposal.subject.aspect.unwrap_or_default();
            self.abstain(&aspect, true, "break_glass", &words);
        }
    }

    pub(super) fn abstain(&mut self, aspect: &str, is_known: bool, code: &'static str, why: &str) {
        let kind = RecommendationType::IamOptimization;
        let abstention = match is_known {
            true => Abstention::decided(kind, code, why),
            false => Abstention::unjudged(kind, code, why),
        };
        self.abstentions.push(abstention.with_aspect(aspect));
    }
}

pub(super) type UnusedAnswers = HashMap<(ConnectionId, ResourceId), UnusedAnswer>;

/// Keys, principals and reports, as a run passes them.
#[derive(Debug, Default)]
pub(super) struct Unused {
    reports: BTreeMap<(ConnectionId, String), LastAccess>,
    subjects: Vec<(Resource, Document)>,
    past_calls: HashMap<(ConnectionId, ResourceId), PastCalls>,
}

impl Unused {
    pub(super) fn look(&mut self, facts: &Facts<'_>, document: &Document) {
        let resource = facts.resource;
        match resource.kind.as_str() {
            REPORT => {
                let key = (resource.connection.clone(), resource.account.clone());
                let report = LastAccess::new(document.json().clone(), resource.observed_at);
                self.reports.insert(key, report);
            }
            kind if KINDS.contains(&kind) => {
                if let Some(past) = facts.open.get::<PastCalls>() {
                    let key = (resource.connection.clone(), resource.id.clone());
                    self.past_calls.insert(key, past.clone());
                }
                self.subjects.push((resource.clone(), document.clone()));
            }
            _ => {}
        }
    }

    /// Returns the answers about all keys and principals.
    pub(super) fn answers(
        &self,
        facts: &EstateFacts<'_>,
        accounts: &[(ConnectionId, AccountPolicies)],
    ) -> UnusedAnswers {
        let days = facts.settings.days(&UNUSED_DAYS);
        let break_glass = self.break_glass(facts, accounts, days);
        let users = self.users();
        let mut found = UnusedAnswers::new();
        for (resource, document) in &self.subjects {
            let place = (resource.connection.clone(), resource.account.clone());
            let report = self.reports.get(&place);
            let care = care(&break_glass, &users, resource, document);
            let subject = UnusedSubject {
                resource,
                document,
                days,
                past_calls: self
                    .past_calls
                    .get(&(resource.connection.clone(), resource.id.clone())),
                kept_because: match &care {
                    Some(Care::Advice(why)) => Some(why),
                    _ => None,
                },
            };
            let mut answer = match (resource.kind.as_str(), report) {
                ("access_key", report) => subject.key(report),
                (_, None) => unread(days),
                (_, Some(report)) => {
                    let policies = accounts
                        .iter()
                        .filter(|(connection, _)| *connection == resource.connection)
                        .find_map(|(_, account)| {
                            let at = account.position(resource.id.as_str())?;
                            account.principals.get(at)
                        });
                    match policies {
                        Some(principal) if principal.is_service_linked() => continue,
                        policies => subject.principal(report, policies),
                    }
                }
            };
            if let Some(Care::Named(why)) = &care {
                answer.keep(why);
            }
            found.insert((resource.connection.clone(), resource.id.clone()), answer);
        }
        found
    }

    fn break_glass(
        &self,
        facts: &EstateFacts<'_>,
        accounts: &[(ConnectionId, AccountPolicies)],
        days: i64,
    ) -> BreakGlass {
        let mut break_glass = BreakGlass::new(facts.settings.names(&BREAK_GLASS));
        for (connection, account) in accounts {
            let is_in = |one: &Resource| {
                one.connection == *connection && account.position(one.id.as_str()).is_some()
            };
            let member = self.subjects.iter().find(|(one, _)| is_in(one));
            let report = member.and_then(|(one, _)| {
                let place = (one.connection.clone(), one.account.clone());
                self.reports.get(&place)
            });
            break_glass.judge(connection, account, report, days);
        }
        break_glass
    }

    /// Returns the users by account and name.
    fn users(&self) -> Users<'_> {
        let users = self.subjects.iter();
        let users = users.filter(|(one, _)| one.kind.as_str() == "iam_user");
        let mut found = Users::new();
        for (user, document) in users {
            let key = user_key(user, document);
            found.entry(key).or_insert((user, document));
        }
        found
    }
}

/// Users with their documents.
type Users<'a> = HashMap<UserKey<'a>, (&'a Resource, &'a Document)>;

/// Connection, account and name of a user.
type UserKey<'a> = (&'a ConnectionId, &'a str, Option<&'a str>);

/// Returns the key of a user, or of the user of an access key.
fn user_key<'a>(of: &'a Resource, document: &'a Document) -> UserKey<'a> {
    let name = document.json()["UserName"].as_str();
    (&of.connection, of.account.as_str(), name)
}

/// Returns the care that a principal needs, or the user of a key.
fn care(
    break_glass: &BreakGlass,
    users: &Users<'_>,
    resource: &Resource,
    document: &Document,
) -> Option<Care> {
    if resource.kind.as_str() != "access_key" {
        return break_glass.care(resource, document.json());
    }
    match users.get(&user_key(resource, document)) {
        Some((user, document)) => break_glass.care(user, document.json()),
        None => Some(Care::Advice(
            "its user was not read, which may be kept for emergencies".to_owned(),
        )),
    }
}

fn unread(days: i64) -> UnusedAnswer {
    let why = "the last uses of the account were not read: no advice without a record";
    let mut answer = UnusedAnswer::default();
    for aspect in [UNUSED_PRINCIPAL, UNUSED_PERMISSIONS] {
        answer.abstain(aspect, false, "last_uses_not_read", why);
    }
    answer.evidence = Some(evidence(days, UseCoverage::None, UseState::Unknown));
    answer
}

/// Returns the member of the evidence about a principal.
fn evidence(days: i64, coverage: UseCoverage, state: UseState) -> Value {
    json!({ "window_days": days, "coverage": coverage.as_str(), "state": state.as_str() })
}

/// Key or principal under judgement.
pub(super) struct UnusedSubject<'a> {
    pub(super) resource: &'a Resource,
    pub(super) document: &'a Document,
    pub(super) days: i64,
    /// Accepted calls of a principal by the log; `None` where the log was not read.
    pub(super) past_calls: Option<&'a PastCalls>,
    /// Reason for which people decide without a change of Reeve.
    pub(super) kept_because: Option<&'a String>,
}

impl UnusedSubject<'_> {
    fn key(&self, report: Option<&LastAccess>) -> UnusedAnswer {
        let mut answer = UnusedAnswer::default();
        let mut abstain = |is_known, code, why: &str| {
            answer.abstain(UNUSED_KEY, is_known, code, why);
        };

        let text = |name: &str| self.document.json()[name].as_str();
        if text("Status") != Some("Active") {
            abstain(true, "key_inactive", "the key is not active");
            return answer;
        }
        let Some(report) = report else {
            abstain(
                false,
                "last_uses_not_read",
                "the last uses of the account were not read",
            );
            return answer;
        };

        let since = report.since(self.days);
        let made = created(text("CreateDate"), self.resource.created_at);
        match report.of_key(text("AccessKeyId").unwrap_or(self.resource.id.as_str())) {
            LastUse::Unknown => abstain(
                false,
                "last_use_not_read",
                "the last use of the key was not read",
            ),
            LastUse::On(day) if day >= since => {
                abstain(true, "key_used", "the key was used in the window");
            }
            _ if made.is_none_or(|day| day >= since) => {
                abstain(true, "key_new", "the key is younger than the window");
            }
            last => answer
                .proposals
                .push(unused_finding::key(self, last, since)),
        }
        answer
    }

    fn principal(
        &self,
        report: &LastAccess,
        policies: Option<&reeve_iam::Principal>,
    ) -> UnusedAnswer {
        let mut answer = UnusedAnswer::default();
        let since = report.since(self.days);
        let arn = self.resource.id.as_str();
        let json = self.document.json();
        let made = created(json["CreateDate"].as_str(), self.resource.created_at);
        let mut evidence = evidence(self.days, UseCoverage::Full, UseState::Used);

        match report.of_principal(arn) {
            LastUse::Unknown => {
                for aspect in [UNUSED_PRINCIPAL, UNUSED_PERMISSIONS] {
                    let why = "the last use of it was not read";
                    answer.abstain(aspect, false, "last_use_not_read", why);
                }
                evidence = self::evidence(self.days, UseCoverage::None, UseState::Unknown);
            }
            _ if made.is_none_or(|day| day >= since) => {
                for aspect in [UNUSED_PRINCIPAL, UNUSED_PERMISSIONS] {
                    let why = "it is younger than the window";
                    answer.abstain(aspect, true, "principal_new", why);
                }
                evidence["state"] = json!(UseState::New.as_str());
            }
            LastUse::On(day) if day >= since => {
                answer.abstain(
                    UNUSED_PRINCIPAL,
                    true,
                    "principal_used",
                    "it was used in the window",
                );
                let services = report.services_since(arn, since);
                unused_permissions::judge(self, policies, services, &mut answer, &mut evidence);
            }
            last => {
                evidence["state"] = json!(UseState::Unused.as_str());
                if let LastUse::On(day) = last {
                    evidence["last_used"] = json!(day.to_string());
                }
                let why = "it is not used at all, which is a finding of its own";
                answer.abstain(UNUSED_PERMISSIONS, true, "principal_unused", why);
                if unused_finding::is_suspended(json) {
                    let why = "it is denied everything already";
                    answer.abstain(UNUSED_PRINCIPAL, true, "suspended", why);
                } else {
                    answer
                        .proposals
                        .push(unused_finding::principal(self, last, since));
                }
            }
        }

        answer.evidence = Some(evidence);
        answer
    }
}

/// Returns the day on which something was made.
fn created(text: Option<&str>, resource: Option<Timestamp>) -> Option<Date> {
    let at = text.and_then(|text| text.parse::<Timestamp>().ok());
    at.or(resource).map(|at| at.to_zoned(TimeZone::UTC).date())
}
