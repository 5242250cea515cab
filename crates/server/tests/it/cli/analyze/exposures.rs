//! `reeve analyze exposures`: answers of the AWS command line in, paths out.

use serde_json::{Value, json};

use super::analyze_text;

/// Answers as `aws` prints them, one a line.
fn printed() -> String {
    let listener = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:listener/app/front/1/2";
    let balancer = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/front/1";
    let machine = |id: &str, address: Option<&str>| {
        let mut machine = json!({
            "InstanceId": id, "InstanceType": "m5.large", "VpcId": "vpc-1", "SubnetId": "subnet-1",
            "State": { "Code": 16, "Name": "running" }, "SecurityGroups": [{ "GroupId": "sg-1", "GroupName": "web" }],
        });
        if let Some(address) = address {
            machine["PublicIpAddress"] = json!(address);
        }
        machine
    };
    let answers = [
        json!({ "Reservations": [{ "OwnerId": "111122223333", "Instances": [machine("i-1", Some("198.51.100.7")), machine("i-2", None)] }] }),
        json!({ "SecurityGroups": [{ "GroupId": "sg-1", "OwnerId": "111122223333", "VpcId": "vpc-1", "IpPermissions": [{
            "IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{ "CidrIp": "0.0.0.0/0" }] }] }] }),
        json!({ "RouteTables": [{ "RouteTableId": "rtb-1", "VpcId": "vpc-1", "Associations": [{ "Main": true }],
            "Routes": [{ "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1", "State": "active" }] }] }),
        json!({ "NetworkAcls": [{ "NetworkAclId": "acl-1", "VpcId": "vpc-1", "IsDefault": true, "Associations": [], "Entries": [
            { "RuleNumber": 100, "Protocol": "-1", "RuleAction": "allow", "Egress": false, "CidrBlock": "0.0.0.0/0" },
            { "RuleNumber": 100, "Protocol": "-1", "RuleAction": "allow", "Egress": true, "CidrBlock": "0.0.0.0/0" }] }] }),
        json!({ "LoadBalancers": [{ "LoadBalancerArn": balancer, "Type": "network", "Scheme": "internet-facing", "VpcId": "vpc-1" }] }),
        json!({ "Listeners": [{ "ListenerArn": listener, "LoadBalancerArn": balancer, "Port": 443, "Protocol": "TCP", "DefaultActions": [] }] }),
        json!({ "Buckets": [{ "Name": "assets", "CreationDate": "2026-01-01T00:00:00Z" }, { "Name": "site", "CreationDate": "2026-01-01T00:00:00Z" }] }),
        json!({ "kind": "bucket", "id": "site", "account": "111122223333", "configuration": { "Policy": {
            "Version": "2012-10-17", "Statement": [{ "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::site/*" }] },
            "PublicAccessBlock": {}, "Acl": {}, "AccountPublicAccessBlock": {} } }),
    ];
    answers.iter().map(|answer| format!("{answer}\n")).collect()
}

fn lines(arguments: &[&str], expect: i32) -> Vec<Value> {
    let output = analyze_text(&[&["exposures"], arguments, &["-"]].concat(), &printed());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(expect), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn answers_of_the_command_line_are_one_estate() {
    let lines = lines(&[], 0);
    let of = |id: &str| {
        let found: Vec<&Value> = lines.iter().filter(|line| line["resource"] == id).collect();
        assert_eq!(found.len(), 1, "{id}: {lines:?}");
        found[0]
    };

    let open = of("i-1");
    assert_eq!(open["reachable_from"], "internet");
    assert_eq!(open["access"], json!(["tcp 22"]));
    assert_eq!(open["stopped_by"], Value::Null);
    let edges: Vec<&str> = open["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["edge"].as_str().unwrap())
        .collect();
    assert_eq!(
        edges,
        ["address", "route_table", "network_acl", "security_group"]
    );

    let private = of("i-2");
    assert_eq!(private["reachable_from"], "none");
    assert_eq!(private["stopped_by"]["edge"], "address");

    // Listeners are printed for themselves, and belong to their load balancer.
    let front = of("arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/front/1");
    assert_eq!(front["access"], json!(["tcp 443"]));
    // A listing of buckets does not say that a bucket has no policy.
    assert_eq!(of("assets")["reachable_from"], "unknown");
    assert_eq!(of("site")["reachable_from"], "internet");
}

#[test]
fn what_is_exposed_can_be_printed_alone_and_fail() {
    let exposed = lines(&["--exposed", "--fail"], 1);
    assert!(exposed.iter().all(|line| line["reachable_from"] != "none"));

    let points = lines(&["--choke-points"], 0);
    let first = points.first().unwrap();
    assert_eq!(first["setting"], "policy site: statement 1");
    let rule = points
        .iter()
        .find(|point| point["edge"] == "security_group")
        .unwrap();
    assert_eq!(
        rule["setting"],
        "security_group sg-1: tcp 22 from 0.0.0.0/0"
    );
    assert_eq!(rule["closes"], json!(["i-1"]));
}
