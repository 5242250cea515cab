//! Load balancers: an interface for each subnet, and listeners that pass traffic on to targets.

use serde_json::Value;

use super::{ExposureResource, Halt, places};
use crate::finding::ExposureStep;
use crate::network::{Guard, Interface, Network};
use crate::ports::Ports;
use crate::value;

/// Listener with the target groups of its default actions and rules, or the machines of a classic
/// load balancer.
#[derive(Debug)]
pub(crate) struct Listener<'a> {
    pub(crate) ports: Ports,
    pub(crate) target_groups: Vec<&'a str>,
    /// Machines with their port, for classic load balancers.
    pub(crate) machines: Vec<(&'a str, u16)>,
}

/// Returns `true` for kinds that pass traffic on.
pub(crate) fn is_balancer(kind: &str) -> bool {
    matches!(kind, "load_balancer" | "classic_load_balancer")
}

pub(super) fn read<'a>(resource: &mut ExposureResource<'a>, network: &Network<'a>) {
    let document = resource.document;
    let kind = value::text(document, "Type").unwrap_or_default();
    if kind == "gateway" {
        let says = "passes traffic to appliances only";
        resource.halt = Some(Halt {
            step: ExposureStep::new("load_balancer", resource.id, says),
            is_certain: true,
        });
    }

    let subnets = value::each(document, "AvailabilityZones", "SubnetId");
    let groups = value::texts(document, "SecurityGroups");
    let guard = match kind == "network" && groups.is_empty() {
        true => Guard::Open,
        false => Guard::Groups(groups),
    };
    let is_dual =
        value::text(document, "IpAddressType").is_some_and(|kind| kind.starts_with("dualstack"));
    let of = value::text(document, "VpcId");

    if value::at(document, "Listeners").is_none() || value::is_hidden(document, "Listeners") {
        resource.halt.get_or_insert(Halt {
            step: ExposureStep::new("listener", resource.id, "listeners were not read"),
            is_certain: false,
        });
    }
    resource.listeners = value::list(document, "Listeners")
        .iter()
        .filter_map(|listener| {
            let port = value::port(listener, "Port")?;
            let arn = value::text(listener, "ListenerArn");
            let rules = value::list(document, "Rules").iter().filter(|rule| {
                arn.is_some()
                    && value::text(rule, "RuleArn")
                        .and_then(listener_of)
                        .as_deref()
                        == arn
            });
            let mut target_groups: Vec<&str> = value::list(listener, "DefaultActions")
                .iter()
                .chain(rules.flat_map(|rule| value::list(rule, "Actions")))
                .flat_map(target_groups)
                .collect();
            target_groups.sort_unstable();
            target_groups.dedup();
            Some(Listener {
                ports: served(port, value::text(listener, "Protocol").unwrap_or("TCP")),
                target_groups,
                machines: Vec::new(),
            })
        })
        .collect();

    add(resource, network, of, &subnets, &guard, is_dual);
}

pub(super) fn classic<'a>(resource: &mut ExposureResource<'a>, network: &Network<'a>) {
    let document = resource.document;
    let machines = value::each(document, "Instances", "InstanceId");
    resource.listeners = value::list(document, "ListenerDescriptions")
        .iter()
        .filter_map(|listener| {
            let port = value::port(listener, "Listener.LoadBalancerPort")?;
            let inside = value::port(listener, "Listener.InstancePort").unwrap_or(port);
            Some(Listener {
                ports: Ports::tcp(port, port),
                target_groups: Vec::new(),
                machines: machines.iter().map(|machine| (*machine, inside)).collect(),
            })
        })
        .collect();

    let subnets = value::texts(document, "Subnets");
    let guard = Guard::Groups(value::texts(document, "SecurityGroups"));
    let of = value::text(document, "VPCId");
    add(resource, network, of, &subnets, &guard, false);
}

fn add<'a>(
    resource: &mut ExposureResource<'a>,
    network: &Network<'a>,
    of: Option<&'a str>,
    subnets: &[&'a str],
    guard: &Guard<'a>,
    is_dual: bool,
) {
    if resource.listeners.is_empty() {
        resource.halt.get_or_insert(Halt {
            step: ExposureStep::new("listener", resource.id, "has no listener"),
            is_certain: true,
        });
    }

    let is_internal = value::text(resource.document, "Scheme") == Some("internal");
    let public_v4 = match is_internal {
        true => Err(ExposureStep::new(
            "setting",
            resource.id,
            "is internal: has no public address",
        )),
        false => Ok(ExposureStep::new(
            "setting",
            resource.id,
            "is internet-facing",
        )),
    };
    let served = resource
        .listeners
        .iter()
        .fold(Ports::default(), |all, listener| all.or(&listener.ports));

    for subnet in places(subnets) {
        let of_subnet = subnet.and_then(|subnet| network.network_of(subnet));
        resource.interfaces.push(Interface {
            network: of.or(of_subnet).unwrap_or_default(),
            subnet,
            guard: guard.clone(),
            public_v4: public_v4.clone(),
            public_v6: (is_dual && !is_internal).then(|| "of IPv6".to_owned()),
            private: subnet
                .map(|subnet| network.ranges_of(subnet))
                .unwrap_or_default(),
            listens: Some(served.clone()),
        });
    }
}

/// Returns the ports of a protocol of a listener or target group.
pub(crate) fn served(port: u16, protocol: &str) -> Ports {
    match protocol {
        "UDP" | "QUIC" => Ports::udp(port, port),
        "TCP_UDP" | "TCP_QUIC" => Ports::tcp(port, port).or(&Ports::udp(port, port)),
        _ => Ports::tcp(port, port),
    }
}

/// Returns the ARN of the listener of a rule's ARN.
fn listener_of(rule: &str) -> Option<String> {
    let (listener, _) = rule.rsplit_once('/')?;
    Some(listener.replacen(":listener-rule/", ":listener/", 1))
}

fn target_groups(action: &Value) -> impl Iterator<Item = &str> {
    let one = value::text(action, "TargetGroupArn");
    let several = value::each(action, "ForwardConfig.TargetGroups", "TargetGroupArn");
    one.into_iter().chain(several)
}
