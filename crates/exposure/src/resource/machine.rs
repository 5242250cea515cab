//! Machines: one interface for each network interface.

use serde_json::Value;

use super::{Attachments, ExposureResource, Halt};
use crate::finding::ExposureStep;
use crate::network::{Guard, Interface, Network};
use crate::value;

pub(super) fn read<'a>(
    resource: &mut ExposureResource<'a>,
    network: &Network<'a>,
    attachments: &Attachments<'a>,
) {
    let document = resource.document;
    if value::text(document, "instanceState.name") == Some("stopped") {
        resource.halt = Some(Halt {
            step: ExposureStep::new("state", resource.id, "is stopped"),
            is_certain: true,
        });
    }

    let mut parts: Vec<&Value> = value::list(document, "networkInterfaceSet")
        .iter()
        .collect();
    if parts.is_empty() {
        let own = attachments.interfaces.get(resource.id);
        parts = own.cloned().unwrap_or_default();
    }
    if parts.is_empty() {
        parts = vec![document];
    }

    for (at, part) in parts.into_iter().enumerate() {
        let interface = interface(resource.id, document, part, at == 0, network, attachments);
        resource.interfaces.push(interface);
    }
}

fn interface<'a>(
    id: &'a str,
    machine: &'a Value,
    part: &'a Value,
    is_first: bool,
    network: &Network<'a>,
    attachments: &Attachments<'a>,
) -> Interface<'a> {
    let of_both = |member| value::text(part, member).or_else(|| value::text(machine, member));
    let subnet = of_both("subnetId");
    let of_subnet = subnet.and_then(|subnet| network.network_of(subnet));

    let mut groups = value::each(part, "groupSet", "groupId");
    if groups.is_empty() {
        groups = value::each(machine, "groupSet", "groupId");
    }

    // The address that the machine names is that of its first interface.
    let own = value::text(part, "association.publicIp")
        .or_else(|| {
            let addresses = value::list(part, "privateIpAddressesSet").iter();
            addresses
                .filter_map(|one| value::text(one, "association.publicIp"))
                .next()
        })
        .or_else(|| {
            let interface = value::text(part, "networkInterfaceId")?;
            attachments.addresses.get(interface).copied()
        })
        .or_else(|| value::text(machine, "ipAddress").filter(|_| is_first))
        .or_else(|| attachments.addresses.get(id).copied().filter(|_| is_first));
    let public_v4 = match own {
        Some(address) => Ok(ExposureStep::new(
            "address",
            id,
            format!("has public address {address}"),
        )),
        None => Err(ExposureStep::new("address", id, "has no public address")),
    };

    let v6 = value::each(part, "ipv6AddressesSet", "ipv6Address");
    let v6 = v6
        .first()
        .copied()
        .or_else(|| value::text(machine, "ipv6Address").filter(|_| is_first));

    let more = value::each(part, "privateIpAddressesSet", "privateIpAddress");
    let mut private: Vec<&str> = value::text(part, "privateIpAddress")
        .into_iter()
        .chain(more)
        .collect();
    private.dedup();

    Interface {
        network: of_both("vpcId").or(of_subnet).unwrap_or_default(),
        subnet,
        guard: Guard::Groups(groups),
        public_v4,
        public_v6: v6.map(str::to_owned),
        private: private
            .into_iter()
            .filter_map(|address| address.parse::<std::net::IpAddr>().ok())
            .map(Into::into)
            .collect(),
        listens: None,
    }
}
