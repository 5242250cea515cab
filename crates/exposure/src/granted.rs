//! Resources that a policy of their own lets outsiders use: queues, topics, keys, secrets,
//! functions, roles and their like.

use crate::answers::ExposureAnswers;
use crate::configuration::ExposureConfiguration;
use crate::finding::{Audience, ExposureStep};
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
];

/// Judges a resource by its policy. Returns the path of an exposure that lets outsiders run it.
pub(crate) fn judge<'a>(
    configuration: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) -> Option<Vec<ExposureStep>> {
    let (_, members, words) = POLICIES
        .iter()
        .find(|(kind, ..)| *kind == configuration.kind)?;
    let document = configuration.document;
    let key = (configuration.id, configuration.kind, configuration.owner());
    let mut first = None;

    let of = (configuration.kind, configuration.id, configuration.owner());
    for member in *members {
        let grants = match policy::grants(document, member, of) {
            Ok(grants) => grants,
            Err(step) => {
                answers.missed(key, vec![step], false);
                continue;
            }
        };
        for mut grant in grants {
            let mut path: Vec<ExposureStep> = grant.step.take().into_iter().collect();
            let is_closed = path.iter().any(|step| step.is_closed_by(closed));
            if is_closed || matches!(grant.audience, Audience::Unknown | Audience::None) {
                answers.missed(key, path, is_closed || grant.audience == Audience::None);
                continue;
            }
            match door(configuration, grant.function_url.as_deref(), &grant.access) {
                Door::Open(step) => path.extend(step),
                Door::Stopped(step) => {
                    path.push(step);
                    answers.missed(key, path, true);
                    continue;
                }
                Door::NotRead(step) => {
                    path.push(step);
                    answers.missed(key, path, false);
                    continue;
                }
            }
            if grant.audience == Audience::Internet {
                first.get_or_insert_with(|| path.clone());
            }
            answers.granted(key, grant.audience, grant.access, path);
        }
    }

    let step = ExposureStep::new(
        "policy",
        configuration.id,
        format!("the {words} lets no outsider in"),
    );
    answers.missed(key, vec![step], true);
    first
}

/// Step beside the policy, through which granted actions are used.
enum Door {
    Open(Option<ExposureStep>),
    Stopped(ExposureStep),
    NotRead(ExposureStep),
}

fn door(
    configuration: &ExposureConfiguration<'_>,
    url: Option<&[String]>,
    access: &[String],
) -> Door {
    let (id, document) = (configuration.id, configuration.document);
    let stopped = |edge, says: &str| Door::Stopped(ExposureStep::new(edge, id, says));
    match configuration.kind {
        "function" => {
            let through_url =
                |action: &String| action.eq_ignore_ascii_case("lambda:InvokeFunctionUrl");
            match (url, access.iter().all(through_url)) {
                (Some(types), _) => function_url(configuration, types),
                (None, true) => function_url(configuration, &[]),
                (None, false) => Door::Open(None),
            }
        }
        "search_domain" if value::at(document, "VPCOptions.VPCId").is_some() => {
            stopped("network", "is reachable inside its network alone")
        }
        "secret" if value::at(document, "DeletedDate").is_some() => {
            stopped("state", "is about to be deleted")
        }
        "encryption_key"
            if matches!(
                value::text(document, "KeyState"),
                Some("Disabled" | "PendingDeletion")
            ) =>
        {
            stopped("state", "is disabled")
        }
        _ => Door::Open(None),
    }
}

/// Finds the function URL that a statement is about, by the types of authentication that it names.
fn function_url(configuration: &ExposureConfiguration<'_>, types: &[String]) -> Door {
    let (id, document) = (configuration.id, configuration.document);
    let Some(member) = ["FunctionUrlConfigs", "FunctionUrlConfig"]
        .iter()
        .find(|member| value::at(document, member).is_some())
        .filter(|member| !value::is_hidden(document, member))
    else {
        let says = "function URLs were not read";
        return Door::NotRead(ExposureStep::new("function_url", id, says));
    };

    let urls = value::list(document, member);
    let fits = |url: &&serde_json::Value| {
        let own = value::text(url, "AuthType").unwrap_or_default();
        types.is_empty() || types.iter().any(|wanted| wanted.eq_ignore_ascii_case(own))
    };
    match urls.iter().find(fits) {
        Some(url) => {
            let address = value::text(url, "FunctionUrl").unwrap_or("of the function");
            let says = match value::text(url, "AuthType") {
                Some("NONE") => format!("function URL {address} asks for no authentication"),
                _ => format!("function URL {address} takes the identity of any account"),
            };
            Door::Open(Some(ExposureStep::new("function_url", id, says)))
        }
        None if urls.is_empty() => {
            Door::Stopped(ExposureStep::new("function_url", id, "has no function URL"))
        }
        None => {
            let says = "the function URL asks for another type of authentication";
            Door::Stopped(ExposureStep::new("function_url", id, says))
        }
    }
}
