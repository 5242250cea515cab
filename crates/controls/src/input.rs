//! Configuration documents from files: with their kind beside them, or as a cloud prints them.

mod aws_print;

use std::collections::BTreeMap;

use reeve_estate::document::NOT_READ;
use reeve_estate::{Kinds, Provider, RelationKind, ResourceKind};
use reeve_iam::arn::Arn;
use reeve_iam::json_lines;
use serde_json::{Map, Value};

use crate::subject::{ControlSubject, Related};

/// Configuration document with what is known of its resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The provider's identifier.
    pub id: String,
    pub provider: Provider,
    pub kind: ResourceKind,
    /// The account, subscription or project; empty if the file does not say.
    pub account: String,
    /// The region; empty if the file does not say.
    pub region: String,
    pub document: Value,
    /// Relations to other resources, by their identifiers.
    pub relations: Vec<(RelationKind, String)>,
}

/// Reason for which a value is no configuration document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The text is neither a JSON value nor one a line.
    #[error("this is no JSON: {0}")]
    NotJson(String),
    /// The value is no object.
    #[error("element {0} is no object")]
    NoObject(usize),
    /// Nothing says of what kind the resource is.
    #[error(
        "element {0} does not say its kind; write {{\"kind\": \"bucket\", \"id\": \"...\", \"configuration\": {{...}}}}"
    )]
    UnknownKind(usize),
}

/// Members that name the kind of a document.
const KIND_MEMBERS: [&str; 5] = [
    "kind",
    "resource_type",
    "resourceType",
    "asset_type",
    "assetType",
];

/// Members by which a document of AWS is known, with the kind and the member that identifies it.
const AWS_FORMS: &[(&[&str], &str, &str)] = &[
    (&["instanceId", "imageId"], "virtual_machine", "instanceId"),
    (&["volumeId", "volumeType"], "volume", "volumeId"),
    (&["snapshotId", "volumeId"], "snapshot", "snapshotId"),
    (&["groupId", "ipPermissions"], "security_group", "groupId"),
    (&["routeTableId", "routeSet"], "route_table", "routeTableId"),
    (&["subnetId", "cidrBlock"], "subnet", "subnetId"),
    (&["vpcId", "cidrBlock"], "network", "vpcId"),
    (&["DBInstanceArn", "Engine"], "database", "DBInstanceArn"),
    (
        &["DBClusterArn", "Engine"],
        "database_cluster",
        "DBClusterArn",
    ),
    (&["DBSnapshotArn"], "database_snapshot", "DBSnapshotArn"),
    (&["TableArn", "KeySchema"], "table", "TableArn"),
    (&["UserName", "UserId", "Arn"], "iam_user", "Arn"),
    (&["RoleName", "AssumeRolePolicyDocument"], "iam_role", "Arn"),
    (&["PolicyName", "PolicyVersionList"], "iam_policy", "Arn"),
    (&["GroupName", "GroupId", "Arn"], "iam_group", "Arn"),
    (&["AccessKeyId", "Status"], "access_key", "AccessKeyId"),
    (&["KeyId", "KeyState"], "encryption_key", "KeyId"),
    (&["TrailARN"], "trail", "TrailARN"),
    (&["FunctionArn", "FunctionName"], "function", "FunctionArn"),
    (&["TopicArn"], "topic", "TopicArn"),
    (&["QueueUrl"], "queue", "QueueUrl"),
    (
        &["LoadBalancerArn", "Type"],
        "load_balancer",
        "LoadBalancerArn",
    ),
    (
        &["AutoScalingGroupARN"],
        "scaling_group",
        "AutoScalingGroupARN",
    ),
    (&["AlarmArn", "AlarmName"], "alarm", "AlarmArn"),
    (&["ARN", "Name", "SecretVersionsToStages"], "secret", "ARN"),
    (&["Name", "CreationDate", "Acl"], "bucket", "Name"),
];

impl Input {
    /// Reads a text: one document, a list of them, a cloud's answer with a list (`value`, `items`),
    /// or one document a line. A document stands alone or as `configuration` beside `kind`, `id`,
    /// `provider`, `account`, `region` and `relations`.
    ///
    /// # Errors
    /// The text is no JSON. Elements that are no documents are errors of their own.
    pub fn read(text: &str) -> Result<Vec<Result<Input, InputError>>, InputError> {
        let values = match serde_json::from_str::<Value>(text) {
            Ok(value) => flattened(value),
            Err(error) => json_lines(text).ok_or_else(|| InputError::NotJson(error.to_string()))?,
        };

        let mut inputs = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            match aws_print::answer(&value) {
                Some(printed) => inputs.extend(
                    printed
                        .into_iter()
                        .map(|one| Input::printed(one).ok_or(InputError::UnknownKind(at + 1))),
                ),
                None => inputs.push(Input::of(at + 1, value)),
            }
        }
        Ok(inputs)
    }

    fn printed((kind, id, document): aws_print::Printed) -> Option<Input> {
        let arn = Arn::read(&id);
        let owner = ["ownerId", "imageOwnerId"];
        let owner = owner
            .iter()
            .find_map(|member| document.get(member)?.as_str());
        Some(Input {
            provider: Provider::Aws,
            kind: ResourceKind::named(kind)?,
            account: arn
                .map(|arn| arn.account)
                .or(owner)
                .unwrap_or_default()
                .to_owned(),
            region: arn.map(|arn| arn.region).unwrap_or_default().to_owned(),
            id,
            document,
            relations: Vec::new(),
        })
    }

    /// Joins inputs about the same resource, as several calls answer about it: what one call did not
    /// read is taken from another, and listeners, rules and function URLs that were printed for
    /// themselves are put together. The first of two other values stays.
    #[must_use]
    pub fn joined(inputs: Vec<Input>) -> Vec<Input> {
        let mut places: BTreeMap<(ResourceKind, String), usize> = BTreeMap::new();
        let mut joined: Vec<Input> = Vec::new();
        for input in inputs {
            match places.get(&(input.kind, input.id.clone())) {
                Some(at) => join(&mut joined[*at], input),
                None => {
                    places.insert((input.kind, input.id.clone()), joined.len());
                    joined.push(input);
                }
            }
        }
        joined
    }

    fn of(at: usize, value: Value) -> Result<Input, InputError> {
        let has_kind = KIND_MEMBERS
            .iter()
            .any(|name| value.get(name).is_some_and(Value::is_string));
        if !has_kind && let Some(printed) = aws_print::element(&value) {
            return Input::printed(printed).ok_or(InputError::UnknownKind(at));
        }
        let Value::Object(mut members) = value else {
            return Err(InputError::NoObject(at));
        };

        let text = |members: &Map<String, Value>, names: &[&str]| -> Option<String> {
            let found = names.iter().find_map(|name| members.get(*name)?.as_str());
            found.map(str::to_owned)
        };
        let outer_kind = text(&members, &KIND_MEMBERS);
        let outer_provider = text(&members, &["provider"]).and_then(|name| Provider::parse(&name));
        let outer_id = text(&members, &["id", "resource_id", "resourceId", "name"]);
        let account = text(&members, &["account", "accountId", "project"]).unwrap_or_default();
        let region = text(&members, &["region", "awsRegion", "location"]).unwrap_or_default();
        let relations = relations(&members);

        let inner = ["configuration", "document"]
            .into_iter()
            .find(|name| outer_kind.is_some() && members.get(*name).is_some_and(Value::is_object));
        let document = match inner {
            Some(name) => members.remove(name).unwrap_or_default(),
            None => asset_data(&members).unwrap_or(Value::Object(members)),
        };

        let form = AWS_FORMS
            .iter()
            .find(|(needed, _, _)| needed.iter().all(|member| document.get(member).is_some()));
        let kind = outer_kind
            .as_deref()
            .and_then(|name| kind(outer_provider, name))
            .or_else(|| kind_of(&document))
            .or_else(|| Some((Provider::Aws, ResourceKind::named(form?.1)?)));
        let Some((provider, kind)) = kind else {
            return Err(InputError::UnknownKind(at));
        };

        let own_id = form.and_then(|(_, _, member)| document.get(member)?.as_str());
        let id = outer_id
            .or_else(|| own_id.map(str::to_owned))
            .or_else(|| Some(document.get("selfLink")?.as_str()?.to_owned()))
            .unwrap_or_else(|| format!("element {at}"));

        let document = match provider {
            Provider::Aws => aws_print::in_own_spelling(kind.as_str(), document),
            _ => document,
        };
        Ok(Input {
            id,
            provider: outer_provider.unwrap_or(provider),
            kind,
            account,
            region,
            document,
            relations,
        })
    }

    /// Returns the document as a subject, with the resources among others that it has relations to
    /// and that have relations to it.
    #[must_use]
    pub fn subject<'a>(&'a self, others: &'a [Input]) -> ControlSubject<'a> {
        let related = |relation: RelationKind, other: Option<&'a Input>, id: &'a str| Related {
            relation,
            id,
            kind: other.map(|other| other.kind),
            document: other.map(|other| &other.document),
        };
        let targets = self.relations.iter().map(|(relation, target)| {
            let other = others.iter().find(|other| other.id == *target);
            related(*relation, other, target)
        });
        let sources = others.iter().flat_map(|other| {
            let towards = other.relations.iter().filter(|(_, to)| *to == self.id);
            towards.map(move |(relation, _)| related(*relation, Some(other), &other.id))
        });

        ControlSubject {
            id: &self.id,
            provider: self.provider,
            kind: self.kind,
            account: &self.account,
            region: &self.region,
            document: &self.document,
            targets: targets.collect(),
            sources: sources.collect(),
            // A file that has resources of a kind is taken to have them all.
            complete: others.iter().map(|other| other.kind).collect(),
        }
    }
}

fn join(input: &mut Input, other: Input) {
    input.relations.extend(other.relations);
    let (Value::Object(members), Value::Object(more)) = (&mut input.document, other.document)
    else {
        return;
    };
    for (name, value) in more {
        match (members.get_mut(&name), value) {
            (Some(Value::Array(values)), Value::Array(more)) if aws_print::is_part(&name) => {
                values.extend(more);
            }
            (Some(own), value) if own == NOT_READ => *own = value,
            (Some(_), _) => {}
            (None, value) => _ = members.insert(name, value),
        }
    }
}

/// Returns the object that an export of assets of Google Cloud has at `resource.data`.
fn asset_data(members: &Map<String, Value>) -> Option<Value> {
    let data = members.get("resource")?.get("data")?;
    data.is_object().then(|| data.clone())
}

/// Returns the documents of a value: a cloud's answer with a list of them is that list.
fn flattened(value: Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values,
        Value::Object(mut members) => {
            let list = ["items", "value", "resources"].into_iter().find(|name| {
                let list = members.get(*name).and_then(Value::as_array);
                list.is_some_and(|list| list.iter().all(Value::is_object))
                    && !members.contains_key("configuration")
            });
            match list.and_then(|name| members.remove(name)) {
                Some(Value::Array(values)) => values,
                _ => vec![Value::Object(members)],
            }
        }
        other => vec![other],
    }
}

fn relations(members: &Map<String, Value>) -> Vec<(RelationKind, String)> {
    let list = members.get("relations").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|one| {
            let name = one.get("relation").or_else(|| one.get("kind"))?;
            let target = one.get("target").or_else(|| one.get("id"))?;
            Some((
                RelationKind::parse(name.as_str()?)?,
                target.as_str()?.to_owned(),
            ))
        })
        .collect()
}

/// Returns the kind of a name: one of Reeve's, or a provider's own type.
fn kind(provider: Option<Provider>, name: &str) -> Option<(Provider, ResourceKind)> {
    let own = Kinds::builtin().iter().find_map(|info| {
        let found = info.types.iter().find(|(of, own)| {
            own.eq_ignore_ascii_case(name) && provider.is_none_or(|provider| provider == *of)
        });
        found.map(|(of, _)| (*of, info.kind))
    });
    own.or_else(|| {
        Some((
            provider.unwrap_or(Provider::Aws),
            ResourceKind::parse(name)?,
        ))
    })
}

/// Returns the kind of a document of Azure Resource Manager (`type`) or of Google Cloud (`kind`,
/// `compute#instance`).
fn kind_of(document: &Value) -> Option<(Provider, ResourceKind)> {
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    if let Some(own) = text("type").filter(|own| own.contains('/'))
        && let Some(found) =
            kind(Some(Provider::Azure), own).filter(|(of, _)| *of == Provider::Azure)
    {
        return Some(found);
    }

    let (service, name) = text("kind")?.split_once('#')?;
    Kinds::builtin().iter().find_map(|info| {
        let is_own = info.types.iter().any(|(of, own)| {
            *of == Provider::Gcp
                && own
                    .split_once(".googleapis.com/")
                    .is_some_and(|(own_service, own_name)| {
                        let service = if service == "sql" {
                            "sqladmin"
                        } else {
                            service
                        };
                        own_service == service && own_name.eq_ignore_ascii_case(name)
                    })
        });
        is_own.then_some((Provider::Gcp, info.kind))
    })
}
