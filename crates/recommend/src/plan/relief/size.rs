//! A larger size of the same family for a machine or a database.

use reeve_estate::{InstanceSpec, PriceCatalogue, Provider, Resource, ResourceKind};

use crate::plan::procedure::resize;
use crate::plan::relief::{Relief, added};
use crate::recommendation::Effort;
use crate::recommendation::title::title;

/// Dimension in which a machine runs short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    Processors,
    Memory,
}

/// The next size of the family that has more of what runs short; the error is the reason why there
/// is none.
///
/// # Errors
/// The reason, as a clause.
pub fn larger_size(
    resource: &Resource,
    short: Shortage,
    catalogue: &PriceCatalogue,
) -> Result<Relief, &'static str> {
    if resource.group.is_some() {
        return Err("it belongs to a group, which is scaled as a whole");
    }

    let (machine, prefix) = match (
        resource.kind,
        resource.specification.instance_type.as_deref(),
    ) {
        (ResourceKind::VirtualMachine, Some(size)) => (size, ""),
        (ResourceKind::Database, Some(class)) => match class.strip_prefix("db.") {
            Some(machine) if resource.provider == Provider::Aws => (machine, "db."),
            _ => return Err("Reeve knows the classes of RDS databases alone"),
        },
        (ResourceKind::VirtualMachine | ResourceKind::Database, None) => {
            return Err("its size is not known");
        }
        _ => return Err("it has no size of its own"),
    };

    let Some(larger) = next(resource, machine, short, catalogue) else {
        return Err("the catalogue knows no larger size of its family");
    };

    let (from, to) = (
        format!("{prefix}{machine}"),
        format!("{prefix}{}", larger.name),
    );
    let mut after = resource.clone();
    after.specification.instance_type = Some(to.clone());
    let title = title("Resize ", &resource.name, &format!(" from {from} to {to}"));

    Ok(Relief {
        target: Some(to.clone()),
        added: added(catalogue, resource, &after),
        ..Relief::advice(title, Effort::Medium, "").planned(resize(resource, &from, &to))
    })
}

fn next<'a>(
    resource: &Resource,
    size: &str,
    short: Shortage,
    catalogue: &'a PriceCatalogue,
) -> Option<&'a InstanceSpec> {
    let now = catalogue.instance(resource.provider, size)?;
    let boots = |spec: &InstanceSpec| {
        let own = resource.specification.architecture.as_deref();
        own.is_none_or(|own| spec.architectures.iter().any(|one| one == own))
    };

    // More of what runs short: a t3.large has no more processors than a t3.medium.
    let has_more = |spec: &InstanceSpec| match short {
        Shortage::Memory => spec.memory_gib > now.memory_gib,
        Shortage::Processors => spec.vcpu > now.vcpu,
    };

    let all = catalogue.larger_in_family(resource.provider, size);
    all.into_iter()
        .find(|spec| has_more(spec) && spec.gpus == now.gpus && boots(spec))
}
