//! From an item of an answer to a described resource.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_connect_aws_ec2::Place;
use reeve_estate::{
    Described, Document, Relation, Resource, ResourceId, ResourceKind, ResourceState,
};
use serde_json::{Value, json};

use super::path;
use super::row::KindRow;

/// Returns the description of an item; `None` for an item without an identifier, or in a region
/// that is not looked at.
pub(super) fn described(
    row: &KindRow,
    kind: ResourceKind,
    place: &Place,
    regions: &[String],
    mut item: Value,
) -> Option<Described> {
    let region = match region(row, &item) {
        Some(region) if !regions.contains(&region) => return None,
        Some(region) => region,
        None if row.service.is_global => "global".to_owned(),
        None => place.region.clone(),
    };
    let known = json!({ "account": place.account, "region": region });
    let id = path::filled(row.id, &with(&item, &known))?;
    let mut resource = place.resource(kind, row.service.name, &id, tags(&item, row.tags));
    resource.region = region;

    resource.state =
        path::text(&item, row.state).map_or(ResourceState::Available, |text| state(&text));
    resource.created_at = path::text(&item, row.created).and_then(|text| instant(&text));
    if resource.name == id {
        resource.name = path::text(&item, row.name).unwrap_or_else(|| short(&id));
    }

    let relations = relations(row, &item, &known, &resource);
    for member in row.volatile {
        path::remove(&mut item, member);
    }

    Some(Described {
        document: Document::new(item),
        resource,
        relations,
    })
}

/// Returns the region of an item of a listing for all regions. S3 leaves the oldest region's name
/// out.
pub(super) fn region(row: &KindRow, item: &Value) -> Option<String> {
    if row.region.is_empty() {
        return None;
    }
    match item.get(row.region)?.as_str()? {
        "" => Some("us-east-1".to_owned()),
        "EU" => Some("eu-west-1".to_owned()),
        region => Some(region.to_owned()),
    }
}

fn with(item: &Value, known: &Value) -> Value {
    let mut members = item.as_object().cloned().unwrap_or_default();
    members.extend(known.as_object().cloned().unwrap_or_default());
    Value::Object(members)
}

/// The last part of an ARN or address.
fn short(id: &str) -> String {
    id.rsplit([':', '/'])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(id)
        .to_owned()
}

fn tags(item: &Value, path: &str) -> BTreeMap<String, String> {
    if path.is_empty() {
        return BTreeMap::new();
    }

    let mut tags = BTreeMap::new();
    for found in path::at(item, path) {
        let Value::Object(members) = found else {
            continue;
        };
        let of = |names: [&str; 3]| names.iter().find_map(|name| members.get(*name)?.as_str());
        match of(["Key", "key", "TagKey"]) {
            Some(key) => {
                let value = of(["Value", "value", "TagValue"]).unwrap_or_default();
                tags.insert(key.to_owned(), value.to_owned());
            }
            None => {
                let pairs = members
                    .iter()
                    .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
                tags.extend(pairs);
            }
        }
    }

    tags
}

fn relations(row: &KindRow, item: &Value, known: &Value, resource: &Resource) -> Vec<Relation> {
    let mut relations: Vec<Relation> = Vec::new();
    for (kind, path, template) in row.relations {
        for value in path::texts(item, path) {
            let target = match *template {
                "" => Some(value),
                template => {
                    let item = with(item, &json!({ "value": value }));
                    path::filled(template, &with(&item, known))
                }
            };
            // A route to the network itself and the like is no resource, nor is everyone.
            let target = target.filter(|target| {
                target != "local"
                    && target != "*"
                    && ResourceId::new(target.as_str()) != resource.id
            });
            relations.extend(target.map(|target| Relation::to(*kind, target)));
        }
    }

    relations.sort();
    relations.dedup();
    relations
}

/// The provider's state as one of ours; unknown words are those of something that exists. A
/// snapshot that failed (`error`) is not available: it has no data, and would count among those
/// that are kept.
fn state(text: &str) -> ResourceState {
    match text.to_ascii_lowercase().replace('_', "-").as_str() {
        "running" => ResourceState::Running,
        "stopped" | "inactive" | "disabled" => ResourceState::Stopped,
        "terminated" | "deleted" => ResourceState::Deleted,
        "pending" | "creating" | "updating" | "modifying" | "deleting" | "stopping"
        | "starting" | "shutting-down" | "provisioning" | "pendingdeletion" | "backing-up"
        | "rebooting" | "error" | "recoverable" | "recovering" => ResourceState::Changing,
        _ => ResourceState::Available,
    }
}

/// A time as text, or as seconds since 1970.
fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Timestamp::from_millisecond((seconds * 1000.0) as i64).ok();
    }
    // Lambda writes the zone without its colon.
    text.parse()
        .or_else(|_| text.replace("+0000", "Z").parse())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_as_lists_or_as_objects() {
        let expect = BTreeMap::from([("env".to_owned(), "prod".to_owned())]);
        for item in [
            json!({ "T": [{ "Key": "env", "Value": "prod" }] }),
            json!({ "T": [{ "TagKey": "env", "TagValue": "prod" }] }),
            json!({ "T": { "env": "prod" } }),
        ] {
            assert_eq!(tags(&item, "T"), expect, "{item}");
        }
        assert_eq!(tags(&json!({ "T": [] }), "T"), BTreeMap::new());
    }

    #[test]
    fn states_and_times_are_read_in_every_spelling() {
        assert_eq!(state("ACTIVE"), ResourceState::Available);
        assert_eq!(state("PendingDeletion"), ResourceState::Changing);
        assert_eq!(
            (state("Inactive"), state("stopped")),
            (ResourceState::Stopped, ResourceState::Stopped)
        );
        assert_eq!(
            (state("completed"), state("error")),
            (ResourceState::Available, ResourceState::Changing)
        );

        for text in [
            "1767225600.0",
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.000+0000",
        ] {
            assert_eq!(
                instant(text).map(|at| at.as_second()),
                Some(1_767_225_600),
                "{text}"
            );
        }

        assert_eq!(
            (short("arn:aws:sns:r:1:topic"), short("i-1")),
            ("topic".to_owned(), "i-1".to_owned())
        );
    }
}
