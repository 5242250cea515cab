//! Exposure in two and more steps, and the choke points of the paths.

use serde_json::json;

use crate::documents::{Documents, OUT, exposed, group, machine, rule, table};

const DATABASE: &str = "arn:aws:rds:eu-west-1:111122223333:db:orders";

/// An exposed machine, whose group a database admits.
fn tiers() -> Documents {
    exposed()
        .with("security_group", "sg-db", group(vec![rule("tcp", 5432, 5432, "sg-1")]))
        .with("route_table", "rtb-2", table(Some("subnet-2"), &[OUT[0]]))
        .with("database", DATABASE, json!({
            "PubliclyAccessible": false, "Endpoint": { "Port": "5432" },
            "VpcSecurityGroups": [{ "VpcSecurityGroupId": "sg-db" }],
            "DBSubnetGroup": { "VpcId": "vpc-1", "Subnets": [{ "SubnetIdentifier": "subnet-2" }] },
        }))
}

#[test]
fn a_group_that_admits_an_exposed_group_is_reached_in_two_steps() {
    assert_eq!(tiers().of("i-1"), ["internet direct tcp 22"]);
    assert_eq!(tiers().of(DATABASE), ["internet indirect tcp 5432"]);
    let path = tiers().path(DATABASE);
    assert_eq!(
        path[4],
        "member i-1: is a member of sg-1, which sg-db admits"
    );

    let unexposed = tiers().with("virtual_machine", "i-1", machine("sg-1", None, "10.0.1.7"));
    assert_eq!(unexposed.of(DATABASE), ["none stopped by setting"]);
}

#[test]
fn steps_go_on_and_circles_end() {
    let chain = tiers()
        .with(
            "security_group",
            "sg-1",
            group(vec![
                rule("tcp", 22, 22, "0.0.0.0/0"),
                rule("tcp", 1, 9, "sg-2"),
            ]),
        )
        .with(
            "security_group",
            "sg-2",
            group(vec![
                rule("tcp", 80, 80, "sg-1"),
                rule("tcp", 81, 81, "sg-2"),
            ]),
        )
        .with("virtual_machine", "i-2", machine("sg-2", None, "10.0.1.8"))
        .with(
            "security_group",
            "sg-3",
            group(vec![rule("tcp", 90, 90, "sg-2")]),
        )
        .with("virtual_machine", "i-3", machine("sg-3", None, "10.0.1.9"));
    assert_eq!(chain.of("i-2"), ["internet indirect tcp 80"]);
    assert_eq!(chain.of("i-3"), ["internet indirect tcp 90"]);
    assert_eq!(chain.of("i-1"), ["internet direct tcp 22"]);
}

#[test]
fn groups_of_other_networks_need_a_route() {
    let other = json!({ "vpcId": "vpc-2", "ipPermissions": [rule("tcp", 80, 80, "sg-1")] });
    let mut far = machine("sg-far", None, "10.9.0.5");
    far["networkInterfaceSet"][0]["vpcId"] = json!("vpc-2");
    far["networkInterfaceSet"][0]["subnetId"] = json!("subnet-far");
    let documents = exposed()
        .with("security_group", "sg-far", other)
        .with(
            "subnet",
            "subnet-far",
            json!({ "vpcId": "vpc-2", "cidrBlock": "10.9.0.0/24" }),
        )
        .with("virtual_machine", "i-far", far);
    assert_eq!(documents.of("i-far"), ["none stopped by address"]);

    let routes = table(
        Some("subnet-1"),
        &[OUT[0], OUT[1], ("10.9.0.0/16", "pcx-1")],
    );
    assert_eq!(
        documents.with("route_table", "rtb-1", routes).of("i-far"),
        ["internet indirect tcp 80"]
    );
}

#[test]
fn choke_points_close_what_nothing_else_leaves_open() {
    let points = tiers().choke_points();
    assert_eq!(
        points[0].setting,
        "security_group sg-1: tcp 22 from 0.0.0.0/0"
    );
    assert_eq!(points[0].closes, [DATABASE, "i-1"]);
    assert_eq!(points[0].matters, 1);
    assert_eq!(
        points[0].permission,
        Some(
            json!({ "ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] })
        )
    );
    assert_eq!(
        points[1].setting,
        "security_group sg-db: tcp 5432 from sg-1"
    );
    assert_eq!(points[1].closes, [DATABASE]);

    // With a second door beside it, the first closes nothing but itself.
    let twice = tiers()
        .with(
            "security_group",
            "sg-open",
            group(vec![rule("tcp", 3389, 3389, "0.0.0.0/0")]),
        )
        .with("virtual_machine", "i-2", {
            let mut second = machine("sg-1", Some("198.51.100.8"), "10.0.1.8");
            second["networkInterfaceSet"][0]["groupSet"] =
                json!([{ "groupId": "sg-open" }, { "groupId": "sg-1" }]);
            second
        });
    let points = twice.choke_points();
    let first = points
        .iter()
        .find(|point| point.setting.contains("sg-1: tcp 22"))
        .unwrap();
    assert_eq!(first.closes, ["i-1"]);
    assert_eq!(
        points[0].setting,
        "security_group sg-db: tcp 5432 from sg-1"
    );
}
