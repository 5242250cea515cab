//! Tags that say who else owns a resource: a team that opted out, or infrastructure as code.

use reeve_estate::Resource;

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

/// Returns `true` if a tag keeps the resource out of everything.
#[must_use]
pub fn left_alone(resource: &Resource) -> bool {
    resource.tags.iter().any(|(key, value)| {
        let yes = !matches!(value.trim().to_ascii_lowercase().as_str(), "false" | "no" | "0");
        yes && OPT_OUT.iter().any(|tag| tag.eq_ignore_ascii_case(key.trim()))
    })
}

/// The tag by which infrastructure as code owns the resource, as `key=value`. Such tools undo what others change.
#[must_use]
pub fn owned_by_code(resource: &Resource) -> Option<String> {
    resource.tags.iter().find_map(|(key, value)| {
        let (k, v) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        let matches = IAC.iter().any(|(tag, needed)| *tag == k && needed.is_none_or(|n| n == v) && v != "false");
        matches.then(|| format!("{key}={value}"))
    })
}
