//! Patches: what to change in infrastructure as code where it owns a resource, since it would undo
//! a change made beside it.
//!
//! Reeve sees the resource and its tags, not the source: a patch names the block by what the tool
//! itself can look up, and the one attribute that changes. Attribute names are those of the AWS,
//! AzureRM and Google providers of Terraform, of CloudFormation's resource reference and of
//! Pulumi's packages.

use reeve_estate::{Platform, Provider, Resource, ResourceKind, named};

use crate::change::lines_of_code;
use crate::guardrail::ownership::{CodeOwner, code_owner};
use crate::recommendation::{Recommendation, RecommendationType};

named!(
    /// Infrastructure-as-code tool that owns a resource.
    Tool {
        Terraform => "terraform",
        /// CloudFormation, the AWS CDK included.
        CloudFormation => "cloudformation",
        Pulumi => "pulumi",
    }
);

/// A patch for people to apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The tool that owns the resource.
    pub tool: Tool,
    /// The tag that says so, `key=value`.
    pub tag: String,
    /// File and lines to change: removed lines start with `-`, added lines with `+`.
    pub text: String,
}

/// Names that a tool gives to the resource and to the attribute of its size.
struct Names {
    block: &'static str,
    attribute: &'static str,
}

/// The patch of a recommendation; `None` where no tool owns the resource or the change has no form
/// in its code.
#[must_use]
pub fn patch(recommendation: &Recommendation, resource: &Resource) -> Option<Patch> {
    let CodeOwner { tool, tag } = code_owner(resource)?;
    let lines = match (
        recommendation.kind,
        &recommendation.subject.instance_type,
        &recommendation.subject.target_type,
    ) {
        (_, Some(from), Some(to)) if from != to => resized(tool, resource, from, to)?,
        (RecommendationType::IdleResourceCleanup, ..) => stopped(tool, resource)?,
        _ => {
            let planned = recommendation.plan.as_ref()?.change.as_ref()?;
            lines_of_code(planned, tool)?
        }
    };

    let place = format!(
        "{} ({}), account {}, {}",
        resource.name, resource.id, resource.account, resource.region
    );
    Some(Patch {
        tool,
        text: format!("# {place}\n# {}\n{lines}", found_by(tool, resource)),
        tag,
    })
}

fn found_by(tool: Tool, resource: &Resource) -> String {
    match tool {
        Tool::Terraform => format!("its block: terraform state list -id={}", resource.id),
        Tool::Pulumi => format!(
            "its resource: pulumi stack --show-ids | grep {}",
            resource.id
        ),
        Tool::CloudFormation => {
            let stack = resource
                .tag("aws:cloudformation:stack-name")
                .unwrap_or("unknown");
            let logical = resource
                .tag("aws:cloudformation:logical-id")
                .unwrap_or("unknown");
            format!("stack {stack}, logical id {logical}")
        }
    }
}

fn names(tool: Tool, resource: &Resource) -> Option<Names> {
    let windows = resource.specification.platform_family() == Some(Platform::Windows);
    let (block, attribute) = match (tool, resource.provider, resource.kind) {
        (Tool::Terraform, Provider::Aws, ResourceKind::VirtualMachine) => {
            ("aws_instance", "instance_type")
        }
        (Tool::Terraform, Provider::Aws, ResourceKind::Database) => {
            ("aws_db_instance", "instance_class")
        }
        (Tool::Terraform, Provider::Azure, ResourceKind::VirtualMachine) if windows => {
            ("azurerm_windows_virtual_machine", "size")
        }
        (Tool::Terraform, Provider::Azure, ResourceKind::VirtualMachine) => {
            ("azurerm_linux_virtual_machine", "size")
        }
        (Tool::Terraform, Provider::Gcp, ResourceKind::VirtualMachine) => {
            ("google_compute_instance", "machine_type")
        }
        (Tool::CloudFormation, Provider::Aws, ResourceKind::VirtualMachine) => {
            ("AWS::EC2::Instance", "InstanceType")
        }
        (Tool::CloudFormation, Provider::Aws, ResourceKind::Database) => {
            ("AWS::RDS::DBInstance", "DBInstanceClass")
        }
        (Tool::Pulumi, Provider::Aws, ResourceKind::VirtualMachine) => {
            ("aws.ec2.Instance", "instanceType")
        }
        (Tool::Pulumi, Provider::Aws, ResourceKind::Database) => {
            ("aws.rds.Instance", "instanceClass")
        }
        (Tool::Pulumi, Provider::Gcp, ResourceKind::VirtualMachine) => {
            ("gcp.compute.Instance", "machineType")
        }
        _ => return None,
    };

    Some(Names { block, attribute })
}

fn resized(tool: Tool, resource: &Resource, from: &str, to: &str) -> Option<String> {
    let Names { block, attribute } = names(tool, resource)?;
    Some(match tool {
        Tool::Terraform => {
            let label = label(&resource.name);
            format!(
                " resource \"{block}\" \"{label}\" {{\n-  {attribute} = \"{from}\"\n+  {attribute} = \"{to}\"\n }}\n"
            )
        }
        Tool::CloudFormation => {
            format!(
                "   Type: {block}\n   Properties:\n-    {attribute}: {from}\n+    {attribute}: {to}\n"
            )
        }
        Tool::Pulumi => {
            format!(" new {block}(...)\n-  {attribute}: \"{from}\"\n+  {attribute}: \"{to}\"\n")
        }
    })
}

/// Only Terraform's AWS provider can say that a machine is stopped; elsewhere the block would have
/// to go, and with it the resource: that is for a person to think of.
fn stopped(tool: Tool, resource: &Resource) -> Option<String> {
    let machine =
        (resource.provider, resource.kind) == (Provider::Aws, ResourceKind::VirtualMachine);
    (tool == Tool::Terraform && machine).then(|| {
        let label = label(&resource.name);
        format!(
            "+resource \"aws_ec2_instance_state\" \"{label}\" {{\n+  instance_id = aws_instance.{label}.id\n+  state       = \"stopped\"\n+}}\n"
        )
    })
}

/// A name as Terraform lets a label be: letters, digits, `_` and `-`, no digit first.
fn label(name: &str) -> String {
    let fits = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
            c
        } else {
            '_'
        }
    };
    let label: String = name.chars().map(fits).collect();

    if label.starts_with(|c: char| c.is_ascii_digit() || c == '-') || label.is_empty() {
        format!("_{label}")
    } else {
        label
    }
}
