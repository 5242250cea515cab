//! Machines that are not stopped.

use reeve_estate::{LocalDisks, PriceCatalogue, Provider, Purchase, Resource, ResourceKind};

/// Tag by which a team says that the local disks of a machine hold nothing that it would miss:
/// caches, scratch files, swap.
pub const LOCAL_DISKS_TAG: &str = "reeve:local-disks";
/// Value of the tag.
const DISPOSABLE: &str = "disposable";

fn is_machine(resource: &Resource) -> bool {
    resource.kind == ResourceKind::VirtualMachine
}

pub(super) fn group_member(resource: &Resource) -> Option<String> {
    let group = resource.group.as_ref().filter(|_| is_machine(resource))?;
    Some(format!(
        "it belongs to {group}; groups are resized by their template"
    ))
}

pub(super) fn spot(resource: &Resource) -> Option<String> {
    let spot = is_machine(resource) && resource.purchase == Some(Purchase::Spot);
    spot.then(|| "spot capacity comes and goes; it is not resized one by one".to_owned())
}

/// Returns `true` if the team declared the contents of the local disks disposable.
fn is_disposable(resource: &Resource) -> bool {
    resource
        .tag(LOCAL_DISKS_TAG)
        .is_some_and(|value| value.trim().eq_ignore_ascii_case(DISPOSABLE))
}

/// Azure's temporary disks are no reason: Azure itself erases them at every redeployment, and says
/// so to everybody who uses them.
pub(super) fn local_disks(resource: &Resource, catalogue: &PriceCatalogue) -> Option<String> {
    if !is_machine(resource) || is_disposable(resource) {
        return None;
    }

    let Some(LocalDisks::Data(gb)) = catalogue.local_disks(resource) else {
        return None;
    };

    let size = resource
        .specification
        .instance_type
        .as_deref()
        .unwrap_or("its size");

    let disks = match (resource.provider, gb) {
        (_, Some(gb)) => format!("{size} has {gb:.0} GB of local disks"),
        (Provider::Gcp, None) => format!("{size} has local SSDs"),
        (_, None) => format!("{size} has local disks"),
    };

    Some(format!(
        "{disks}, which a stop erases; tag it {LOCAL_DISKS_TAG}={DISPOSABLE} if nothing on them would be missed"
    ))
}

pub(super) fn local_disks_unknown(
    resource: &Resource,
    catalogue: &PriceCatalogue,
) -> Option<String> {
    if !is_machine(resource) || is_disposable(resource) || catalogue.local_disks(resource).is_some()
    {
        return None;
    }

    let size = resource
        .specification
        .instance_type
        .as_deref()
        .unwrap_or("its size");

    Some(format!(
        "neither {size} nor its description says whether it has local disks, which a stop would erase; tag it \
         {LOCAL_DISKS_TAG}={DISPOSABLE} if it has none"
    ))
}
