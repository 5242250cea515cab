//! Who is left alone, before anything is measured.

use reeve_estate::{Purchase, Resource, ResourceKind, ResourceState};

use super::proposal::Abstention;

/// Tags by which a team keeps its resource out: key, and the values that mean yes.
const OPT_OUT: &[&str] = &["reeve:ignore", "reeve-ignore", "reeve_ignore"];

/// Tags that tell of infrastructure as code: key, and the value that is needed (`None`: any).
const IAC: &[(&str, Option<&str>)] = &[
    ("aws:cloudformation:stack-name", None),
    ("terraform", None),
    ("managed-by", Some("terraform")),
    ("managed_by", Some("terraform")),
    ("managedby", Some("terraform")),
    ("managed-by", Some("pulumi")),
    ("managed-by", Some("cloudformation")),
    ("goog-terraform-provisioned", Some("true")),
];

/// Whether the resource is judged at all.
pub(super) fn admit(resource: &Resource) -> Result<(), Abstention> {
    let out = |code, detail: &str| Err(Abstention { kind: None, code, detail: detail.to_owned(), decisive: true });
    if opted_out(resource) {
        return out("opted_out", "its tag reeve:ignore says that it is to be left alone");
    }
    match resource.kind {
        ResourceKind::Volume => {
            return match resource.state {
                ResourceState::Unattached => Ok(()),
                _ => out("in_use", "the volume is attached"),
            };
        }
        ResourceKind::VirtualMachine | ResourceKind::Database => {}
        _ => return out("kind_not_covered", "the specification has no rule for this kind of resource"),
    }
    if let Some(group) = &resource.group {
        return out("group_member", &format!("it belongs to {group}; groups are resized by their template"));
    }
    if resource.purchase == Some(Purchase::Spot) {
        return out("spot", "spot capacity comes and goes; it is not resized one by one");
    }
    match resource.state {
        ResourceState::Running | ResourceState::Available => Ok(()),
        ResourceState::Changing => {
            let detail = "it is on its way between states".to_owned();
            Err(Abstention { kind: None, code: "changing", detail, decisive: false })
        }
        _ => out("not_running", "it does not run, so it has no load to judge"),
    }
}

/// Whether a tag keeps the resource out.
pub(super) fn opted_out(resource: &Resource) -> bool {
    resource.tags.iter().any(|(key, value)| {
        let yes = !matches!(value.trim().to_ascii_lowercase().as_str(), "false" | "no" | "0");
        yes && OPT_OUT.iter().any(|tag| tag.eq_ignore_ascii_case(key.trim()))
    })
}

/// The tag that tells of infrastructure as code, as `key=value`. Such tools undo what others change.
pub(super) fn managed_by(resource: &Resource) -> Option<String> {
    resource.tags.iter().find_map(|(key, value)| {
        let (k, v) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        let told = IAC.iter().any(|(tag, needed)| *tag == k && needed.is_none_or(|n| n == v) && v != "false");
        told.then(|| format!("{key}={value}"))
    })
}
