//! `reeve connections`: the connections of a service and what their syncs read; and `policy`, the
//! permissions that a connection needs, derived from the changes themselves.

mod readings;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use reeve_connect_aws::reads;
use reeve_http::{PolicyWish, iam_policy};
use reeve_recommend::agent::AgentType;
use reeve_recommend::change::ChangeRegistry;
use serde_json::Value;

use crate::cli::{ConnectionsCommand, PolicyArgs, PolicyCloud};

pub(crate) async fn run(command: ConnectionsCommand) -> Result<ExitCode> {
    match command {
        ConnectionsCommand::List(args) => readings::list(&args).await,
        ConnectionsCommand::Readings(args) => readings::readings(&args).await,
        ConnectionsCommand::Policy(args) => policy(&args),
    }
}

/// Returns the IAM policy that a connection needs.
fn aws(args: &PolicyArgs) -> Result<Value> {
    let mut changes = args.changes.clone();
    for name in of_agents(&args.agents)? {
        if !changes.iter().any(|known| known == name) {
            changes.push(name.to_owned());
        }
    }

    let wish = PolicyWish {
        observe_only: args.observe_only,
        changes,
    };
    iam_policy(&reads(), &wish).map_err(anyhow::Error::msg)
}

/// Names of the changes that agent types propose in AWS. Those of databases need grants there instead.
fn of_agents(names: &[String]) -> Result<BTreeSet<&'static str>> {
    let types = reeve_agents::registry();
    let registry = ChangeRegistry::builtin();
    let rows = registry.rows().filter(|row| !row.permissions.is_empty());
    let in_aws: BTreeSet<&str> = rows.map(|row| row.name).collect();
    let mut changes = BTreeSet::new();

    for name in names {
        let known = types.available().contains(&name.as_str());
        let Some(agent_type) = AgentType::parse(name).filter(|_| known) else {
            bail!(
                "there is no agent type {name:?} that proposes changes; there are {}",
                types.available().join(", ")
            );
        };
        let proposed = reeve_agents::changes(agent_type).iter().copied();
        changes.extend(proposed.filter(|name| in_aws.contains(name)));
    }

    Ok(changes)
}

fn policy(args: &PolicyArgs) -> Result<ExitCode> {
    let PolicyCloud::Aws = args.cloud;
    let policy = aws(args)?;
    writeln!(
        std::io::stdout(),
        "{}",
        serde_json::to_string_pretty(&policy)?
    )?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::*;

    fn policy_of(changes: &[&str], observe_only: bool) -> Result<Value> {
        let changes = changes.iter().map(|name| (*name).to_owned()).collect();
        aws(&PolicyArgs {
            cloud: PolicyCloud::Aws,
            observe_only,
            changes,
            agents: Vec::new(),
        })
    }

    fn actions(policy: &Value) -> BTreeSet<String> {
        let statements = policy["Statement"].as_array().unwrap();
        let all = statements
            .iter()
            .flat_map(|statement| statement["Action"].as_array().unwrap());
        all.map(|action| action.as_str().unwrap().to_owned())
            .collect()
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found)
            } else {
                found.push(path)
            }
        }
    }

    /// Each call that the connector makes names its permission. Buckets of exports, bills and tiers are
    /// named by policies of their own (`docs/howto/exports.md`, `docs/howto/bills.md`,
    /// `docs/operate/configuration.md`).
    #[test]
    fn each_permission_that_the_connector_asks_for_is_in_the_policy() {
        let connect = Path::new(env!("CARGO_MANIFEST_DIR")).join("../connect");
        let mut files = Vec::new();
        for folder in ["aws/src", "aws-ec2/src"] {
            sources(&connect.join(folder), &mut files);
        }

        let granted = actions(&policy_of(&[], false).unwrap());
        let buckets = [
            "s3:DeleteObject",
            "s3:GetObject",
            "s3:ListBucket",
            "s3:PutObject",
        ];
        let mut called = 0;

        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            for (_, rest) in code
                .match_indices(".call(\"")
                .map(|(at, found)| code.split_at(at + found.len()))
            {
                let permission = rest.split('"').next().unwrap();
                called += 1;
                let known = granted.contains(permission) || buckets.contains(&permission);
                assert!(
                    known,
                    "{permission}, called in {}, is in no statement",
                    file.display()
                );
            }
        }

        assert!(called > 30, "the calls were not found: {called}");
    }

    #[test]
    fn a_policy_of_agent_types_has_the_statements_of_their_changes_alone() {
        let of = |agents: &[&str]| {
            let agents = agents.iter().map(|name| (*name).to_owned()).collect();
            aws(&PolicyArgs {
                cloud: PolicyCloud::Aws,
                observe_only: false,
                changes: Vec::new(),
                agents,
            })
        };

        let sids = |policy: &Value| {
            let all = policy["Statement"].as_array().unwrap().iter();
            all.map(|one| one["Sid"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };

        assert_eq!(
            sids(&of(&["storage_optimizer"]).unwrap()),
            [
                "ReeveReads",
                "ReeveDeleteSnapshot",
                "ReeveModifyVolume",
                "ReevePutBucketLifecycle"
            ]
        );

        let both = of(&["workload_classifier", "storage_optimizer"]).unwrap();
        assert!(actions(&both).contains("autoscaling:UpdateAutoScalingGroup"));
        assert!(
            !actions(&both).contains("ec2:RevokeSecurityGroupEgress"),
            "isolation is for security_intelligence"
        );
        assert_eq!(
            of(&reeve_agents::registry().available()).unwrap(),
            policy_of(&[], false).unwrap()
        );

        let error = of(&["spot_optimiser"]).unwrap_err().to_string();
        assert!(error.contains("workload_classifier"), "{error}");
    }

    #[test]
    fn a_policy_allows_what_was_asked_for_and_no_more() {
        let reading = actions(&policy_of(&[], true).unwrap());
        let acts = |action: &String| {
            ![
                "Describe",
                "List",
                "Get",
                "GET",
                "BatchGet",
                "FilterLogEvents",
                "GenerateCredentialReport",
                "GenerateServiceLastAccessedDetails",
            ]
            .iter()
            .any(|verb| action.contains(&format!(":{verb}")))
        };

        assert_eq!(
            reading.iter().filter(|action| acts(action)).count(),
            0,
            "{reading:?}"
        );

        let isolation = policy_of(&["isolate"], false).unwrap();
        let own = isolation["Statement"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["Sid"] == "ReeveIsolateOfReeve");

        assert_eq!(
            own.unwrap()["Action"],
            json!(["ec2:RevokeSecurityGroupEgress"])
        );
        assert!(
            own.unwrap()["Condition"].is_object()
                && !actions(&isolation).contains("ec2:StopInstances")
        );

        let error = policy_of(&["paint"], false).unwrap_err().to_string();
        assert!(
            error.contains("\"paint\"") && error.contains("resize_machine"),
            "{error}"
        );
    }
}
