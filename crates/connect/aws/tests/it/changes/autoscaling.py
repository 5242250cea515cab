"""Scaling groups."""


def scaling_group(name, **options):
    template = client("ec2").create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData={"ImageId": "ami-1e749f67", "InstanceType": "m5.large"}
    )["LaunchTemplate"]["LaunchTemplateId"]
    scaling = client("autoscaling")
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=name, LaunchTemplate={"LaunchTemplateId": template}, MinSize=0, MaxSize=1,
        AvailabilityZones=[REGION + "a"], **options,
    )
    groups = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    return groups[0]["AutoScalingGroupARN"]


@change("ask_load_balancer_for_health")
def _():
    target = client("elbv2").create_target_group(
        Name="asked", Protocol="HTTP", Port=80, VpcId=ec2_network("10.31.0.0/16")
    )["TargetGroups"][0]["TargetGroupArn"]
    return {"id": scaling_group("asked", TargetGroupARNs=[target]), "with": {"check": "ELB"}}


@change("collect_group_metrics")
def _():
    return scaling_group("unmeasured")


@change("resume_group_processes")
def _():
    group = scaling_group("halted")
    client("autoscaling").suspend_processes(AutoScalingGroupName="halted", ScalingProcesses=["Launch", "AlarmNotification"])
    return {"id": group, "with": {"processes": ["Launch"]}}


@change("rebalance_group_capacity")
def _():
    return scaling_group("unbalanced")


@change("protect_group_from_deletion")
def _():
    return scaling_group("deletable")


@change("limit_machine_lifetime")
def _():
    return {"id": scaling_group("ageing"), "with": {"seconds": "2592000"}}


@change("use_mixed_instances")
def _():
    group = scaling_group("mixed")
    found = client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=["mixed"])["AutoScalingGroups"][0]
    return {
        "id": group,
        "with": {
            "rebalance": "false",
            "template": {"LaunchTemplateId": found["LaunchTemplate"]["LaunchTemplateId"], "Version": "1"},
            "types": [{"InstanceType": "m5.large"}, {"InstanceType": "m6i.large"}],
            "distribution": {
                "OnDemandBaseCapacity": "1", "OnDemandPercentageAboveBaseCapacity": "0",
                "SpotAllocationStrategy": "price-capacity-optimized",
            },
        },
    }
