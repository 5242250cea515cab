//! `reeve connections`: the connections of a service and what their syncs read; and `policy`, the permissions that a connection
//! needs, derived from the changes themselves.

mod readings;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use reeve_connect_aws::reads;
use reeve_estate::Provider;
use reeve_recommend::change::{ChangeType, Changes};
use serde_json::{Value, json};

use crate::cli::{ConnectionsCommand, PolicyArgs, PolicyCloud};

/// Runs a command.
pub(crate) async fn run(command: ConnectionsCommand) -> Result<ExitCode> {
    match command {
        ConnectionsCommand::List(args) => readings::list(&args).await,
        ConnectionsCommand::Readings(args) => readings::readings(&args).await,
        ConnectionsCommand::Policy(args) => policy(&args),
    }
}

fn policy(args: &PolicyArgs) -> Result<ExitCode> {
    let PolicyCloud::Aws = args.cloud;
    let policy = aws(&Changes::builtin(), args)?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&policy)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The IAM policy.
fn aws(changes: &Changes, args: &PolicyArgs) -> Result<Value> {
    let offered = |row: &&ChangeType| row.permissions.iter().any(|permission| permission.provider == Provider::Aws);
    let offered: Vec<&ChangeType> = changes.rows().filter(offered).collect();
    if let Some(unknown) = args.changes.iter().find(|name| !offered.iter().any(|row| row.name == name.as_str())) {
        let names: Vec<&str> = offered.iter().map(|row| row.name).collect();
        bail!("AWS offers no change {unknown:?}; it offers {}", names.join(", "));
    }
    let wanted = |row: &&&ChangeType| args.changes.is_empty() || args.changes.iter().any(|name| name == row.name);
    let mut statements = vec![statement("ReeveReads", reads().into_iter().collect(), false)];
    for row in offered.iter().filter(wanted).filter(|_| !args.observe_only) {
        for own_only in [false, true] {
            let of_row = row.permissions.iter().filter(|permission| permission.own_only == own_only);
            let names: BTreeSet<&str> = of_row.map(|permission| permission.name).collect();
            if !names.is_empty() {
                let suffix = if own_only { "OfReeve" } else { "" };
                statements.push(statement(&format!("{}{suffix}", sid(row.name)), names, own_only));
            }
        }
    }
    Ok(json!({ "Version": "2012-10-17", "Statement": statements }))
}

fn statement(sid: &str, actions: BTreeSet<&str>, own_only: bool) -> Value {
    let mut statement = json!({ "Sid": sid, "Effect": "Allow", "Action": actions, "Resource": "*" });
    if own_only {
        statement["Condition"] = json!({ "StringEquals": { "aws:ResourceTag/reeve:created-by": "reeve" } });
    }
    statement
}

/// Identifier of a statement, which IAM wants without underscores: `resize_machine` as `ReeveResizeMachine`.
fn sid(change: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1.min(word.len()));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    format!("Reeve{}", change.split('_').map(capital).collect::<String>())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::{Path, PathBuf};

    use super::*;

    fn policy_of(changes: &[&str], observe_only: bool) -> Result<Value> {
        let changes = changes.iter().map(|name| (*name).to_owned()).collect();
        aws(&Changes::builtin(), &PolicyArgs { cloud: PolicyCloud::Aws, observe_only, changes })
    }

    fn actions(policy: &Value) -> BTreeSet<String> {
        let statements = policy["Statement"].as_array().unwrap();
        let all = statements.iter().flat_map(|statement| statement["Action"].as_array().unwrap());
        all.map(|action| action.as_str().unwrap().to_owned()).collect()
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { sources(&path, found) } else { found.push(path) }
        }
    }

    /// Each call that the connector makes names its permission; deliveries of exports to buckets have a policy of their own.
    #[test]
    fn each_permission_that_the_connector_asks_for_is_in_the_policy() {
        let connect = Path::new(env!("CARGO_MANIFEST_DIR")).join("../connect");
        let mut files = Vec::new();
        for folder in ["aws/src", "aws-ec2/src"] {
            sources(&connect.join(folder), &mut files);
        }
        let granted = actions(&policy_of(&[], false).unwrap());
        let exports = ["s3:GetObject", "s3:PutObject"];
        let mut called = 0;
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            for (_, rest) in code.match_indices(".call(\"").map(|(at, found)| code.split_at(at + found.len())) {
                let permission = rest.split('"').next().unwrap();
                called += 1;
                let known = granted.contains(permission) || exports.contains(&permission);
                assert!(known, "{permission}, called in {}, is in no statement", file.display());
            }
        }
        assert!(called > 30, "the calls were not found: {called}");
    }

    #[test]
    fn a_policy_allows_what_was_asked_for_and_no_more() {
        let reading = actions(&policy_of(&[], true).unwrap());
        let acts = |action: &String| {
            !["Describe", "List", "Get", "GenerateCredentialReport"]
                .iter()
                .any(|verb| action.contains(&format!(":{verb}")))
        };
        assert_eq!(reading.iter().filter(|action| acts(action)).count(), 0, "{reading:?}");
        let isolation = policy_of(&["isolate"], false).unwrap();
        let own = isolation["Statement"].as_array().unwrap().iter().find(|one| one["Sid"] == "ReeveIsolateOfReeve");
        assert_eq!(own.unwrap()["Action"], json!(["ec2:RevokeSecurityGroupEgress"]));
        assert!(own.unwrap()["Condition"].is_object() && !actions(&isolation).contains("ec2:StopInstances"));
        let error = policy_of(&["paint"], false).unwrap_err().to_string();
        assert!(error.contains("\"paint\"") && error.contains("resize_machine"), "{error}");
    }
}
