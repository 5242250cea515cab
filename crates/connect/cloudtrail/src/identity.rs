//! Actor of a record: `userIdentity` in all its kinds.

use reeve_audit::json::Object;
use reeve_audit::{Actor, ActorType, Json};

/// Returns the actor that `userIdentity` describes. Identifiers are those that people search for:
/// the user name, or `role/session` of an assumed role.
pub(crate) fn actor(identity: Option<&Json>) -> Actor {
    let Some(identity) = identity.and_then(Json::as_object) else {
        return Actor::default();
    };

    let member = |name: &str| text(identity, name);
    let arn = member("arn");
    let kind = kind(identity);
    let id = match member("type") {
        Some("Root") => Some("root"),
        Some("AssumedRole") => after(arn, ":assumed-role/").or(member("principalId")),
        Some("FederatedUser") => after(arn, ":federated-user/").or(member("principalId")),
        Some("AWSService") => member("invokedBy").or(member("principalId")),
        Some("AWSAccount") => arn.or(member("principalId")).or(member("accountId")),
        Some("IdentityCenterUser") => member("userName")
            .or(on_behalf_of(identity))
            .or(member("principalId")),
        Some("Role") => member("userName")
            .or(after(arn, ":role/"))
            .or(member("principalId")),
        _ => None,
    };

    let id = id
        .or(member("userName"))
        .or(arn)
        .or(member("principalId"))
        .or(member("invokedBy"));

    let email = member("userName").filter(|name| is_email(name)).or(id
        .and_then(|id| id.rsplit('/').next())
        .filter(|name| is_email(name)));
    // Keys of a session begin with ASIA; AKIA keys are a user's own and name no session.
    let session_id = member("accessKeyId").filter(|key| key.starts_with("ASIA"));
    Actor {
        kind,
        id: id.map(str::to_owned),
        email: email.map(str::to_owned),
        session_id: session_id.map(str::to_owned),
        ..Actor::default()
    }
}

fn kind(identity: &Object) -> Option<ActorType> {
    let anonymous = ["principalId", "accountId"].iter().any(|name| {
        text(identity, name).is_some_and(|t| t.to_lowercase().starts_with("anonymous"))
    });
    if anonymous {
        return Some(ActorType::Anonymous);
    }

    match text(identity, "type") {
        Some(
            "Root" | "IAMUser" | "FederatedUser" | "SAMLUser" | "WebIdentityUser" | "Directory"
            | "IdentityCenterUser" | "AWSAccount",
        ) => Some(ActorType::User),
        Some("AssumedRole" | "Role") => Some(ActorType::Role),
        Some("AWSService") => Some(ActorType::Service),
        _ if text(identity, "invokedBy").is_some() => Some(ActorType::Service),
        _ => None,
    }
}

fn on_behalf_of(identity: &Object) -> Option<&str> {
    identity
        .get("onBehalfOf")?
        .get("userId")?
        .as_str()
        .filter(|text| !text.is_empty())
}

/// A member that is a string with something in it.
fn text<'a>(identity: &'a Object, name: &str) -> Option<&'a str> {
    identity
        .get(name)
        .and_then(Json::as_str)
        .filter(|text| !text.is_empty())
}

fn after<'a>(arn: Option<&'a str>, mark: &str) -> Option<&'a str> {
    arn?.split_once(mark)
        .map(|(_, rest)| rest)
        .filter(|rest| !rest.is_empty())
}

fn is_email(text: &str) -> bool {
    let sound = text
        .split_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'));
    sound
        && !text
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '<')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_kind_of_identity() {
        for (identity, kind, id, email, session) in [
            (
                r#"{"type":"IAMUser","userName":"alice","arn":"arn:aws:iam::1:user/alice","accessKeyId":"AKIA1"}"#,
                Some("user"),
                "alice",
                "",
                "",
            ),
            (
                r#"{"type":"Root","principalId":"1","arn":"arn:aws:iam::1:root"}"#,
                Some("user"),
                "root",
                "",
                "",
            ),
            (
                r#"{"type":"AssumedRole","principalId":"AROA:bob@x.org","arn":"arn:aws:sts::1:assumed-role/Admin/bob@x.org","accessKeyId":"ASIA1"}"#,
                Some("role"),
                "Admin/bob@x.org",
                "bob@x.org",
                "ASIA1",
            ),
            (
                r#"{"type":"AssumedRole","principalId":"AROA:i-1"}"#,
                Some("role"),
                "AROA:i-1",
                "",
                "",
            ),
            (
                r#"{"type":"FederatedUser","arn":"arn:aws:sts::1:federated-user/carol"}"#,
                Some("user"),
                "carol",
                "",
                "",
            ),
            (
                r#"{"type":"AWSService","invokedBy":"ec2.amazonaws.com"}"#,
                Some("service"),
                "ec2.amazonaws.com",
                "",
                "",
            ),
            (
                r#"{"type":"AWSAccount","principalId":"AIDA:x","accountId":"2"}"#,
                Some("user"),
                "AIDA:x",
                "",
                "",
            ),
            (
                r#"{"type":"AWSAccount","principalId":"","accountId":"ANONYMOUS_PRINCIPAL"}"#,
                Some("anonymous"),
                "ANONYMOUS_PRINCIPAL",
                "",
                "",
            ),
            (
                r#"{"type":"SAMLUser","principalId":"p","userName":"dave@x.org"}"#,
                Some("user"),
                "dave@x.org",
                "dave@x.org",
                "",
            ),
            (
                r#"{"type":"WebIdentityUser","principalId":"p","userName":"erin"}"#,
                Some("user"),
                "erin",
                "",
                "",
            ),
            (
                r#"{"type":"IdentityCenterUser","onBehalfOf":{"userId":"u-1"}}"#,
                Some("user"),
                "u-1",
                "",
                "",
            ),
            (
                r#"{"invokedBy":"autoscaling.amazonaws.com"}"#,
                Some("service"),
                "autoscaling.amazonaws.com",
                "",
                "",
            ),
            (
                r#"{"type":"Unknown","userName":"<name@x.org>"}"#,
                None,
                "<name@x.org>",
                "",
                "",
            ),
            ("{}", None, "", "", ""),
        ] {
            let actor = actor(Some(
                &reeve_audit::json::parse(identity.as_bytes()).unwrap(),
            ));
            let or_empty = |text: Option<String>| text.unwrap_or_default();
            assert_eq!(actor.kind.map(|k| k.as_str()), kind, "{identity}");
            assert_eq!(
                [
                    or_empty(actor.id),
                    or_empty(actor.email),
                    or_empty(actor.session_id)
                ],
                [id, email, session],
                "{identity}"
            );
        }
        assert!(actor(None).is_empty() && actor(Some(&Json::Null)).is_empty());
    }
}
