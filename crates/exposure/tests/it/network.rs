//! Routes, gateways, network ACLs, security groups and addresses on the way from the internet.

use serde_json::json;

use crate::documents::{OUT, entry, exposed, group, machine, open_acl, rule, table};

#[test]
fn the_path_names_each_edge() {
    assert_eq!(
        exposed().path("i-1"),
        [
            "address i-1: has public address 198.51.100.7",
            "route_table rtb-1: rtb-1 routes 0.0.0.0/0 of subnet-1 to internet gateway igw-1",
            "network_acl acl-1: acl-1 admits all protocols and ports and lets replies out",
            "security_group sg-1: sg-1 admits tcp 22 from 0.0.0.0/0",
        ]
    );
    assert_eq!(exposed().of("i-1"), ["internet direct tcp 22"]);
}

#[test]
fn an_open_group_alone_does_not_expose() {
    let stopped = |documents: crate::documents::Documents| documents.of("i-1");

    let private = exposed().with("virtual_machine", "i-1", machine("sg-1", None, "10.0.1.7"));
    assert_eq!(stopped(private), ["none stopped by address"]);

    for (target, says) in [
        ("nat-1", "which lets nothing in"),
        ("tgw-1", "which is no internet gateway"),
    ] {
        let routes = [("10.0.0.0/16", "local"), ("0.0.0.0/0", target)];
        let behind = exposed().with("route_table", "rtb-1", table(Some("subnet-1"), &routes));
        let path = behind.path("i-1");
        assert!(
            path.last().is_some_and(|step| step.ends_with(says)),
            "{path:?}"
        );
        assert_eq!(stopped(behind), ["none stopped by route_table"]);
    }

    let local = table(Some("subnet-1"), &[("10.0.0.0/16", "local")]);
    let without = exposed().with("route_table", "rtb-1", local);
    assert_eq!(stopped(without), ["none stopped by route_table"]);

    let mut gone = table(Some("subnet-1"), &OUT);
    gone["routeSet"][1]["state"] = json!("blackhole");
    assert_eq!(
        stopped(exposed().with("route_table", "rtb-1", gone)),
        ["none stopped by route_table"]
    );

    let elsewhere = json!({ "attachmentSet": [{ "vpcId": "vpc-2" }] });
    let detached = exposed().with("internet_gateway", "igw-1", elsewhere);
    assert_eq!(stopped(detached), ["none stopped by route_table"]);

    let mut off = machine("sg-1", Some("198.51.100.7"), "10.0.1.7");
    off["instanceState"]["name"] = json!("stopped");
    assert_eq!(
        stopped(exposed().with("virtual_machine", "i-1", off)),
        ["none stopped by state"]
    );
}

#[test]
fn the_main_route_table_counts_where_a_subnet_names_none() {
    let main = exposed()
        .without("route_table")
        .with("route_table", "rtb-main", table(None, &OUT));
    assert_eq!(main.of("i-1"), ["internet direct tcp 22"]);
    assert!(main.path("i-1")[1].contains("the main route table of the network"));

    // A table that the subnet names goes before the main one.
    let own = main.with(
        "route_table",
        "rtb-1",
        table(Some("subnet-1"), &[("10.0.0.0/16", "local")]),
    );
    assert_eq!(own.of("i-1"), ["none stopped by route_table"]);
}

#[test]
fn what_was_not_read_stops_nothing_and_proves_nothing() {
    let without = exposed().without("route_table");
    assert_eq!(without.of("i-1"), ["unknown stopped by route_table"]);
    let without = exposed().without("security_group");
    assert_eq!(without.of("i-1"), ["unknown stopped by security_group"]);
    // The default network ACL admits everything: without documents it is taken to be that one.
    let without = exposed().without("network_acl");
    assert_eq!(without.of("i-1"), ["internet direct tcp 22"]);
}

#[test]
fn network_acls_count_in_both_directions() {
    let everyone = "0.0.0.0/0";
    let acl = |entries: Vec<serde_json::Value>| {
        exposed().with(
            "network_acl",
            "acl-2",
            json!({ "vpcId": "vpc-1", "default": false, "associationSet": [{ "subnetId": "subnet-1" }], "entrySet": entries }),
        )
    };
    let (inbound, outbound) = (
        entry(100, "allow", false, everyone, (0, 65_535)),
        entry(100, "allow", true, everyone, (1024, 65_535)),
    );

    let open = acl(vec![inbound.clone(), outbound.clone()]);
    assert_eq!(open.of("i-1"), ["internet direct tcp 22"]);

    let denied = acl(vec![
        entry(90, "deny", false, everyone, (22, 22)),
        inbound.clone(),
        outbound.clone(),
    ]);
    assert_eq!(denied.of("i-1"), ["none stopped by network_acl"]);

    let none_in = acl(vec![outbound]);
    assert_eq!(none_in.of("i-1"), ["none stopped by network_acl"]);

    let no_reply = acl(vec![
        inbound.clone(),
        entry(100, "allow", true, everyone, (0, 1023)),
    ]);
    assert_eq!(no_reply.of("i-1"), ["none stopped by network_acl"]);
    assert_eq!(
        acl(vec![inbound]).of("i-1"),
        ["none stopped by network_acl"]
    );
}

#[test]
fn groups_open_to_parts_of_the_internet_are_not_open() {
    for (sender, expect) in [
        ("203.0.113.0/24", "none stopped by security_group"),
        ("10.0.0.0/8", "none stopped by security_group"),
        ("0.0.0.0/1", "internet direct tcp 22"),
    ] {
        let documents = exposed().with(
            "security_group",
            "sg-1",
            group(vec![rule("tcp", 22, 22, sender)]),
        );
        assert_eq!(documents.of("i-1"), [expect], "{sender}");
    }
}

#[test]
fn ipv6_counts() {
    let mut dual = machine("sg-1", None, "10.0.1.7");
    dual["networkInterfaceSet"][0]["ipv6AddressesSet"] = json!([{ "ipv6Address": "2001:db8::7" }]);
    let v6 = |target: &str| {
        exposed()
            .with("virtual_machine", "i-1", dual.clone())
            .with(
                "security_group",
                "sg-1",
                group(vec![rule("tcp", 443, 443, "::/0")]),
            )
            .with(
                "route_table",
                "rtb-1",
                table(Some("subnet-1"), &[OUT[0], OUT[1], ("::/0", target)]),
            )
    };
    assert_eq!(v6("igw-1").of("i-1"), ["internet direct tcp 443"]);
    assert_eq!(v6("eigw-1").of("i-1"), ["none stopped by route_table"]);

    // An open rule for IPv4 says nothing about IPv6.
    let v4_rule = v6("igw-1").with(
        "security_group",
        "sg-1",
        group(vec![rule("tcp", 22, 22, "0.0.0.0/0")]),
    );
    assert_eq!(v4_rule.of("i-1"), ["none stopped by security_group"]);

    // A network ACL without entries for IPv6 stops it.
    let mut acl = open_acl();
    acl["entrySet"] = json!([acl["entrySet"][0], acl["entrySet"][1]]);
    assert_eq!(
        v6("igw-1").with("network_acl", "acl-1", acl).of("i-1"),
        ["none stopped by network_acl"]
    );
}

#[test]
fn addresses_that_were_attached_count() {
    let machine = machine("sg-1", None, "10.0.1.7");
    let documents = exposed().with("virtual_machine", "i-1", machine).with(
        "ip_address",
        "eipalloc-1",
        json!({ "publicIp": "198.51.100.9", "instanceId": "i-1" }),
    );
    assert_eq!(documents.of("i-1"), ["internet direct tcp 22"]);
}

#[test]
fn databases_need_the_setting_and_the_network() {
    let database = |is_public: bool, subnet: &str| {
        exposed()
            .with("security_group", "sg-db", group(vec![rule("tcp", 5432, 5432, "0.0.0.0/0")]))
            .with("database", "arn:aws:rds:eu-west-1:111122223333:db:orders", json!({
                "PubliclyAccessible": is_public, "AvailabilityZone": "eu-west-1a", "Endpoint": { "Port": 5432 },
                "VpcSecurityGroups": [{ "VpcSecurityGroupId": "sg-db" }],
                "DBSubnetGroup": { "VpcId": "vpc-1", "Subnets": [
                    { "SubnetIdentifier": subnet, "SubnetAvailabilityZone": { "Name": "eu-west-1a" } },
                    { "SubnetIdentifier": "subnet-1", "SubnetAvailabilityZone": { "Name": "eu-west-1b" } },
                ] },
            }))
            .with("route_table", "rtb-2", table(Some("subnet-2"), &[OUT[0]]))
    };
    let id = "arn:aws:rds:eu-west-1:111122223333:db:orders";
    assert_eq!(
        database(true, "subnet-1").of(id),
        ["internet direct tcp 5432"]
    );
    assert_eq!(
        database(false, "subnet-1").of(id),
        ["none stopped by setting"]
    );
    // The database is in the zone of a subnet that has no way out.
    assert_eq!(
        database(true, "subnet-2").of(id),
        ["none stopped by route_table"]
    );

    let other_port = database(true, "subnet-1").with(
        "security_group",
        "sg-db",
        group(vec![rule("tcp", 22, 22, "0.0.0.0/0")]),
    );
    assert_eq!(other_port.of(id), ["none stopped by security_group"]);
}

#[test]
fn endpoints_of_kubernetes_are_exposed_by_their_settings() {
    for (is_public, range, expect) in [
        (true, "0.0.0.0/0", "internet direct tcp 443"),
        (true, "203.0.113.0/24", "none stopped by setting"),
        (false, "0.0.0.0/0", "none stopped by setting"),
    ] {
        let settings = json!({ "endpointPublicAccess": is_public, "publicAccessCidrs": [range] });
        let documents = exposed().with(
            "kubernetes_cluster",
            "eks-1",
            json!({ "resourcesVpcConfig": settings }),
        );
        assert_eq!(documents.of("eks-1"), [expect]);
    }
}
