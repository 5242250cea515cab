//! Tags that say who else owns a resource: a team that opted out, or infrastructure as code.

use reeve_estate::Resource;

use crate::plan::patch::Tool;

/// Tags by which a team keeps its resource out: key, and the values that mean yes.
const OPT_OUT: &[&str] = &["reeve:ignore", "reeve-ignore", "reeve_ignore"];

/// Tags that tell of infrastructure as code: key, the value that is needed (`None`: any), and the
/// tool.
const IAC: &[(&str, Option<&str>, Tool)] = &[
    ("aws:cloudformation:stack-name", None, Tool::CloudFormation),
    ("terraform", None, Tool::Terraform),
    ("managed-by", Some("terraform"), Tool::Terraform),
    ("managed_by", Some("terraform"), Tool::Terraform),
    ("managedby", Some("terraform"), Tool::Terraform),
    ("managed-by", Some("pulumi"), Tool::Pulumi),
    ("managed-by", Some("cloudformation"), Tool::CloudFormation),
    ("goog-terraform-provisioned", Some("true"), Tool::Terraform),
];

/// Returns `true` if a tag keeps the resource out of everything.
#[must_use]
pub fn is_opted_out(resource: &Resource) -> bool {
    resource.tags.iter().any(|(key, value)| {
        let yes = !matches!(
            value.trim().to_ascii_lowercase().as_str(),
            "false" | "no" | "0"
        );
        yes && OPT_OUT
            .iter()
            .any(|tag| tag.eq_ignore_ascii_case(key.trim()))
    })
}

/// Owner of a resource in infrastructure as code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeOwner {
    pub tool: Tool,
    /// The tag that names it, as `key=value`.
    pub tag: String,
}

/// The infrastructure as code that owns the resource. Such tools undo what others change.
#[must_use]
pub fn code_owner(resource: &Resource) -> Option<CodeOwner> {
    resource.tags.iter().find_map(|(key, value)| {
        let (k, v) = (
            key.trim().to_ascii_lowercase(),
            value.trim().to_ascii_lowercase(),
        );
        let fits = |needed: Option<&str>| needed.is_none_or(|needed| needed == v) && v != "false";
        let (_, _, tool) = IAC
            .iter()
            .find(|(tag, needed, _)| *tag == k && fits(*needed))?;
        Some(CodeOwner {
            tool: *tool,
            tag: format!("{key}={value}"),
        })
    })
}

/// The tag by which infrastructure as code owns the resource, as `key=value`.
#[must_use]
pub fn owned_by_code(resource: &Resource) -> Option<String> {
    code_owner(resource).map(|owner| owner.tag)
}
