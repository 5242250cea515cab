"""Creates one resource of each kind that descriptions are read of, and prints the identifier expected of each as JSON."""

import io
import json
import sys
import zipfile

import boto3
from botocore.config import Config

ENDPOINT, REGION = sys.argv[1], sys.argv[2]
# A creation that is sent again, because its answer was late, is refused.
PATIENT = Config(read_timeout=300, retries={"total_max_attempts": 1})
TAGS = [{"Key": "env", "Value": "prod"}, {"Key": "Name", "Value": "mine"}]


def client(service):
    return boto3.client(
        service,
        endpoint_url=ENDPOINT,
        region_name=REGION,
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="secret",
        config=PATIENT,
    )


def tagged(resource_type):
    return [{"ResourceType": resource_type, "Tags": TAGS}]


def compute(made):
    ec2 = client("ec2")
    network = ec2.create_vpc(CidrBlock="10.9.0.0/16", TagSpecifications=tagged("vpc"))["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=network, CidrBlock="10.9.1.0/24", TagSpecifications=tagged("subnet"))["Subnet"]["SubnetId"]
    group = ec2.create_security_group(
        GroupName="web", Description="web", VpcId=network, TagSpecifications=tagged("security-group")
    )["GroupId"]
    ec2.authorize_security_group_ingress(GroupId=group, IpProtocol="tcp", FromPort=443, ToPort=443, CidrIp="0.0.0.0/0")
    machine = ec2.run_instances(
        ImageId="ami-1e749f67", InstanceType="m5.large", MinCount=1, MaxCount=1, SubnetId=subnet,
        SecurityGroupIds=[group], UserData="a secret of the start", TagSpecifications=tagged("instance"),
    )["Instances"][0]["InstanceId"]
    volume = ec2.create_volume(AvailabilityZone=REGION + "a", Size=8, TagSpecifications=tagged("volume"))["VolumeId"]
    ec2.attach_volume(VolumeId=volume, InstanceId=machine, Device="/dev/sdf")
    table = ec2.create_route_table(VpcId=network, TagSpecifications=tagged("route-table"))["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    address = ec2.allocate_address(Domain="vpc", TagSpecifications=tagged("elastic-ip"))["AllocationId"]
    ec2.associate_address(AllocationId=address, InstanceId=machine)
    way_out = ec2.create_nat_gateway(
        SubnetId=subnet, AllocationId=ec2.allocate_address(Domain="vpc")["AllocationId"],
        TagSpecifications=tagged("natgateway"),
    )["NatGateway"]["NatGatewayId"]
    template = ec2.create_launch_template(
        LaunchTemplateName="workers", LaunchTemplateData={"ImageId": "ami-1e749f67", "InstanceType": "m5.large"},
        TagSpecifications=tagged("launch-template"),
    )["LaunchTemplate"]["LaunchTemplateId"]
    client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName="workers", LaunchTemplate={"LaunchTemplateId": template}, MinSize=0, MaxSize=1,
        VPCZoneIdentifier=subnet,
    )
    groups = client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    made.update({
        "virtual_machine": machine, "volume": volume, "network": network, "subnet": subnet, "security_group": group,
        "route_table": table, "ip_address": address, "nat_gateway": way_out, "launch_template": template,
        "scaling_group": groups[0]["AutoScalingGroupARN"],
        "snapshot": ec2.create_snapshot(VolumeId=volume, TagSpecifications=tagged("snapshot"))["SnapshotId"],
        "image": ec2.create_image(InstanceId=machine, Name="golden", TagSpecifications=tagged("image"))["ImageId"],
        "network_interface": ec2.create_network_interface(
            SubnetId=subnet, Groups=[group], TagSpecifications=tagged("network-interface")
        )["NetworkInterface"]["NetworkInterfaceId"],
    })
    balancing = client("elbv2")
    second = ec2.create_subnet(VpcId=network, CidrBlock="10.9.2.0/24", AvailabilityZone=REGION + "b")["Subnet"]["SubnetId"]
    balancer = balancing.create_load_balancer(Name="front", Subnets=[subnet, second], SecurityGroups=[group], Tags=TAGS)
    made["load_balancer"] = balancer["LoadBalancers"][0]["LoadBalancerArn"]
    targets = balancing.create_target_group(Name="front", Protocol="HTTP", Port=80, VpcId=network)["TargetGroups"][0]
    balancing.register_targets(TargetGroupArn=targets["TargetGroupArn"], Targets=[{"Id": machine}])
    made["target_group"] = targets["TargetGroupArn"]
    balancing.create_listener(
        LoadBalancerArn=made["load_balancer"], Protocol="HTTP", Port=80,
        DefaultActions=[{"Type": "forward", "TargetGroupArn": targets["TargetGroupArn"]}],
    )
    gateways(made, ec2, network, group)


def gateways(made, ec2, network, group):
    way_in = ec2.create_internet_gateway(TagSpecifications=tagged("internet-gateway"))["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=way_in, VpcId=network)
    ec2.create_route(RouteTableId=made["route_table"], DestinationCidrBlock="0.0.0.0/0", GatewayId=way_in)
    egress = ec2.create_egress_only_internet_gateway(VpcId=network, TagSpecifications=tagged("egress-only-internet-gateway"))
    transit = ec2.create_transit_gateway(Description="all", TagSpecifications=tagged("transit-gateway"))["TransitGateway"]["TransitGatewayId"]
    attachment = ec2.create_transit_gateway_vpc_attachment(TransitGatewayId=transit, VpcId=network, SubnetIds=[made["subnet"]])
    other = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    peering = ec2.create_vpc_peering_connection(VpcId=network, PeerVpcId=other, TagSpecifications=tagged("vpc-peering-connection"))
    endpoint = ec2.create_vpc_endpoint(
        VpcId=network, ServiceName=f"com.amazonaws.{REGION}.s3", RouteTableIds=[made["route_table"]], TagSpecifications=tagged("vpc-endpoint")
    )
    inner = ec2.create_security_group(GroupName="inner", Description="inner", VpcId=network)["GroupId"]
    ec2.authorize_security_group_ingress(
        GroupId=group, IpPermissions=[{"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "UserIdGroupPairs": [{"GroupId": inner}]}]
    )
    made.update({
        "internet_gateway": way_in, "egress_gateway": egress["EgressOnlyInternetGateway"]["EgressOnlyInternetGatewayId"],
        "transit_gateway": transit, "transit_attachment": attachment["TransitGatewayVpcAttachment"]["TransitGatewayAttachmentId"],
        "network_peering": peering["VpcPeeringConnection"]["VpcPeeringConnectionId"],
        "network_endpoint": endpoint["VpcEndpoint"]["VpcEndpointId"],
    })


def data(made):
    rds = client("rds")
    database = rds.create_db_instance(
        DBInstanceIdentifier="orders", DBInstanceClass="db.m5.large", Engine="postgres", AllocatedStorage=20,
        MasterUsername="root", MasterUserPassword="hunter2222", Tags=TAGS,
    )
    cluster = rds.create_db_cluster(
        DBClusterIdentifier="ledger", Engine="aurora-postgresql", MasterUsername="root", MasterUserPassword="hunter2222", Tags=TAGS
    )
    snapshot = rds.create_db_snapshot(DBSnapshotIdentifier="orders-1", DBInstanceIdentifier="orders", Tags=TAGS)
    s3 = client("s3")
    s3.create_bucket(Bucket="assets")
    s3.put_bucket_tagging(Bucket="assets", Tagging={"TagSet": TAGS})
    s3.put_bucket_versioning(Bucket="assets", VersioningConfiguration={"Status": "Enabled"})
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::assets/*"}]}
    s3.put_bucket_policy(Bucket="assets", Policy=json.dumps(policy))
    block = {"BlockPublicAcls": False, "IgnorePublicAcls": False, "BlockPublicPolicy": True, "RestrictPublicBuckets": True}
    # The host of an account would stand before the address of moto.
    control = client("s3control")
    control.meta.events.register("before-sign", lambda request, **_: setattr(request, "url", request.url.replace("123456789012.", "")))
    control.put_public_access_block(AccountId="123456789012", PublicAccessBlockConfiguration=block)
    control.create_access_point(AccountId="123456789012", Name="readers", Bucket="assets")
    delegated = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::444455556666:root"}, "Action": "s3:GetObject", "Resource": "*"}]}
    control.put_access_point_policy(AccountId="123456789012", Name="readers", Policy=json.dumps(delegated))
    made["access_point"] = f"arn:aws:s3:{REGION}:123456789012:accesspoint/readers"
    table = client("dynamodb").create_table(
        TableName="carts", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}], Tags=TAGS,
    )
    made.update({
        "database": database["DBInstance"]["DBInstanceArn"], "database_cluster": cluster["DBCluster"]["DBClusterArn"],
        "database_snapshot": snapshot["DBSnapshot"]["DBSnapshotArn"], "bucket": "assets",
        "table": table["TableDescription"]["TableArn"],
    })


def identity(made):
    iam = client("iam")
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
    policy = iam.create_policy(PolicyName="everything", PolicyDocument=json.dumps(document))["Policy"]["Arn"]
    user = iam.create_user(UserName="ann", Tags=TAGS)["User"]["Arn"]
    group = iam.create_group(GroupName="admins")["Group"]["Arn"]
    iam.add_user_to_group(GroupName="admins", UserName="ann")
    iam.attach_group_policy(GroupName="admins", PolicyArn=policy)
    role = iam.create_role(RoleName="runner", AssumeRolePolicyDocument=json.dumps(trust), Tags=TAGS)["Role"]["Arn"]
    iam.attach_role_policy(RoleName="runner", PolicyArn=policy)
    key = client("kms").create_key(Description="data", Tags=[{"TagKey": t["Key"], "TagValue": t["Value"]} for t in TAGS])
    secret = client("secretsmanager").create_secret(Name="password", SecretString="the value", Tags=TAGS)
    made.update({
        "iam_user": user, "iam_group": group, "iam_role": role, "iam_policy": policy,
        "access_key": iam.create_access_key(UserName="ann")["AccessKey"]["AccessKeyId"],
        "credential_report": "arn:aws:iam::123456789012:credential-report",
        "encryption_key": key["KeyMetadata"]["Arn"], "secret": secret["ARN"],
    })
    return role


def services(made, role):
    trail = client("cloudtrail").create_trail(Name="all", S3BucketName="assets")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("main.py", "def handler(event, context): pass")
    function = client("lambda").create_function(
        FunctionName="resize", Runtime="python3.12", Role=role, Handler="main.handler",
        Code={"ZipFile": archive.getvalue()}, Environment={"Variables": {"TOKEN": "a secret of the function"}},
    )
    queue = client("sqs").create_queue(QueueName="jobs")["QueueUrl"]
    cluster = client("eks").create_cluster(
        name="main", roleArn=role, resourcesVpcConfig={"subnetIds": [made["subnet"]], "securityGroupIds": [made["security_group"]]},
        tags={"env": "prod"},
    )
    topic = client("sns").create_topic(Name="alerts")["TopicArn"]
    client("cloudwatch").put_metric_alarm(
        AlarmName="hot", Namespace="AWS/EC2", MetricName="CPUUtilization", Statistic="Average", Period=60, Threshold=90,
        EvaluationPeriods=1, ComparisonOperator="GreaterThanThreshold", AlarmActions=[topic],
    )
    made.update({
        "trail": trail["TrailARN"], "function": function["FunctionArn"], "topic": topic,
        "queue": client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"],
        "kubernetes_cluster": cluster["cluster"]["arn"],
        "container_cluster": client("ecs").create_cluster(clusterName="jobs")["cluster"]["clusterArn"],
        "alarm": client("cloudwatch").describe_alarms()["MetricAlarms"][0]["AlarmArn"],
    })


def guarded(made):
    """Kinds that checks of controls read: networks, identities and what watches."""
    ec2, iam, balancing = client("ec2"), client("iam"), client("elb")
    ec2.modify_image_attribute(
        ImageId=made["image"], LaunchPermission={"Add": [{"UserId": "444455556666"}]}
    )
    wall = ec2.create_network_acl(VpcId=made["network"], TagSpecifications=tagged("network-acl"))["NetworkAcl"]["NetworkAclId"]
    log = ec2.create_flow_logs(
        ResourceIds=[made["network"]], ResourceType="VPC", TrafficType="ALL", LogDestinationType="s3",
        LogDestination="arn:aws:s3:::assets", TagSpecifications=tagged("vpc-flow-log"),
    )["FlowLogIds"][0]
    iam.update_account_password_policy(MinimumPasswordLength=14, MaxPasswordAge=90, PasswordReusePrevention=24)
    balancing.create_load_balancer(
        LoadBalancerName="old", Subnets=[made["subnet"]], SecurityGroups=[made["security_group"]], Tags=TAGS,
        Listeners=[{"Protocol": "HTTP", "LoadBalancerPort": 80, "InstancePort": 80}],
    )
    balancing.create_load_balancer_policy(
        LoadBalancerName="old", PolicyName="tls", PolicyTypeName="SSLNegotiationPolicyType",
        PolicyAttributes=[{"AttributeName": "Protocol-TLSv1.2", "AttributeValue": "true"}],
    )
    client("cloudtrail").put_event_selectors(
        TrailName="all", EventSelectors=[{"ReadWriteType": "All", "IncludeManagementEvents": True, "DataResources": []}]
    )
    detector = client("guardduty").create_detector(Enable=True, Tags={"env": "prod"})["DetectorId"]
    config = client("config")
    config.put_configuration_recorder(
        ConfigurationRecorder={
            "name": "default", "roleARN": made["iam_role"],
            "recordingGroup": {"allSupported": True, "includeGlobalResourceTypes": True},
        }
    )
    config.put_delivery_channel(DeliveryChannel={"name": "default", "s3BucketName": "assets"})
    config.start_configuration_recorder(ConfigurationRecorderName="default")
    client("logs").create_log_group(logGroupName="trail", kmsKeyId=made["encryption_key"])
    acl = client("wafv2").create_web_acl(
        Name="front", Scope="REGIONAL", DefaultAction={"Allow": {}}, Tags=TAGS,
        VisibilityConfig={"SampledRequestsEnabled": True, "CloudWatchMetricsEnabled": True, "MetricName": "front"},
    )
    client("wafv2").put_logging_configuration(
        LoggingConfiguration={
            "ResourceArn": acl["Summary"]["ARN"],
            "LogDestinationConfigs": [f"arn:aws:logs:{REGION}:123456789012:log-group:aws-waf-logs-front"],
        }
    )
    certificate = client("acm").request_certificate(DomainName="www.example.com", ValidationMethod="DNS", Tags=TAGS)
    account = "123456789012"
    made.update({
        "network_acl": wall, "flow_log": log,
        "volume_defaults": f"arn:aws:ec2:{REGION}:{account}:ebs-encryption-by-default",
        "classic_load_balancer": f"arn:aws:elasticloadbalancing:{REGION}:{account}:loadbalancer/old",
        "region": f"arn:aws:ec2:{REGION}:{account}:region",
        "password_policy": f"arn:aws:iam::{account}:password-policy",
        "account_summary": f"arn:aws:iam::{account}:account-summary",
        "threat_detector": f"arn:aws:guardduty:{REGION}:{account}:detector/{detector}",
        "configuration_recorder": f"arn:aws:config:{REGION}:{account}:configuration-recorder/default",
        "log_group": f"arn:aws:logs:{REGION}:{account}:log-group:trail",
        "web_firewall": acl["Summary"]["ARN"],
        "certificate": certificate["CertificateArn"],
    })


def kept(made):
    """Kinds that checks of controls read: what holds data."""
    cluster = client("redshift").create_cluster(
        ClusterIdentifier="facts", NodeType="ra3.large", MasterUsername="root", MasterUserPassword="Hunter2222", Tags=TAGS,
    )["Cluster"]["ClusterIdentifier"]
    files = client("efs")
    system = files.create_file_system(CreationToken="shared", Encrypted=True, Backup=True, Tags=TAGS)
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "elasticfilesystem:ClientMount"}]}
    files.put_file_system_policy(FileSystemId=system["FileSystemId"], Policy=json.dumps(policy))
    files.create_mount_target(FileSystemId=system["FileSystemId"], SubnetId=made["subnet"])
    cache = client("elasticache").create_replication_group(
        ReplicationGroupId="sessions", ReplicationGroupDescription="sessions", Engine="redis", CacheNodeType="cache.m7g.large",
        NumCacheClusters=2, AutomaticFailoverEnabled=True, TransitEncryptionEnabled=True, AtRestEncryptionEnabled=True, Tags=TAGS,
    )
    client("elasticache").create_cache_subnet_group(
        CacheSubnetGroupName="caches", CacheSubnetGroupDescription="caches", SubnetIds=[made["subnet"]],
    )
    node = client("elasticache").create_cache_cluster(
        CacheClusterId="carts", Engine="redis", CacheNodeType="cache.m7g.large", NumCacheNodes=1, CacheSubnetGroupName="caches",
        SecurityGroupIds=[made["security_group"]], Tags=TAGS,
    )
    domain = client("opensearch").create_domain(
        DomainName="words", EngineVersion="OpenSearch_2.19", EncryptionAtRestOptions={"Enabled": True}, TagList=TAGS,
        VPCOptions={"SubnetIds": [made["subnet"]], "SecurityGroupIds": [made["security_group"]]},
    )
    streams = client("kinesis")
    streams.create_stream(StreamName="clicks", ShardCount=1)
    streams.add_tags_to_stream(StreamName="clicks", Tags={tag["Key"]: tag["Value"] for tag in TAGS})
    stream = streams.describe_stream_summary(StreamName="clicks")["StreamDescriptionSummary"]["StreamARN"]
    made.update({
        "warehouse": f"arn:aws:redshift:{REGION}:123456789012:cluster:{cluster}",
        "file_system": system["FileSystemArn"],
        "cache_cluster": cache["ReplicationGroup"]["ARN"],
        "cache_node": node["CacheCluster"]["ARN"],
        "search_domain": domain["DomainStatus"]["ARN"],
        "stream": stream,
    })


def built(made):
    """Kinds that checks of controls read: what runs and what is in front of it."""
    task = client("ecs").register_task_definition(
        family="mail", taskRoleArn=made["iam_role"], tags=[{"key": "env", "value": "prod"}],
        containerDefinitions=[{
            "name": "mail", "image": "mail:1", "memory": 128,
            "environment": [{"name": "TOKEN", "value": "a secret of the task"}],
        }],
    )["taskDefinition"]["taskDefinitionArn"]
    distribution = client("cloudfront").create_distribution_with_tags(DistributionConfigWithTags={
        "DistributionConfig": {
            "CallerReference": "front", "Comment": "front", "Enabled": True,
            "Origins": {"Quantity": 1, "Items": [{
                "Id": "assets", "DomainName": "assets.s3.amazonaws.com", "S3OriginConfig": {"OriginAccessIdentity": ""},
                "CustomHeaders": {"Quantity": 1, "Items": [{"HeaderName": "X-From", "HeaderValue": "a secret of the origin"}]},
            }]},
            "DefaultCacheBehavior": {
                "TargetOriginId": "assets", "ViewerProtocolPolicy": "redirect-to-https", "MinTTL": 0,
                "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}},
            },
        },
        "Tags": {"Items": TAGS},
    })["Distribution"]["ARN"]
    gateway = client("apigateway")
    api = gateway.create_rest_api(name="orders", tags={"env": "prod"})["id"]
    root = gateway.get_resources(restApiId=api)["items"][0]["id"]
    gateway.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
    gateway.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
    gateway.create_deployment(restApiId=api, stageName="live")
    zone = client("route53").create_hosted_zone(Name="example.com", CallerReference="zone")["HostedZone"]["Id"]
    project = client("codebuild").create_project(
        name="site", source={"type": "S3", "location": "assets/site.zip"}, artifacts={"type": "NO_ARTIFACTS"},
        environment={"type": "LINUX_CONTAINER", "image": "aws/codebuild/standard:7.0", "computeType": "BUILD_GENERAL1_SMALL"},
        serviceRole=made["iam_role"], tags=[{"key": "env", "value": "prod"}],
    )["project"]["arn"]
    notebook = client("sagemaker").create_notebook_instance(
        NotebookInstanceName="study", InstanceType="ml.t3.medium", RoleArn=made["iam_role"], SubnetId=made["subnet"],
        SecurityGroupIds=[made["security_group"]], Tags=TAGS,
    )["NotebookInstanceArn"]
    machine = client("stepfunctions").create_state_machine(
        name="returns", roleArn=made["iam_role"], tags=[{"key": "env", "value": "prod"}],
        definition=json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}}),
    )["stateMachineArn"]
    broker = client("mq").create_broker(
        BrokerName="events", EngineType="ACTIVEMQ", EngineVersion="5.18", DeploymentMode="SINGLE_INSTANCE",
        HostInstanceType="mq.m5.large", PubliclyAccessible=False, AutoMinorVersionUpgrade=True,
        SubnetIds=[made["subnet"]], SecurityGroups=[made["security_group"]], Tags={"env": "prod"},
        Users=[{"Username": "admin", "Password": "hunter2222222"}],
    )["BrokerArn"]
    made.update({
        "task_definition": task, "distribution": distribution, "api": f"arn:aws:apigateway:{REGION}::/restapis/{api}",
        "dns_zone": zone, "build_project": project, "notebook": notebook, "state_machine": machine, "message_broker": broker,
    })


made = {}
compute(made)
data(made)
services(made, identity(made))
guarded(made)
kept(made)
built(made)
print(json.dumps(made))
