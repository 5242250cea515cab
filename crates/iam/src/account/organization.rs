//! Policies of an organisation: by level, as lists of policies per level, or as a flat list whose
//! policies name their level.

use serde_json::{Map, Value};

use super::read::{AccountError, read_policy};
use crate::document::elements;
use crate::policy_set::{Level, NamedPolicy, Organization, PolicyKind};

/// Members that hold an organisation.
pub(super) const ORGANIZATION_MEMBERS: [&str; 4] = [
    "organization",
    "Organization",
    "organization_policies",
    "OrganizationPolicies",
];

/// Members with the levels of service and resource control policies.
pub(super) const LEVEL_MEMBERS: [(&str, PolicyKind); 10] = [
    ("service_control_policies", PolicyKind::ServiceControl),
    ("ServiceControlPolicies", PolicyKind::ServiceControl),
    ("scps", PolicyKind::ServiceControl),
    ("SCPs", PolicyKind::ServiceControl),
    ("scp", PolicyKind::ServiceControl),
    ("resource_control_policies", PolicyKind::ResourceControl),
    ("ResourceControlPolicies", PolicyKind::ResourceControl),
    ("rcps", PolicyKind::ResourceControl),
    ("RCPs", PolicyKind::ResourceControl),
    ("rcp", PolicyKind::ResourceControl),
];

/// Names of the document of a policy.
const DOCUMENTS: [&str; 6] = [
    "policy", "Policy", "document", "Document", "Content", "content",
];
/// Names of the level that a policy or a list of them belongs to.
const LEVELS: [&str; 6] = [
    "level",
    "Level",
    "target",
    "TargetId",
    "target_id",
    "attached_to",
];
const NAMES: [&str; 4] = ["name", "Name", "PolicyName", "Id"];

pub(super) fn read_organization(
    organization: &mut Organization,
    place: &str,
    members: &Map<String, Value>,
) -> Result<(), AccountError> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| members.get(*name)?.as_str());
        found.map(str::to_owned)
    };
    if let Some(id) = text(&["id", "Id"]).filter(|id| id.starts_with("o-")) {
        organization.id = Some(id);
    }
    if let Some(account) = text(&[
        "management_account",
        "MasterAccountId",
        "ManagementAccountId",
    ]) {
        organization.management_account = Some(account);
    }

    for (name, kind) in LEVEL_MEMBERS {
        if let Some(value) = members.get(name) {
            add_levels(organization, &format!("{place}.{name}"), kind, value)?;
        }
    }
    // Levels from the root to the account, each with both kinds of policies.
    let Some(Value::Array(levels)) = members.get("levels") else {
        return Ok(());
    };
    for (at, level) in levels.iter().enumerate() {
        let place = format!("{place}.levels[{}]", at + 1);
        let name = first_text(level, &["name", "level"])
            .unwrap_or(&place)
            .to_owned();
        for (member, kind) in LEVEL_MEMBERS {
            let Some(value) = level.get(member) else {
                continue;
            };
            let policies = policies(&format!("{place}.{member}"), kind, value)?;
            levels_of(organization, kind).push(Level {
                name: name.clone(),
                policies,
            });
        }
    }
    Ok(())
}

fn levels_of(organization: &mut Organization, kind: PolicyKind) -> &mut Vec<Level> {
    match kind {
        PolicyKind::ResourceControl => &mut organization.resource_control,
        _ => &mut organization.service_control,
    }
}

/// Reads `[{level, policies: [...]}]`, `[[policy, ...], ...]`, `{level: [policy, ...]}`, or policies
/// of which each names its level. Policies without a level are one level together.
fn add_levels(
    organization: &mut Organization,
    place: &str,
    kind: PolicyKind,
    value: &Value,
) -> Result<(), AccountError> {
    let mut found: Vec<Level> = Vec::new();
    let mut add = |name: &str, policies: Vec<NamedPolicy>| match found
        .iter_mut()
        .find(|level| level.name == name)
    {
        Some(level) => level.policies.extend(policies),
        None => found.push(Level {
            name: name.to_owned(),
            policies,
        }),
    };

    match value {
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                let place = format!("{place}[{}]", at + 1);
                let level = first_text(value, &LEVELS);
                match value.get("policies").or_else(|| value.get("Policies")) {
                    Some(inner) => {
                        let level = level.or_else(|| first_text(value, &NAMES));
                        add(level.unwrap_or(&place), policies(&place, kind, inner)?);
                    }
                    None if value.is_array() => add(&place, policies(&place, kind, value)?),
                    None => {
                        let level = level.unwrap_or("organisation");
                        add(level, policies(&place, kind, value)?);
                    }
                }
            }
        }
        Value::Object(members) if !members.contains_key("Statement") => {
            for (name, value) in members {
                add(name, policies(&format!("{place}.{name}"), kind, value)?);
            }
        }
        _ => add("organisation", policies(place, kind, value)?),
    }

    levels_of(organization, kind).extend(found);
    Ok(())
}

fn policies(
    place: &str,
    kind: PolicyKind,
    value: &Value,
) -> Result<Vec<NamedPolicy>, AccountError> {
    let numbered = elements(value).iter().enumerate();
    numbered
        .map(|(at, value)| {
            let document = DOCUMENTS.iter().find_map(|name| value.get(*name));
            let name = first_text(value, &NAMES)
                .or_else(|| first_text(value.get("PolicySummary")?, &NAMES))
                .map_or_else(|| format!("{place}[{}]", at + 1), str::to_owned);
            let policy = read_policy(&name, document.unwrap_or(value))?;
            Ok(NamedPolicy::new(kind, name, policy))
        })
        .collect()
}

fn first_text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(*name)?.as_str())
}
