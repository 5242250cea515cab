"""One account of moto with misconfigured resources and their correctly configured counterparts.

`fill(endpoint, region)` creates them and returns what is true of each by the documentation of AWS: `{check of Reeve: {resource: "pass" or
"fail"}}`. Resources are named as `key` names them, so that identifiers of both programs meet.
"""

import io
import json
import os
import zipfile
from collections import defaultdict

import boto3
from botocore.config import Config

REGION = "us-east-1"
ACCOUNT = "123456789012"
OUTSIDER = "444455556666"
IMAGE = "ami-1e749f67"
EVERYBODY = [{"CidrIp": "0.0.0.0/0", "Description": "everybody"}]
OFFICE = [{"CidrIp": "198.51.100.0/24", "Description": "office"}]
BLOCK = {"BlockPublicAcls": True, "IgnorePublicAcls": True, "BlockPublicPolicy": True, "RestrictPublicBuckets": True}
NO_BLOCK = dict.fromkeys(BLOCK, False)


def key(identifier):
    """What both programs' identifiers of a resource have in common: the end of an ARN of EC2 and S3, else the part behind the account."""
    if not identifier.startswith("arn:"):
        return identifier.removeprefix("/hostedzone/")
    service, rest = identifier.split(":", 5)[2], identifier.split(":", 5)[5]
    if service in ("ec2", "s3"):
        return rest.rsplit("/", 1)[-1]
    if service == "apigateway":
        return "/".join(rest.split("/")[:3])
    return rest.removesuffix(":*")


def environment(endpoint):
    """This environment with the variables by which programs use the account."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return clean | {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": REGION,
    }


def allow(action, resource="*", **more):
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def trust(principal, **more):
    return policy({"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole", **more})


def refuse_plain(*resources, **more):
    return {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": list(resources), "Condition": {"Bool": {"aws:SecureTransport": "false"}}, **more}


class Account:
    def __init__(self, endpoint, region):
        self.region = region
        self.truth = defaultdict(dict)
        self.names = {}
        self.failed = []
        self._clients = {}
        self._options = {
            "endpoint_url": endpoint,
            "region_name": region,
            "aws_access_key_id": "AKIAIOSFODNN7EXAMPLE",
            "aws_secret_access_key": "secret",
            "config": Config(read_timeout=120, retries={"total_max_attempts": 1}),
        }

    def __getattr__(self, service):
        if service.startswith("_"):
            raise AttributeError(service)
        name = {"lambda_": "lambda"}.get(service, service)
        if name not in self._clients:
            self._clients[name] = boto3.client(name, **self._options)
        return self._clients[name]

    def arn(self, service, rest):
        return f"arn:aws:{service}:{self.region}:{ACCOUNT}:{rest}"

    def wrong(self, resource, *checks):
        for check in checks:
            self.truth["aws." + check][key(resource)] = "fail"

    def right(self, resource, *checks):
        for check in checks:
            self.truth["aws." + check][key(resource)] = "pass"

    def is_(self, good, resource, *checks):
        (self.right if good else self.wrong)(resource, *checks)

    def attempt(self, call, **arguments):
        """Calls what moto may lack; `None` where it does."""
        try:
            return call(**arguments)
        except Exception as error:  # Whatever the emulator answers: the rest is seeded.
            self.failed.append(f"{call.__name__}: {str(error)[:160]}")
            return None


def buckets(a):
    s3 = a.s3
    s3.create_bucket(Bucket="b-logs")
    # moto takes a bucket as a target only once S3's group for the delivery of logs may write to it.
    s3.put_bucket_acl(
        Bucket="b-logs", GrantWrite="uri=http://acs.amazonaws.com/groups/s3/LogDelivery", GrantReadACP="uri=http://acs.amazonaws.com/groups/s3/LogDelivery"
    )
    key_id = a.kms.create_key(Description="buckets")["KeyMetadata"]["Arn"]

    def bucket(name, **options):
        s3.create_bucket(Bucket=name, **options)
        return name

    for good, name in ((True, "b-good"), (False, "b-bad")):
        bucket(name, ObjectLockEnabledForBucket=good)
        both = (f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*")
        if good:
            s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=BLOCK)
            s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
            s3.put_bucket_encryption(
                Bucket=name,
                ServerSideEncryptionConfiguration={"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key_id}}]},
            )
            s3.put_bucket_logging(Bucket=name, BucketLoggingStatus={"LoggingEnabled": {"TargetBucket": "b-logs", "TargetPrefix": "l/"}})
            s3.put_bucket_policy(Bucket=name, Policy=policy(refuse_plain(*both)))
            s3.put_bucket_ownership_controls(Bucket=name, OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]})
            s3.put_bucket_lifecycle_configuration(
                Bucket=name, LifecycleConfiguration={"Rules": [{"ID": "old", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 400}}]}
            )
        a.is_(
            good,
            name,
            "s3.blocks_public_access",
            "s3.versioning_enabled",
            "s3.encrypted_with_own_key",
            "s3.access_logging_enabled",
            "s3.demands_tls",
            "s3.owner_enforced",
            "s3.object_lock_enabled",
            "s3.lifecycle_rule_exists",
        )
        a.right(name, "s3.policy_lets_nobody_in", "s3.acl_lets_nobody_in", "s3.policy_lets_no_other_account_in")
        a.wrong(name, "s3.mfa_delete_enabled")
    # One member of the block is missing.
    bucket("b-half-block")
    s3.put_public_access_block(Bucket="b-half-block", PublicAccessBlockConfiguration={**BLOCK, "RestrictPublicBuckets": False})
    a.wrong("b-half-block", "s3.blocks_public_access")
    bucket("b-suspended")
    s3.put_bucket_versioning(Bucket="b-suspended", VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_versioning(Bucket="b-suspended", VersioningConfiguration={"Status": "Suspended"})
    a.wrong("b-suspended", "s3.versioning_enabled")
    # Encryption with the key of AWS, and with S3's own keys.
    bucket("b-aws-key")
    s3.put_bucket_encryption(Bucket="b-aws-key", ServerSideEncryptionConfiguration={"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}}]})
    a.right("b-aws-key", "s3.encrypted_by_default")
    a.wrong("b-aws-key", "s3.encrypted_with_own_key")
    bucket("b-sse-s3")
    s3.put_bucket_encryption(Bucket="b-sse-s3", ServerSideEncryptionConfiguration={"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]})
    a.right("b-sse-s3", "s3.encrypted_by_default")
    a.wrong("b-sse-s3", "s3.encrypted_with_own_key")
    # Access control lists.
    for name, acl, block, good in (
        ("b-acl-read", "public-read", None, False),
        ("b-acl-write", "public-read-write", None, False),
        ("b-acl-members", "authenticated-read", None, False),
        ("b-acl-ignored", "public-read", BLOCK, True),
        ("b-acl-private", "private", None, True),
    ):
        bucket(name)
        s3.put_bucket_acl(Bucket=name, ACL=acl)
        if block:
            s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=block)
        a.is_(good, name, "s3.acl_lets_nobody_in")

    # Policies: who is let in, and whether plain connections are refused.
    def with_policy(name, *statements, block=None):
        bucket(name)
        if block:
            s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=block)
        s3.put_bucket_policy(Bucket=name, Policy=policy(*statements))
        return name

    def read(name, principal="*", **more):
        return allow("s3:GetObject", f"arn:aws:s3:::{name}/*", Principal=principal, **more)

    for name, statement, block, public in (
        ("b-public", read("b-public"), None, True),
        ("b-public-aws", read("b-public-aws", {"AWS": "*"}), None, True),
        ("b-public-write", allow("s3:PutObject", "arn:aws:s3:::b-public-write/*", Principal="*"), None, True),
        ("b-public-unblocked", read("b-public-unblocked"), NO_BLOCK, True),
        ("b-public-blocked", read("b-public-blocked"), BLOCK, False),
        ("b-one-network", read("b-one-network", Condition={"IpAddress": {"aws:SourceIp": "198.51.100.0/24"}}), None, False),
        ("b-every-network", read("b-every-network", Condition={"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}}), None, True),
        ("b-one-organization", read("b-one-organization", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-a1b2c3d4e5"}}), None, False),
        ("b-one-endpoint", read("b-one-endpoint", Condition={"StringEquals": {"aws:SourceVpce": "vpce-0a1b2c3d"}}), None, False),
        (
            "b-one-key",
            allow("s3:PutObject", "arn:aws:s3:::b-one-key/*", Principal="*", Condition={"StringEquals": {"s3:x-amz-server-side-encryption-aws-kms-key-id": key_id}}),
            None,
            False,
        ),
        ("b-referer", read("b-referer", Condition={"StringLike": {"aws:Referer": "https://www.example.com/*"}}), None, True),
        # Conditions that every account can fulfil: a key that must be missing, and one that may be.
        ("b-no-organization", read("b-no-organization", Condition={"Null": {"aws:PrincipalOrgID": "true"}}), None, True),
        ("b-some-account", read("b-some-account", Condition={"Null": {"aws:PrincipalAccount": "false"}}), None, True),
        ("b-for-all-values", read("b-for-all-values", Condition={"ForAllValues:StringEquals": {"aws:PrincipalOrgID": "o-a1b2c3d4e5"}}), None, True),
        ("b-any-other", read("b-any-other", Condition={"StringNotEquals": {"aws:PrincipalAccount": OUTSIDER}}), None, True),
        ("b-own-account", read("b-own-account", {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}), None, False),
    ):
        with_policy(name, statement, block=block)
        a.is_(not public, name, "s3.policy_lets_nobody_in")
    a.right("b-public-blocked", "s3.policy_lets_no_other_account_in")
    for name, principal, outside in (
        ("b-outsider", {"AWS": f"arn:aws:iam::{OUTSIDER}:root"}, True),
        ("b-outsider-number", {"AWS": OUTSIDER}, True),
        ("b-outsider-role", {"AWS": [f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:iam::{OUTSIDER}:role/reader"]}, True),
        ("b-insider", {"AWS": f"arn:aws:iam::{ACCOUNT}:role/reader"}, False),
        ("b-service", {"Service": "logging.s3.amazonaws.com"}, False),
    ):
        with_policy(name, read(name, principal))
        a.is_(not outside, name, "s3.policy_lets_no_other_account_in")
        a.right(name, "s3.policy_lets_nobody_in")
    for name, statement, good in (
        ("b-tls-star", refuse_plain("*"), True),
        ("b-tls-objects-alone", refuse_plain("arn:aws:s3:::b-tls-objects-alone/*"), False),
        ("b-tls-bucket-alone", refuse_plain("arn:aws:s3:::b-tls-bucket-alone"), False),
        (
            "b-tls-one-user",
            refuse_plain("arn:aws:s3:::b-tls-one-user", "arn:aws:s3:::b-tls-one-user/*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:user/ann"}),
            False,
        ),
        ("b-tls-puts-alone", refuse_plain("arn:aws:s3:::b-tls-puts-alone", "arn:aws:s3:::b-tls-puts-alone/*", Action="s3:PutObject"), False),
        ("b-tls-letters", refuse_plain("arn:aws:s3:::b-tls-letters", "arn:aws:s3:::b-tls-letters/*", Condition={"Bool": {"aws:securetransport": "false"}}), True),
        (
            "b-tls-if-exists",
            refuse_plain("arn:aws:s3:::b-tls-if-exists", "arn:aws:s3:::b-tls-if-exists/*", Condition={"BoolIfExists": {"aws:SecureTransport": "false"}}),
            True,
        ),
        (
            "b-tls-one-network",
            refuse_plain(
                "arn:aws:s3:::b-tls-one-network",
                "arn:aws:s3:::b-tls-one-network/*",
                Condition={"Bool": {"aws:SecureTransport": "false"}, "IpAddress": {"aws:SourceIp": "198.51.100.0/24"}},
            ),
            False,
        ),
        ("b-tls-boolean", refuse_plain("arn:aws:s3:::b-tls-boolean", "arn:aws:s3:::b-tls-boolean/*", Condition={"Bool": {"aws:SecureTransport": False}}), True),
        (
            "b-tls-list",
            refuse_plain("arn:aws:s3:::b-tls-list", "arn:aws:s3:::b-tls-list/*", Principal={"AWS": ["*"]}, Condition={"Bool": {"aws:SecureTransport": ["false"]}}),
            True,
        ),
        (
            "b-tls-allowed",
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
                "Action": "s3:*",
                "Resource": ["arn:aws:s3:::b-tls-allowed", "arn:aws:s3:::b-tls-allowed/*"],
                "Condition": {"Bool": {"aws:SecureTransport": "true"}},
            },
            False,
        ),
        ("b-tls-reversed", refuse_plain("arn:aws:s3:::b-tls-reversed", "arn:aws:s3:::b-tls-reversed/*", Condition={"Bool": {"aws:SecureTransport": "true"}}), False),
    ):
        with_policy(name, statement)
        a.is_(good, name, "s3.demands_tls")
    bucket("b-rule-off")
    s3.put_bucket_lifecycle_configuration(
        Bucket="b-rule-off", LifecycleConfiguration={"Rules": [{"ID": "old", "Status": "Disabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 400}}]}
    )
    a.wrong("b-rule-off", "s3.lifecycle_rule_exists")
    bucket("b-owner-preferred")
    s3.put_bucket_ownership_controls(Bucket="b-owner-preferred", OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]})
    a.wrong("b-owner-preferred", "s3.owner_enforced")
    bucket("b-replicated")
    bucket("b-copy")
    s3.put_bucket_versioning(Bucket="b-replicated", VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_versioning(Bucket="b-copy", VersioningConfiguration={"Status": "Enabled"})
    a.attempt(
        s3.put_bucket_replication,
        Bucket="b-replicated",
        ReplicationConfiguration={
            "Role": f"arn:aws:iam::{ACCOUNT}:role/copier",
            "Rules": [
                {
                    "ID": "all",
                    "Status": "Enabled",
                    "Priority": 1,
                    "Filter": {"Prefix": ""},
                    "DeleteMarkerReplication": {"Status": "Disabled"},
                    "Destination": {"Bucket": "arn:aws:s3:::b-copy"},
                }
            ],
        },
    )
    a.right("b-replicated", "s3.replicated")
    a.wrong("b-bad", "s3.replicated")


PORTS = {
    "ssh": 22,
    "rdp": 3389,
    "telnet": 23,
    "ftp": 21,
    "mysql": 3306,
    "postgres": 5432,
    "sql_server": 1433,
    "oracle": 1521,
    "redis": 6379,
    "mongodb": 27017,
    "memcached": 11211,
    "elasticsearch": 9200,
    "cassandra": 9160,
    "kafka": 9092,
}


def groups(a, network):
    ec2 = a.ec2

    def group(name, *rules):
        made = ec2.create_security_group(GroupName=name, Description=name, VpcId=network)["GroupId"]
        a.names[made] = name
        for rule in rules:
            ec2.authorize_security_group_ingress(GroupId=made, IpPermissions=[rule])
        return made

    def tcp(first, last=None, ranges=EVERYBODY, protocol="tcp", **more):
        return {"IpProtocol": protocol, "FromPort": first, "ToPort": last or first, "IpRanges": ranges, **more}

    made = {}
    for name, port in PORTS.items():
        made[name] = group(f"open-{name}", tcp(port))
        a.wrong(made[name], f"ec2.no_{name}_from_everywhere")
        a.right(group(f"office-{name}", tcp(port, ranges=OFFICE)), f"ec2.no_{name}_from_everywhere", "ec2.no_all_ports_from_everywhere")
    everything = [f"ec2.no_{name}_from_everywhere" for name in PORTS] + ["ec2.no_all_ports_from_everywhere"]
    a.wrong(group("open-protocols", {"IpProtocol": "-1", "IpRanges": EVERYBODY}), *everything)
    a.wrong(group("open-ports", tcp(0, 65535)), *everything)
    a.wrong(group("open-range", tcp(20, 25)), "ec2.no_ssh_from_everywhere", "ec2.no_telnet_from_everywhere", "ec2.no_ftp_from_everywhere")
    a.wrong(group("open-ipv6", tcp(22, ranges=[], Ipv6Ranges=[{"CidrIpv6": "::/0", "Description": "everybody"}])), "ec2.no_ssh_from_everywhere")
    a.wrong(group("open-halves", tcp(22, ranges=[{"CidrIp": "0.0.0.0/1"}, {"CidrIp": "128.0.0.0/1"}])), "ec2.no_ssh_from_everywhere", "ec2.no_wide_ranges")
    a.right(group("open-udp", tcp(22, protocol="udp")), "ec2.no_ssh_from_everywhere")
    a.wrong(group("open-udp-memcached", tcp(11211, protocol="udp")), "ec2.no_memcached_from_everywhere")
    made["web"] = group("web", tcp(443))
    a.right(made["web"], "ec2.no_wide_ranges", "ec2.only_web_ports_from_everywhere", *everything)
    a.right(
        group("ping", {"IpProtocol": "icmp", "FromPort": -1, "ToPort": -1, "IpRanges": EVERYBODY}), "ec2.no_ssh_from_everywhere", "ec2.no_all_ports_from_everywhere"
    )
    a.wrong(group("wide", tcp(443, ranges=[{"CidrIp": "32.0.0.0/3"}])), "ec2.no_wide_ranges")
    a.wrong(group("launch-wizard-1", tcp(443)), "ec2.group_is_not_from_wizard")
    a.right(made["web"], "ec2.group_is_not_from_wizard")
    trusted = group("trusted", tcp(22, ranges=[], UserIdGroupPairs=[{"GroupId": made["web"]}]))
    a.right(trusted, "ec2.no_ssh_from_everywhere")
    default = ec2.describe_security_groups(Filters=[{"Name": "group-name", "Values": ["default"]}, {"Name": "vpc-id", "Values": [network]}])["SecurityGroups"][0]
    a.wrong(default["GroupId"], "ec2.default_group_has_no_rules")
    empty = ec2.create_vpc(CidrBlock="10.11.0.0/16")["Vpc"]["VpcId"]
    default = ec2.describe_security_groups(Filters=[{"Name": "group-name", "Values": ["default"]}, {"Name": "vpc-id", "Values": [empty]}])["SecurityGroups"][0]
    for way, revoke in (("IpPermissions", ec2.revoke_security_group_ingress), ("IpPermissionsEgress", ec2.revoke_security_group_egress)):
        if default[way]:
            revoke(GroupId=default["GroupId"], IpPermissions=default[way])
    a.right(default["GroupId"], "ec2.default_group_has_no_rules")
    return made


def network(a):
    ec2 = a.ec2
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnets = [ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{n}.0/24", AvailabilityZone=a.region + zone)["Subnet"]["SubnetId"] for n, zone in ((1, "a"), (2, "b"))]
    a.right(vpc, "ec2.network_spans_two_zones")
    lonely = ec2.create_vpc(CidrBlock="10.12.0.0/16")["Vpc"]["VpcId"]
    ec2.create_subnet(VpcId=lonely, CidrBlock="10.12.1.0/24", AvailabilityZone=a.region + "a")
    a.wrong(lonely, "ec2.network_spans_two_zones")
    ec2.modify_subnet_attribute(SubnetId=subnets[0], MapPublicIpOnLaunch={"Value": True})
    a.wrong(subnets[0], "ec2.subnet_assigns_no_public_addresses")
    a.right(subnets[1], "ec2.subnet_assigns_no_public_addresses")
    door = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=door, VpcId=vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=door)
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnets[0])
    ec2.create_flow_logs(ResourceIds=[vpc], ResourceType="VPC", TrafficType="ALL", LogDestinationType="s3", LogDestination="arn:aws:s3:::b-logs")
    a.right(vpc, "ec2.network_has_flow_log")
    a.wrong(lonely, "ec2.network_has_flow_log")
    accepting = ec2.create_vpc(CidrBlock="10.13.0.0/16")["Vpc"]["VpcId"]
    ec2.create_flow_logs(ResourceIds=[accepting], ResourceType="VPC", TrafficType="ACCEPT", LogDestinationType="s3", LogDestination="arn:aws:s3:::b-logs")
    a.wrong(accepting, "ec2.network_has_flow_log")

    def wall(*entries):
        made = ec2.create_network_acl(VpcId=vpc)["NetworkAcl"]["NetworkAclId"]
        for number, (action, cidr, protocol, ports) in enumerate(entries, 10):
            ports = {"PortRange": {"From": ports[0], "To": ports[1]}} if ports else {}
            ec2.create_network_acl_entry(NetworkAclId=made, RuleNumber=number, Protocol=protocol, RuleAction=action, Egress=False, CidrBlock=cidr, **ports)
        return made

    both = ("ec2.network_acl_opens_no_ssh", "ec2.network_acl_opens_no_rdp")
    a.wrong(wall(("allow", "0.0.0.0/0", "-1", None)), *both)
    a.wrong(wall(("allow", "0.0.0.0/0", "6", (20, 4000))), *both)
    a.right(wall(("allow", "0.0.0.0/0", "6", (443, 443))), *both)
    a.right(wall(("allow", "198.51.100.0/24", "6", (22, 22)), ("allow", "198.51.100.0/24", "6", (3389, 3389))), *both)
    a.right(wall(("deny", "0.0.0.0/0", "6", (22, 22)), ("deny", "0.0.0.0/0", "6", (3389, 3389)), ("allow", "0.0.0.0/0", "-1", None)), *both)
    a.wrong(wall(("deny", "198.51.100.0/24", "6", (22, 22)), ("allow", "0.0.0.0/0", "-1", None)), *both)
    unused = wall()
    a.wrong(unused, "ec2.network_acl_is_used")
    return vpc, subnets


def machines(a, vpc, subnets, groups_made):
    ec2 = a.ec2
    profile = a.iam.create_instance_profile(InstanceProfileName="machine")["InstanceProfile"]["Arn"]

    def machine(name, group, public=False, tokens="required", **options):
        made = ec2.run_instances(
            ImageId=IMAGE,
            InstanceType="m5.large",
            MinCount=1,
            MaxCount=1,
            MetadataOptions={"HttpTokens": tokens, "HttpEndpoint": "enabled", "HttpPutResponseHopLimit": 1},
            SubnetId=subnets[0 if public else 1],
            SecurityGroupIds=[group],
            TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": name}]}],
            **options,
        )["Instances"][0]
        a.names[made["InstanceId"]] = name
        return made["InstanceId"]

    # The first subnet gives its machines public addresses, the second does not. Groups are named for the machine and not for its
    # interface, because moto shows the former nowhere else.
    good = machine("good", groups_made["web"], Monitoring={"Enabled": True}, IamInstanceProfile={"Arn": profile})
    bad = machine("bad", groups_made["ssh"], public=True, tokens="optional")
    for fine, one in ((True, good), (False, bad)):
        a.is_(
            fine,
            one,
            "ec2.machine_requires_imdsv2",
            "ec2.machine_has_no_public_address",
            "ec2.machine_is_monitored_in_detail",
            "ec2.machine_has_a_role",
            "ec2.machine_lets_no_stranger_administer_it",
        )
    inside = machine("inside", groups_made["ssh"])
    a.right(inside, "ec2.machine_lets_no_stranger_administer_it", "ec2.machine_has_no_public_address")
    addressed = machine("addressed", groups_made["ssh"])
    database = machine("database", groups_made["postgres"], public=True)
    a.wrong(database, "ec2.machine_lets_no_stranger_reach_a_database")
    a.right(bad, "ec2.machine_lets_no_stranger_reach_a_database")
    deaf = ec2.run_instances(
        ImageId=IMAGE,
        InstanceType="m5.large",
        MinCount=1,
        MaxCount=1,
        SubnetId=subnets[1],
        SecurityGroupIds=[groups_made["web"]],
        MetadataOptions={"HttpEndpoint": "disabled", "HttpTokens": "optional"},
    )["Instances"][0]["InstanceId"]
    a.right(deaf, "ec2.machine_requires_imdsv2")
    used = ec2.allocate_address(Domain="vpc")["AllocationId"]
    a.attempt(ec2.associate_address, AllocationId=used, InstanceId=addressed)
    a.right(used, "ec2.address_is_used")
    a.wrong(addressed, "ec2.machine_has_no_public_address", "ec2.machine_lets_no_stranger_administer_it")
    a.wrong(ec2.allocate_address(Domain="vpc")["AllocationId"], "ec2.address_is_used")
    # A public address in a network without a way to the internet: nobody reaches it.
    island = ec2.create_vpc(CidrBlock="10.14.0.0/16")["Vpc"]["VpcId"]
    shore = ec2.create_subnet(VpcId=island, CidrBlock="10.14.1.0/24")["Subnet"]["SubnetId"]
    ec2.modify_subnet_attribute(SubnetId=shore, MapPublicIpOnLaunch={"Value": True})
    ssh = ec2.create_security_group(GroupName="island", Description="island", VpcId=island)["GroupId"]
    ec2.authorize_security_group_ingress(GroupId=ssh, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0")
    stranded = ec2.run_instances(ImageId=IMAGE, InstanceType="m5.large", MinCount=1, MaxCount=1, SubnetId=shore, SecurityGroupIds=[ssh])["Instances"][0][
        "InstanceId"
    ]
    a.names[stranded] = "stranded"
    a.right(stranded, "ec2.machine_lets_no_stranger_administer_it")
    gone = machine("gone", groups_made["ssh"], tokens="optional")
    ec2.terminate_instances(InstanceIds=[gone])

    for fine in (True, False):
        volume = ec2.create_volume(AvailabilityZone=a.region + "a", Size=8, Encrypted=fine)["VolumeId"]
        snapshot = ec2.create_snapshot(VolumeId=volume)["SnapshotId"]
        a.is_(fine, volume, "ec2.volume_encrypted")
        a.is_(fine, snapshot, "ec2.snapshot_encrypted")
        if not fine:
            ec2.modify_snapshot_attribute(SnapshotId=snapshot, Attribute="createVolumePermission", OperationType="add", GroupNames=["all"])
        a.is_(fine, snapshot, "ec2.snapshot_is_private")
        image = ec2.create_image(InstanceId=good, Name=f"image-{fine}")["ImageId"]
        if not fine:
            ec2.modify_image_attribute(ImageId=image, LaunchPermission={"Add": [{"Group": "all"}]})
        a.is_(fine, image, "ec2.image_is_private")
        a.right(snapshot, "ec2.snapshot_is_shared_with_nobody")
        a.right(image, "ec2.image_is_shared_with_nobody")
    # Shared with one other account.
    lent = ec2.create_snapshot(VolumeId=ec2.create_volume(AvailabilityZone=a.region + "a", Size=8)["VolumeId"])["SnapshotId"]
    ec2.modify_snapshot_attribute(SnapshotId=lent, Attribute="createVolumePermission", OperationType="add", UserIds=[OUTSIDER])
    a.wrong(lent, "ec2.snapshot_is_shared_with_nobody")
    a.right(lent, "ec2.snapshot_is_private")
    lent = ec2.create_image(InstanceId=good, Name="image-lent")["ImageId"]
    ec2.modify_image_attribute(ImageId=lent, LaunchPermission={"Add": [{"UserId": OUTSIDER}]})
    a.wrong(lent, "ec2.image_is_shared_with_nobody")
    a.right(lent, "ec2.image_is_private")
    # A disk in use, with a snapshot of today.
    volume = ec2.create_volume(AvailabilityZone=a.region + "a", Size=8)["VolumeId"]
    ec2.attach_volume(VolumeId=volume, InstanceId=good, Device="/dev/sdf")
    ec2.create_snapshot(VolumeId=volume)
    a.right(volume, "ec2.volume_has_recent_snapshot")
    volume = ec2.create_volume(AvailabilityZone=a.region + "a", Size=8)["VolumeId"]
    ec2.attach_volume(VolumeId=volume, InstanceId=good, Device="/dev/sdg")
    a.wrong(volume, "ec2.volume_has_recent_snapshot")
    a.wrong(a.arn("ec2", "ebs-encryption-by-default"), "ec2.new_volumes_are_encrypted")

    def template(name, **content):
        data = {"ImageId": IMAGE, "InstanceType": "m5.large", **content}
        made = ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)["LaunchTemplate"]["LaunchTemplateId"]
        a.names[made] = name
        return made

    both = ("ec2.template_requires_imdsv2", "ec2.template_gives_no_public_address")
    good_template = template(
        "good", MetadataOptions={"HttpTokens": "required", "HttpEndpoint": "enabled"}, NetworkInterfaces=[{"DeviceIndex": 0, "AssociatePublicIpAddress": False}]
    )
    a.right(good_template, *both)
    bad_template = template(
        "bad", MetadataOptions={"HttpTokens": "optional", "HttpEndpoint": "enabled"}, NetworkInterfaces=[{"DeviceIndex": 0, "AssociatePublicIpAddress": True}]
    )
    a.wrong(bad_template, *both)
    a.wrong(template("silent"), "ec2.template_requires_imdsv2")
    a.right(template("deaf", MetadataOptions={"HttpEndpoint": "disabled"}), "ec2.template_requires_imdsv2")

    scaling = a.autoscaling
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="good", LaunchTemplate={"LaunchTemplateId": good_template}, MinSize=0, MaxSize=1, VPCZoneIdentifier=",".join(subnets)
    )
    scaling.create_launch_configuration(LaunchConfigurationName="old", ImageId=IMAGE, InstanceType="m5.large")
    scaling.create_auto_scaling_group(AutoScalingGroupName="bad", LaunchConfigurationName="old", MinSize=0, MaxSize=1, VPCZoneIdentifier=subnets[0])
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        a.is_(group["AutoScalingGroupName"] == "good", group["AutoScalingGroupARN"], "autoscaling.group_spans_two_zones", "autoscaling.group_uses_launch_template")


def databases(a, subnets, groups_made):
    rds = a.rds
    a.attempt(rds.create_db_subnet_group, DBSubnetGroupName="own", DBSubnetGroupDescription="own", SubnetIds=subnets)

    def database(name, **options):
        arguments = {
            "DBInstanceIdentifier": name,
            "DBInstanceClass": "db.m5.large",
            "Engine": "postgres",
            "EngineVersion": "17.5",
            "AllocatedStorage": 20,
            "MasterUsername": "keeper",
            "MasterUserPassword": "hunter2222",
            "DBSubnetGroupName": "own",
            "VpcSecurityGroupIds": [groups_made["web"]],
            **options,
        }
        return rds.create_db_instance(**arguments)["DBInstance"]["DBInstanceArn"]

    aspects = [
        "rds." + name
        for name in (
            "database_encrypted",
            "database_not_public",
            "database_backed_up",
            "database_protected_from_deletion",
            "database_takes_minor_upgrades",
            "database_in_two_zones",
            "database_copies_tags",
            "database_iam_authentication",
            "database_exports_logs",
            "database_enhanced_monitoring",
            "database_own_port",
            "database_own_master_name",
            "database_version_supported",
            "database_unreachable_from_internet",
        )
    ]
    good = database(
        "good",
        StorageEncrypted=True,
        PubliclyAccessible=False,
        BackupRetentionPeriod=14,
        DeletionProtection=True,
        AutoMinorVersionUpgrade=True,
        MultiAZ=True,
        CopyTagsToSnapshot=True,
        EnableIAMDatabaseAuthentication=True,
        EnableCloudwatchLogsExports=["postgresql", "upgrade"],
        MonitoringInterval=60,
        MonitoringRoleArn=f"arn:aws:iam::{ACCOUNT}:role/monitor",
        Port=6543,
    )
    bad = database(
        "bad",
        StorageEncrypted=False,
        PubliclyAccessible=True,
        BackupRetentionPeriod=0,
        DeletionProtection=False,
        AutoMinorVersionUpgrade=False,
        MultiAZ=False,
        CopyTagsToSnapshot=False,
        EnableIAMDatabaseAuthentication=False,
        MonitoringInterval=0,
        MasterUsername="postgres",
        EngineVersion="11.22",
        Port=5432,
        VpcSecurityGroupIds=[groups_made["postgres"]],
    )
    a.right(good, *aspects)
    a.wrong(bad, *aspects)
    behind = database("behind", PubliclyAccessible=True, BackupRetentionPeriod=1, Port=5432)
    a.wrong(behind, "rds.database_not_public", "rds.database_backed_up")
    a.right(behind, "rds.database_unreachable_from_internet")
    for fine, name, of in ((True, "snap-good", "good"), (False, "snap-bad", "bad")):
        made = rds.create_db_snapshot(DBSnapshotIdentifier=name, DBInstanceIdentifier=of)["DBSnapshot"]["DBSnapshotArn"]
        if not fine:
            a.attempt(rds.modify_db_snapshot_attribute, DBSnapshotIdentifier=name, AttributeName="restore", ValuesToAdd=["all"])
        a.is_(fine, made, "rds.snapshot_encrypted", "rds.snapshot_not_public", "rds.snapshot_not_shared")
    lent = rds.create_db_snapshot(DBSnapshotIdentifier="snap-lent", DBInstanceIdentifier="good")["DBSnapshot"]["DBSnapshotArn"]
    a.attempt(rds.modify_db_snapshot_attribute, DBSnapshotIdentifier="snap-lent", AttributeName="restore", ValuesToAdd=[OUTSIDER])
    a.right(lent, "rds.snapshot_encrypted", "rds.snapshot_not_public")
    a.wrong(lent, "rds.snapshot_not_shared")

    def cluster(name, **options):
        return rds.create_db_cluster(DBClusterIdentifier=name, Engine="aurora-postgresql", MasterUserPassword="hunter2222", **options)["DBCluster"]["DBClusterArn"]

    aspects = [
        "rds.cluster_" + name
        for name in ("encrypted", "protected_from_deletion", "copies_tags", "iam_authentication", "exports_logs", "own_master_name", "in_two_zones")
    ]
    good = cluster(
        "c-good",
        MasterUsername="keeper",
        StorageEncrypted=True,
        DeletionProtection=True,
        CopyTagsToSnapshot=True,
        EnableIAMDatabaseAuthentication=True,
        EnableCloudwatchLogsExports=["postgresql"],
        BackupRetentionPeriod=14,
        AvailabilityZones=[a.region + "a", a.region + "b"],
        EngineVersion="16.6",
    )
    bad = cluster(
        "c-bad",
        MasterUsername="postgres",
        StorageEncrypted=False,
        DeletionProtection=False,
        CopyTagsToSnapshot=False,
        EnableIAMDatabaseAuthentication=False,
        BackupRetentionPeriod=1,
        AvailabilityZones=[a.region + "a"],
        EngineVersion="13.9",
    )
    a.right(good, *aspects)
    a.wrong(bad, *aspects)
    for number in (1, 2):
        a.attempt(
            rds.create_db_instance,
            DBInstanceIdentifier=f"c-good-{number}",
            DBInstanceClass="db.r6g.large",
            Engine="aurora-postgresql",
            DBClusterIdentifier="c-good",
            StorageEncrypted=True,
            AvailabilityZone=a.region + "ab"[number - 1],
        )

    def table(name, **options):
        return a.dynamodb.create_table(
            TableName=name,
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            **options,
        )["TableDescription"]["TableArn"]

    key_id = a.kms.create_key(Description="tables")["KeyMetadata"]["Arn"]
    aspects = ["dynamodb." + name for name in ("table_recoverable", "table_own_key", "table_protected_from_deletion")]
    a.right(table("t-good", DeletionProtectionEnabled=True, SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key_id}), *aspects)
    a.dynamodb.update_continuous_backups(TableName="t-good", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    a.wrong(table("t-bad"), *aspects)


def people(a):
    iam = a.iam
    iam.update_account_password_policy(
        MinimumPasswordLength=8,
        RequireSymbols=False,
        RequireNumbers=True,
        RequireUppercaseCharacters=True,
        RequireLowercaseCharacters=False,
        AllowUsersToChangePassword=True,
        PasswordReusePrevention=3,
    )
    for fine, name in ((False, "long"), (False, "symbols"), (True, "numbers"), (True, "upper_case"), (False, "lower_case"), (False, "no_reuse"), (False, "expires")):
        a.is_(fine, "account", f"iam.password_policy_{name}")

    def managed(name, *statements):
        return iam.create_policy(PolicyName=name, PolicyDocument=policy(*statements))["Policy"]["Arn"]

    everything = managed("everything", allow("*"))
    for name, statement, fine in (
        ("everything-listed", allow(["*"], ["*"]), False),
        ("everything-colon", allow("*:*"), False),
        ("everything-conditioned", allow("*", Condition={"Bool": {"aws:MultiFactorAuthPresent": "true"}}), False),
        ("all-but-identity", {"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}, True),
        ("reads", allow(["s3:Get*", "s3:List*"], "arn:aws:s3:::b-good/*"), True),
        ("one-service", allow("s3:*"), True),
        ("denies", {"Effect": "Deny", "Action": "*", "Resource": "*"}, True),
    ):
        a.is_(fine, managed(name, statement), "iam.policy_not_administrator")
    a.wrong(everything, "iam.policy_not_administrator")
    for name in ("everything-colon", "all-but-identity"):
        a.wrong(f"arn:aws:iam::{ACCOUNT}:policy/{name}", "iam.policy_decrypts_with_named_keys", "iam.policy_keeps_audit_log", "iam.policy_assumes_named_roles")
    for name, statement, check, fine in (
        ("keys-all", allow("kms:*"), "policy_decrypts_with_named_keys", False),
        ("keys-decrypt", allow("kms:Decrypt"), "policy_decrypts_with_named_keys", False),
        ("keys-one", allow("kms:Decrypt", f"arn:aws:kms:{a.region}:{ACCOUNT}:key/1"), "policy_decrypts_with_named_keys", True),
        ("trail-all", allow("cloudtrail:*"), "policy_keeps_audit_log", False),
        ("trail-stop", allow("cloudtrail:StopLogging"), "policy_keeps_audit_log", False),
        ("trail-reads", allow("cloudtrail:LookupEvents"), "policy_keeps_audit_log", True),
        ("roles-all", allow("sts:AssumeRole"), "policy_assumes_named_roles", False),
        ("roles-one", allow("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/reader"), "policy_assumes_named_roles", True),
        ("roles-own-account", allow("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/*"), "policy_assumes_named_roles", False),
        ("roles-every-arn", allow("sts:AssumeRole", "arn:aws:iam::*:role/*"), "policy_assumes_named_roles", False),
        ("roles-pattern", allow("sts:AssumeR*"), "policy_assumes_named_roles", False),
        ("keys-every-arn", allow("kms:Decrypt", "arn:aws:kms:*:*:key/*"), "policy_decrypts_with_named_keys", False),
        ("keys-any-caller", allow("kms:Decrypt", Condition={"StringLike": {"aws:PrincipalArn": "*"}}), "policy_decrypts_with_named_keys", False),
        ("keys-pattern", allow("kms:D*"), "policy_decrypts_with_named_keys", False),
        ("trail-pattern", allow("cloudtrail:Stop*"), "policy_keeps_audit_log", False),
        ("widens-pattern", allow("iam:PutUser*"), "policy_no_privilege_escalation", False),
        ("widens-version", allow("iam:CreatePolicyVersion"), "policy_no_privilege_escalation", False),
        ("widens-attach", allow("iam:AttachUserPolicy"), "policy_no_privilege_escalation", False),
        ("widens-pass", allow(["iam:PassRole", "ec2:RunInstances"]), "policy_passes_named_roles", False),
        ("widens-all", allow("iam:*"), "policy_no_privilege_escalation", False),
        ("widens-key", allow("iam:CreateAccessKey"), "policy_no_privilege_escalation", False),
        ("narrow", allow("iam:ListUsers"), "policy_no_privilege_escalation", True),
    ):
        a.is_(fine, managed(name, statement), "iam." + check)

    def user(name, **options):
        return iam.create_user(UserName=name, **options)["User"]["Arn"]

    good = user("good")
    iam.create_group(GroupName="readers")
    iam.create_group(GroupName="empty")
    iam.add_user_to_group(GroupName="readers", UserName="good")
    iam.create_login_profile(UserName="good", Password="Hunter2222-hunter")
    device = iam.create_virtual_mfa_device(VirtualMFADeviceName="good")["VirtualMFADevice"]["SerialNumber"]
    iam.enable_mfa_device(UserName="good", SerialNumber=device, AuthenticationCode1="123456", AuthenticationCode2="654321")
    bad = user("bad")
    iam.create_login_profile(UserName="bad", Password="Hunter2222-hunter")
    for _ in range(2):
        iam.create_access_key(UserName="bad")
    iam.attach_user_policy(UserName="bad", PolicyArn=everything)
    iam.put_user_policy(UserName="bad", PolicyName="inside", PolicyDocument=policy(allow("*")))
    a.is_(True, good, "iam.user_permissions_through_groups", "iam.user_not_administrator")
    a.is_(False, bad, "iam.user_permissions_through_groups", "iam.user_not_administrator")
    inline = user("inline")
    iam.put_user_policy(UserName="inline", PolicyName="inside", PolicyDocument=policy(allow("s3:Get*", "arn:aws:s3:::b-good/*")))
    a.right(inline, "iam.user_not_administrator")
    managed_by_aws = user("aws-administrator")
    a.attempt(iam.attach_user_policy, UserName="aws-administrator", PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    a.wrong(managed_by_aws, "iam.user_not_administrator", "iam.user_permissions_through_groups")
    for name in ("report_users_have_mfa", "report_one_active_key_each", "report_people_have_no_keys"):
        a.wrong("account", "iam." + name)
    iam.put_group_policy(GroupName="readers", PolicyName="inside", PolicyDocument=policy(allow("s3:Get*", "arn:aws:s3:::b-good/*")))
    a.right(f"arn:aws:iam::{ACCOUNT}:group/readers", "iam.group_inline_not_administrator")
    iam.put_group_policy(GroupName="empty", PolicyName="inside", PolicyDocument=policy(allow("*")))
    a.wrong(f"arn:aws:iam::{ACCOUNT}:group/empty", "iam.group_inline_not_administrator")

    def role(name, principal, inside=None, **more):
        made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(principal, **more))["Role"]["Arn"]
        if inside:
            iam.put_role_policy(RoleName=name, PolicyName="inside", PolicyDocument=inside)
        return made

    a.wrong(role("r-inline-all", {"Service": "ec2.amazonaws.com"}, policy(allow("*"))), "iam.role_inline_not_administrator")
    a.right(role("r-inline", {"Service": "ec2.amazonaws.com"}, policy(allow("s3:Get*", "arn:aws:s3:::b-good/*"))), "iam.role_inline_not_administrator")
    a.wrong(role("r-administrator", {"Service": "ec2.amazonaws.com"}), "iam.role_of_workload_not_administrator")
    a.attempt(iam.attach_role_policy, RoleName="r-administrator", PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    a.right(role("r-plain", {"Service": "ec2.amazonaws.com"}), "iam.role_of_workload_not_administrator")
    outsider = {"AWS": f"arn:aws:iam::{OUTSIDER}:root"}
    a.wrong(role("r-outsider-administrator", outsider), "iam.role_for_outsiders_not_administrator")
    a.attempt(iam.attach_role_policy, RoleName="r-outsider-administrator", PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    a.right(f"arn:aws:iam::{ACCOUNT}:role/r-outsider", "iam.role_for_outsiders_not_administrator")
    a.wrong(role("r-outsider", outsider), "iam.role_outsiders_need_condition")
    a.right(role("r-outsider-named", outsider, Condition={"StringEquals": {"sts:ExternalId": "a1b2"}}), "iam.role_outsiders_need_condition")
    a.wrong(role("r-everybody", {"AWS": "*"}), "iam.role_trusts_not_everybody")
    return f"arn:aws:iam::{ACCOUNT}:role/r-plain"


def keys(a):
    kms = a.kms
    root = allow("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})

    def made(name, *statements, **options):
        return kms.create_key(Description=name, Policy=policy(root, *statements), **options)["KeyMetadata"]

    good = made("good")
    kms.enable_key_rotation(KeyId=good["KeyId"])
    a.right(good["Arn"], "kms.rotates", "kms.not_being_deleted", "kms.policy_lets_nobody_in")
    a.wrong(made("still")["Arn"], "kms.rotates")
    dying = made("dying")
    kms.schedule_key_deletion(KeyId=dying["KeyId"], PendingWindowInDays=7)
    a.wrong(dying["Arn"], "kms.not_being_deleted")
    use = {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": "*"}
    a.wrong(made("public", {**use, "Principal": "*"})["Arn"], "kms.policy_lets_nobody_in")
    a.wrong(made("public-aws", {**use, "Principal": {"AWS": "*"}})["Arn"], "kms.policy_lets_nobody_in")
    a.right(
        made(
            "via-service",
            {**use, "Principal": {"AWS": "*"}, "Condition": {"StringEquals": {"kms:CallerAccount": ACCOUNT, "kms:ViaService": f"s3.{a.region}.amazonaws.com"}}},
        )["Arn"],
        "kms.policy_lets_nobody_in",
    )
    made("signing", KeyUsage="SIGN_VERIFY", KeySpec="RSA_2048")
    made("hmac", KeyUsage="GENERATE_VERIFY_MAC", KeySpec="HMAC_256")
    off = made("off")
    kms.disable_key(KeyId=off["KeyId"])
    return good["Arn"]


def trails(a, key_id):
    s3, cloudtrail = a.s3, a.cloudtrail
    for name in ("b-trail-good", "b-trail-bad"):
        s3.create_bucket(Bucket=name)
    s3.put_public_access_block(Bucket="b-trail-good", PublicAccessBlockConfiguration=BLOCK)
    s3.put_bucket_logging(Bucket="b-trail-good", BucketLoggingStatus={"LoggingEnabled": {"TargetBucket": "b-logs", "TargetPrefix": "t/"}})
    s3.put_bucket_acl(Bucket="b-trail-bad", ACL="public-read")
    a.logs.create_log_group(logGroupName="trail", kmsKeyId=key_id)
    a.logs.put_retention_policy(logGroupName="trail", retentionInDays=731)
    group = a.arn("logs", "log-group:trail")
    a.logs.create_log_group(logGroupName="short")
    a.logs.put_retention_policy(logGroupName="short", retentionInDays=7)
    a.logs.create_log_group(logGroupName="endless")
    a.right(group, "logs.encrypted_with_own_key", "logs.kept_for_a_year")
    a.wrong(a.arn("logs", "log-group:short"), "logs.encrypted_with_own_key", "logs.kept_for_a_year")
    a.right(a.arn("logs", "log-group:endless"), "logs.kept_for_a_year")
    writer = a.iam.create_role(RoleName="trail", AssumeRolePolicyDocument=trust({"Service": "cloudtrail.amazonaws.com"}))["Role"]["Arn"]
    good = cloudtrail.create_trail(
        Name="good",
        S3BucketName="b-trail-good",
        IsMultiRegionTrail=True,
        IncludeGlobalServiceEvents=True,
        EnableLogFileValidation=True,
        KmsKeyId=key_id,
        CloudWatchLogsLogGroupArn=group + ":*",
        CloudWatchLogsRoleArn=writer,
    )["TrailARN"]
    bad = cloudtrail.create_trail(Name="bad", S3BucketName="b-trail-bad", IsMultiRegionTrail=False, IncludeGlobalServiceEvents=False)["TrailARN"]
    cloudtrail.start_logging(Name="good")
    # A trail reaches its group of logs only once it delivered; the emulator never does.
    cloudtrail.put_event_selectors(
        TrailName="good",
        EventSelectors=[{"ReadWriteType": "All", "IncludeManagementEvents": True, "DataResources": [{"Type": "AWS::S3::Object", "Values": ["arn:aws:s3"]}]}],
    )
    a.attempt(cloudtrail.put_insight_selectors, TrailName="good", InsightSelectors=[{"InsightType": "ApiCallRateInsight"}])
    for fine, trail in ((True, good), (False, bad)):
        a.is_(
            fine,
            trail,
            "cloudtrail.trail_validates_files",
            "cloudtrail.trail_own_key",
            "cloudtrail.trail_to_log_group",
            "cloudtrail.trail_bucket_logs_access",
            "cloudtrail.trail_bucket_blocks_public_access",
            "cloudtrail.trail_logs_objects",
            "cloudtrail.trail_in_all_regions",
            "cloudtrail.trail_logs",
        )


def messages(a, key_id):
    sqs, sns = a.sqs, a.sns

    def queue(name, **attributes):
        sqs.create_queue(QueueName=name, Attributes=attributes)
        return a.arn("sqs", name)

    def use(name, principal="*", **more):
        return policy(allow("sqs:SendMessage", a.arn("sqs", name), Principal=principal, **more))

    a.right(queue("q-good", KmsMasterKeyId=key_id), "sqs.queue_encrypted", "sqs.queue_policy_lets_nobody_in")
    a.right(queue("q-sse-sqs", SqsManagedSseEnabled="true"), "sqs.queue_encrypted")
    a.wrong(queue("q-bad", SqsManagedSseEnabled="false", Policy=use("q-bad")), "sqs.queue_encrypted", "sqs.queue_policy_lets_nobody_in")
    for name, condition, fine in (
        ("q-topic", {"ArnEquals": {"aws:SourceArn": a.arn("sns", "t-good")}}, True),
        ("q-account", {"StringEquals": {"aws:SourceAccount": ACCOUNT}}, True),
        ("q-organization", {"StringEquals": {"aws:PrincipalOrgID": "o-a1b2c3d4e5"}}, True),
        ("q-tls", {"Bool": {"aws:SecureTransport": "true"}}, False),
    ):
        a.is_(fine, queue(name, Policy=use(name, Condition=condition)), "sqs.queue_policy_lets_nobody_in")
    a.right(queue("q-own", Policy=use("q-own", {"AWS": f"arn:aws:iam::{ACCOUNT}:root"})), "sqs.queue_policy_lets_nobody_in")

    def topic(name, statement=None, **attributes):
        arn = sns.create_topic(Name=name, Attributes=attributes)["TopicArn"]
        if statement:
            sns.set_topic_attributes(
                TopicArn=arn, AttributeName="Policy", AttributeValue=policy({"Effect": "Allow", "Action": "sns:Publish", "Resource": arn, **statement})
            )
        return arn

    good = topic("t-good", KmsMasterKeyId=key_id)
    a.right(good, "sns.topic_encrypted", "sns.topic_policy_lets_nobody_in")
    a.wrong(topic("t-bad", {"Principal": "*"}), "sns.topic_encrypted", "sns.topic_policy_lets_nobody_in")
    a.wrong(topic("t-bad-aws", {"Principal": {"AWS": "*"}}), "sns.topic_policy_lets_nobody_in")
    a.right(topic("t-account", {"Principal": {"AWS": "*"}, "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}}}), "sns.topic_policy_lets_nobody_in")
    a.right(topic("t-bucket", {"Principal": {"AWS": "*"}, "Condition": {"ArnLike": {"aws:SourceArn": "arn:aws:s3:::b-good"}}}), "sns.topic_policy_lets_nobody_in")
    watch = a.cloudwatch
    common = {
        "Namespace": "AWS/EC2",
        "MetricName": "CPUUtilization",
        "Statistic": "Average",
        "Period": 60,
        "Threshold": 90,
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanThreshold",
    }
    watch.put_metric_alarm(AlarmName="good", AlarmActions=[good], ActionsEnabled=True, **common)
    watch.put_metric_alarm(AlarmName="bad", ActionsEnabled=False, **common)
    for name in ("good", "bad"):
        a.is_(name == "good", a.arn("cloudwatch", f"alarm:{name}"), "cloudwatch.alarm_actions_on", "cloudwatch.alarm_tells_somebody")


def functions(a, role, subnets, group, key_id):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("main.py", "def handler(event, context): pass")

    def function(name, runtime="python3.13", **options):
        return a.lambda_.create_function(FunctionName=name, Runtime=runtime, Role=role, Handler="main.handler", Code={"ZipFile": archive.getvalue()}, **options)[
            "FunctionArn"
        ]

    good = function(
        "f-good",
        Environment={"Variables": {"STAGE": "live"}},
        KMSKeyArn=key_id,
        TracingConfig={"Mode": "Active"},
        VpcConfig={"SubnetIds": subnets, "SecurityGroupIds": [group]},
    )
    bad = function("f-bad", "python3.6", Environment={"Variables": {"DB_PASSWORD": "correct-horse-battery-9Q"}})
    for fine, arn in ((True, good), (False, bad)):
        a.is_(fine, arn, "lambda.runtime_supported", "lambda.variables_hold_no_secrets", "lambda.variables_own_key")
    a.right(good, "lambda.in_two_zones", "lambda.policy_lets_nobody_in")
    single = function("f-one-zone", VpcConfig={"SubnetIds": subnets[:1], "SecurityGroupIds": [group]})
    a.wrong(single, "lambda.in_two_zones")
    public = function("f-public")
    a.lambda_.add_permission(FunctionName="f-public", StatementId="all", Action="lambda:InvokeFunction", Principal="*")
    a.wrong(public, "lambda.policy_lets_nobody_in")
    bucket = function("f-bucket")
    a.lambda_.add_permission(
        FunctionName="f-bucket",
        StatementId="bucket",
        Action="lambda:InvokeFunction",
        Principal="s3.amazonaws.com",
        SourceArn="arn:aws:s3:::b-good",
        SourceAccount=ACCOUNT,
    )
    a.right(bucket, "lambda.policy_lets_nobody_in")
    organization = function("f-organization")
    a.attempt(
        a.lambda_.add_permission,
        FunctionName="f-organization",
        StatementId="organization",
        Action="lambda:InvokeFunction",
        Principal="*",
        PrincipalOrgID="o-a1b2c3d4e5",
    )
    a.right(organization, "lambda.policy_lets_nobody_in")


def balancers(a, vpc, subnets, group):
    two = a.elbv2
    target = two.create_target_group(Name="web", Protocol="HTTP", Port=80, VpcId=vpc)["TargetGroups"][0]["TargetGroupArn"]
    forward = [{"Type": "forward", "TargetGroupArn": target}]
    redirect = [{"Type": "redirect", "RedirectConfig": {"Protocol": "HTTPS", "Port": "443", "StatusCode": "HTTP_301"}}]
    certificate = a.acm.request_certificate(DomainName="www.example.com", ValidationMethod="DNS")["CertificateArn"]

    def balancer(name, kind="application", zones=subnets, attributes=(), listeners=()):
        options = {"SecurityGroups": [group]} if kind == "application" else {}
        arn = two.create_load_balancer(Name=name, Type=kind, Subnets=zones, Scheme="internal", **options)["LoadBalancers"][0]["LoadBalancerArn"]
        # moto leaves out this default of AWS.
        mode = {"routing.http.desync_mitigation_mode": "defensive"} if kind == "application" else {}
        for one, value in (mode | dict(attributes)).items():
            a.attempt(two.modify_load_balancer_attributes, LoadBalancerArn=arn, Attributes=[{"Key": one, "Value": value}])
        for listener in listeners:
            two.create_listener(LoadBalancerArn=arn, **listener)
        return arn

    secure = {"Protocol": "HTTPS", "Port": 443, "Certificates": [{"CertificateArn": certificate}], "DefaultActions": forward}
    good = balancer(
        "alb-good",
        attributes={
            "deletion_protection.enabled": "true",
            "routing.http.drop_invalid_header_fields.enabled": "true",
            "access_logs.s3.enabled": "true",
            "access_logs.s3.bucket": "b-logs",
            "routing.http.desync_mitigation_mode": "strictest",
        },
        listeners=[{"Protocol": "HTTP", "Port": 80, "DefaultActions": redirect}, {**secure, "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06"}],
    )
    bad = balancer(
        "alb-bad",
        attributes={"routing.http.desync_mitigation_mode": "monitor", "routing.http.drop_invalid_header_fields.enabled": "false"},
        listeners=[{"Protocol": "HTTP", "Port": 80, "DefaultActions": forward}, {**secure, "SslPolicy": "ELBSecurityPolicy-2016-08"}],
    )
    for fine, arn in ((True, good), (False, bad)):
        a.is_(
            fine,
            arn,
            "elb.protected_from_deletion",
            "elb.drops_invalid_headers",
            "elb.access_logs_enabled",
            "elb.stops_request_smuggling",
            "elb.http_goes_to_https",
            "elb.listener_refuses_old_tls",
        )
    a.right(good, "elb.balancer_has_listeners", "elb.balancer_spans_two_zones")
    a.wrong(balancer("alb-deaf"), "elb.balancer_has_listeners")
    a.wrong(balancer("alb-one-zone", zones=subnets[:1]), "elb.balancer_spans_two_zones")
    a.right(
        balancer("alb-tls12", listeners=[{**secure, "SslPolicy": "ELBSecurityPolicy-TLS-1-2-2017-01"}]), "elb.listener_refuses_old_tls", "elb.http_goes_to_https"
    )
    crossing = balancer("nlb-good", "network", attributes={"load_balancing.cross_zone.enabled": "true"})
    a.right(crossing, "elb.network_balancer_crosses_zones")
    a.wrong(balancer("nlb-bad", "network"), "elb.network_balancer_crosses_zones")

    classic = a.elb
    classic.create_load_balancer(
        LoadBalancerName="old-good",
        AvailabilityZones=[a.region + "a", a.region + "b"],
        SecurityGroups=[group],
        Listeners=[{"Protocol": "HTTPS", "LoadBalancerPort": 443, "InstancePort": 443, "InstanceProtocol": "HTTPS", "SSLCertificateId": certificate}],
    )
    a.attempt(
        classic.modify_load_balancer_attributes,
        LoadBalancerName="old-good",
        LoadBalancerAttributes={
            "CrossZoneLoadBalancing": {"Enabled": True},
            "ConnectionDraining": {"Enabled": True, "Timeout": 60},
            "AccessLog": {"Enabled": True, "S3BucketName": "b-logs", "EmitInterval": 5},
        },
    )
    classic.create_load_balancer(
        LoadBalancerName="old-bad",
        AvailabilityZones=[a.region + "a"],
        SecurityGroups=[group],
        Listeners=[{"Protocol": "HTTP", "LoadBalancerPort": 80, "InstancePort": 80}],
    )
    for name in ("old-good", "old-bad"):
        a.is_(
            name == "old-good",
            a.arn("elasticloadbalancing", f"loadbalancer/{name}"),
            "elb.classic_crosses_zones",
            "elb.classic_drains_connections",
            "elb.classic_access_logs_enabled",
            "elb.classic_listeners_encrypt",
            "elb.classic_spans_two_zones",
        )
    a.right(a.arn("elasticloadbalancing", "loadbalancer/old-good"), "elb.classic_certificate_from_acm")
    return certificate


def storage(a, subnets, group, key_id):
    efs = a.efs
    for fine in (True, False):
        system = efs.create_file_system(CreationToken=f"f-{fine}", Encrypted=fine, Backup=fine)
        everybody = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "elasticfilesystem:ClientMount"}
        if fine:
            everybody["Condition"] = {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}}
        efs.put_file_system_policy(FileSystemId=system["FileSystemId"], Policy=policy(everybody))
        a.is_(fine, system["FileSystemArn"], "efs.encrypted", "efs.backed_up", "efs.policy_lets_nobody_in")
    system = efs.create_file_system(CreationToken="zone", AvailabilityZoneName=a.region + "a", Encrypted=True)
    a.wrong(system["FileSystemArn"], "efs.several_zones")

    for fine in (True, False):
        name = f"r-{'good' if fine else 'bad'}"
        a.redshift.create_cluster(
            ClusterIdentifier=name,
            NodeType="ra3.large",
            MasterUsername="keeper" if fine else "awsuser",
            MasterUserPassword="Hunter2222",
            Encrypted=fine,
            PubliclyAccessible=not fine,
            AllowVersionUpgrade=fine,
            EnhancedVpcRouting=fine,
            AutomatedSnapshotRetentionPeriod=14 if fine else 0,
            DBName="facts" if fine else "dev",
        )
        if fine:
            a.attempt(a.redshift.enable_logging, ClusterIdentifier=name, BucketName="b-logs", S3KeyPrefix="r/")
        a.is_(
            fine,
            a.arn("redshift", f"cluster:{name}"),
            "redshift.encrypted",
            "redshift.not_public",
            "redshift.upgrades",
            "redshift.stays_in_network",
            "redshift.backed_up",
            "redshift.administrator_renamed",
            "redshift.logs_kept",
        )

    for fine in (True, False):
        made = a.elasticache.create_replication_group(
            ReplicationGroupId=f"e-{'good' if fine else 'bad'}",
            ReplicationGroupDescription="cache",
            Engine="redis",
            CacheNodeType="cache.m7g.large",
            NumCacheClusters=2,
            AutomaticFailoverEnabled=fine,
            MultiAZEnabled=fine,
            TransitEncryptionEnabled=fine,
            AtRestEncryptionEnabled=fine,
            SnapshotRetentionLimit=7 if fine else 0,
            AutoMinorVersionUpgrade=fine,
            **({"AuthToken": "a-token-of-sixteen-letters"} if fine else {}),
        )
        a.is_(
            fine,
            made["ReplicationGroup"]["ARN"],
            "elasticache.fails_over",
            "elasticache.several_zones",
            "elasticache.encrypted_in_transit",
            "elasticache.encrypted_at_rest",
            "elasticache.backed_up",
            "elasticache.minor_upgrades",
            "elasticache.asks_who_comes",
        )

    everybody = policy({"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "es:*", "Resource": "*"})
    for fine in (True, False):
        name = f"d-{'good' if fine else 'bad'}"
        logs = {
            name: {"CloudWatchLogsLogGroupArn": a.arn("logs", "log-group:trail"), "Enabled": True}
            for name in ("AUDIT_LOGS", "SEARCH_SLOW_LOGS", "INDEX_SLOW_LOGS", "ES_APPLICATION_LOGS")
        }
        inside = (
            {
                "VPCOptions": {"SubnetIds": subnets, "SecurityGroupIds": [group]},
                "LogPublishingOptions": logs,
                "AdvancedSecurityOptions": {"Enabled": True, "InternalUserDatabaseEnabled": False},
            }
            if fine
            else {"AccessPolicies": everybody}
        )
        made = a.opensearch.create_domain(
            DomainName=name,
            EngineVersion="OpenSearch_2.19",
            EncryptionAtRestOptions={"Enabled": fine},
            NodeToNodeEncryptionOptions={"Enabled": fine},
            DomainEndpointOptions={"EnforceHTTPS": fine, "TLSSecurityPolicy": "Policy-Min-TLS-1-2-2019-07"},
            ClusterConfig={"InstanceType": "m6g.large.search", "InstanceCount": 3 if fine else 1, "ZoneAwarenessEnabled": fine},
            **inside,
        )["DomainStatus"]["ARN"]
        a.is_(
            fine,
            made,
            "opensearch.encrypted_at_rest",
            "opensearch.encrypted_between_nodes",
            "opensearch.demands_https",
            "opensearch.audit_logs",
            "opensearch.error_logs",
            "opensearch.fine_grained_access",
            "opensearch.several_zones",
        )
        a.is_(fine, made, *([] if fine else ["opensearch.lets_nobody_in"]))

    kinesis = a.kinesis
    for fine in (True, False):
        name = f"s-{'good' if fine else 'bad'}"
        kinesis.create_stream(StreamName=name, ShardCount=1)
        if fine:
            kinesis.start_stream_encryption(StreamName=name, EncryptionType="KMS", KeyId="alias/aws/kinesis")
            kinesis.increase_stream_retention_period(StreamName=name, RetentionPeriodHours=168)
        a.is_(fine, a.arn("kinesis", f"stream/{name}"), "kinesis.encrypted", "kinesis.kept_for_a_week")

    secrets = a.secretsmanager
    for fine in (True, False):
        arn = secrets.create_secret(Name=f"secret-{'good' if fine else 'bad'}", SecretString="the value", **({"KmsKeyId": key_id} if fine else {}))["ARN"]
        if fine:
            a.attempt(
                secrets.rotate_secret,
                SecretId=arn,
                RotationLambdaARN=a.arn("lambda", "function:f-good"),
                RotationRules={"AutomaticallyAfterDays": 30},
                RotateImmediately=False,
            )
        else:
            secrets.put_resource_policy(SecretId=arn, ResourcePolicy=policy(allow("secretsmanager:GetSecretValue", Principal="*")))
        a.is_(fine, arn, "secretsmanager.rotates", "secretsmanager.policy_lets_nobody_in")


def containers(a, role, subnets, group, key_id):
    eks = a.eks
    for fine in (True, False):
        logs = [{"types": ["api", "audit", "authenticator", "controllerManager", "scheduler"], "enabled": fine}]
        made = eks.create_cluster(
            name=f"k-{'good' if fine else 'bad'}",
            roleArn=role,
            version="1.36" if fine else "1.24",
            logging={"clusterLogging": logs},
            resourcesVpcConfig={
                "subnetIds": subnets,
                "securityGroupIds": [group],
                "endpointPublicAccess": not fine,
                "endpointPrivateAccess": fine,
                "publicAccessCidrs": ["0.0.0.0/0"],
            },
            **({"encryptionConfig": [{"resources": ["secrets"], "provider": {"keyArn": key_id}}]} if fine else {}),
        )["cluster"]["arn"]
        a.is_(fine, made, "eks.logs_audit", "eks.endpoint_not_open_to_everybody", "eks.secrets_own_key", "eks.endpoint_private")
    ecs = a.ecs
    for fine in (True, False):
        name = "good" if fine else "bad"
        made = ecs.create_cluster(clusterName=f"c-{name}", settings=[{"name": "containerInsights", "value": "enabled" if fine else "disabled"}])["cluster"][
            "clusterArn"
        ]
        a.is_(fine, made, "ecs.cluster_insights")
        container = {
            "name": "app",
            "image": "app:1",
            "memory": 128,
            "readonlyRootFilesystem": fine,
            "privileged": not fine,
            "user": "1000" if fine else "root",
            "environment": [] if fine else [{"name": "DB_PASSWORD", "value": "correct-horse-battery-9Q"}],
        }
        if fine:
            container["logConfiguration"] = {"logDriver": "awslogs", "options": {"awslogs-group": "trail", "mode": "non-blocking"}}
        made = ecs.register_task_definition(
            family=f"t-{name}", networkMode="awsvpc" if fine else "host", containerDefinitions=[container], **({} if fine else {"pidMode": "host"})
        )["taskDefinition"]["taskDefinitionArn"]
        a.is_(
            fine,
            made,
            "ecs.root_file_system_read_only",
            "ecs.no_privileged_containers",
            "ecs.logs_kept",
            "ecs.no_host_processes",
            "ecs.no_secrets_in_variables",
            "ecs.no_host_network",
        )


def edges(a, role, certificate, key_id, subnets, group):
    for name, spec in (("weak", "RSA_1024"), ("strong", "RSA_2048")):
        a.attempt(
            a.acm.request_certificate,
            DomainName=f"{name}.example.com",
            ValidationMethod="DNS",
            KeyAlgorithm=spec,
            Options={"CertificateTransparencyLoggingPreference": "DISABLED" if name == "weak" else "ENABLED"},
        )
    for one in a.acm.list_certificates(Includes={"keyTypes": ["RSA_1024", "RSA_2048"]})["CertificateSummaryList"]:
        if one["DomainName"] in ("weak.example.com", "strong.example.com"):
            a.is_(one["DomainName"] == "strong.example.com", one["CertificateArn"], "acm.in_public_log")

    gateway = a.apigateway
    for fine in (True, False):
        api = gateway.create_rest_api(name=f"api-{fine}")["id"]
        root = gateway.get_resources(restApiId=api)["items"][0]["id"]
        gateway.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
        gateway.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
        deployment = gateway.create_deployment(restApiId=api)["id"]
        gateway.create_stage(restApiId=api, stageName="live", deploymentId=deployment, tracingEnabled=fine, cacheClusterEnabled=True, cacheClusterSize="0.5")
        change = [
            {"op": "replace", "path": "/*/*/caching/enabled", "value": "true"},
            {"op": "replace", "path": "/*/*/caching/dataEncrypted", "value": str(fine).lower()},
            {"op": "replace", "path": "/*/*/logging/loglevel", "value": "INFO" if fine else "OFF"},
        ]
        a.attempt(gateway.update_stage, restApiId=api, stageName="live", patchOperations=change)
        a.is_(fine, f"arn:aws:apigateway:{a.region}::/restapis/{api}", "apigateway.traced", "apigateway.cache_encrypted", "apigateway.errors_logged")

    front = a.cloudfront
    for name, fine, to_origin, protocol in (("good", True, "https-only", "TLSv1.2"), ("bad", False, "http-only", "TLSv1.2"), ("old", False, "https-only", "SSLv3")):
        origin = {
            "Id": "web",
            "DomainName": "www.example.com",
            "CustomOriginConfig": {"HTTPPort": 80, "HTTPSPort": 443, "OriginProtocolPolicy": to_origin, "OriginSslProtocols": {"Quantity": 1, "Items": [protocol]}},
        }
        made = front.create_distribution(
            DistributionConfig={
                "CallerReference": name,
                "Comment": name,
                "Enabled": True,
                "DefaultRootObject": "index.html" if fine else "",
                "WebACLId": a.arn("wafv2", "global/webacl/front/1") if fine else "",
                "Origins": {"Quantity": 1, "Items": [origin]},
                "DefaultCacheBehavior": {
                    "TargetOriginId": "web",
                    "ViewerProtocolPolicy": "redirect-to-https" if fine else "allow-all",
                    "MinTTL": 0,
                    "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}},
                },
            }
        )["Distribution"]["ARN"]
        a.is_(fine, made, "cloudfront.root_object", "cloudfront.behind_firewall", "cloudfront.demands_https")
        a.is_(to_origin == "https-only", made, "cloudfront.origins_over_tls")
        if to_origin == "https-only":
            a.is_(protocol == "TLSv1.2", made, "cloudfront.origins_over_tls_1_2")

    build = a.codebuild
    for fine in (True, False):
        variables = (
            [{"name": "STAGE", "value": "live", "type": "PLAINTEXT"}]
            if fine
            else [{"name": "DB_PASSWORD", "value": "correct-horse-battery-9Q", "type": "PLAINTEXT"}]
        )
        made = build.create_project(
            name=f"p-{'good' if fine else 'bad'}",
            artifacts={"type": "NO_ARTIFACTS"},
            serviceRole=role,
            source={"type": "GITHUB", "location": "https://github.com/example/site.git" if fine else "https://user:hunter2222@github.com/example/site.git"},
            environment={"type": "LINUX_CONTAINER", "image": "aws/codebuild/standard:7.0", "computeType": "BUILD_GENERAL1_SMALL", "environmentVariables": variables},
            logsConfig={
                "cloudWatchLogs": {"status": "ENABLED" if fine else "DISABLED"},
                "s3Logs": {"status": "ENABLED", "location": "b-logs/c", "encryptionDisabled": not fine},
            },
        )["project"]["arn"]
        a.is_(fine, made, "codebuild.no_secrets_in_variables", "codebuild.no_password_in_address", "codebuild.bucket_logs_encrypted")

    for fine in (True, False):
        made = a.sagemaker.create_notebook_instance(
            NotebookInstanceName=f"n-{'good' if fine else 'bad'}",
            InstanceType="ml.t3.medium",
            RoleArn=role,
            DirectInternetAccess="Disabled" if fine else "Enabled",
            RootAccess="Disabled" if fine else "Enabled",
            **({"SubnetId": subnets[0], "SecurityGroupIds": [group], "KmsKeyId": key_id} if fine else {}),
        )["NotebookInstanceArn"]
        a.is_(fine, made, "sagemaker.no_direct_internet", "sagemaker.no_root", "sagemaker.in_network", "sagemaker.encrypted_with_own_key")

    steps = a.stepfunctions
    for fine in (True, False):
        options = (
            {
                "loggingConfiguration": {"level": "ALL", "destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": a.arn("logs", "log-group:trail:*")}}]},
                "encryptionConfiguration": {"type": "CUSTOMER_MANAGED_KMS_KEY", "kmsKeyId": key_id},
            }
            if fine
            else {}
        )
        made = steps.create_state_machine(
            name=f"m-{'good' if fine else 'bad'}", roleArn=role, definition=json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}}), **options
        )
        a.is_(fine, made["stateMachineArn"], "stepfunctions.logs", "stepfunctions.encrypted_with_own_key")

    for fine in (True, False):
        made = a.mq.create_broker(
            BrokerName=f"q-{'good' if fine else 'bad'}",
            EngineType="ACTIVEMQ",
            EngineVersion="5.18",
            DeploymentMode="ACTIVE_STANDBY_MULTI_AZ" if fine else "SINGLE_INSTANCE",
            HostInstanceType="mq.m5.large",
            PubliclyAccessible=not fine,
            AutoMinorVersionUpgrade=fine,
            Logs={"General": fine, "Audit": fine},
            SubnetIds=subnets if fine else subnets[:1],
            SecurityGroups=[group],
            Users=[{"Username": "admin", "Password": "hunter2222222"}],
        )["BrokerArn"]
        a.is_(fine, made, "mq.not_public", "mq.minor_upgrades", "mq.logs", "mq.several_zones")

    wall = a.wafv2
    seen = {"SampledRequestsEnabled": True, "CloudWatchMetricsEnabled": True, "MetricName": "m"}
    for fine in (True, False):
        rules = [
            {
                "Name": "rate",
                "Priority": 1,
                "Statement": {"RateBasedStatement": {"Limit": 1000, "AggregateKeyType": "IP"}},
                "Action": {"Block": {}},
                "VisibilityConfig": seen,
            }
        ]
        made = wall.create_web_acl(
            Name=f"w-{'good' if fine else 'bad'}", Scope="REGIONAL", DefaultAction={"Allow": {}}, Rules=rules if fine else [], VisibilityConfig=seen
        )["Summary"]["ARN"]
        if fine:
            wall.put_logging_configuration(LoggingConfiguration={"ResourceArn": made, "LogDestinationConfigs": [a.arn("logs", "log-group:aws-waf-logs-front")]})
        a.is_(fine, made, "waf.has_rules", "waf.logs")


def watchers(a, role):
    detector = a.guardduty.create_detector(
        Enable=True,
        DataSources={"S3Logs": {"Enable": True}, "Kubernetes": {"AuditLogs": {"Enable": False}}},
        Features=[{"Name": name, "Status": "ENABLED"} for name in ("S3_DATA_EVENTS", "RDS_LOGIN_EVENTS")],
    )["DetectorId"]
    a.right(a.arn("guardduty", f"detector/{detector}"), "guardduty.enabled")
    config = a.config
    config.put_configuration_recorder(
        ConfigurationRecorder={"name": "default", "roleARN": role, "recordingGroup": {"allSupported": True, "includeGlobalResourceTypes": True}}
    )
    config.put_delivery_channel(DeliveryChannel={"name": "default", "s3BucketName": "b-logs"})
    config.start_configuration_recorder(ConfigurationRecorderName="default")
    a.right("account", "config.recorder_runs")
    a.wrong("account", "config.role_of_service")
    a.right(a.arn("ec2", "region"), "guardduty.region_has_detector", "config.region_has_recorder", "cloudtrail.region_has_trail")


def fill(endpoint, region):
    """Creates everything; what is true of it, names of resources whose identifiers say nothing, and what the emulator refused."""
    a = Account(endpoint, region)
    buckets(a)
    vpc, subnets = network(a)
    made = groups(a, vpc)
    machines(a, vpc, subnets, made)
    databases(a, subnets, made)
    role = people(a)
    key_id = keys(a)
    trails(a, key_id)
    messages(a, key_id)
    functions(a, role, subnets, made["web"], key_id)
    certificate = balancers(a, vpc, subnets, made["web"])
    storage(a, subnets, made["web"], key_id)
    containers(a, role, subnets, made["web"], key_id)
    edges(a, role, certificate, key_id, subnets, made["web"])
    watchers(a, role)
    return {"truth": a.truth, "names": a.names, "refused": a.failed}
