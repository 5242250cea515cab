//! Exposure behind load balancers.

use serde_json::{Value, json};

use crate::documents::{Documents, OUT, exposed, group, machine, rule, table};

const FRONT: &str = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/front/1";
const GROUP: &str = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/web/1";

fn balancer(kind: &str, listeners: Value) -> Value {
    json!({
        "Type": kind, "Scheme": "internet-facing", "VpcId": "vpc-1", "IpAddressType": "ipv4",
        "AvailabilityZones": [{ "SubnetId": "subnet-1" }],
        "SecurityGroups": if kind == "network" { json!([]) } else { json!(["sg-front"]) },
        "Listeners": listeners,
    })
}

fn listener(port: u16, target: &str) -> Value {
    json!([{
        "ListenerArn": FRONT.replace(":loadbalancer/", ":listener/") + "/9", "Port": port.to_string(), "Protocol": "HTTPS",
        "DefaultActions": [{ "Type": "forward", "TargetGroupArn": target }],
    }])
}

fn targets(kind: &str, id: &str, port: u16) -> Value {
    json!({
        "TargetType": kind, "Protocol": if kind == "alb" { "TCP" } else { "HTTP" }, "Port": port, "VpcId": "vpc-1",
        "TargetHealthDescriptions": [{ "Target": { "Id": id, "Port": port } }],
    })
}

/// A machine without a public address behind an internet-facing load balancer.
fn behind(kind: &str) -> Documents {
    let mut private = machine("sg-1", None, "10.0.2.7");
    private["networkInterfaceSet"][0]["subnetId"] = json!("subnet-2");
    let sender = if kind == "network" {
        "0.0.0.0/0"
    } else {
        "sg-front"
    };
    exposed()
        .with("route_table", "rtb-2", table(Some("subnet-2"), &[OUT[0]]))
        .with("virtual_machine", "i-1", private)
        .with(
            "security_group",
            "sg-1",
            group(vec![rule("tcp", 8080, 8080, sender)]),
        )
        .with(
            "security_group",
            "sg-front",
            group(vec![rule("tcp", 443, 443, "0.0.0.0/0")]),
        )
        .with("load_balancer", FRONT, balancer(kind, listener(443, GROUP)))
        .with("target_group", GROUP, targets("instance", "i-1", 8080))
}

#[test]
fn machines_are_found_behind_load_balancers() {
    for kind in ["application", "network"] {
        let documents = behind(kind);
        assert_eq!(documents.of(FRONT), ["internet direct tcp 443"], "{kind}");
        assert_eq!(
            documents.of("i-1"),
            ["internet load_balancer tcp 8080"],
            "{kind}"
        );
    }

    let edges: Vec<String> = behind("application")
        .path("i-1")
        .iter()
        .filter_map(|step| Some(step.split_once(' ')?.0.to_owned()))
        .collect();
    assert_eq!(
        edges,
        [
            "setting",
            "route_table",
            "network_acl",
            "security_group",
            "listener",
            "target_group",
            "network_acl",
            "security_group"
        ]
    );
}

#[test]
fn a_load_balancer_without_a_matching_listener_exposes_nothing() {
    let without =
        behind("application").with("load_balancer", FRONT, balancer("application", json!([])));
    assert_eq!(without.of(FRONT), ["none stopped by listener"]);
    assert_eq!(without.of("i-1"), ["none stopped by address"]);

    // The group of the load balancer admits another port than the one that is listened on.
    let other = behind("application").with(
        "load_balancer",
        FRONT,
        balancer("application", listener(8443, GROUP)),
    );
    assert_eq!(other.of(FRONT), ["none stopped by security_group"]);
    assert_eq!(other.of("i-1"), ["none stopped by address"]);

    let mut unread = balancer("application", json!([]));
    unread["Listeners"] = json!("[not read]");
    assert_eq!(
        behind("application")
            .with("load_balancer", FRONT, unread)
            .of(FRONT),
        ["unknown stopped by listener"]
    );

    let mut internal = balancer("application", listener(443, GROUP));
    internal["Scheme"] = json!("internal");
    let internal = behind("application").with("load_balancer", FRONT, internal);
    assert_eq!(internal.of(FRONT), ["none stopped by setting"]);
    assert_eq!(internal.of("i-1"), ["none stopped by address"]);
}

#[test]
fn the_group_of_a_target_decides_too() {
    let closed = behind("application").with(
        "security_group",
        "sg-1",
        group(vec![rule("tcp", 22, 22, "sg-front")]),
    );
    assert_eq!(closed.of("i-1"), ["none stopped by security_group"]);

    // The subnet of the load balancer is as good as its group.
    let by_range = behind("application").with(
        "security_group",
        "sg-1",
        group(vec![rule("tcp", 8080, 8080, "10.0.1.0/24")]),
    );
    assert_eq!(by_range.of("i-1"), ["internet load_balancer tcp 8080"]);

    // A network load balancer passes the client's own address on.
    let inside = behind("network").with(
        "security_group",
        "sg-1",
        group(vec![rule("tcp", 8080, 8080, "10.0.0.0/16")]),
    );
    assert_eq!(inside.of("i-1"), ["none stopped by security_group"]);
    let mut not_preserved = targets("instance", "i-1", 8080);
    not_preserved["Attributes"] = json!([{ "Key": "preserve_client_ip.enabled", "Value": false }]);
    assert_eq!(
        inside.with("target_group", GROUP, not_preserved).of("i-1"),
        ["internet load_balancer tcp 8080"]
    );
}

#[test]
fn targets_are_addresses_load_balancers_functions_and_services() {
    let by_address =
        behind("application").with("target_group", GROUP, targets("ip", "10.0.2.7", 8080));
    assert_eq!(by_address.of("i-1"), ["internet load_balancer tcp 8080"]);

    let function = "arn:aws:lambda:eu-west-1:111122223333:function:hello";
    let by_function = behind("application")
        .with("function", function, json!({ "FunctionName": "hello" }))
        .with(
            "target_group",
            GROUP,
            targets("lambda", &format!("{function}:live"), 443),
        );
    assert_eq!(by_function.of(function), ["internet load_balancer tcp 443"]);

    // Network load balancer, application load balancer, machine.
    let edge = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/net/edge/2";
    let mut inner = balancer("application", listener(443, GROUP));
    inner["Scheme"] = json!("internal");
    let to_front = format!("{GROUP}-front");
    let by_balancer = behind("application")
        .with("load_balancer", FRONT, inner)
        .with(
            "load_balancer",
            edge,
            balancer("network", listener(443, &to_front)),
        )
        .with("target_group", &to_front, targets("alb", FRONT, 443));
    assert_eq!(by_balancer.of(FRONT), ["internet load_balancer tcp 443"]);
    assert_eq!(by_balancer.of("i-1"), ["internet load_balancer tcp 8080"]);

    let service = "arn:aws:ecs:eu-west-1:111122223333:service/main/web";
    let by_service = behind("application").with("target_group", GROUP, targets("ip", "10.0.2.99", 8080)).with(
        "container_service",
        service,
        json!({
            "loadBalancers": [{ "targetGroupArn": GROUP, "containerPort": 8080 }],
            "networkConfiguration": { "awsvpcConfiguration": {
                "subnets": ["subnet-2"], "securityGroups": ["sg-1"], "assignPublicIp": "DISABLED" } },
        }),
    );
    assert_eq!(by_service.of(service), ["internet load_balancer tcp 8080"]);
}

#[test]
fn rules_and_weighted_actions_pass_traffic_on() {
    let fixed = json!([{
        "ListenerArn": FRONT.replace(":loadbalancer/", ":listener/") + "/9", "Port": "443", "Protocol": "HTTPS",
        "DefaultActions": [{ "Type": "fixed-response" }],
    }]);
    let mut front = balancer("application", fixed);
    assert_eq!(
        behind("application")
            .with("load_balancer", FRONT, front.clone())
            .of("i-1"),
        ["none stopped by address"]
    );

    front["Rules"] = json!([{
        "RuleArn": FRONT.replace(":loadbalancer/", ":listener-rule/") + "/9/5",
        "Actions": [{ "Type": "forward", "ForwardConfig": { "TargetGroups": [{ "TargetGroupArn": GROUP, "Weight": 1 }] } }],
    }]);
    assert_eq!(
        behind("application")
            .with("load_balancer", FRONT, front)
            .of("i-1"),
        ["internet load_balancer tcp 8080"]
    );
}

#[test]
fn members_of_scaling_groups_are_targets() {
    let mut empty = targets("instance", "i-1", 8080);
    empty["TargetHealthDescriptions"] = json!([]);
    let documents = behind("application")
        .with("target_group", GROUP, empty)
        .with(
            "scaling_group",
            "asg-1",
            json!({ "TargetGroupARNs": [GROUP], "Instances": [{ "InstanceId": "i-1" }] }),
        );
    assert_eq!(documents.of("i-1"), ["internet load_balancer tcp 8080"]);
}

#[test]
fn classic_load_balancers_pass_traffic_on() {
    let classic = json!({
        "Scheme": "internet-facing", "VPCId": "vpc-1", "Subnets": ["subnet-1"], "SecurityGroups": ["sg-front"],
        "ListenerDescriptions": [{ "Listener": { "LoadBalancerPort": "443", "InstancePort": "8080", "Protocol": "TCP" } }],
        "Instances": [{ "InstanceId": "i-1" }],
    });
    let documents = behind("application").without("load_balancer").with(
        "classic_load_balancer",
        "old",
        classic,
    );
    assert_eq!(documents.of("old"), ["internet direct tcp 443"]);
    assert_eq!(documents.of("i-1"), ["internet load_balancer tcp 8080"]);
}
