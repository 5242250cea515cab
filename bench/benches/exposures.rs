//! Measures how long one thread takes to find all exposures of an estate, and its choke points.
//!
//! `cargo bench -p reeve-bench --bench exposures -- [RESOURCES]` (100,000). A network for 500
//! resources: subnets behind an internet gateway and behind none, load balancers with target groups,
//! machines in tiers that admit each other, databases, buckets, queues and roles with policies.
//! Reading the documents from a store is not in the figures.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use std::time::Instant;

use reeve_bench::memory;
use reeve_exposure::{Estate, ExposureConfiguration};
use serde_json::{Value, json};

/// Resources of one network.
const OF_NETWORK: usize = 500;
/// Settings that are tried as choke points.
const TRIED: usize = 10;

type Document = (&'static str, String, Value);

fn main() -> anyhow::Result<()> {
    let given = std::env::args().find_map(|text| text.replace('_', "").parse::<usize>().ok());
    let networks = given.unwrap_or(100_000).div_ceil(OF_NETWORK);
    let documents: Vec<Document> = (0..networks).flat_map(network).collect();
    let before = memory(std::process::id())?.peak >> 20;

    let start = Instant::now();
    let configurations = documents
        .iter()
        .map(|(kind, id, document)| ExposureConfiguration {
            id,
            kind,
            account: "111122223333",
            document,
        });
    let estate = Estate::new(configurations);
    let indexed = start.elapsed().as_secs_f64();
    let exposures = estate.exposures();
    let judged = start.elapsed().as_secs_f64();
    let exposed = exposures.iter().filter(|one| one.is_exposed()).count();
    println!(
        "{} resources: {} answers, {exposed} exposed; indexed in {indexed:.1} s, all paths after {judged:.1} s",
        documents.len(),
        exposures.len(),
    );

    let start = Instant::now();
    let points = estate.choke_points(&exposures, TRIED);
    println!(
        "{} choke points of {TRIED} tried in {:.1} s; the first closes {}",
        points.len(),
        start.elapsed().as_secs_f64(),
        points.first().map_or(0, |point| point.closes.len())
    );
    println!(
        "highest memory: {} MiB, {before} MiB of it the documents",
        memory(std::process::id())?.peak >> 20
    );
    Ok(())
}

fn rule(port: u16, sender: &str) -> Value {
    let (list, member) = match sender.starts_with("sg-") {
        true => ("groups", "groupId"),
        false => ("ipRanges", "cidrIp"),
    };
    json!({ "ipProtocol": "tcp", "fromPort": port.to_string(), "toPort": port.to_string(), list: [{ member: sender }] })
}

/// Documents of one network with its resources.
fn network(number: usize) -> Vec<Document> {
    let id = |what: &str| format!("{what}-{number}");
    let vpc = id("vpc");
    let group = |rules: Vec<Value>| json!({ "vpcId": vpc, "ipPermissions": rules });
    let (public, private) = (id("subnet-a"), id("subnet-b"));
    let front = format!(
        "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/front/{number}"
    );
    let targets =
        format!("arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/web/{number}");
    let everything = |is_out: bool| json!({ "ruleNumber": "100", "ruleAction": "allow", "egress": is_out, "protocol": "-1", "cidrBlock": "0.0.0.0/0" });

    let mut all: Vec<Document> = vec![
        (
            "subnet",
            public.clone(),
            json!({ "vpcId": vpc, "cidrBlock": "10.0.0.0/20" }),
        ),
        (
            "subnet",
            private.clone(),
            json!({ "vpcId": vpc, "cidrBlock": "10.0.16.0/20" }),
        ),
        (
            "route_table",
            id("rtb-a"),
            json!({ "vpcId": vpc, "associationSet": [{ "subnetId": public }],
            "routeSet": [{ "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-1", "state": "active" }] }),
        ),
        (
            "route_table",
            id("rtb-b"),
            json!({ "vpcId": vpc, "associationSet": [{ "main": true }], "routeSet": [] }),
        ),
        (
            "network_acl",
            id("acl"),
            json!({ "vpcId": vpc, "default": true, "entrySet": [everything(false), everything(true)] }),
        ),
        (
            "security_group",
            id("sg-front"),
            group(vec![rule(443, "0.0.0.0/0")]),
        ),
        (
            "security_group",
            id("sg-web"),
            group(vec![
                rule(8080, &id("sg-front")),
                rule(22, "203.0.113.0/24"),
            ]),
        ),
        (
            "security_group",
            id("sg-app"),
            group(vec![rule(9000, &id("sg-web"))]),
        ),
        (
            "security_group",
            id("sg-db"),
            group(vec![rule(5432, &id("sg-app"))]),
        ),
        (
            "load_balancer",
            front.clone(),
            json!({
            "Type": "application", "Scheme": "internet-facing", "VpcId": vpc, "AvailabilityZones": [{ "SubnetId": public }],
            "SecurityGroups": [id("sg-front")],
            "Listeners": [{ "ListenerArn": "l", "Port": "443", "Protocol": "HTTPS",
                "DefaultActions": [{ "Type": "forward", "TargetGroupArn": targets }] }] }),
        ),
    ];
    all.extend(members(number, &vpc, &private, &targets));
    let left = OF_NETWORK.saturating_sub(all.len());
    all.extend(roles(number, left));
    all
}

/// Machines, databases and buckets of a network.
fn members(number: usize, vpc: &str, private: &str, targets: &str) -> Vec<Document> {
    let id = |what: &str| format!("{what}-{number}");
    let mut all: Vec<Document> = Vec::new();
    let machine = |group: &str, at: usize| {
        json!({
            "vpcId": vpc, "subnetId": private, "groupSet": [{ "groupId": id(group) }], "instanceState": { "name": "running" },
            "networkInterfaceSet": [{ "subnetId": private, "vpcId": vpc, "groupSet": [{ "groupId": id(group) }],
                "privateIpAddress": format!("10.0.{}.{}", 16 + at / 200, 1 + at % 200) }],
        })
    };
    let web: Vec<String> = (0..100).map(|at| format!("i-web-{number}-{at}")).collect();
    let health = web
        .iter()
        .map(|machine| json!({ "Target": { "Id": machine, "Port": "8080" } }));
    all.push((
        "target_group",
        targets.to_owned(),
        json!({
        "TargetType": "instance", "Protocol": "HTTP", "Port": "8080", "VpcId": vpc,
        "TargetHealthDescriptions": health.collect::<Value>() }),
    ));
    all.extend(
        web.into_iter()
            .enumerate()
            .map(|(at, name)| ("virtual_machine", name, machine("sg-web", at))),
    );
    all.extend((0..150).map(|at| {
        (
            "virtual_machine",
            format!("i-app-{number}-{at}"),
            machine("sg-app", 200 + at),
        )
    }));
    all.extend((0..60).map(|at| ("database", format!("db-{number}-{at}"), json!({
        "PubliclyAccessible": false, "Endpoint": { "Port": "5432" }, "VpcSecurityGroups": [{ "VpcSecurityGroupId": id("sg-db") }],
        "DBSubnetGroup": { "VpcId": vpc, "Subnets": [{ "SubnetIdentifier": private }] } }))));
    all.extend((0..100).map(|at| {
        let principal = match at % 10 {
            0 => json!("*"),
            1 => json!({ "AWS": "arn:aws:iam::444455556666:root" }),
            _ => json!({ "AWS": "arn:aws:iam::111122223333:root" }),
        };
        let policy = json!({ "Version": "2012-10-17", "Statement": [{
            "Sid": "Read", "Effect": "Allow", "Principal": principal, "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*" }] });
        ("bucket", format!("bucket-{number}-{at}"), json!({ "Policy": policy }))
    }));
    all
}

fn roles(number: usize, count: usize) -> impl Iterator<Item = Document> {
    (0..count).map(move |at| {
        let trust = json!({ "Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Principal": { "Service": "ec2.amazonaws.com" }, "Action": "sts:AssumeRole" }] });
        ("iam_role", format!("role-{number}-{at}"), json!({ "AssumeRolePolicyDocument": trust }))
    })
}
