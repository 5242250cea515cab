//! Runs of documents of Systems Manager.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ActError, Applied, Operation, Resource, ResourceKind};
use reeve_recommend::change::{DOCUMENT_PREFIX, DocumentOperation, DocumentTargets};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::json::{JsonService, call};
use super::{Answer, other};
use crate::session::AwsConnection;

pub(super) const SYSTEMS_MANAGER: JsonService = JsonService {
    name: "ssm",
    target: "AmazonSSM",
    version: "1.1",
};
/// Time in which machines must have received a command, seconds.
pub(super) const RECEIVED_WITHIN_S: u32 = 600;
/// Age from which a run no longer counts as the one that was requested.
const SAME_RUN: SignedDuration = SignedDuration::from_hours(24);

/// Takes runs of documents.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = operation.downcast_ref::<DocumentOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &DocumentOperation,
) -> Result<Applied, ActError> {
    let document = &operation.document;
    if !document.starts_with(DOCUMENT_PREFIX) {
        return Err(other(format!(
            "Reeve runs documents whose names begin with {DOCUMENT_PREFIX} alone, not {document}"
        )));
    }

    let fits = match operation.targets {
        DocumentTargets::Machine => resource.kind == ResourceKind::VirtualMachine,
        DocumentTargets::Members => resource.kind == ResourceKind::ScalingGroup,
    };
    if !fits {
        return Err(other(format!(
            "{} is a {}: documents run on machines and members of groups",
            resource.id, resource.kind
        )));
    }

    let comment = comment(resource, document, &operation.occasion);
    match earlier_run(cloud, resource, document, &comment).await? {
        Some(command) => outcome(document, &command),
        None => {
            send(cloud, resource, operation, &comment).await?;
            Ok(Applied::Pending)
        }
    }
}

/// Name of a run, by which it is found again after a lost answer or a restart.
pub(super) fn comment(resource: &Resource, document: &str, occasion: &str) -> String {
    let named = format!("{}\n{document}\n{occasion}", resource.id);
    let digest = Sha256::digest(named.as_bytes());
    let digest: String = digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("reeve {digest}")
}

pub(super) async fn earlier_run(
    cloud: &AwsConnection,
    resource: &Resource,
    document: &str,
    comment: &str,
) -> Result<Option<Value>, ActError> {
    let place = cloud.place(&resource.account, &resource.region);
    let config = cloud.config(&place.region);
    let since = Timestamp::now() - SAME_RUN;
    let mut token = Value::Null;
    loop {
        let mut body = json!({
            "MaxResults": 50,
            "Filters": [
                { "key": "DocumentName", "value": document },
                { "key": "InvokedAfter", "value": since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string() },
            ],
        });
        if token.is_string() {
            body["NextToken"] = token;
        }

        let answer = call(&config, &place, SYSTEMS_MANAGER, "ssm:ListCommands", body).await?;
        let commands = answer["Commands"].as_array().into_iter().flatten();
        if let Some(found) = commands.into_iter().find(|one| one["Comment"] == comment) {
            return Ok(Some(found.clone()));
        }

        token = answer["NextToken"].clone();
        if !token.is_string() {
            return Ok(None);
        }
    }
}

pub(super) fn outcome(document: &str, command: &Value) -> Result<Applied, ActError> {
    let count = |name: &str| command[name].as_u64().unwrap_or(0);
    match command["Status"].as_str().unwrap_or_default() {
        "Success" if count("TargetCount") == 0 => Err(other(format!(
            "the document {document} found no machine to run on: is the agent of Systems Manager running there?"
        ))),
        "Success" => Ok(Applied::Accepted),
        "Pending" | "InProgress" | "Cancelling" => Ok(Applied::Pending),
        status => Err(other(format!(
            "the document {document} ended as {status}: it succeeded on {} of {} machines",
            count("CompletedCount").saturating_sub(count("ErrorCount")),
            count("TargetCount")
        ))),
    }
}

async fn send(
    cloud: &AwsConnection,
    resource: &Resource,
    operation: &DocumentOperation,
    comment: &str,
) -> Result<(), ActError> {
    let mut body = json!({
        "DocumentName": operation.document,
        "Comment": comment,
        "TimeoutSeconds": RECEIVED_WITHIN_S,
    });
    match operation.targets {
        DocumentTargets::Machine => body["InstanceIds"] = json!([resource.id.as_str()]),
        DocumentTargets::Members => {
            body["Targets"] = json!([
                { "Key": "tag:aws:autoscaling:groupName", "Values": [resource.name] }
            ]);
        }
    }

    let place = cloud.place(&resource.account, &resource.region);
    let config = cloud.changing(&place.region);
    call(&config, &place, SYSTEMS_MANAGER, "ssm:SendCommand", body).await?;
    Ok(())
}
