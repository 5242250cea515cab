//! Access of outsiders by policies of resources, in the words of this crate. `iam` evaluates them.

use reeve_iam::arn::account_of;
use reeve_iam::{
    IamPolicy, OutsideAccess, OutsideGrade, Outsider, PolicyEffect, PolicyStatement, outside_access,
};
use serde_json::Value;

use crate::finding::{Audience, ExposureStep};
use crate::value;

/// Access that a statement gives to an outsider.
#[derive(Debug)]
pub(crate) struct Grant {
    /// [`Audience::Unknown`] if it depends on what is not known, [`Audience::None`] if the statement
    /// keeps all but a known few out.
    pub(crate) audience: Audience,
    pub(crate) access: Vec<String>,
    pub(crate) step: Option<ExposureStep>,
    /// Type of authentication of a function URL, without which the statement allows nothing;
    /// empty if it names none.
    pub(crate) function_url: Option<Vec<String>>,
}

/// Actions that are asked about beside those that a policy names.
const ACTIONS: &[(&str, &[&str])] = &[
    (
        "bucket",
        &[
            "s3:ListBucket",
            "s3:GetObject",
            "s3:PutObject",
            "s3:DeleteObject",
            "s3:PutObjectAcl",
            "s3:GetBucketPolicy",
            "s3:PutBucketPolicy",
            "s3:DeleteBucket",
        ],
    ),
    (
        "queue",
        &[
            "sqs:SendMessage",
            "sqs:ReceiveMessage",
            "sqs:DeleteMessage",
            "sqs:PurgeQueue",
            "sqs:SetQueueAttributes",
        ],
    ),
    (
        "topic",
        &[
            "sns:Publish",
            "sns:Subscribe",
            "sns:SetTopicAttributes",
            "sns:AddPermission",
            "sns:DeleteTopic",
        ],
    ),
    (
        "encryption_key",
        &[
            "kms:Decrypt",
            "kms:Encrypt",
            "kms:GenerateDataKey",
            "kms:CreateGrant",
            "kms:PutKeyPolicy",
            "kms:ScheduleKeyDeletion",
        ],
    ),
    (
        "secret",
        &[
            "secretsmanager:GetSecretValue",
            "secretsmanager:PutSecretValue",
            "secretsmanager:DeleteSecret",
            "secretsmanager:PutResourcePolicy",
        ],
    ),
    (
        "function",
        &[
            "lambda:InvokeFunction",
            "lambda:InvokeFunctionUrl",
            "lambda:GetFunction",
            "lambda:UpdateFunctionCode",
            "lambda:AddPermission",
        ],
    ),
    (
        "iam_role",
        &[
            "sts:AssumeRole",
            "sts:AssumeRoleWithSAML",
            "sts:AssumeRoleWithWebIdentity",
        ],
    ),
    (
        "container_registry",
        &[
            "ecr:BatchGetImage",
            "ecr:GetDownloadUrlForLayer",
            "ecr:PutImage",
            "ecr:SetRepositoryPolicy",
        ],
    ),
    (
        "search_domain",
        &[
            "es:ESHttpGet",
            "es:ESHttpPost",
            "es:ESHttpPut",
            "es:ESHttpDelete",
        ],
    ),
    ("stream", &["kinesis:GetRecords", "kinesis:PutRecord"]),
    (
        "backup_vault",
        &["backup:CopyIntoBackupVault", "backup:StartRestoreJob"],
    ),
];

/// Keys of conditions that only calls through a function URL satisfy.
const URL_KEYS: [&str; 2] = ["lambda:functionurlauthtype", "lambda:invokedviafunctionurl"];

/// Identity providers that anyone can get an identity from.
const PUBLIC_PROVIDERS: [&str; 9] = [
    "token.actions.githubusercontent.com",
    "gitlab.com",
    "accounts.google.com",
    "cognito-identity.amazonaws.com",
    "graph.facebook.com",
    "www.amazon.com",
    "app.terraform.io",
    "api.bitbucket.org",
    "agent.buildkite.com",
];

/// Returns the access that the policy at a member of a document gives outsiders.
///
/// # Errors
/// The step of a policy that cannot be read.
pub(crate) fn grants(
    document: &Value,
    member: &str,
    (kind, id, account): (&str, &str, &str),
) -> Result<Vec<Grant>, ExposureStep> {
    if value::is_hidden(document, member) {
        return Err(ExposureStep::new(
            "policy",
            id,
            format!("{member} was not read"),
        ));
    }
    let Some(found) = value::at(document, member).filter(|found| *found != "") else {
        return Ok(Vec::new());
    };
    let policy = IamPolicy::read(found).map_err(|error| {
        ExposureStep::new("policy", id, format!("{member} cannot be read: {error}"))
    })?;

    let named = named_actions(found);
    let known = ACTIONS
        .iter()
        .find(|(of, _)| *of == kind)
        .map(|(_, actions)| *actions);
    let mut actions: Vec<&str> = known.unwrap_or_default().to_vec();
    for action in &named {
        if !actions
            .iter()
            .any(|known| known.eq_ignore_ascii_case(action))
        {
            actions.push(action);
        }
    }

    let access = outside_access(&policy, account, &actions);
    Ok(access
        .into_iter()
        .map(|one| grant(&policy, one, id, account))
        .collect())
}

fn grant(policy: &IamPolicy, access: OutsideAccess, id: &str, account: &str) -> Grant {
    let (audience, who) = audience(&access, account);
    // Statements without a `Sid` are named by their number: `statement 1`.
    let statement_name = match access.statement.starts_with("statement ") {
        true => access.statement.clone(),
        false => format!("statement {}", access.statement),
    };
    let mut says = format!(
        "{statement_name} allows {} to {who}",
        access.actions.join(", ")
    );
    if !access.conditions.is_empty() {
        says = format!("{says} under {}", access.conditions.join(", "));
    }
    let step = ExposureStep::new("policy", id, says).keyed(&statement_name);

    let statement = policy
        .statements
        .iter()
        .find(|one| one.name == access.statement);
    Grant {
        audience,
        access: access.actions,
        step: Some(step),
        function_url: statement.and_then(function_url),
    }
}

fn audience(access: &OutsideAccess, account: &str) -> (Audience, String) {
    let certain = |audience: Audience| match access.grade {
        OutsideGrade::Certain => audience,
        OutsideGrade::Possible => Audience::Unknown,
    };
    match &access.who {
        Outsider::Everyone => (certain(Audience::Internet), "everyone".to_owned()),
        Outsider::Organization(id) => (
            certain(Audience::Organization),
            format!("everyone in organization {id}"),
        ),
        Outsider::Account(other) => (
            certain(Audience::Account(other.clone())),
            format!("account {other}"),
        ),
        Outsider::Network(from) => (Audience::None, format!("callers from {from} only")),
        Outsider::Federated(provider) => {
            let name = provider
                .rsplit_once("-provider/")
                .map_or(provider.as_str(), |(_, name)| name);
            let is_public = PUBLIC_PROVIDERS.contains(&name);
            // A provider of one's own lets its own people in.
            let is_own = account_of(provider) == Some(account);
            let audience = match (is_public, access.grade) {
                (true, OutsideGrade::Certain) => Audience::Internet,
                (true, OutsideGrade::Possible) => Audience::None,
                (false, _) if is_own => Audience::None,
                (false, _) => Audience::Unknown,
            };
            (audience, format!("identities of {name}"))
        }
    }
}

/// Returns the actions that a policy names without a pattern, as it writes them.
fn named_actions(policy: &Value) -> Vec<String> {
    let parsed: Option<Value> = policy
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let policy = parsed.as_ref().unwrap_or(policy);
    let statements = value::list(policy, "Statement").iter();
    let mut actions: Vec<String> = statements
        .flat_map(|statement| value::texts(statement, "Action"))
        .filter(|action| !action.contains(['*', '?']))
        .map(str::to_owned)
        .collect();
    actions.sort();
    actions.dedup();
    actions
}

fn function_url(statement: &PolicyStatement) -> Option<Vec<String>> {
    let conditions = statement.conditions.iter();
    let mut of_url = conditions
        .filter(|condition| URL_KEYS.contains(&condition.key.as_str()))
        .peekable();
    of_url.peek()?;
    let types = of_url.filter(|condition| condition.key == URL_KEYS[0]);
    Some(
        types
            .flat_map(|condition| condition.values.clone())
            .collect(),
    )
}

/// Returns `true` if the policy of a bucket leaves decisions to the policies of access points
/// ("Delegating access control to access points", S3 User Guide).
pub(crate) fn delegates_to_access_points(bucket: &Value) -> bool {
    let policy = value::at(bucket, "Policy").and_then(|policy| IamPolicy::read(policy).ok());
    let statements = policy.map(|policy| policy.statements).unwrap_or_default();
    statements.iter().any(|statement| {
        statement.effect == PolicyEffect::Allow
            && statement
                .conditions
                .iter()
                .any(|condition| condition.key.starts_with("s3:dataaccesspoint"))
    })
}
