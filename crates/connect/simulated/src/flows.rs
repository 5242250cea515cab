//! Network interfaces of the simulated machines, and the flows of those of one team: traffic of
//! every day, a job that comes once a month, and scans from the internet.

use std::net::Ipv4Addr;

use ipnet::IpNet;
use jiff::Timestamp;
use reeve_estate::{Described, Document, Provider, Relation, RelationKind, Resource, ResourceKind};
use reeve_flows::{
    DayCoverage, FlowAction, FlowBatch, FlowCounts, FlowDirection, FlowKey, day_of, first_second,
};
use serde_json::{Value, json};

use crate::account::SimulatedAccount;
use crate::describing::subnet_id;
use crate::noise::{draw, key};

/// Team whose machines have a flow log.
const TEAM: &str = "platform";
/// Days of flows that are delivered at first.
const FIRST_DAYS: i32 = 75;
/// Hours of a whole day.
const WHOLE_DAY: u32 = (1 << 24) - 1;

/// Returns the identifier of the network interface of a machine.
pub(crate) fn interface_id(machine: &str) -> String {
    machine.replacen("i-", "eni-", 1)
}

/// Returns the private address of a machine in the network of a region.
fn address(machine: &str, network: usize, is_public: bool) -> Ipv4Addr {
    let hash = key(0, machine);
    let (third, fourth) = (draw(hash, 1) % 100, 4 + draw(hash, 2) % 250);
    let base = if is_public { 0 } else { 128 };
    Ipv4Addr::new(10, network as u8, base + third as u8, fourth as u8)
}

impl SimulatedAccount {
    /// Describes the network interface of a machine.
    pub(crate) fn interface(
        &self,
        machine: &Resource,
        network: usize,
        (has_address, now): (bool, Timestamp),
    ) -> Described {
        let id = interface_id(machine.id.as_str());
        let network_id = self.network_id(&machine.region);
        let subnet = subnet_id(&network_id, has_address);
        let own = address(machine.id.as_str(), network, has_address).to_string();
        let groups = &machine.specification.security_groups;
        let document = json!({
            "networkInterfaceId": id, "interfaceType": "interface", "status": "in-use", "requesterManaged": "false",
            "vpcId": network_id, "subnetId": subnet, "ownerId": self.plan.account, "privateIpAddress": own,
            "availabilityZone": format!("{}a", machine.region), "sourceDestCheck": "true", "tagSet": [],
            "privateIpAddressesSet": [{ "privateIpAddress": own, "primary": "true" }],
            "attachment": { "instanceId": machine.id.as_str(), "status": "attached", "deviceIndex": "0" },
            "groupSet": groups.iter().map(|group| json!({ "groupId": group })).collect::<Value>(),
        });

        let mut relations = vec![
            Relation::to(RelationKind::AttachedTo, machine.id.0.clone()),
            Relation::to(RelationKind::LocatedIn, subnet),
        ];
        relations.extend(
            groups
                .iter()
                .map(|group| Relation::to(RelationKind::ProtectedBy, group.clone())),
        );
        let kind = ResourceKind::named("network_interface");
        Described {
            resource: self.plain(kind, &id, &machine.name, &machine.region, now),
            document: Document::new(document),
            relations,
        }
    }

    /// Returns the flows since a time in Unix milliseconds, with the description of their flow log
    /// and the time up to which they go; `None` where nothing is new, and for accounts of other
    /// clouds.
    #[must_use]
    pub fn flows(&self, since_ms: Option<i64>) -> Option<(Value, i64, FlowBatch)> {
        let now = self.world.now();
        let hour = now.as_second().div_euclid(3600) * 3600;
        let first = first_second(day_of(hour) - FIRST_DAYS);
        let from = since_ms.map_or(first, |since| since / 1000);
        if self.plan.provider != Provider::Aws || hour <= from {
            return None;
        }

        let all = self.all(&self.conditions.lock(), now);
        let regions = self.regions();
        let machines = all.iter().filter(|resource| {
            resource.kind == ResourceKind::VirtualMachine && resource.tag("team") == Some(TEAM)
        });
        let mut batch = FlowBatch::default();
        for machine in machines {
            let network = regions.iter().position(|region| *region == machine.region);
            let network = network.unwrap_or_default();
            for day in day_of(from)..=day_of(hour) {
                let span = (from.max(first_second(day)), hour.min(first_second(day + 1)));
                self.day(machine.id.as_str(), network, day, span, &mut batch);
            }
        }
        if batch.coverage.is_empty() {
            return None;
        }

        let id = format!("fl-{}", &self.network_id(regions.first()?)[4..]);
        let log =
            json!({ "flowLogId": id, "resourceId": format!("network interfaces of team {TEAM}") });
        Some((log, hour * 1000, batch))
    }

    /// Regions with machines, in the order of their networks.
    pub(crate) fn regions(&self) -> Vec<&str> {
        let mut regions: Vec<&str> = self
            .plan
            .machines
            .iter()
            .map(|machine| machine.region)
            .collect();
        regions.sort_unstable();
        regions.dedup();
        regions
    }

    /// Adds the flows of a part of a day.
    fn day(
        &self,
        machine: &str,
        network: usize,
        day: i32,
        (from, until): (i64, i64),
        batch: &mut FlowBatch,
    ) {
        if from >= until {
            return;
        }
        let interface = interface_id(machine);
        let first_hour = (from - first_second(day)) / 3600;
        let hours = (until - from) / 3600;
        let mask = ((1_u64 << hours) - 1) << first_hour;
        let coverage = DayCoverage {
            hours: mask as u32 & WHOLE_DAY,
            records: hours.unsigned_abs(),
            skipped: 0,
        };
        batch.coverage.push(((interface.clone(), day), coverage));

        // Connections come once a day, in the hour that chance gives them.
        let chance = key(self.world.settings.seed, &format!("{machine}/{day}/flows"));
        let mut add = |number: i64, direction, peer: Ipv4Addr, port, (packets, is_answered)| {
            let at = first_second(day) + (draw(chance, number) % 86_400) as i64;
            if !(from..until).contains(&at) {
                return;
            }
            let key = FlowKey {
                interface: interface.clone(),
                day,
                direction,
                peer: IpNet::from(std::net::IpAddr::from(peer)),
                protocol: 6,
                port,
                action: FlowAction::Accepted,
            };
            let counts = FlowCounts {
                first_s: at,
                last_s: at + 40,
                flows: 1,
                answers: u64::from(is_answered),
                packets,
                bytes: packets * 120,
                largest_packets: packets,
            };
            batch.flows.push((key, counts));
            batch.records += 1;
        };

        let private = |third: u8, fourth: u8| Ipv4Addr::new(10, network as u8, third, fourth);
        let internet = |number: i64| {
            let hash = draw(chance, number);
            Ipv4Addr::new(
                198,
                18 + (hash % 2) as u8,
                (hash >> 8) as u8,
                (hash >> 16) as u8,
            )
        };
        use FlowDirection::{Egress, Ingress};
        add(1, Ingress, private(129, 20), 443, (64, true));
        add(2, Ingress, private(130, 40), 443, (38, true));
        add(3, Egress, internet(30), 443, (90, true));
        add(4, Egress, private(140, 12), 5432, (220, true));
        for scan in 10..14 {
            add(
                scan,
                Ingress,
                internet(scan),
                22,
                (1 + draw(chance, scan) % 3, false),
            );
        }
        if day.rem_euclid(30) == 4 {
            add(20, Ingress, private(200, 9), 443, (500, true));
        }
        // The batch is put in one statement, which must not have a key twice.
        batch.flows.sort_by(|a, b| a.0.cmp(&b.0));
        batch.flows.dedup_by(|a, b| a.0 == b.0);
    }
}
