//! Databases that their cluster or their service keeps from some changes.
//!
//! "Stopping an Amazon RDS DB instance temporarily", limitations: no instance with a read replica,
//! no SQL Server instance with a standby. "Stopping and starting an Amazon Aurora DB cluster":
//! members stop with their cluster alone.

use reeve_estate::{Resource, ResourceKind};

fn engine(resource: &Resource) -> &str {
    resource
        .specification
        .platform
        .as_deref()
        .unwrap_or_default()
}

pub(super) fn cluster_member(resource: &Resource) -> Option<String> {
    if resource.kind != ResourceKind::Database {
        return None;
    }

    // Rows of releases that did not read the cluster have the engine alone.
    let clustered = resource.specification.is_clustered_engine();
    let cluster = match (&resource.specification.cluster, clustered) {
        (Some(name), _) => format!("the cluster {name}"),
        (None, true) => format!("a cluster of {}", engine(resource)),
        (None, false) => return None,
    };

    Some(format!(
        "it is a member of {cluster}, which stops, stores and replicates for all its members together"
    ))
}

pub(super) fn cannot_stop(resource: &Resource) -> Option<String> {
    if resource.kind != ResourceKind::Database {
        return None;
    }

    let spec = &resource.specification;
    if let Some(replica) = spec.replicas.first() {
        return Some(format!(
            "it has the read replica {replica}, and RDS stops no database with replicas"
        ));
    }

    let standby = spec.is_sql_server() && spec.multi_az == Some(true);
    standby.then(|| "RDS stops no SQL Server database that has a standby".to_owned())
}
