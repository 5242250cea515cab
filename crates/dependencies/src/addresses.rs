//! Private addresses of a connection, and the resources behind them.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use reeve_estate::{
    ConnectionId, DescriptionStore, Relation, RelationKind, ResourceId, ResourceKind, StoreError,
};
use reeve_flows::interface_addresses;
use serde_json::Value;

/// Kind of the resources that have addresses.
const INTERFACE: &str = "network_interface";
/// Interfaces whose documents are read at once.
const PAGE: usize = 200;

/// Network interfaces by owner and by address.
#[derive(Debug, Default)]
pub(crate) struct AddressIndex {
    /// Owner of each interface: itself where it is attached to no known resource.
    owners: HashMap<String, ResourceId>,
    /// Network of each interface.
    networks: HashMap<String, String>,
    interfaces: BTreeMap<ResourceId, Vec<String>>,
    by_address: HashMap<IpAddr, Vec<String>>,
}

impl AddressIndex {
    /// Reads the interfaces of a connection.
    pub(crate) async fn read(
        descriptions: &dyn DescriptionStore,
        connection: &ConnectionId,
    ) -> Result<AddressIndex, StoreError> {
        let mut index = AddressIndex::default();
        let Some(kind) = ResourceKind::parse(INTERFACE) else {
            return Ok(index);
        };

        let mut after = None;
        loop {
            let ids = descriptions
                .description_ids(connection, kind, "", after.as_ref())
                .await?;
            let Some(last) = ids.last() else {
                return Ok(index);
            };
            after = Some(last.clone());

            for ids in ids.chunks(PAGE) {
                let known = descriptions.description_known(connection, ids).await?;
                let hashes: Vec<String> = known.iter().filter_map(|one| one.hash.clone()).collect();
                let documents = descriptions.documents(&hashes).await?;
                let documents: HashMap<String, &Value> = documents
                    .iter()
                    .map(|document| (document.hash(), document.json()))
                    .collect();
                for one in known {
                    let document = one.hash.as_ref().and_then(|hash| documents.get(hash));
                    if let Some(document) = document {
                        index.add(&one.id.0, document, &one.relations);
                    }
                }
            }
        }
    }

    fn add(&mut self, interface: &str, document: &Value, relations: &[Relation]) {
        let owner = owner(document, relations).unwrap_or_else(|| ResourceId::new(interface));
        let network = document.get("vpcId").and_then(Value::as_str);
        self.networks
            .insert(interface.to_owned(), network.unwrap_or_default().to_owned());
        self.interfaces
            .entry(owner.clone())
            .or_default()
            .push(interface.to_owned());
        self.owners.insert(interface.to_owned(), owner);
        for address in interface_addresses(document) {
            let known = self.by_address.entry(address).or_default();
            if !known.iter().any(|one| one == interface) {
                known.push(interface.to_owned());
            }
        }
    }

    /// Owner of an interface; `None` for what is no interface of the connection.
    pub(crate) fn owner(&self, interface: &str) -> Option<&ResourceId> {
        self.owners.get(interface)
    }

    /// Interfaces of a resource.
    pub(crate) fn interfaces(&self, resource: &ResourceId) -> &[String] {
        self.interfaces.get(resource).map_or(&[], Vec::as_slice)
    }

    /// Resource that an interface means by an address: in its own network first, since networks
    /// may use the same addresses; `None` where several others have it.
    pub(crate) fn at(&self, address: IpAddr, seen_by: &str) -> Option<&ResourceId> {
        let known = self.by_address.get(&address)?;
        let network = self.networks.get(seen_by);
        let own = known
            .iter()
            .find(|one| network.is_some() && self.networks.get(*one) == network);
        let found = match (own, known.as_slice()) {
            (Some(own), _) => own,
            (None, [only]) => only,
            (None, _) => return None,
        };
        self.owners.get(found)
    }
}

/// Owner of an interface: the machine that it is attached to, else the gateway or load balancer
/// that its description names.
fn owner(document: &Value, relations: &[Relation]) -> Option<ResourceId> {
    let attached = relations
        .iter()
        .find(|relation| relation.kind == RelationKind::AttachedTo)
        .map(|relation| relation.target.clone());
    if attached.is_some() {
        return attached;
    }

    let text = |name: &str| {
        document
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let description = text("description");
    if let Some(gateway) = description.strip_prefix("Interface for NAT Gateway ") {
        return Some(ResourceId::new(gateway.trim()));
    }
    // `ELB app/shop/50dc6c495c0c9188` is the end of the load balancer's ARN.
    let balancer = description.strip_prefix("ELB ")?;
    let (account, zone) = (text("ownerId"), text("availabilityZone"));
    let region = zone.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let is_arn = balancer.contains('/') && !account.is_empty() && !region.is_empty();
    is_arn.then(|| {
        ResourceId::new(format!(
            "arn:aws:elasticloadbalancing:{region}:{account}:loadbalancer/{}",
            balancer.trim()
        ))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn attached(machine: &str) -> Vec<Relation> {
        vec![Relation::to(RelationKind::AttachedTo, machine)]
    }

    #[test]
    fn an_address_is_the_resource_behind_its_interface_in_the_own_network() {
        let mut index = AddressIndex::default();
        let document =
            |network: &str, address: &str| json!({ "vpcId": network, "privateIpAddress": address });
        index.add("eni-1", &document("vpc-1", "10.0.0.4"), &attached("i-1"));
        index.add("eni-2", &document("vpc-1", "10.0.0.9"), &attached("i-2"));
        index.add("eni-3", &document("vpc-2", "10.0.0.9"), &attached("i-3"));
        index.add("eni-4", &document("vpc-2", "10.0.0.7"), &[]);

        let at = |address: &str, by: &str| index.at(address.parse().unwrap(), by);
        assert_eq!(at("10.0.0.9", "eni-1"), Some(&ResourceId::new("i-2")));
        assert_eq!(at("10.0.0.9", "eni-4"), Some(&ResourceId::new("i-3")));
        assert_eq!(at("10.0.0.9", "eni-of-another-network"), None);
        assert_eq!(at("10.0.0.7", "eni-1"), Some(&ResourceId::new("eni-4")));
        assert_eq!(index.interfaces(&ResourceId::new("i-2")), ["eni-2"]);
    }

    #[test]
    fn an_interface_that_the_cloud_made_belongs_to_what_its_description_names() {
        let of = |description: &str| {
            let document = json!({ "description": description, "ownerId": "1", "availabilityZone": "eu-west-1a" });
            owner(&document, &[]).map(|owner| owner.0)
        };
        assert_eq!(
            of("Interface for NAT Gateway nat-1").as_deref(),
            Some("nat-1")
        );
        assert_eq!(
            of("ELB app/shop/50dc").as_deref(),
            Some("arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/app/shop/50dc")
        );
        assert_eq!(of("a person's own"), None);
    }
}
