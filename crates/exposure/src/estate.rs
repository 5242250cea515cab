//! The estate, indexed: each document once, found by what others name it by.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ipnet::IpNet;

use crate::configuration::ExposureConfiguration;
use crate::network::{Guard, Network};
use crate::resource::{self, Attachments, ExposureResource};
use crate::target_group::TargetGroup;
use crate::value;

/// Place of an interface: the resource, and the number of its interface.
pub(crate) type Place = (usize, usize);

/// Documents of an estate, ready to be judged.
#[derive(Debug)]
pub struct Estate<'a> {
    pub(crate) network: Network<'a>,
    pub(crate) resources: Vec<ExposureResource<'a>>,
    pub(crate) by_id: HashMap<&'a str, usize>,
    pub(crate) target_groups: HashMap<&'a str, TargetGroup<'a>>,
    /// Interfaces of the members of each security group.
    pub(crate) members: HashMap<&'a str, Vec<Place>>,
    /// Groups with a rule that admits a group.
    pub(crate) admitting: HashMap<&'a str, Vec<&'a str>>,
    pub(crate) by_address: HashMap<(&'a str, IpNet), Place>,
    /// Documents that policies and settings alone expose, and those that settle them.
    pub(crate) others: Vec<ExposureConfiguration<'a>>,
}

impl<'a> Estate<'a> {
    /// Indexes documents; the order does not matter. Of two documents of one resource the first
    /// counts.
    #[must_use]
    pub fn new(configurations: impl IntoIterator<Item = ExposureConfiguration<'a>>) -> Estate<'a> {
        let mut all: Vec<ExposureConfiguration<'a>> = configurations.into_iter().collect();
        all.sort_by_key(|one| (one.id, one.kind));
        all.dedup_by_key(|one| (one.id, one.kind));

        // Names of buckets tell no account. Where all that do tell the same, it is that one.
        let owners: BTreeSet<&str> = all
            .iter()
            .map(ExposureConfiguration::owner)
            .filter(|owner| !owner.is_empty())
            .collect();
        if let (Some(owner), 1) = (owners.first(), owners.len()) {
            all.iter_mut().for_each(|one| one.account = owner);
        }

        let (mut network, mut attachments) = (Network::default(), Attachments::default());
        let mut target_groups = HashMap::new();
        for one in &all {
            network.add(one);
            attachments.add(one);
            if one.kind == "target_group" {
                target_groups.insert(one.id, TargetGroup::read(one.id, one.document));
            }
        }
        for one in &all {
            register(one, &mut target_groups);
        }

        let mut estate = Estate {
            network,
            resources: Vec::new(),
            by_id: HashMap::new(),
            target_groups,
            members: HashMap::new(),
            admitting: HashMap::new(),
            by_address: HashMap::new(),
            others: Vec::new(),
        };
        for one in &all {
            match resource::read(one, &estate.network, &attachments) {
                Some(resource) => estate.insert(resource),
                None => estate.others.push(*one),
            }
        }
        estate.index_references();
        estate
    }

    fn insert(&mut self, resource: ExposureResource<'a>) {
        let at = self.resources.len();
        for (number, interface) in resource.interfaces.iter().enumerate() {
            if let Guard::Groups(groups) = &interface.guard {
                for group in groups {
                    self.members.entry(group).or_default().push((at, number));
                }
            }
            // Ranges of subnets stand for load balancers: addresses alone are targets.
            let addresses = interface
                .private
                .iter()
                .filter(|range| range.prefix_len() == range.max_prefix_len());
            for address in addresses {
                let key = (interface.network, *address);
                self.by_address.entry(key).or_insert((at, number));
            }
        }
        self.by_id.insert(resource.id, at);
        self.resources.push(resource);
    }

    fn index_references(&mut self) {
        let mut admitting: BTreeMap<&'a str, Vec<&'a str>> = BTreeMap::new();
        for group in self.network.groups.values() {
            for named in group.named_groups() {
                admitting.entry(named).or_default().push(group.id);
            }
        }
        for groups in admitting.values_mut() {
            groups.sort_unstable();
            groups.dedup();
        }
        self.admitting = admitting.into_iter().collect();
    }
}

/// Adds targets that documents of scaling groups and services register themselves with.
fn register<'a>(
    configuration: &ExposureConfiguration<'a>,
    target_groups: &mut HashMap<&'a str, TargetGroup<'a>>,
) {
    let document = configuration.document;
    match configuration.kind {
        "scaling_group" => {
            let machines = value::each(document, "Instances", "InstanceId");
            for arn in value::texts(document, "TargetGroupARNs") {
                if let Some(group) = target_groups.get_mut(arn) {
                    group
                        .targets
                        .extend(machines.iter().map(|machine| (*machine, None)));
                }
            }
        }
        "container_service" => {
            for balancer in value::list(document, "loadBalancers") {
                let arn = value::text(balancer, "targetGroupArn");
                if let Some(group) = arn.and_then(|arn| target_groups.get_mut(arn)) {
                    let port = value::port(balancer, "containerPort");
                    group.targets.push((configuration.id, port));
                }
            }
        }
        _ => {}
    }
}
