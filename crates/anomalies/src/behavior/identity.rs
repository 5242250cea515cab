//! Identity of an entry's principal, the same in every entry, and of its peer group.

use reeve_audit::{ActorType, Json};
use reeve_learn::behavior::{BehaviorPrincipalKind, Trait, Traits};

use super::{BehaviorSource, any_case};

/// Principal of an entry.
pub(super) struct BehaviorIdentity {
    /// One name for one party, with its account.
    pub(super) principal: String,
    pub(super) kind: BehaviorPrincipalKind,
    /// Group whose members behave alike.
    pub(super) peers: String,
    /// The name alone, to tell one's own identity in parameters.
    pub(super) own_name: String,
    pub(super) traits: Traits,
}

impl BehaviorIdentity {
    pub(super) fn from_source(source: &BehaviorSource<'_>) -> Self {
        let actor = &source.entry.actor;
        let id = actor
            .id
            .as_deref()
            .or(actor.email.as_deref())
            .unwrap_or_default();
        let record = source.member("userIdentity");
        let member = |name: &str| {
            record
                .and_then(|record| any_case(record, name))
                .and_then(Json::as_str)
                .unwrap_or_default()
        };
        let passed_on = passed_on(source, member("invokedBy"));
        let kind = kind(source, member("type"), passed_on);

        let account = [member("accountId"), source.account()]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default();
        let (group, session) = match kind {
            BehaviorPrincipalKind::Role => id.split_once('/').unwrap_or((id, "")),
            _ => ("", ""),
        };
        let steady = if session.is_empty() || generated(session) {
            group
        } else {
            id
        };

        let name = if kind == BehaviorPrincipalKind::Role {
            steady
        } else {
            id
        };

        let peers = match kind {
            BehaviorPrincipalKind::Role => format!("{account}:role:{group}"),
            _ => format!("{account}:{kind:?}"),
        };
        let mut traits = Traits::default();
        let mut put = |one: Trait, there: bool| {
            if there {
                traits.insert(one)
            }
        };
        put(Trait::PassedOn, passed_on);

        put(
            Trait::LongLivedKey,
            long_lived(source, member("accessKeyId"), record),
        );
        put(
            Trait::MachineCredentials,
            machine(session) || delivered(record),
        );
        put(
            Trait::SecondFactor,
            second_factor(source, record).unwrap_or(false),
        );
        put(
            Trait::NoSecondFactor,
            second_factor(source, record) == Some(false),
        );
        let own_name = id.rsplit('/').next().unwrap_or(id).to_owned();

        Self {
            principal: super::short(&format!("{account}:{name}")),
            kind,
            peers: super::short(&peers),
            own_name,
            traits,
        }
    }
}

/// Returns `true` if the credentials do not expire: by the key's prefix, or, if the record has no
/// key, because a user called the service without a session. CloudTrail has `sessionContext` for
/// temporary credentials alone, console sessions included.
fn long_lived(source: &BehaviorSource<'_>, key: &str, record: Option<&Json>) -> bool {
    let member = |name: &str| record.and_then(|record| any_case(record, name));
    let user = member("type").and_then(Json::as_str) == Some("IAMUser");
    let call = source
        .text("eventType")
        .is_none_or(|kind| kind == "AwsApiCall");
    let no_session = member("sessionContext")
        .is_none_or(|context| context.as_object().is_none_or(|it| it.is_empty()));

    key.starts_with("AKIA")
        || source.entry.actor.kind == Some(ActorType::ApiKey)
        || key.is_empty()
            && user
            && call
            && no_session
            && source.text("sourceIPAddress") != Some("AWS Internal")
}

fn kind(
    source: &BehaviorSource<'_>,
    identity_type: &str,
    passed_on: bool,
) -> BehaviorPrincipalKind {
    if identity_type == "Root" {
        return BehaviorPrincipalKind::Root;
    }
    match source.entry.actor.kind {
        Some(ActorType::User) => BehaviorPrincipalKind::Person,
        Some(ActorType::Role) if passed_on && service_role(source) => {
            BehaviorPrincipalKind::Service
        }
        Some(ActorType::Role) => BehaviorPrincipalKind::Role,
        Some(ActorType::ApiKey | ActorType::Agent) => BehaviorPrincipalKind::Program,
        Some(ActorType::Service) if source.entry.metadata.extra.contains_key("cloudtrail") => {
            BehaviorPrincipalKind::Service
        }
        Some(ActorType::Service) => BehaviorPrincipalKind::Program,
        Some(ActorType::System) => BehaviorPrincipalKind::Service,
        Some(ActorType::Anonymous) => BehaviorPrincipalKind::Anonymous,
        None => BehaviorPrincipalKind::Unknown,
    }
}

/// A role that the cloud keeps for a service of its own, and that nobody else can take on.
fn service_role(source: &BehaviorSource<'_>) -> bool {
    source
        .entry
        .actor
        .id
        .as_deref()
        .is_some_and(|id| id.starts_with("AWSServiceRoleFor"))
        || source
            .text("sourceIPAddress")
            .is_some_and(|text| text.ends_with(".amazonaws.com"))
}

/// Name under which the console forwards calls: a person clicked, and the address is theirs.
const CONSOLE: &str = "signin.amazonaws.com";

/// Returns `true` if a service of the cloud forwarded or made the call.
fn passed_on(source: &BehaviorSource<'_>, invoked_by: &str) -> bool {
    let from = source.text("sourceIPAddress").unwrap_or_default();
    !invoked_by.is_empty() && invoked_by != CONSOLE || from.ends_with(".amazonaws.com")
}

/// Returns `true` if a session is named after a machine, as the cloud names those of machine
/// credentials.
fn machine(session: &str) -> bool {
    session
        .strip_prefix("i-")
        .is_some_and(|id| id.len() >= 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns `true` if the cloud states that it gave the credentials to a machine: CloudTrail's
/// `userIdentity.sessionContext.ec2RoleDelivery`.
fn delivered(record: Option<&Json>) -> bool {
    let context = record.and_then(|record| any_case(record, "sessionContext"));
    let said = [record, context]
        .into_iter()
        .flatten()
        .find_map(|object| any_case(object, "ec2RoleDelivery"));
    said.and_then(Json::as_str)
        .is_some_and(|version| !version.is_empty())
}

/// The machine that the credentials were given to.
pub(super) fn own_machine(source: &BehaviorSource<'_>) -> Option<String> {
    let actor = &source.entry.actor;
    let session = actor
        .id
        .as_deref()?
        .rsplit(['/', ':'])
        .next()
        .filter(|session| machine(session))?;

    let own = actor.kind == Some(ActorType::Role) && delivered(source.member("userIdentity"));
    own.then(|| session.to_owned())
}

/// Returns `true` if a session's name looks generated: a machine, a number of many digits, a UUID.
fn generated(session: &str) -> bool {
    let digits = session.bytes().filter(u8::is_ascii_digit).count();
    let hex = session.bytes().filter(u8::is_ascii_hexdigit).count();
    machine(session)
        || !session.contains('@')
            && (digits >= 6 || session.len() >= 16 && hex * 5 >= session.len() * 4)
}

/// Returns whether a second factor was used; `None` if the record does not say.
fn second_factor(source: &BehaviorSource<'_>, record: Option<&Json>) -> Option<bool> {
    if source
        .entry
        .metadata
        .extra
        .get("second_factor")
        .and_then(Json::as_str)
        .is_some()
    {
        return Some(true);
    }

    let said = |value: &Json| match value {
        Json::Bool(there) => Some(*there),
        Json::String(text)
            if text.eq_ignore_ascii_case("yes") || text.eq_ignore_ascii_case("true") =>
        {
            Some(true)
        }
        Json::String(text)
            if text.eq_ignore_ascii_case("no") || text.eq_ignore_ascii_case("false") =>
        {
            Some(false)
        }
        _ => None,
    };

    let extra = source.member("additionalEventData");
    // An identity provider asks for its own second factor, and does not say so here.
    let federated = extra.is_some_and(|extra| any_case(extra, "SamlProviderArn").is_some())
        || record
            .and_then(|record| any_case(record, "type"))
            .and_then(Json::as_str)
            .is_some_and(|kind| kind == "AssumedRole");

    let signed_in = extra
        .and_then(|extra| any_case(extra, "MFAUsed"))
        .and_then(said);
    match signed_in {
        Some(false) if federated => Some(true),
        said => said,
    }
}

/// The principal that somebody becomes by taking on a role.
pub(super) fn becomes(source: &BehaviorSource<'_>, operation: &str) -> Option<String> {
    if !operation.starts_with("AssumeRole") {
        return None;
    }

    let parameter = |name: &str| {
        source
            .parameters()
            .find_map(|all| any_case(all, name))
            .and_then(Json::as_str)
    };
    let arn = parameter("roleArn")?;
    let mut parts = arn.splitn(6, ':');
    let account = parts.nth(4)?;

    let role = parts.next()?.rsplit('/').next()?;
    let session = parameter("roleSessionName").unwrap_or_default();
    let steady = if session.is_empty() || generated(session) {
        role.to_owned()
    } else {
        format!("{role}/{session}")
    };

    Some(super::short(&format!("{account}:{steady}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_sessions_are_distinguished_from_people() {
        for (session, made_up) in [
            ("i-0abcdef1234567890", true),
            ("aws-go-sdk-1722375070115152000", true),
            ("2c8b1fce-aa04-4f0c-9d3f-6a0c2f0b7a11", true),
            ("alice", false),
            ("alice@example.com", false),
            ("deploy", false),
            ("botocore-session-1700000000", true),
        ] {
            assert_eq!(generated(session), made_up, "{session}");
        }
        assert!(machine("i-0abcdef1234567890") && !machine("i-love-it") && !machine("ibex"));
    }
}
