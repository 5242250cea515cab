//! Last uses of an account's users, roles and access keys, as one document: IAM's own record of
//! them, which goes back 400 days and covers every service, data events too.
//!
//! Last uses change without a change of any resource; they are therefore no part of the documents of
//! users and roles. Times are kept as days. What was not answered has a mark in its place: no use that
//! is known and a use that was not read are two things.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_config::SdkConfig;
use futures::stream::{self, StreamExt as _};
use jiff::Timestamp;
use reeve_connect_aws_ec2::{AwsEc2Fault, Cursor, FaultKind, Place};
use reeve_estate::document::NOT_READ;
use reeve_estate::{
    Described, DescriptionReading, DescriptionSink, Document, ReadOutcome, ResourceKind, StoreError,
};
use serde_json::{Map, Value, json};

use super::read::outcome;
use super::row::{Ask, ask};
use super::rows::IAM;
use super::{call, path};
use crate::session::AwsConnection;

/// Kind of the document.
pub(super) const KIND: &str = "last_access_report";

const USERS: Ask = ask("iam:ListUsers", "ListUsers", &[]);
const ROLES: Ask = ask(
    "iam:GetAccountAuthorizationDetails",
    "GetAccountAuthorizationDetails",
    &[],
);
const KEYS: Ask = ask("iam:ListAccessKeys", "ListAccessKeys", &[]);
const KEY_USE: Ask = ask("iam:GetAccessKeyLastUsed", "GetAccessKeyLastUsed", &[]);
const GENERATE: Ask = ask(
    "iam:GenerateServiceLastAccessedDetails",
    "GenerateServiceLastAccessedDetails",
    &[],
);
const DETAILS: Ask = ask(
    "iam:GetServiceLastAccessedDetails",
    "GetServiceLastAccessedDetails",
    &[],
);

/// Permissions of the calls.
pub(super) fn permissions() -> impl Iterator<Item = &'static str> {
    [USERS, ROLES, KEYS, KEY_USE, GENERATE, DETAILS]
        .into_iter()
        .map(|ask| ask.permission)
}

/// Principals whose services are asked for in a sync; IAM answers some 10 such jobs a second for the
/// whole account. The others have a mark.
const MOST_PRINCIPALS: usize = 500;
/// Jobs that run at the same time.
const PARALLEL: usize = 4;
/// Times that the answer of a job is asked for, and the wait between two.
const MOST_POLLS: u32 = 15;
const POLL: Duration = Duration::from_millis(700);

/// Reader of an account's last uses.
pub(super) struct LastAccess<'r> {
    pub(super) aws: &'r AwsConnection,
    pub(super) kind: ResourceKind,
    pub(super) place: Place,
    pub(super) sink: &'r dyn DescriptionSink,
}

impl LastAccess<'_> {
    /// Reads the last uses and tells the sink how the reading ended.
    pub(super) async fn run(self) -> Result<(), StoreError> {
        let begun_at = Timestamp::now();
        let read = self.read().await;
        let read_at = Timestamp::now();
        // Single principals and keys that were not answered have their mark; the document is there.
        let (outcome, fault) = match &read {
            Ok((_, fault)) => (ReadOutcome::Complete, fault.as_ref()),
            Err(fault) => (outcome(Some(fault)), Some(fault)),
        };
        let reading = DescriptionReading {
            kind: self.kind,
            region: String::new(),
            outcome,
            permission: fault
                .map_or(USERS.permission, |fault| fault.operation)
                .to_owned(),
            seen: u64::from(read.is_ok()),
            message: fault.map_or_else(String::new, |fault| fault.message.clone()),
            begun_at,
            read_at,
            complete_at: (outcome == ReadOutcome::Complete).then_some(read_at),
        };

        if let Ok((document, _)) = read {
            self.sink.page(vec![self.described(document)]).await?;
        }
        self.sink.end(reading).await
    }

    fn described(&self, document: Value) -> Described {
        let id = format!("arn:aws:iam::{}:last-access-report", self.place.account);
        let mut resource = self
            .place
            .resource(self.kind, IAM.name, &id, BTreeMap::new());
        resource.region = "global".to_owned();
        resource.name = "Last access report".to_owned();
        Described {
            resource,
            document: Document::new(document),
            relations: Vec::new(),
        }
    }

    /// Returns the document, and the first failure of a call about a single principal or key.
    async fn read(&self) -> Result<(Value, Option<AwsEc2Fault>), AwsEc2Fault> {
        let config = self.aws.config(&self.place.region);
        let mut failure = None;
        let users = self.pages(&config, USERS, &[], "Users").await?;
        let roles = [("Filter.member.1", "Role".to_owned())];
        let roles = self.pages(&config, ROLES, &roles, "RoleDetailList").await?;

        let mut principals: BTreeMap<String, Option<String>> = BTreeMap::new();
        for user in &users {
            if let Some(arn) = path::text(user, "Arn") {
                principals.insert(arn, day(user, "PasswordLastUsed"));
            }
        }
        for role in &roles {
            let is_own = path::text(role, "Path").is_some_and(|at| at.starts_with("/aws-service"));
            if let Some(arn) = path::text(role, "Arn").filter(|_| !is_own) {
                principals.insert(arn, day(role, "RoleLastUsed.LastUsedDate"));
            }
        }

        let mut keys = Map::new();
        for user in &users {
            let (Some(name), Some(arn)) = (path::text(user, "UserName"), path::text(user, "Arn"))
            else {
                continue;
            };
            for (id, last) in self.keys(&config, &name, &mut failure).await? {
                if let Some(own) = principals.get_mut(&arn) {
                    *own = own.take().max(last.as_str().map(str::to_owned));
                }
                keys.insert(id, json!({ "UserName": name, "LastUsed": last }));
            }
        }

        let services = self.services(&config, &principals, &mut failure).await;
        let principals: Map<String, Value> = principals
            .into_iter()
            .zip(services)
            .map(|((arn, last), services)| (arn, json!({ "LastUsed": last, "Services": services })))
            .collect();
        let document = json!({ "Principals": principals, "AccessKeys": keys });
        Ok((document, failure))
    }

    /// Returns the access keys of a user with the day of the last use of each, null if there is none.
    async fn keys(
        &self,
        config: &SdkConfig,
        user: &str,
        failure: &mut Option<AwsEc2Fault>,
    ) -> Result<Vec<(String, Value)>, AwsEc2Fault> {
        let of = [("UserName", user.to_owned())];
        let mut found = Vec::new();
        for key in self.pages(config, KEYS, &of, "AccessKeyMetadata").await? {
            let Some(id) = path::text(&key, "AccessKeyId") else {
                continue;
            };
            let answer = self
                .call(config, KEY_USE, &[("AccessKeyId", id.clone())])
                .await;
            let last = match answer {
                Ok(answer) => json!(day(&answer, "AccessKeyLastUsed.LastUsedDate")),
                Err(fault) => {
                    failure.get_or_insert(fault);
                    json!(NOT_READ)
                }
            };
            found.push((id, last));
        }
        Ok(found)
    }

    /// Returns the services that each principal used, with the day of the last use, in the order of
    /// the principals; a mark where that is not known.
    async fn services(
        &self,
        config: &SdkConfig,
        principals: &BTreeMap<String, Option<String>>,
        failure: &mut Option<AwsEc2Fault>,
    ) -> Vec<Value> {
        let mut arns = principals.keys().take(MOST_PRINCIPALS);
        let mut found = Vec::with_capacity(principals.len());
        // The first one alone: where the permission is missing, one refusal says so.
        if let Some(arn) = arns.next() {
            found.push(self.services_of(config, arn).await);
        }
        if found.iter().all(Result::is_ok) {
            let rest: Vec<_> = arns.map(|arn| self.services_of(config, arn)).collect();
            let rest: Vec<_> = stream::iter(rest).buffered(PARALLEL).collect().await;
            found.extend(rest);
        }

        let mut services: Vec<Value> = found
            .into_iter()
            .map(|answer| {
                answer.unwrap_or_else(|fault| {
                    failure.get_or_insert(fault);
                    json!(NOT_READ)
                })
            })
            .collect();
        services.resize(principals.len(), json!(NOT_READ));
        services
    }

    /// Runs the job of one principal. IAM answers `IN_PROGRESS` first.
    async fn services_of(&self, config: &SdkConfig, arn: &str) -> Result<Value, AwsEc2Fault> {
        let begun = self
            .call(config, GENERATE, &[("Arn", arn.to_owned())])
            .await?;
        let Some(job) = path::text(&begun, "JobId") else {
            return Err(self.broken(GENERATE, "the answer has no JobId"));
        };

        let mut found = Map::new();
        let mut marker = None;
        let mut polls = 0;
        loop {
            let mut parameters = vec![("JobId", job.clone())];
            parameters.extend(marker.take().map(|marker| ("Marker", marker)));
            let answer = self.call(config, DETAILS, &parameters).await?;
            match path::text(&answer, "JobStatus").as_deref() {
                Some("COMPLETED") => {}
                Some("IN_PROGRESS") if polls < MOST_POLLS => {
                    polls += 1;
                    tokio::time::sleep(POLL).await;
                    continue;
                }
                Some("IN_PROGRESS") => {
                    return Err(self.broken(DETAILS, "the job did not end in time"));
                }
                _ => {
                    let reason = path::text(&answer, "Error.Message").unwrap_or_default();
                    return Err(self.broken(DETAILS, &format!("the job failed: {reason}")));
                }
            }

            for service in path::at(&answer, "ServicesLastAccessed") {
                let (name, last) = (
                    path::text(service, "ServiceNamespace"),
                    day(service, "LastAuthenticated"),
                );
                if let (Some(name), Some(last)) = (name, last) {
                    found.insert(name, json!(last));
                }
            }
            marker = path::text(&answer, "Marker");
            if marker.is_none() {
                return Ok(Value::Object(found));
            }
        }
    }

    async fn pages(
        &self,
        config: &SdkConfig,
        ask: Ask,
        parameters: &[(&'static str, String)],
        items: &str,
    ) -> Result<Vec<Value>, AwsEc2Fault> {
        let mut found = Vec::new();
        let mut cursor = Cursor::new();
        loop {
            let mut parameters = parameters.to_vec();
            parameters.extend(cursor.token().map(|token| ("Marker", token)));
            let answer = self.call(config, ask, &parameters).await?;
            found.extend(path::at(&answer, items).into_iter().cloned());
            let token = path::text(&answer, "Marker");
            if !cursor.advance(self.place.call(ask.permission), token.as_deref())? {
                return Ok(found);
            }
        }
    }

    async fn call(
        &self,
        config: &SdkConfig,
        ask: Ask,
        parameters: &[(&str, String)],
    ) -> Result<Value, AwsEc2Fault> {
        call::ask(config, &self.place, IAM, ask, ask.action, parameters).await
    }

    fn broken(&self, ask: Ask, message: &str) -> AwsEc2Fault {
        let call = self.place.call(ask.permission);
        call.fault(FaultKind::Broken, None, message)
    }
}

/// Returns the day of a time in an answer.
fn day(value: &Value, at: &str) -> Option<String> {
    let text = path::text(value, at)?;
    text.get(..10).map(str::to_owned)
}
