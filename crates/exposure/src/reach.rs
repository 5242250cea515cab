//! Reach of the internet: directly, through load balancers, and on from what it reached.

use std::collections::{BTreeSet, VecDeque};

use crate::answers::ExposureAnswers;
use crate::estate::{Estate, Place};
use crate::finding::{ExposureGrade, ExposureStep};
use crate::network::Way;
use crate::ports::Ports;
use crate::resource::{Listener, is_balancer};
use crate::source::{ExposureSource, Family};
use crate::target_group::TargetGroup;
use crate::value;

/// Most steps from one taken-over resource to the next. Beyond it every path goes through a
/// resource that is named already.
const MOST_HOPS: usize = 4;

/// Resource that traffic of the internet reached, from which it may go on.
struct Reached {
    resource: usize,
    path: Vec<ExposureStep>,
    hops: usize,
}

/// Traversal of an estate. `closed` is the setting that is taken to be closed.
pub(crate) struct ExposureReach<'e, 'a> {
    estate: &'e Estate<'a>,
    closed: Option<&'e str>,
    pub(crate) answers: ExposureAnswers<'a>,
    /// Listeners that were followed: load balancer, number, and whether from the inside.
    followed: BTreeSet<(usize, usize)>,
    seen: BTreeSet<usize>,
    queue: VecDeque<Reached>,
}

impl<'e, 'a> ExposureReach<'e, 'a> {
    pub(crate) fn new(
        estate: &'e Estate<'a>,
        answers: ExposureAnswers<'a>,
        closed: Option<&'e str>,
    ) -> Self {
        ExposureReach {
            estate,
            closed,
            answers,
            followed: BTreeSet::new(),
            seen: BTreeSet::new(),
            queue: VecDeque::new(),
        }
    }

    /// Follows traffic as far as it goes. `invoked` are functions that outsiders may call.
    pub(crate) fn run(mut self, invoked: Vec<(usize, Vec<ExposureStep>)>) -> ExposureAnswers<'a> {
        for (resource, path) in invoked {
            self.go_on(resource, path, 0);
        }

        for at in 0..self.estate.resources.len() {
            self.enter(at);
        }
        while let Some(reached) = self.queue.pop_front() {
            self.onward(&reached);
        }
        self.answers
    }

    fn key(&self, at: usize) -> (&'a str, &'a str, &'a str) {
        let resource = &self.estate.resources[at];
        (resource.id, resource.kind, resource.account)
    }

    fn go_on(&mut self, resource: usize, path: Vec<ExposureStep>, hops: usize) {
        let is_balancer = is_balancer(self.estate.resources[resource].kind);
        if !is_balancer && hops < MOST_HOPS && self.seen.insert(resource) {
            self.queue.push_back(Reached {
                resource,
                path,
                hops,
            });
        }
    }

    fn enter(&mut self, at: usize) {
        let estate = self.estate;
        let resource = &estate.resources[at];
        let key = self.key(at);
        if resource.kind == "function" {
            return;
        }
        if let Some(halt) = &resource.halt {
            self.answers
                .missed(key, vec![halt.step.clone()], halt.is_certain);
            return;
        }
        if resource.interfaces.is_empty() {
            let says = "the documents name no network";
            let step = ExposureStep::new("network", resource.id, says);
            self.answers.missed(key, vec![step], false);
        }

        for family in [Family::V4, Family::V6] {
            for interface in &resource.interfaces {
                let way = estate
                    .network
                    .internet_way(resource.id, interface, family, self.closed);
                let Some((path, ports)) = self.answers.missed_way(key, way) else {
                    continue;
                };

                self.answers
                    .reached(key, ExposureGrade::Direct, path.clone(), &ports);
                self.through(at, &path, &ports, 0);
                self.go_on(at, path, 0);
            }
        }
    }

    /// Follows traffic that reached ports of a load balancer to its targets.
    fn through(&mut self, at: usize, path: &[ExposureStep], ports: &Ports, hops: usize) {
        let estate = self.estate;
        let resource = &estate.resources[at];
        for (number, listener) in resource.listeners.iter().enumerate() {
            if listener.ports.and(ports).is_empty() || !self.followed.insert((at, number)) {
                continue;
            }

            let says = format!("listens on {}", listener.ports.and(ports));
            let mut path = path.to_vec();
            path.push(ExposureStep::new("listener", resource.id, says));
            self.follow_machines(at, listener, &path, hops);

            for arn in &listener.target_groups {
                let Some(group) = estate.target_groups.get(arn) else {
                    continue;
                };
                for (target, port) in &group.targets {
                    self.follow_target(at, group, (target, *port), &path, hops);
                }
            }
        }
    }

    fn follow_machines(
        &mut self,
        at: usize,
        listener: &Listener<'a>,
        path: &[ExposureStep],
        hops: usize,
    ) {
        for (machine, port) in &listener.machines {
            if let Some(target) = self.estate.by_id.get(machine) {
                let ports = Ports::tcp(*port, *port);
                let source = self.balancer(at);
                self.follow_interfaces(*target, None, &source, path.to_vec(), &ports, hops);
            }
        }
    }

    fn follow_target(
        &mut self,
        at: usize,
        group: &TargetGroup<'a>,
        (id, port): (&'a str, Option<u16>),
        path: &[ExposureStep],
        hops: usize,
    ) {
        let estate = self.estate;
        let ports = group.ports(port);
        let says = match group.target_type {
            "lambda" => format!("passes requests on to {id}"),
            _ => format!("passes traffic on to {id}, {ports}"),
        };
        let mut path = path.to_vec();
        path.push(ExposureStep::new("target_group", group.id, says));

        let place: Option<(usize, Option<usize>)> = match group.target_type {
            "ip" => id.parse::<std::net::IpAddr>().ok().and_then(|address| {
                let key = (group.network, address.into());
                let (resource, interface) = estate.by_address.get(&key)?;
                Some((*resource, Some(*interface)))
            }),
            // An alias or version may stand behind the name of the function.
            "lambda" => {
                let unqualified = id.splitn(8, ':').take(7).collect::<Vec<_>>().join(":");
                let found = estate
                    .by_id
                    .get(id)
                    .or_else(|| estate.by_id.get(unqualified.as_str()));
                found.map(|at| (*at, None))
            }
            _ => None,
        };
        // Services of ECS stand among the targets of every type.
        let Some((target, interface)) =
            place.or_else(|| estate.by_id.get(id).map(|target| (*target, None)))
        else {
            return;
        };

        if group.target_type == "lambda" {
            let grade = grade(hops, true);
            if self
                .answers
                .reached(self.key(target), grade, path.clone(), &Ports::tcp(443, 443))
            {
                self.go_on(target, path, hops);
            }
            return;
        }

        let is_network = value::text(estate.resources[at].document, "Type") == Some("network");
        let mut source = self.balancer(at);
        if is_network && group.preserves_client_address() && hops == 0 {
            source = ExposureSource::internet(Family::V4).with_groups(source.groups);
        }
        self.follow_interfaces(target, interface, &source, path, &ports, hops);
    }

    /// Sender of what a load balancer passes on.
    fn balancer(&self, at: usize) -> ExposureSource<'a> {
        let interfaces = &self.estate.resources[at].interfaces;
        let ranges = interfaces
            .iter()
            .flat_map(|interface| interface.private.clone());
        let groups = interfaces
            .first()
            .map(|interface| interface.groups().to_vec());
        ExposureSource::inside(ranges.collect(), groups.unwrap_or_default())
    }

    fn follow_interfaces(
        &mut self,
        target: usize,
        only: Option<usize>,
        source: &ExposureSource<'_>,
        path: Vec<ExposureStep>,
        ports: &Ports,
        hops: usize,
    ) {
        let estate = self.estate;
        let (resource, key) = (&estate.resources[target], self.key(target));
        if let Some(halt) = &resource.halt {
            self.answers
                .missed(key, vec![halt.step.clone()], halt.is_certain);
            return;
        }

        // A service in the network of its machines has no interface of its own to guard it.
        if resource.interfaces.is_empty() && resource.kind == "container_service" {
            self.answers.reached(key, grade(hops, true), path, ports);
            return;
        }

        for (number, interface) in resource.interfaces.iter().enumerate() {
            if only.is_some_and(|only| only != number) {
                continue;
            }
            let way =
                estate
                    .network
                    .admitted(path.clone(), interface, source, Some(ports), self.closed);
            if let Some((path, ports)) = self.answers.missed_way(key, way) {
                self.answers
                    .reached(key, grade(hops, true), path.clone(), &ports);
                self.through(target, &path, &ports, hops);
                self.go_on(target, path, hops);
            }
        }
    }

    /// Follows what a reached resource may reach by being a member of its security groups.
    fn onward(&mut self, reached: &Reached) {
        let estate = self.estate;
        let resource = &estate.resources[reached.resource];
        let mut path = reached.path.clone();

        for (number, interface) in resource.interfaces.iter().enumerate() {
            for own in interface.groups() {
                for admitting in estate.admitting.get(own).into_iter().flatten() {
                    let says = format!("is a member of {own}, which {admitting} admits");
                    path.truncate(reached.path.len());
                    path.push(ExposureStep::new("member", resource.id, says));
                    let members = estate.members.get(admitting).into_iter().flatten();
                    for member in members {
                        self.hop((reached.resource, number), *member, &path, reached.hops);
                    }
                }
            }
        }
    }

    fn hop(&mut self, from: Place, to: Place, path: &[ExposureStep], hops: usize) {
        let estate = self.estate;
        // A resource that was reached before is not reached again by a longer path.
        if from.0 == to.0 || self.seen.contains(&to.0) {
            return;
        }
        let source = &estate.resources[from.0].interfaces[from.1];
        let target = &estate.resources[to.0];
        let interface = &target.interfaces[to.1];
        if target.halt.is_some() || target.kind == "function" {
            return;
        }

        let mut path = path.to_vec();
        if source.network != interface.network {
            let table = estate.network.table(source.subnet, source.network);
            let Some(route) = table.and_then(|table| table.leads_to_other_networks()) else {
                return;
            };
            let says = format!("leads from {} to other networks", source.network);
            path.push(ExposureStep::new("route", route.target, says));
        }

        let sender = ExposureSource::inside(source.private.clone(), source.groups().to_vec());
        let way = estate
            .network
            .admitted(path, interface, &sender, None, self.closed);
        if let Way::Open { path, ports } = way {
            let key = self.key(to.0);
            self.answers
                .reached(key, ExposureGrade::Indirect, path.clone(), &ports);
            self.through(to.0, &path, &ports, hops + 1);
            self.go_on(to.0, path, hops + 1);
        }
    }
}

fn grade(hops: usize, is_passed_on: bool) -> ExposureGrade {
    match (hops, is_passed_on) {
        (0, true) => ExposureGrade::LoadBalancer,
        (0, false) => ExposureGrade::Direct,
        _ => ExposureGrade::Indirect,
    }
}
