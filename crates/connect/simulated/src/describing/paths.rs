//! Ways into a network of an AWS account: a public and a private subnet with their route tables, the
//! internet gateway, and the default network ACL.

use jiff::Timestamp;
use reeve_estate::{Described, Document, Relation, RelationKind, ResourceKind};
use serde_json::{Value, json};

use super::documents::subnet_id;
use crate::account::SimulatedAccount;

impl SimulatedAccount {
    pub(super) fn paths(&self, region: &str, number: usize, now: Timestamp) -> Vec<Described> {
        let network = self.network_id(region);
        let of = |kind: &str| network.replacen("vpc-", &format!("{kind}-"), 1);
        let (public, private) = (subnet_id(&network, true), subnet_id(&network, false));
        let (gateway, local) = (of("igw"), format!("10.{number}.0.0/16"));
        let account = self.plan.account;

        let subnet = |id: &str, name: &str, part: usize| {
            let document = json!({
                "subnetId": id, "vpcId": network, "cidrBlock": format!("10.{number}.{}.0/17", part * 128), "state": "available",
                "availabilityZone": format!("{region}a"), "mapPublicIpOnLaunch": false, "ownerId": account,
                "defaultForAz": false, "ipv6CidrBlockAssociationSet": [], "tagSet": [],
            });
            let relations = vec![Relation::to(RelationKind::LocatedIn, network.clone())];
            self.part(
                "subnet",
                id,
                &format!("{region}-{name}"),
                (region, now),
                document,
                relations,
            )
        };
        let route = |range: &str, target: &str| json!({ "destinationCidrBlock": range, "gatewayId": target, "state": "active", "origin": "CreateRoute" });
        let table = |id: &str, name: &str, association: Value, routes: Vec<Value>| {
            let mut relations = vec![Relation::to(RelationKind::LocatedIn, network.clone())];
            let attached = match association["subnetId"].as_str() {
                Some(subnet) => {
                    relations.push(Relation::to(RelationKind::RoutesTo, gateway.clone()));
                    subnet.to_owned()
                }
                None => network.clone(),
            };
            relations.push(Relation::to(RelationKind::AttachedTo, attached));
            let document = json!({
                "routeTableId": id, "vpcId": network, "ownerId": account, "associationSet": [association],
                "routeSet": routes, "propagatingVgwSet": [], "tagSet": [],
            });
            self.part(
                "route_table",
                id,
                &format!("{region}-{name}"),
                (region, now),
                document,
                relations,
            )
        };
        let entry = |number: &str, action: &str, is_out: bool| json!({ "ruleNumber": number, "ruleAction": action, "egress": is_out, "protocol": "-1", "cidrBlock": "0.0.0.0/0" });

        let attached = || vec![Relation::to(RelationKind::AttachedTo, network.clone())];
        let gateway_document = json!({
            "internetGatewayId": gateway, "ownerId": account, "tagSet": [],
            "attachmentSet": [{ "vpcId": network, "state": "available" }],
        });
        let acl_document = json!({
            "networkAclId": of("acl"), "vpcId": network, "default": true, "ownerId": account, "associationSet": [], "tagSet": [],
            "entrySet": [entry("100", "allow", false), entry("32767", "deny", false),
                entry("100", "allow", true), entry("32767", "deny", true)],
        });

        vec![
            subnet(&public, "public", 0),
            subnet(&private, "private", 1),
            table(
                &of("rtb-a"),
                "public",
                json!({ "main": false, "subnetId": public }),
                vec![route(&local, "local"), route("0.0.0.0/0", &gateway)],
            ),
            table(
                &of("rtb-b"),
                "main",
                json!({ "main": true }),
                vec![route(&local, "local")],
            ),
            self.part(
                "internet_gateway",
                &gateway,
                &format!("{region}-main"),
                (region, now),
                gateway_document,
                attached(),
            ),
            self.part(
                "network_acl",
                &of("acl"),
                &format!("{region}-default"),
                (region, now),
                acl_document,
                attached(),
            ),
        ]
    }

    fn part(
        &self,
        kind: &str,
        id: &str,
        name: &str,
        (region, now): (&str, Timestamp),
        document: Value,
        relations: Vec<Relation>,
    ) -> Described {
        Described {
            resource: self.plain(ResourceKind::named(kind), id, name, region, now),
            document: Document::new(document),
            relations,
        }
    }
}
