//! Answers of AWS as its command line prints them: lists by their names, in the spelling of JSON.
//!
//! Documents of EC2 are kept in the spelling of its XML (`docs/kinds.md`), so names of its answers
//! are turned into that one. What a listing does not say, and a further call would, is marked as not
//! read: a bucket in a list of buckets may have a policy.

use reeve_estate::document::NOT_READ;
use serde_json::{Map, Value, json};

/// Element of an answer: kind, identifier and document.
pub(super) type Printed = (&'static str, String, Value);

/// List of an answer.
struct List {
    /// Name of the list.
    name: &'static str,
    kind: &'static str,
    /// Member that identifies an element.
    id: &'static str,
    is_ec2: bool,
    /// Other members by which an element of EC2 that stands alone is known; those of other services
    /// are known by the forms of their documents.
    needs: &'static [&'static str],
    /// Members of the document that further calls answer.
    unread: &'static [&'static str],
}

const fn ec2(
    name: &'static str,
    kind: &'static str,
    id: &'static str,
    needs: &'static [&'static str],
) -> List {
    List {
        is_ec2: true,
        needs,
        ..list(name, kind, id)
    }
}

const fn list(name: &'static str, kind: &'static str, id: &'static str) -> List {
    List {
        name,
        kind,
        id,
        is_ec2: false,
        needs: &[],
        unread: &[],
    }
}

#[rustfmt::skip]
const LISTS: &[List] = &[
    ec2("Instances", "virtual_machine", "InstanceId", &["InstanceType"]),
    ec2("SecurityGroups", "security_group", "GroupId", &["IpPermissions"]),
    ec2("RouteTables", "route_table", "RouteTableId", &["Routes"]),
    ec2("NetworkAcls", "network_acl", "NetworkAclId", &["Entries"]),
    ec2("Subnets", "subnet", "SubnetId", &["CidrBlock"]),
    ec2("Vpcs", "network", "VpcId", &["CidrBlock"]),
    ec2("InternetGateways", "internet_gateway", "InternetGatewayId", &["Attachments"]),
    ec2("EgressOnlyInternetGateways", "egress_gateway", "EgressOnlyInternetGatewayId", &["Attachments"]),
    ec2("NatGateways", "nat_gateway", "NatGatewayId", &["VpcId"]),
    ec2("TransitGateways", "transit_gateway", "TransitGatewayId", &["TransitGatewayArn"]),
    ec2("TransitGatewayAttachments", "transit_attachment", "TransitGatewayAttachmentId", &["ResourceId"]),
    ec2("VpcPeeringConnections", "network_peering", "VpcPeeringConnectionId", &["AccepterVpcInfo"]),
    ec2("VpcEndpoints", "network_endpoint", "VpcEndpointId", &["ServiceName"]),
    ec2("NetworkInterfaces", "network_interface", "NetworkInterfaceId", &["PrivateIpAddress"]),
    ec2("Addresses", "ip_address", "AllocationId", &["PublicIp"]),
    ec2("Volumes", "volume", "VolumeId", &["VolumeType"]),
    List {
        unread: &["restorableByAll"],
        ..ec2("Snapshots", "snapshot", "SnapshotId", &["VolumeId"])
    },
    List {
        unread: &["launchPermissions"],
        ..ec2("Images", "image", "ImageId", &["RootDeviceType"])
    },
    List {
        unread: &["Listeners", "Attributes"],
        ..list("LoadBalancers", "load_balancer", "LoadBalancerArn")
    },
    list("LoadBalancerDescriptions", "classic_load_balancer", "LoadBalancerName"),
    List {
        unread: &["TargetHealthDescriptions"],
        ..list("TargetGroups", "target_group", "TargetGroupArn")
    },
    list("AutoScalingGroups", "scaling_group", "AutoScalingGroupARN"),
    list("DBInstances", "database", "DBInstanceArn"),
    list("DBClusters", "database_cluster", "DBClusterArn"),
    List {
        unread: &["Attributes"],
        ..list("DBSnapshots", "database_snapshot", "DBSnapshotArn")
    },
    List {
        unread: &["ResourcePolicy", "FunctionUrlConfigs"],
        ..list("Functions", "function", "FunctionArn")
    },
    list("RoleDetailList", "iam_role", "Arn"),
    list("Roles", "iam_role", "Arn"),
    list("UserDetailList", "iam_user", "Arn"),
    list("GroupDetailList", "iam_group", "Arn"),
    list("Policies", "iam_policy", "Arn"),
    List {
        unread: &["Policy"],
        ..list("SecretList", "secret", "ARN")
    },
    List {
        unread: &["Policy", "KeyState", "Rotation"],
        ..list("Keys", "encryption_key", "KeyArn")
    },
    List {
        unread: &["Attributes"],
        ..list("Topics", "topic", "TopicArn")
    },
    List {
        unread: &[
            "Policy", "Acl", "PublicAccessBlock", "AccountPublicAccessBlock", "OwnershipControls", "Encryption",
            "Versioning", "Logging", "Lifecycle", "Cors", "Website", "Replication", "ObjectLock", "TagSet",
        ],
        ..list("Buckets", "bucket", "Name")
    },
    list("services", "container_service", "serviceArn"),
];

/// Members of an answer beside its lists.
const BESIDE: [&str; 10] = [
    "NextToken",
    "nextToken",
    "Marker",
    "NextMarker",
    "IsTruncated",
    "ResponseMetadata",
    "Owner",
    "failures",
    "Prefix",
    "Truncated",
];

/// Names of lists and members that the XML of EC2 spells otherwise than by a small first letter.
const XML_NAMES: [(&str, &str); 22] = [
    ("Tags", "tagSet"),
    ("SecurityGroups", "groupSet"),
    ("Groups", "groupSet"),
    ("NetworkInterfaces", "networkInterfaceSet"),
    ("BlockDeviceMappings", "blockDeviceMapping"),
    ("PublicIpAddress", "ipAddress"),
    ("PublicDnsName", "dnsName"),
    ("PrivateIpAddresses", "privateIpAddressesSet"),
    ("Ipv6Addresses", "ipv6AddressesSet"),
    ("Routes", "routeSet"),
    ("Associations", "associationSet"),
    ("Entries", "entrySet"),
    ("UserIdGroupPairs", "groups"),
    ("PropagatingVgws", "propagatingVgwSet"),
    ("Attachments", "attachmentSet"),
    ("NatGatewayAddresses", "natGatewayAddressSet"),
    ("RouteTableIds", "routeTableIdSet"),
    ("SubnetIds", "subnetIdSet"),
    ("DnsEntries", "dnsEntrySet"),
    ("NetworkInterfaceIds", "networkInterfaceIdSet"),
    ("CreateVolumePermissions", "createVolumePermissions"),
    ("LaunchPermissions", "launchPermissions"),
];

/// The same for members of the document of a kind itself.
const OWN_NAMES: [(&str, &str, &str); 8] = [
    ("virtual_machine", "State", "instanceState"),
    ("security_group", "Description", "groupDescription"),
    ("network_acl", "IsDefault", "default"),
    ("image", "State", "imageState"),
    ("image", "Public", "isPublic"),
    ("image", "OwnerId", "imageOwnerId"),
    ("volume", "State", "status"),
    ("snapshot", "State", "status"),
];

/// Returns the elements of an answer; `None` for other values.
pub(super) fn answer(value: &Value) -> Option<Vec<Printed>> {
    let members = value.as_object()?;
    if let Some(part) = single(members) {
        return Some(vec![part]);
    }

    let is_of_answer = |name: &String| {
        name == "Reservations"
            || PARTS.iter().any(|(of, ..)| of == name)
            || LISTS.iter().any(|list| list.name == name)
            || BESIDE.contains(&name.as_str())
    };
    let has_list = members.values().any(|value| {
        value
            .as_array()
            .is_some_and(|list| list.iter().all(Value::is_object))
    });
    if !has_list || !members.keys().all(is_of_answer) {
        return None;
    }

    let mut printed = Vec::new();
    for (name, value) in members {
        let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
        if name == "Reservations" {
            let machines = elements
                .iter()
                .filter_map(|one| one.get("Instances")?.as_array());
            let list = LISTS.iter().find(|list| list.kind == "virtual_machine")?;
            printed.extend(machines.flatten().filter_map(|one| of_list(list, one)));
        } else if let Some(list) = LISTS.iter().find(|list| list.name == name) {
            printed.extend(elements.iter().filter_map(|one| of_list(list, one)));
        } else {
            printed.extend(elements.iter().filter_map(element));
        }
    }
    Some(printed)
}

/// Returns an element of an answer that stands alone; `None` for other values.
pub(super) fn element(value: &Value) -> Option<Printed> {
    let members = value.as_object()?;
    if let Some(part) = part(members) {
        return Some(part);
    }

    let list = LISTS.iter().filter(|list| list.is_ec2).find(|list| {
        members.contains_key(list.id) && list.needs.iter().all(|need| members.contains_key(*need))
    })?;
    let id = value.get(list.id)?.as_str()?.to_owned();
    Some((list.kind, id, spelled(list.kind, value)))
}

fn of_list(list: &List, element: &Value) -> Option<Printed> {
    let id = element
        .get(list.id)
        .or_else(|| element.get("PublicIp"))?
        .as_str()?;
    let mut document = match list.is_ec2 {
        true => spelled(list.kind, element),
        false => element.clone(),
    };
    let members = document.as_object_mut()?;
    for unread in list.unread {
        members.entry(*unread).or_insert_with(|| NOT_READ.into());
    }
    // Their policies stand one level deeper.
    if list.kind == "topic" {
        members.insert("Attributes".to_owned(), json!({ "Policy": NOT_READ }));
    }
    Some((list.kind, id.to_owned(), document))
}

/// Lists whose elements are parts of another resource's document: the kind, the member that
/// identifies it, and the member of the document that has the list.
const PARTS: [(&str, &str, &str, &str); 3] = [
    (
        "Listeners",
        "load_balancer",
        "LoadBalancerArn",
        "ListenerArn",
    ),
    ("Rules", "load_balancer", "RuleArn", "Actions"),
    ("FunctionUrlConfigs", "function", "FunctionArn", "AuthType"),
];

/// Returns `true` for lists of a document that are put together from parts.
pub(super) fn is_part(list: &str) -> bool {
    PARTS.iter().any(|(name, ..)| *name == list)
}

/// Returns the document of a kind in the spelling in which it is kept.
pub(super) fn in_own_spelling(kind: &str, document: Value) -> Value {
    let is_ec2 = LISTS.iter().any(|list| list.is_ec2 && list.kind == kind);
    let is_printed = document.as_object().is_some_and(|members| {
        members
            .keys()
            .any(|name| name.starts_with(char::is_uppercase))
    });
    match is_ec2 && is_printed {
        true => spelled(kind, &document),
        false => document,
    }
}

fn part(members: &Map<String, Value>) -> Option<Printed> {
    let (list, kind, id, _) = PARTS
        .iter()
        .find(|(_, _, id, needs)| members.contains_key(*id) && members.contains_key(*needs))?;
    let own = members.get(*id)?.as_str()?;
    let owner = match *id {
        "RuleArn" => {
            let listener = own.rsplit_once('/')?.0.rsplit_once('/')?.0;
            listener.replacen(":listener-rule/", ":loadbalancer/", 1)
        }
        _ => own.to_owned(),
    };
    Some((kind, owner, json!({ *list: [members] })))
}

/// Answers about one resource that are no list.
fn single(members: &Map<String, Value>) -> Option<Printed> {
    let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
    let attribute = |name: &str| {
        members
            .get("Attributes")?
            .get(name)?
            .as_str()
            .map(str::to_owned)
    };

    if members.len() <= 2 {
        if let Some(queue) = attribute("QueueArn") {
            return Some(("queue", queue, json!(members)));
        }
        if let Some(topic) = attribute("TopicArn") {
            return Some(("topic", topic, json!(members)));
        }
    }
    if let (Some(secret), Some(policy)) = (text("ARN"), text("ResourcePolicy")) {
        return Some(("secret", secret, json!({ "Policy": policy })));
    }
    if let (Some(snapshot), Some(granted)) =
        (text("SnapshotId"), members.get("CreateVolumePermissions"))
    {
        let document =
            json!({ "createVolumePermissions": respelled(granted), "restorableByAll": false });
        return Some(("snapshot", snapshot, document));
    }
    if let (Some(image), Some(granted)) = (text("ImageId"), members.get("LaunchPermissions")) {
        return Some((
            "image",
            image,
            json!({ "launchPermissions": respelled(granted) }),
        ));
    }
    if let Some(metadata) = members.get("KeyMetadata") {
        let id = metadata.get("Arn")?.as_str()?.to_owned();
        return Some(("encryption_key", id, metadata.clone()));
    }

    // Policies of functions and buckets name what they are about.
    let policy: Value = serde_json::from_str(&text("Policy")?).ok()?;
    let beside = ["Policy", "RevisionId", "ResponseMetadata"];
    if !members.keys().all(|name| beside.contains(&name.as_str())) {
        return None;
    }
    let statements = policy.get("Statement")?.as_array()?;
    let resource = statements.first()?.get("Resource")?;
    let resource = resource.as_str().or_else(|| resource.get(0)?.as_str())?;
    if let Some(bucket) = resource.strip_prefix("arn:aws:s3:::") {
        let name = bucket.split('/').next()?.to_owned();
        return Some(("bucket", name, json!({ "Policy": policy })));
    }
    let is_function = resource.contains(":lambda:") && resource.contains(":function:");
    is_function.then(|| {
        let name: Vec<&str> = resource.splitn(8, ':').take(7).collect();
        (
            "function",
            name.join(":"),
            json!({ "ResourcePolicy": policy }),
        )
    })
}

/// Spells a document of EC2 as its XML does.
fn spelled(kind: &str, element: &Value) -> Value {
    let members = element.as_object().into_iter().flatten();
    let own = |name: &str| {
        let found = OWN_NAMES
            .iter()
            .find(|(of, from, _)| *of == kind && *from == name);
        found.map_or_else(|| xml_name(name), |(_, _, to)| (*to).to_owned())
    };
    members
        .map(|(name, value)| (own(name), respelled(value)))
        .collect()
}

fn respelled(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (xml_name(name), respelled(value)))
            .collect(),
        Value::Array(values) => values.iter().map(respelled).collect(),
        // Numbers of XML are text.
        Value::Number(number) => number.to_string().into(),
        other => other.clone(),
    }
}

fn xml_name(name: &str) -> String {
    if let Some((_, to)) = XML_NAMES.iter().find(|(from, _)| *from == name) {
        return (*to).to_owned();
    }
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(value: Value) -> Printed {
        let mut printed = answer(&value).unwrap_or_else(|| panic!("no answer: {value}"));
        assert_eq!(printed.len(), 1, "{value}");
        printed.remove(0)
    }

    #[test]
    fn answers_of_ec2_are_spelled_as_its_xml() {
        let machine = json!({
            "InstanceId": "i-1", "InstanceType": "m5.large", "State": { "Code": 16, "Name": "running" },
            "PublicIpAddress": "198.51.100.7", "SecurityGroups": [{ "GroupId": "sg-1" }],
            "NetworkInterfaces": [{ "Association": { "PublicIp": "198.51.100.7" }, "Groups": [{ "GroupId": "sg-1" }],
                "Ipv6Addresses": [{ "Ipv6Address": "2001:db8::1" }] }],
        });
        let (kind, id, document) = only(json!({ "Reservations": [{ "Instances": [machine] }] }));
        assert_eq!((kind, id.as_str()), ("virtual_machine", "i-1"));
        assert_eq!(
            document,
            json!({
                "instanceId": "i-1", "instanceType": "m5.large", "instanceState": { "code": "16", "name": "running" },
                "ipAddress": "198.51.100.7", "groupSet": [{ "groupId": "sg-1" }],
                "networkInterfaceSet": [{ "association": { "publicIp": "198.51.100.7" }, "groupSet": [{ "groupId": "sg-1" }],
                    "ipv6AddressesSet": [{ "ipv6Address": "2001:db8::1" }] }],
            })
        );

        let group = json!({ "GroupId": "sg-1", "Description": "web", "IpPermissions": [{
            "IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{ "CidrIp": "0.0.0.0/0", "Description": "all" }],
            "UserIdGroupPairs": [{ "GroupId": "sg-2" }] }] });
        let expect = json!({ "groupId": "sg-1", "groupDescription": "web", "ipPermissions": [{
            "ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "ipRanges": [{ "cidrIp": "0.0.0.0/0", "description": "all" }],
            "groups": [{ "groupId": "sg-2" }] }] });
        assert_eq!(only(json!({ "SecurityGroups": [group.clone()] })).2, expect);
        assert_eq!(
            element(&group).map(|(_, _, document)| document),
            Some(expect)
        );
    }

    #[test]
    fn a_listing_marks_what_it_does_not_say() {
        let (_, _, bucket) = only(
            json!({ "Buckets": [{ "Name": "b", "CreationDate": "2026-01-01" }], "Owner": { "ID": "1" } }),
        );
        assert_eq!(bucket["Policy"], NOT_READ);
        let (_, _, topic) = only(json!({ "Topics": [{ "TopicArn": "arn:aws:sns:r:1:t" }] }));
        assert_eq!(topic["Attributes"]["Policy"], NOT_READ);
    }

    #[test]
    fn parts_name_their_resource() {
        let balancer = "arn:aws:elasticloadbalancing:r:1:loadbalancer/app/front/1";
        for (value, expect) in [
            (
                json!({ "Listeners": [{ "ListenerArn": "l", "LoadBalancerArn": balancer }] }),
                ("load_balancer", balancer),
            ),
            (
                json!({ "Rules": [{ "RuleArn": "arn:aws:elasticloadbalancing:r:1:listener-rule/app/front/1/2/3", "Actions": [] }] }),
                ("load_balancer", balancer),
            ),
            (
                json!({ "FunctionUrlConfigs": [{ "FunctionArn": "f", "AuthType": "NONE" }] }),
                ("function", "f"),
            ),
            (
                json!({ "Policy": "{\"Statement\":[{\"Resource\":\"arn:aws:s3:::b/*\"}]}" }),
                ("bucket", "b"),
            ),
            (
                json!({ "Policy": "{\"Statement\":[{\"Resource\":\"arn:aws:lambda:r:1:function:f:live\"}]}", "RevisionId": "1" }),
                ("function", "arn:aws:lambda:r:1:function:f"),
            ),
            (
                json!({ "Attributes": { "QueueArn": "q", "Policy": "{}" } }),
                ("queue", "q"),
            ),
        ] {
            let (kind, id, _) = only(value);
            assert_eq!((kind, id.as_str()), expect);
        }
    }

    #[test]
    fn documents_of_a_named_kind_are_spelled_too() {
        let printed = json!({ "RouteTableId": "rtb-1", "Routes": [{ "GatewayId": "igw-1" }] });
        let expect = json!({ "routeTableId": "rtb-1", "routeSet": [{ "gatewayId": "igw-1" }] });
        assert_eq!(in_own_spelling("route_table", printed), expect);
        assert_eq!(in_own_spelling("route_table", expect.clone()), expect);
    }

    #[test]
    fn other_values_are_no_answers() {
        for value in [
            json!({}),
            json!({ "kind": "bucket", "configuration": {} }),
            json!([1]),
            json!({ "items": [{}] }),
        ] {
            assert!(
                answer(&value).is_none() && element(&value).is_none(),
                "{value}"
            );
        }
    }
}
