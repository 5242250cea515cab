//! Ways of traffic through the network, edge by edge.

use super::{Direction, Guard, Interface, Network};
use crate::finding::ExposureStep;
use crate::ports::Ports;
use crate::source::{ExposureSource, Family};

/// Outcome of following traffic to an interface.
#[derive(Debug, Clone)]
pub(crate) enum Way {
    Open {
        path: Vec<ExposureStep>,
        ports: Ports,
    },
    /// The last step stops the traffic, for certain or because it was not read.
    Stopped {
        path: Vec<ExposureStep>,
        is_certain: bool,
    },
}

impl Way {
    pub(crate) fn stopped(mut path: Vec<ExposureStep>, step: ExposureStep) -> Way {
        path.push(step);
        Way::Stopped {
            path,
            is_certain: true,
        }
    }

    pub(crate) fn unknown(mut path: Vec<ExposureStep>, step: ExposureStep) -> Way {
        path.push(step);
        Way::Stopped {
            path,
            is_certain: false,
        }
    }
}

impl<'a> Network<'a> {
    /// Follows traffic from the internet to an interface of a resource. `closed` is the setting
    /// that is taken to be closed.
    pub(crate) fn internet_way(
        &self,
        resource: &str,
        interface: &Interface<'a>,
        family: Family,
        closed: Option<&str>,
    ) -> Way {
        let mut path = Vec::new();
        let address = match (family, &interface.public_v6) {
            (Family::V4, _) => interface.public_v4.clone(),
            (Family::V6, Some(address)) => Ok(ExposureStep::new(
                "address",
                resource,
                format!("has address {address}"),
            )),
            (Family::V6, None) => Err(ExposureStep::new(
                "address",
                resource,
                "has no IPv6 address",
            )),
        };
        match address {
            Ok(step) if step.is_closed_by(closed) => {
                return Way::stopped(path, step);
            }
            Ok(step) => path.push(step),
            Err(step) => return Way::stopped(path, step),
        }

        match self.route_from_internet(interface, family) {
            Ok(step) => path.push(step),
            Err((step, true)) => return Way::stopped(path, step),
            Err((step, false)) => return Way::unknown(path, step),
        }

        let source = ExposureSource::internet(family);
        self.admitted(path, interface, &source, None, closed)
    }

    /// Finds the route between the internet and the subnet of an interface.
    fn route_from_internet(
        &self,
        interface: &Interface<'a>,
        family: Family,
    ) -> Result<ExposureStep, (ExposureStep, bool)> {
        let subnet = interface.subnet.unwrap_or(interface.network);
        let Some(table) = self.table(interface.subnet, interface.network) else {
            let step = ExposureStep::new("route_table", subnet, "route table was not read");
            return Err((step, false));
        };
        let as_main = match self.is_main(interface.subnet) {
            true => ", the main route table of the network,",
            false => "",
        };

        let routes = table.to_internet(family);
        let is_gateway = |target: &str| target.starts_with("igw-");
        let open = routes.iter().find(|route| {
            is_gateway(route.target)
                && route.is_active
                && self.may_be_attached(route.target, interface.network)
        });
        if let Some(route) = open {
            let says = format!(
                "{}{as_main} routes {} of {subnet} to internet gateway {}",
                table.id, route.range, route.target
            );
            return Ok(ExposureStep::new("route_table", table.id, says));
        }

        let Some(route) = routes.first() else {
            let everything = family.everything();
            let says = format!(
                "{}{as_main} has no route of {subnet} for {everything} to an internet gateway",
                table.id
            );
            return Err((ExposureStep::new("route_table", table.id, says), true));
        };
        let (range, target) = (route.range, route.target);
        if target.starts_with("vpce-") {
            let says = format!("{range} passes {target}, an inspection that is not evaluated");
            return Err((ExposureStep::new("route_table", table.id, says), false));
        }
        let reason = match (is_gateway(target), route.is_active) {
            (_, false) => "which is no longer there",
            (true, true) => "which is not attached to the network",
            (false, true) if target.starts_with("nat-") || target.starts_with("eigw-") => {
                "which lets nothing in"
            }
            (false, true) => "which is no internet gateway",
        };
        let says = format!(
            "{}{as_main} routes {range} of {subnet} to {target}, {reason}",
            table.id
        );
        Err((ExposureStep::new("route_table", table.id, says), true))
    }

    /// Follows traffic of a sender through the network ACL and the security groups of an interface;
    /// of `wanted` ports only, if they are given.
    pub(crate) fn admitted(
        &self,
        mut path: Vec<ExposureStep>,
        interface: &Interface<'a>,
        source: &ExposureSource<'_>,
        wanted: Option<&Ports>,
        closed: Option<&str>,
    ) -> Way {
        let listens = interface.listens.as_ref();
        let wanted = [wanted, listens]
            .into_iter()
            .flatten()
            .fold(Ports::all(), |all, ports| all.and(ports));

        // Traffic within a subnet passes no network ACL.
        let is_same_subnet = interface.subnet.is_some_and(|subnet| {
            let own = self.ranges_of(subnet);
            !source.ranges.is_empty() && source.ranges.iter().all(|range| own.contains(range))
        });
        let mut ports = wanted.clone();
        if !is_same_subnet && !source.ranges.is_empty() {
            match self.through_acl(interface, source, &wanted) {
                Ok((passed, step)) => {
                    ports = passed;
                    path.push(step);
                }
                Err(step) => return Way::stopped(path, step),
            }
        }

        match &interface.guard {
            Guard::Open => {
                let says = format!("no security group: admits {ports}");
                path.push(ExposureStep::new("security_group", "none", says));
                Way::Open { path, ports }
            }
            Guard::Groups(groups) => {
                let way = self.through_groups(path.clone(), groups, source, &ports, closed);
                let refused = wanted.without(&ports);
                if !matches!(
                    way,
                    Way::Stopped {
                        is_certain: true,
                        ..
                    }
                ) || refused.is_empty()
                {
                    return way;
                }

                // Groups that admit what the network ACL refused do not stop anything.
                let without_acl = self.through_groups(Vec::new(), groups, source, &refused, closed);
                match (without_acl, path.pop()) {
                    (Way::Open { ports, .. }, Some(acl)) => {
                        let says = format!("refuses {ports}, which security groups admit");
                        Way::stopped(path, ExposureStep::new("network_acl", acl.resource, says))
                    }
                    _ => way,
                }
            }
        }
    }

    fn through_acl(
        &self,
        interface: &Interface<'a>,
        source: &ExposureSource<'_>,
        wanted: &Ports,
    ) -> Result<(Ports, ExposureStep), ExposureStep> {
        let Some(acl) = self.acl(interface.subnet, interface.network) else {
            let subnet = interface.subnet.unwrap_or(interface.network);
            let says = "network ACL was not read; the default one admits everything";
            return Ok((
                wanted.clone(),
                ExposureStep::new("network_acl", subnet, says),
            ));
        };

        let inbound = acl.allowed(Direction::In, source).and(wanted);
        if inbound.is_empty() {
            let says = format!("{} admits none of {wanted}", acl.id);
            return Err(ExposureStep::new("network_acl", acl.id, says));
        }
        let ports = inbound.answered_through(&acl.allowed(Direction::Out, source));
        if ports.is_empty() {
            let says = format!(
                "{} admits {inbound}, and lets no reply out to ports from 1024 up",
                acl.id
            );
            return Err(ExposureStep::new("network_acl", acl.id, says));
        }

        let says = format!("{} admits {ports} and lets replies out", acl.id);
        Ok((ports, ExposureStep::new("network_acl", acl.id, says)))
    }

    fn through_groups(
        &self,
        mut path: Vec<ExposureStep>,
        groups: &[&'a str],
        source: &ExposureSource<'_>,
        wanted: &Ports,
        closed: Option<&str>,
    ) -> Way {
        let mut ports = Ports::default();
        let mut open: Vec<(&str, &str)> = Vec::new();
        for group in groups.iter().filter_map(|id| self.groups.get(id)) {
            for rule in group.admitting(source) {
                let admitted = rule.ports.and(wanted);
                let step = || ExposureStep::new("security_group", group.id, "").keyed(&rule.words);
                // Without a closed setting no step is put into words for each rule.
                let is_closed = closed.is_some() && step().is_closed_by(closed);
                if !admitted.is_empty() && !is_closed {
                    ports = ports.or(&admitted);
                    open.push((group.id, &rule.words));
                }
            }
        }

        if let Some((first, words)) = open.first() {
            let said: Vec<String> = open
                .iter()
                .map(|(group, words)| format!("{group} admits {words}"))
                .collect();
            let step = ExposureStep::new("security_group", *first, said.join("; "));
            path.push(match open.as_slice() {
                [_] => step.keyed(words),
                _ => step,
            });
            return Way::Open { path, ports };
        }

        let unread: Vec<&str> = groups
            .iter()
            .copied()
            .filter(|id| !self.groups.contains_key(id))
            .collect();
        if groups.is_empty() || !unread.is_empty() {
            let says = match unread.first() {
                Some(_) => format!("{} was not read", unread.join(", ")),
                None => "the documents name no security group".to_owned(),
            };
            let resource = unread.first().copied().unwrap_or("none");
            return Way::unknown(path, ExposureStep::new("security_group", resource, says));
        }

        let admit: Vec<String> = groups
            .iter()
            .filter_map(|id| self.groups.get(id))
            .map(|group| format!("{} admits {}", group.id, group.words()))
            .collect();
        let says = format!(
            "{}; none of it is {wanted} from this sender",
            admit.join(", ")
        );
        Way::stopped(path, ExposureStep::new("security_group", groups[0], says))
    }
}
