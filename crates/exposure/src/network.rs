//! The network of the estate: subnets with their route tables and network ACLs, gateways, and
//! security groups, each found by its identifier.

mod acl;
mod group;
mod interface;
mod route;
mod way;

use std::collections::{BTreeMap, HashMap};

use ipnet::IpNet;

use crate::configuration::ExposureConfiguration;
use crate::value;

pub(crate) use acl::{Acl, Direction};
pub(crate) use group::SecurityGroup;
pub(crate) use interface::{Guard, Interface};
pub(crate) use route::RouteTable;
pub(crate) use way::Way;

/// Subnet of a network.
#[derive(Debug)]
pub(crate) struct Subnet<'a> {
    pub(crate) network: &'a str,
    pub(crate) ranges: Vec<IpNet>,
}

/// Index of everything that traffic passes.
#[derive(Debug, Default)]
pub(crate) struct Network<'a> {
    pub(crate) subnets: BTreeMap<&'a str, Subnet<'a>>,
    pub(crate) groups: HashMap<&'a str, SecurityGroup<'a>>,
    tables: Vec<RouteTable<'a>>,
    acls: Vec<Acl<'a>>,
    /// Route table of a subnet that names it.
    table_of_subnet: HashMap<&'a str, usize>,
    /// Main route table of a network: that of every subnet that no table names.
    main_table: HashMap<&'a str, usize>,
    acl_of_subnet: HashMap<&'a str, usize>,
    default_acl: HashMap<&'a str, usize>,
    /// Networks that an internet gateway is attached to.
    attached: HashMap<&'a str, Vec<&'a str>>,
    /// Subnets of a network.
    of_network: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Network<'a> {
    /// Adds a document if it is a part of the network.
    pub(crate) fn add(&mut self, configuration: &ExposureConfiguration<'a>) {
        let (id, document) = (configuration.id, configuration.document);
        let network = value::text(document, "vpcId").unwrap_or_default();

        match configuration.kind {
            "subnet" => {
                let v6 = value::list(document, "ipv6CidrBlockAssociationSet").iter();
                let ranges = value::text(document, "cidrBlock")
                    .into_iter()
                    .chain(v6.filter_map(|one| value::text(one, "ipv6CidrBlock")));
                let subnet = Subnet {
                    network,
                    ranges: ranges.filter_map(|range| range.parse().ok()).collect(),
                };
                self.subnets.insert(id, subnet);
                self.of_network.entry(network).or_default().push(id);
            }
            "route_table" => {
                let at = self.tables.len();
                self.tables.push(RouteTable::read(id, document));
                for association in value::list(document, "associationSet") {
                    if value::is_true(association, "main") {
                        self.main_table.insert(network, at);
                    }
                    if let Some(subnet) = value::text(association, "subnetId") {
                        self.table_of_subnet.insert(subnet, at);
                    }
                }
            }
            "network_acl" => {
                let at = self.acls.len();
                self.acls.push(Acl::read(id, document));
                if value::is_true(document, "default") {
                    self.default_acl.insert(network, at);
                }
                for subnet in value::each(document, "associationSet", "subnetId") {
                    self.acl_of_subnet.insert(subnet, at);
                }
            }
            "internet_gateway" => {
                let networks = value::each(document, "attachmentSet", "vpcId");
                self.attached.insert(id, networks);
            }
            "security_group" => {
                self.groups.insert(id, SecurityGroup::read(id, document));
            }
            _ => {}
        }
    }

    /// Returns the route table of a subnet: the one that names it, or the main one of its network.
    pub(crate) fn table(&self, subnet: Option<&str>, network: &str) -> Option<&RouteTable<'a>> {
        let explicit = subnet.and_then(|subnet| self.table_of_subnet.get(subnet));
        let at = explicit.or_else(|| self.main_table.get(network))?;
        self.tables.get(*at)
    }

    /// Returns `true` if a route table is a subnet's because it is the main one of the network.
    pub(crate) fn is_main(&self, subnet: Option<&str>) -> bool {
        subnet.is_none_or(|subnet| !self.table_of_subnet.contains_key(subnet))
    }

    /// Returns the network ACL of a subnet: the one that names it, or the default of its network.
    pub(crate) fn acl(&self, subnet: Option<&str>, network: &str) -> Option<&Acl<'a>> {
        let explicit = subnet.and_then(|subnet| self.acl_of_subnet.get(subnet));
        let at = explicit.or_else(|| self.default_acl.get(network))?;
        self.acls.get(*at)
    }

    /// Returns `false` if an internet gateway is known not to be attached to a network.
    pub(crate) fn may_be_attached(&self, gateway: &str, network: &str) -> bool {
        self.attached
            .get(gateway)
            .is_none_or(|networks| networks.contains(&network))
    }

    /// Returns the network of a subnet.
    pub(crate) fn network_of(&self, subnet: &str) -> Option<&'a str> {
        self.subnets.get(subnet).map(|subnet| subnet.network)
    }

    /// Returns the network of the first security group that was read.
    pub(crate) fn network_of_groups(&self, groups: &[&str]) -> Option<&'a str> {
        let mut read = groups.iter().filter_map(|id| self.groups.get(id));
        read.next().map(|group| group.network)
    }

    pub(crate) fn subnets_of(&self, network: &str) -> &[&'a str] {
        self.of_network.get(network).map_or(&[], Vec::as_slice)
    }

    /// Returns the ranges of a subnet; none if it was not read.
    pub(crate) fn ranges_of(&self, subnet: &str) -> Vec<IpNet> {
        let subnet = self.subnets.get(subnet);
        subnet
            .map(|subnet| subnet.ranges.clone())
            .unwrap_or_default()
    }
}
