//! The IAM policy that a connection to AWS needs. It follows from the program: one statement for
//! reading, and one for each change that Reeve offers on AWS, named after it.

use std::collections::BTreeSet;

use reeve_audit::Obstacle;
use reeve_estate::Provider;
use reeve_recommend::change::{ChangeRegistry, ChangeType, PermittedOn};
use serde_json::{Value, json};

/// Permissions that a policy is to hold.
#[derive(Debug, Clone, Default)]
pub struct PolicyWish {
    /// `true` leaves out all changes.
    pub observe_only: bool,
    /// Names of the changes (`resize_machine`); an empty list stands for all.
    pub changes: Vec<String>,
}

/// Returns the policy; `reads` are the permissions of the syncs.
///
/// # Errors
/// A change is not offered on AWS; the text lists those that are.
pub fn iam_policy(reads: &[&str], wish: &PolicyWish) -> Result<Value, Obstacle> {
    let changes = ChangeRegistry::builtin();
    let offered = |row: &&ChangeType| {
        row.permissions
            .iter()
            .any(|permission| permission.provider == Provider::Aws)
    };
    let offered: Vec<&ChangeType> = changes.rows().filter(offered).collect();

    if let Some(unknown) = wish
        .changes
        .iter()
        .find(|name| !offered.iter().any(|row| row.name == name.as_str()))
    {
        let names: Vec<&str> = offered.iter().map(|row| row.name).collect();
        return Err(Obstacle::of(format_args!(
            "AWS offers no change {unknown:?}; it offers {}",
            names.join(", ")
        )));
    }

    let wanted = |row: &&&ChangeType| {
        wish.changes.is_empty() || wish.changes.iter().any(|name| name == row.name)
    };

    let mut statements = vec![statement(
        "ReeveReads",
        reads.iter().copied().collect(),
        PermittedOn::Any,
    )];

    for row in offered.iter().filter(wanted).filter(|_| !wish.observe_only) {
        let limits: BTreeSet<PermittedOn> = row.permissions.iter().map(|one| one.on).collect();
        for on in limits {
            let of_row = row.permissions.iter().filter(|one| one.on == on);
            let suffix = match on {
                PermittedOn::Any => "",
                PermittedOn::MadeByReeve => "OfReeve",
                PermittedOn::Named(_) => "Named",
            };
            statements.push(statement(
                &format!("{}{suffix}", sid(row.name)),
                of_row.map(|permission| permission.name).collect(),
                on,
            ));
        }
    }

    Ok(json!({ "Version": "2012-10-17", "Statement": statements }))
}

fn statement(sid: &str, actions: BTreeSet<&str>, on: PermittedOn) -> Value {
    let mut statement =
        json!({ "Sid": sid, "Effect": "Allow", "Action": actions, "Resource": "*" });
    match on {
        PermittedOn::Any => {}
        PermittedOn::MadeByReeve => {
            statement["Condition"] =
                json!({ "StringEquals": { "aws:ResourceTag/reeve:created-by": "reeve" } });
        }
        PermittedOn::Named(arns) => statement["Resource"] = json!(arns),
    }
    statement
}

/// Identifier of a statement, which IAM wants without underscores: `resize_machine` as
/// `ReeveResizeMachine`.
fn sid(change: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1.min(word.len()));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    format!(
        "Reeve{}",
        change.split('_').map(capital).collect::<String>()
    )
}
