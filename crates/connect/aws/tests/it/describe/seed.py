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
    balancing.create_listener(
        LoadBalancerArn=made["load_balancer"], Protocol="HTTP", Port=80,
        DefaultActions=[{"Type": "forward", "TargetGroupArn": targets["TargetGroupArn"]}],
    )


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


made = {}
compute(made)
data(made)
services(made, identity(made))
print(json.dumps(made))
