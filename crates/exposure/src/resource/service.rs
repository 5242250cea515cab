//! Services of ECS with a network of their own (`awsvpc`), whose tasks have an interface in one of
//! the subnets each, and functions in a network, which only send.

use super::ExposureResource;
use crate::finding::ExposureStep;
use crate::network::{Guard, Interface, Network};
use crate::ports::Ports;
use crate::value;

pub(super) fn read<'a>(resource: &mut ExposureResource<'a>, network: &Network<'a>) {
    const PLACE: &str = "networkConfiguration.awsvpcConfiguration";
    let Some(place) = value::at(resource.document, PLACE) else {
        return;
    };

    let groups = value::texts(place, "securityGroups");
    let public_v4 = match value::text(place, "assignPublicIp") {
        Some("ENABLED") => {
            Ok(
                ExposureStep::new("setting", resource.id, "gives its tasks public addresses")
                    .keyed("public addresses"),
            )
        }
        _ => Err(ExposureStep::new(
            "setting",
            resource.id,
            "gives its tasks no public address",
        )),
    };
    let ports = value::list(resource.document, "loadBalancers")
        .iter()
        .filter_map(|balancer| value::port(balancer, "containerPort"))
        .map(|port| Ports::tcp(port, port))
        .reduce(|all, port| all.or(&port));

    let of_group = network.network_of_groups(&groups);
    for subnet in value::texts(place, "subnets") {
        resource.interfaces.push(Interface {
            network: network.network_of(subnet).or(of_group).unwrap_or_default(),
            subnet: Some(subnet),
            guard: Guard::Groups(groups.clone()),
            public_v4: public_v4.clone(),
            public_v6: None,
            private: Vec::new(),
            listens: ports.clone(),
        });
    }
}

/// Reads the place in the network that a function sends from. Nothing reaches a function there.
pub(super) fn function<'a>(resource: &mut ExposureResource<'a>, network: &Network<'a>) {
    let groups = value::texts(resource.document, "VpcConfig.SecurityGroupIds");
    for subnet in value::texts(resource.document, "VpcConfig.SubnetIds") {
        let says = "is reached by its name, not by an address";
        resource.interfaces.push(Interface {
            network: network.network_of(subnet).unwrap_or_default(),
            subnet: Some(subnet),
            guard: Guard::Groups(groups.clone()),
            public_v4: Err(ExposureStep::new("address", resource.id, says)),
            public_v6: None,
            private: Vec::new(),
            listens: None,
        });
    }
}
