//! More storage for a volume or a database.

use reeve_estate::{GIB, PriceCatalogue, Provider, Resource, ResourceKind, ResourceState};

use crate::change::GrowStorage;
use crate::plan::Plan;
use crate::plan::relief::{Relief, added};
use crate::recommendation::Effort;
use crate::recommendation::title::title;

/// Bytes of a GB.
const GB: f64 = 1e9;
/// RDS grows storage by at least this, percent.
const RDS_LEAST_PERCENT: f64 = 10.0;

/// So many percent more storage.
#[must_use]
pub fn more_storage(resource: &Resource, step_percent: f64, catalogue: &PriceCatalogue) -> Relief {
    let name = &resource.name;
    let Some(now) = resource.specification.storage_gib.filter(|gib| *gib > 0.0) else {
        let why = match resource.kind {
            ResourceKind::VirtualMachine => {
                "it has several disks, or none that is known, and which one fills is not measured"
            }
            _ => "how much storage it has is not known",
        };
        return Relief::advice(title("Expand the storage of ", name, ""), Effort::Low, why);
    };

    let rds = resource.kind == ResourceKind::Database && resource.provider == Provider::Aws;
    let step = if rds {
        step_percent.max(RDS_LEAST_PERCENT)
    } else {
        step_percent
    };
    let after = (now * (1.0 + step / 100.0)).ceil();

    let mut larger = resource.clone();
    larger.specification.storage_gib = Some(after);
    let title = title(
        "Expand the storage of ",
        name,
        &format!(" from {now:.0} to {after:.0} GiB"),
    );

    let advice = |why: String| Relief {
        added: added(catalogue, resource, &larger),
        against_bill: true,
        after_gb: Some(after * GIB / GB),
        ..Relief::advice(title.clone(), Effort::Low, why)
    };

    let most = match most_gib(resource) {
        Ok(most) => most,
        Err(why) => return advice(why.to_owned()),
    };
    if after > most {
        return advice(format!(
            "{after:.0} GiB are more than the {most:.0} GiB it may have: split it, or take another type"
        ));
    }

    let relief = advice(String::new()).planned(grow(resource, now as u32, after as u32));
    let mut notes = vec!["It cannot be undone: storage does not shrink again".to_owned()];

    if resource.kind == ResourceKind::Volume {
        notes.push(
            "The disk grows, and the file system on it is extended by a person or the image's own tools (growpart)"
                .to_owned(),
        );
    }

    Relief { notes, ..relief }
}

/// Plan of more storage, while it is in use.
#[must_use]
pub fn grow(resource: &Resource, from_gib: u32, to_gib: u32) -> Plan {
    let database = resource.kind == ResourceKind::Database;
    let change = GrowStorage {
        state: resource.state,
        from_gib,
        to_gib,
        database,
    };

    Plan::new(&change, resource.id.as_str())
}

/// The most storage a resource may have, GiB; an error where Reeve has no call to grow it.
fn most_gib(resource: &Resource) -> Result<f64, &'static str> {
    let class = resource
        .specification
        .storage_type
        .as_deref()
        .unwrap_or_default();

    let settled = matches!(
        resource.state,
        ResourceState::Running | ResourceState::Available | ResourceState::Unattached
    );
    match (resource.kind, resource.provider) {
        _ if !settled => Err("it is on its way between states"),
        (ResourceKind::Volume, Provider::Aws) if class == "io2" => Ok(65_536.0),
        (ResourceKind::Volume, Provider::Aws) if class == "standard" => Ok(1_024.0),
        (ResourceKind::Volume, Provider::Aws) => Ok(16_384.0),
        (ResourceKind::Volume, Provider::Azure) => Ok(32_767.0),
        (ResourceKind::Volume, Provider::Gcp) => Ok(65_536.0),
        (ResourceKind::Database, Provider::Aws) => Ok(65_536.0),
        (ResourceKind::Database, _) => {
            Err("the storage of this cloud's databases grows in steps of the service's own")
        }
        _ => Err("the storage belongs to another resource"),
    }
}
