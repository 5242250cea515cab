//! Route tables: the longest range that fits decides where a packet goes.

use ipnet::IpNet;
use serde_json::Value;

use crate::source::{ExposureSource, Family};
use crate::value;

/// Members of a route that name its target.
const TARGETS: [&str; 12] = [
    "gatewayId",
    "natGatewayId",
    "transitGatewayId",
    "vpcPeeringConnectionId",
    "egressOnlyInternetGatewayId",
    "networkInterfaceId",
    "instanceId",
    "carrierGatewayId",
    "localGatewayId",
    "coreNetworkArn",
    "vpcEndpointId",
    "odbNetworkArn",
];

#[derive(Debug)]
pub(crate) struct Route<'a> {
    pub(crate) range: IpNet,
    pub(crate) target: &'a str,
    pub(crate) is_active: bool,
}

#[derive(Debug)]
pub(crate) struct RouteTable<'a> {
    pub(crate) id: &'a str,
    routes: Vec<Route<'a>>,
}

impl<'a> RouteTable<'a> {
    pub(crate) fn read(id: &'a str, document: &'a Value) -> RouteTable<'a> {
        let routes = value::list(document, "routeSet")
            .iter()
            .filter_map(|route| {
                let range = ["destinationCidrBlock", "destinationIpv6CidrBlock"]
                    .iter()
                    .find_map(|member| value::text(route, member))?;
                Some(Route {
                    range: range.parse().ok()?,
                    target: TARGETS
                        .iter()
                        .find_map(|member| value::text(route, member))?,
                    is_active: value::text(route, "state") != Some("blackhole"),
                })
            });
        RouteTable {
            id,
            routes: routes.collect(),
        }
    }

    /// Returns the routes that packets to the internet at large take: those to a range that is
    /// open to it, the widest first.
    pub(crate) fn to_internet(&self, family: Family) -> Vec<&Route<'a>> {
        let internet = ExposureSource::internet(family);
        let mut routes: Vec<&Route<'a>> = self
            .routes
            .iter()
            .filter(|route| Family::of(&route.range) == family)
            .filter(|route| internet.is_admitted_by(&route.range))
            .collect();
        routes.sort_by_key(|route| (route.range.prefix_len(), route.target));
        routes
    }

    /// Returns an active route to a peering connection or a transit gateway.
    pub(crate) fn leads_to_other_networks(&self) -> Option<&Route<'a>> {
        self.routes.iter().find(|route| {
            route.is_active
                && ["pcx-", "tgw-"]
                    .iter()
                    .any(|prefix| route.target.starts_with(prefix))
        })
    }
}
