//! A resource of the inventory.

use std::collections::BTreeMap;

use reeve_estate::{
    Capacity, ConnectionId, Money, Provider, PublicAddress, Purchase, Resource, ResourceId,
    ResourceKind, ResourceState, Specification,
};
use serde::{Deserialize, Serialize};

use super::bucket::{AccessRow, ContentsRow};
use super::{RowError, named, time, time_or_none};

/// A resource, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ResourceRow {
    id: String,
    connection: String,
    provider: String,
    account: String,
    region: String,
    service: String,
    kind: String,
    name: String,
    state: String,
    specification: SpecificationRow,
    purchase: Option<String>,
    tags: BTreeMap<String, String>,
    group: Option<String>,
    attached_to: Vec<String>,
    monthly_cost_micros: Option<i64>,
    created_at: Option<String>,
    observed_at: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct SpecificationRow {
    instance_type: Option<String>,
    platform: Option<String>,
    architecture: Option<String>,
    storage_gib: Option<f64>,
    storage_type: Option<String>,
    iops: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    throughput_mibps: Option<u64>,
    multi_az: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tenancy: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standby_zone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replicas: Vec<String>,
    /// Least, wanted and most members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capacity: Option<(u32, u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    security_groups: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    isolated: bool,
    /// Missing in rows of releases that did not read it: an address that may change is then not
    /// ruled out.
    #[serde(default = "not_read")]
    public_address: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    local_disks: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contents: Option<ContentsRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    access: Option<AccessRow>,
}

fn not_read() -> String {
    PublicAddress::NotRead.as_str().to_owned()
}

impl From<&Resource> for ResourceRow {
    fn from(resource: &Resource) -> Self {
        ResourceRow {
            id: resource.id.0.clone(),
            connection: resource.connection.0.clone(),
            provider: resource.provider.as_str().to_owned(),
            account: resource.account.clone(),
            region: resource.region.clone(),
            service: resource.service.clone(),
            kind: resource.kind.as_str().to_owned(),
            name: resource.name.clone(),
            state: resource.state.as_str().to_owned(),
            specification: SpecificationRow::from(&resource.specification),
            purchase: resource
                .purchase
                .map(|purchase| purchase.as_str().to_owned()),
            tags: resource.tags.clone(),
            group: resource.group.as_ref().map(|group| group.0.clone()),
            attached_to: resource.attached_to.iter().map(|id| id.0.clone()).collect(),
            monthly_cost_micros: resource.monthly_cost.map(Money::micros),
            created_at: resource.created_at.map(|at| at.to_string()),
            observed_at: resource.observed_at.to_string(),
        }
    }
}

impl ResourceRow {
    pub(crate) fn into_resource(self) -> Result<Resource, RowError> {
        Ok(Resource {
            id: ResourceId(self.id),
            connection: ConnectionId(self.connection),
            provider: named("provider", &self.provider, Provider::parse)?,
            account: self.account,
            region: self.region,
            service: self.service,
            kind: named("kind", &self.kind, ResourceKind::named)?,
            name: self.name,
            state: named("state", &self.state, ResourceState::parse)?,
            specification: self.specification.into_specification()?,
            purchase: self
                .purchase
                .map(|text| named("purchase", &text, Purchase::parse))
                .transpose()?,
            tags: self.tags,
            group: self.group.map(ResourceId),
            attached_to: self.attached_to.into_iter().map(ResourceId).collect(),
            monthly_cost: self.monthly_cost_micros.map(Money::from_micros),
            created_at: time_or_none(self.created_at.as_deref())?,
            observed_at: time(&self.observed_at)?,
        })
    }
}

impl From<&Specification> for SpecificationRow {
    fn from(specification: &Specification) -> Self {
        SpecificationRow {
            instance_type: specification.instance_type.clone(),
            platform: specification.platform.clone(),
            architecture: specification.architecture.clone(),
            storage_gib: specification.storage_gib,
            storage_type: specification.storage_type.clone(),
            iops: specification.iops,
            throughput_mibps: specification.throughput_mibps,
            multi_az: specification.multi_az,
            tenancy: specification.tenancy.clone(),
            zone: specification.zone.clone(),
            standby_zone: specification.standby_zone.clone(),
            replicas: specification.replicas.clone(),
            capacity: specification
                .capacity
                .map(|capacity| (capacity.min, capacity.desired, capacity.max)),
            security_groups: specification.security_groups.clone(),
            isolated: specification.isolated,
            public_address: specification.public_address.as_str().to_owned(),
            local_disks: specification.local_disks,
            cluster: specification.cluster.clone(),
            contents: specification.contents.as_ref().map(ContentsRow::from),
            access: specification.access.as_ref().map(AccessRow::from),
        }
    }
}

impl SpecificationRow {
    fn into_specification(self) -> Result<Specification, RowError> {
        let contents = self.contents.map(ContentsRow::into_contents).transpose()?;
        Ok(Specification {
            instance_type: self.instance_type,
            platform: self.platform,
            architecture: self.architecture,
            storage_gib: self.storage_gib,
            storage_type: self.storage_type,
            iops: self.iops,
            throughput_mibps: self.throughput_mibps,
            multi_az: self.multi_az,
            tenancy: self.tenancy,
            zone: self.zone,
            standby_zone: self.standby_zone,
            replicas: self.replicas,
            capacity: self
                .capacity
                .map(|(min, desired, max)| Capacity { min, desired, max }),
            security_groups: self.security_groups,
            isolated: self.isolated,
            public_address: named("public_address", &self.public_address, PublicAddress::parse)?,
            local_disks: self.local_disks,
            cluster: self.cluster,
            contents,
            access: self.access.map(AccessRow::into_access).transpose()?,
            lifecycle: None,
            template: None,
        })
    }
}
