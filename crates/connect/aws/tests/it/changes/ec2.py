"""Machines, images, networks and security groups."""


def ec2_network(block):
    return client("ec2").create_vpc(CidrBlock=block)["Vpc"]["VpcId"]


def ec2_subnet(block="10.20.0.0/16"):
    inner = block.replace("/16", "/24")
    return client("ec2").create_subnet(VpcId=ec2_network(block), CidrBlock=inner)["Subnet"]["SubnetId"]


def ec2_machine(**options):
    started = client("ec2").run_instances(
        ImageId="ami-1e749f67", InstanceType="m5.large", MinCount=1, MaxCount=1, **options
    )
    return started["Instances"][0]["InstanceId"]


def ec2_image(name):
    return client("ec2").create_image(InstanceId=ec2_machine(), Name=name)["ImageId"]


def ec2_ranges(*addresses):
    return [{"cidrIp": address} for address in addresses]


def ec2_rule(protocol, port=None, addresses=(), groups=()):
    """A rule as descriptions have it."""
    made = {
        "ipProtocol": protocol, "ipRanges": ec2_ranges(*addresses), "groups": list(groups), "ipv6Ranges": [], "prefixListIds": [],
    }
    return made if port is None else {**made, "fromPort": port, "toPort": port}


@change("encrypt_new_volumes")
def _():
    return f"arn:aws:ec2:{REGION}:{ACCOUNT}:ebs-encryption-by-default"


@change("make_image_private")
def _():
    found = ec2_image("for-all")
    client("ec2").modify_image_attribute(ImageId=found, LaunchPermission={"Add": [{"Group": "all"}, {"UserId": "444455556666"}]})
    return found


@change("protect_image_from_deregistration")
def _():
    return ec2_image("unprotected")


@change("require_imdsv2_of_image")
def _():
    return ec2_image("old-metadata")


@change("revoke_open_rule")
def _():
    ec2 = client("ec2")
    group = ec2.create_security_group(GroupName="open", Description="open", VpcId=ec2_network("10.21.0.0/16"))["GroupId"]
    for port, address in ((22, "0.0.0.0/0"), (22, "10.0.0.0/8"), (443, "0.0.0.0/0")):
        ec2.authorize_security_group_ingress(GroupId=group, IpProtocol="tcp", FromPort=port, ToPort=port, CidrIp=address)
    rules = [{"ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "ipRanges": ec2_ranges("0.0.0.0/0")}]
    remaining = [ec2_rule("tcp", "22", ["10.0.0.0/8"]), ec2_rule("tcp", "443", ["0.0.0.0/0"])]
    return {"id": group, "with": {"rules": rules, "remaining": remaining}}


def ec2_default_group(block):
    filters = [{"Name": "vpc-id", "Values": [ec2_network(block)]}, {"Name": "group-name", "Values": ["default"]}]
    return client("ec2").describe_security_groups(Filters=filters)["SecurityGroups"][0]


@change("restrict_default_group")
def _():
    group = ec2_default_group("10.22.0.0/16")["GroupId"]
    own = ec2_rule("-1", groups=[{"userId": ACCOUNT, "groupId": group}])
    pair = {"IpProtocol": "-1", "UserIdGroupPairs": [{"UserId": ACCOUNT, "GroupId": group}]}
    client("ec2").authorize_security_group_ingress(GroupId=group, IpPermissions=[pair])
    return {"id": group, "with": {"rules": [own]}}


@change("restrict_default_group_outgoing")
def _():
    return {"id": ec2_default_group("10.23.0.0/16")["GroupId"], "with": {"rules": [ec2_rule("-1", addresses=["0.0.0.0/0"])]}}


@change("require_imdsv2")
def _():
    return ec2_machine(MetadataOptions={"HttpTokens": "optional", "HttpEndpoint": "enabled"})


@change("keep_metadata_near")
def _():
    far = ec2_machine(MetadataOptions={"HttpTokens": "required", "HttpEndpoint": "enabled", "HttpPutResponseHopLimit": 64})
    return {"id": far, "with": {"limit": "2"}}


@change("enable_detailed_monitoring")
def _():
    return ec2_machine()


@change("stop_assigning_public_addresses")
def _():
    found = ec2_subnet()
    client("ec2").modify_subnet_attribute(SubnetId=found, MapPublicIpOnLaunch={"Value": True})
    return found


@change("check_interface_addresses")
def _():
    found = client("ec2").create_network_interface(SubnetId=ec2_subnet("10.24.0.0/16"))["NetworkInterface"]["NetworkInterfaceId"]
    client("ec2").modify_network_interface_attribute(NetworkInterfaceId=found, SourceDestCheck={"Value": False})
    return found


@change("remove_dead_route")
def _():
    ec2 = client("ec2")
    inner = ec2_subnet("10.25.0.0/16")
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    gateway = ec2.create_nat_gateway(SubnetId=inner, AllocationId=address)["NatGateway"]
    table = ec2.create_route_table(VpcId=gateway["VpcId"])["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=gateway["NatGatewayId"])
    ec2.delete_nat_gateway(NatGatewayId=gateway["NatGatewayId"])
    own = {"destinationCidrBlock": "10.25.0.0/16", "gatewayId": "local", "state": "active", "origin": "CreateRouteTable"}
    return {"id": table, "with": {"destination": "0.0.0.0/0", "remaining": [own]}}


@change("narrow_open_rule")
def _():
    ec2 = client("ec2")
    network = ec2_network("10.30.0.0/16")
    group, friend = (ec2.create_security_group(GroupName=name, Description=name, VpcId=network)["GroupId"] for name in ("wide", "friend"))
    for port, address in ((22, "0.0.0.0/0"), (22, "10.0.0.0/8"), (443, "0.0.0.0/0")):
        ec2.authorize_security_group_ingress(GroupId=group, IpProtocol="tcp", FromPort=port, ToPort=port, CidrIp=address)
    source = {"groupId": friend, "userId": ACCOUNT}
    scope = {"ipProtocol": "tcp", "fromPort": "22", "toPort": "22"}
    web = ec2_rule("tcp", "443", ["0.0.0.0/0"])
    return {
        "id": group,
        "with": {
            "sources": ["203.0.113.0/24", friend],
            "rules": [{**scope, "ipRanges": ec2_ranges("0.0.0.0/0")}],
            "narrow": [{**scope, "ipRanges": ec2_ranges("203.0.113.0/24"), "groups": [source]}],
            "with_narrow": [ec2_rule("tcp", "22", ["0.0.0.0/0", "10.0.0.0/8", "203.0.113.0/24"], [source]), web],
            "without_open": [ec2_rule("tcp", "22", ["10.0.0.0/8", "203.0.113.0/24"], [source]), web],
        },
    }


@change("stop_sharing_image")
def _():
    found = ec2_image("for-two")
    client("ec2").modify_image_attribute(ImageId=found, LaunchPermission={"Add": [{"UserId": "444455556666"}, {"UserId": "777788889999"}]})
    gone, left = [{"userId": "444455556666"}], [{"userId": "777788889999"}]
    return {"id": found, "with": {"accounts": ["777788889999"], "gone": gone, "left": left}}


def ec2_snapshot(**shared):
    ec2 = client("ec2")
    volume = ec2.create_volume(AvailabilityZone=REGION + "a", Size=1)["VolumeId"]
    found = ec2.create_snapshot(VolumeId=volume)["SnapshotId"]
    for name, values in shared.items():
        ec2.modify_snapshot_attribute(SnapshotId=found, Attribute="createVolumePermission", OperationType="add", **{name: values})
    return found


@change("make_snapshot_private")
def _():
    found = ec2_snapshot(GroupNames=["all"], UserIds=["444455556666"])
    return {"id": found, "with": {"left": [{"userId": "444455556666"}]}}


@change("stop_sharing_snapshot")
def _():
    found = ec2_snapshot(UserIds=["444455556666", "777788889999"])
    gone, left = ["444455556666"], [{"userId": "777788889999"}]
    return {"id": found, "with": {"accounts": ["777788889999"], "gone": gone, "left": left}}


@change("enable_flow_logs")
def _():
    client("s3").create_bucket(Bucket="flows")
    return {"id": ec2_network("10.31.0.0/16"), "with": {"bucket": "flows", "none": True}}


@change("enable_flow_logs_to_log_group")
def _():
    client("logs").create_log_group(logGroupName="flows")
    trust = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "vpc-flow-logs.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
    role = client("iam").create_role(RoleName="flows", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    return {"id": ec2_network("10.32.0.0/16"), "with": {"log_group": "flows", "log_role": role, "none": True}}
