//! Databases and data warehouses: reachable at the port that they serve, in each subnet that they may be in.

use serde_json::Value;

use super::{ExposureResource, places};
use crate::finding::ExposureStep;
use crate::network::{Guard, Interface, Network};
use crate::ports::Ports;
use crate::value;

pub(super) fn read<'a>(resource: &mut ExposureResource<'a>, network: &Network<'a>) {
    let document = resource.document;
    let zone = value::text(document, "AvailabilityZone");
    let zone_of = |subnet: &&'a Value| value::text(subnet, "SubnetAvailabilityZone.Name");

    let all = value::list(document, "DBSubnetGroup.Subnets");
    let in_zone: Vec<&Value> = all
        .iter()
        .filter(|subnet| zone.is_some() && zone_of(subnet) == zone)
        .collect();
    let subnets = match in_zone.is_empty() {
        true => all.iter().collect(),
        false => in_zone,
    };
    let subnets: Vec<&str> = subnets
        .into_iter()
        .filter_map(|subnet| value::text(subnet, "SubnetIdentifier"))
        .collect();

    let groups = value::each(document, "VpcSecurityGroups", "VpcSecurityGroupId");
    let port = value::port(document, "Endpoint.Port")
        .or_else(|| value::port(document, "DbInstancePort").filter(|port| *port != 0));
    let of_group = value::text(document, "DBSubnetGroup.VpcId");
    add(resource, network, of_group, &subnets, &groups, port);
}

pub(super) fn warehouse<'a>(resource: &mut ExposureResource<'a>, network: &Network<'a>) {
    let document = resource.document;
    let of = value::text(document, "VpcId");
    let subnets = of
        .map(|of| network.subnets_of(of))
        .unwrap_or_default()
        .to_vec();
    let groups = value::each(document, "VpcSecurityGroups", "VpcSecurityGroupId");
    let port = value::port(document, "Endpoint.Port");
    add(resource, network, of, &subnets, &groups, port);
}

fn add<'a>(
    resource: &mut ExposureResource<'a>,
    network: &Network<'a>,
    of: Option<&'a str>,
    subnets: &[&'a str],
    groups: &[&'a str],
    port: Option<u16>,
) {
    let public_v4 = match value::is_true(resource.document, "PubliclyAccessible") {
        true => Ok(
            ExposureStep::new("setting", resource.id, "is publicly accessible")
                .keyed("publicly accessible"),
        ),
        false => Err(ExposureStep::new(
            "setting",
            resource.id,
            "is not publicly accessible",
        )),
    };
    let of_group = network.network_of_groups(groups);

    for subnet in places(subnets) {
        let of_subnet = subnet.and_then(|subnet| network.network_of(subnet));
        resource.interfaces.push(Interface {
            network: of.or(of_subnet).or(of_group).unwrap_or_default(),
            subnet,
            guard: Guard::Groups(groups.to_vec()),
            public_v4: public_v4.clone(),
            public_v6: None,
            private: Vec::new(),
            listens: port.map(|port| Ports::tcp(port, port)),
        });
    }
}
