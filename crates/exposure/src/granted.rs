//! Resources that a policy of their own lets outsiders use: queues, topics, keys, secrets,
//! functions, roles and their like.

use crate::answers::Answers;
use crate::configuration::Configuration;
use crate::finding::{Audience, Step};
use crate::policy;
use crate::value;

/// Kinds with the member that holds the policy, and the words for it.
const POLICIES: &[(&str, &[&str], &str)] = &[
    ("queue", &["Attributes.Policy"], "queue policy"),
    ("topic", &["Attributes.Policy"], "topic policy"),
    ("encryption_key", &["Policy"], "key policy"),
    ("secret", &["Policy", "ResourcePolicy"], "secret's policy"),
    (
        "function",
        &["ResourcePolicy", "Policy"],
        "function's policy",
    ),
    ("iam_role", &["AssumeRolePolicyDocument"], "trust policy"),
    ("container_registry", &["policy"], "repository policy"),
    ("search_domain", &["AccessPolicies"], "access policy"),
    ("stream", &["Policy"], "stream's policy"),
    ("backup_vault", &["Policy"], "vault's policy"),
    ("file_system", &["Policy"], "file system policy"),
];

/// Judges a resource by its policy. Returns the path of an exposure that lets outsiders run it.
pub(crate) fn judge<'a>(
    configuration: &Configuration<'a>,
    answers: &mut Answers<'a>,
    closed: Option<&str>,
) -> Option<Vec<Step>> {
    let (_, members, words) = POLICIES
        .iter()
        .find(|(kind, ..)| *kind == configuration.kind)?;
    let document = configuration.document;
    let key = (configuration.id, configuration.kind, configuration.owner());
    let mut first = None;

    for member in *members {
        if value::is_hidden(document, member) {
            let step = Step::new(
                "policy",
                configuration.id,
                format!("the {words} was not read"),
            );
            answers.missed(key, vec![step], false);
        }
        for mut grant in policy::grants(document, member, configuration.id, configuration.owner()) {
            let mut path: Vec<Step> = grant.step.take().into_iter().collect();
            let is_closed =
                closed.is_some() && path.iter().any(|step| step.key.as_deref() == closed);
            if is_closed || grant.audience == Audience::Unknown {
                answers.missed(key, path, is_closed);
                continue;
            }
            match door(configuration, &grant.access) {
                Ok(step) => path.extend(step),
                Err(step) => {
                    path.push(step);
                    answers.missed(key, path, true);
                    continue;
                }
            }
            if grant.audience == Audience::Internet {
                first.get_or_insert_with(|| path.clone());
            }
            answers.granted(key, grant.audience, grant.access, path);
        }
    }

    let step = Step::new(
        "policy",
        configuration.id,
        format!("the {words} lets no outsider in"),
    );
    answers.missed(key, vec![step], true);
    first
}

/// Returns the step through which granted actions are used, where the policy alone is not enough.
fn door(configuration: &Configuration<'_>, access: &[String]) -> Result<Option<Step>, Step> {
    let (id, document) = (configuration.id, configuration.document);
    match configuration.kind {
        "function" => {
            let is_url_alone = !access.is_empty()
                && access
                    .iter()
                    .all(|action| action.eq_ignore_ascii_case("lambda:InvokeFunctionUrl"));
            let urls = value::list(document, "FunctionUrlConfigs");
            let open = urls
                .iter()
                .find(|url| value::text(url, "AuthType") == Some("NONE"));
            match (open, value::at(document, "FunctionUrlConfigs")) {
                (Some(url), _) => {
                    let address = value::text(url, "FunctionUrl").unwrap_or("its address");
                    let says = format!("function URL {address} asks for no authentication");
                    Ok(Some(Step::new("function_url", id, says)))
                }
                (None, Some(_)) if is_url_alone && urls.is_empty() => {
                    Err(Step::new("function_url", id, "has no function URL"))
                }
                (None, Some(_)) if is_url_alone => {
                    let says = "function URL asks for the signature of an identity of AWS";
                    Err(Step::new("function_url", id, says))
                }
                _ => Ok(None),
            }
        }
        "search_domain" if value::at(document, "VPCOptions.VPCId").is_some() => Err(Step::new(
            "network",
            id,
            "is reachable inside its network alone",
        )),
        "secret" if value::at(document, "DeletedDate").is_some() => {
            Err(Step::new("state", id, "is about to be deleted"))
        }
        "encryption_key"
            if matches!(
                value::text(document, "KeyState"),
                Some("Disabled" | "PendingDeletion")
            ) =>
        {
            Err(Step::new("state", id, "is disabled"))
        }
        _ => Ok(None),
    }
}
