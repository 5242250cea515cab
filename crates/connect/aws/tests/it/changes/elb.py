"""Application and network load balancers."""


def balancer(name, kind="application"):
    ec2 = client("ec2")
    network = ec2_network("10.30.0.0/16")
    subnets = [
        ec2.create_subnet(VpcId=network, CidrBlock=f"10.30.{at}.0/24", AvailabilityZone=REGION + zone)["Subnet"]["SubnetId"]
        for at, zone in enumerate("ab")
    ]
    balancing = client("elbv2")
    made = balancing.create_load_balancer(Name=name, Subnets=subnets, Type=kind)["LoadBalancers"][0]
    return made["LoadBalancerArn"], network


def balancer_with(name, kind="application", **values):
    """A balancer with attributes, which moto has none of by itself."""
    arn, _ = balancer(name, kind=kind)
    given = [{"Key": key.replace("__", "."), "Value": value} for key, value in values.items()]
    client("elbv2").modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=given)
    return arn


def balancer_listening(name, *protocols, kind="application"):
    arn, network = balancer(name, kind=kind)
    balancing = client("elbv2")
    certificate = client("iam").upload_server_certificate(
        ServerCertificateName=name, CertificateBody="certificate", PrivateKey="key"
    )["ServerCertificateMetadata"]["Arn"]
    inner = "TCP" if kind == "network" else "HTTP"
    target = balancing.create_target_group(Name=name, Protocol=inner, Port=80, VpcId=network)["TargetGroups"][0]["TargetGroupArn"]
    for protocol in protocols:
        secure = {"Certificates": [{"CertificateArn": certificate}], "SslPolicy": "ELBSecurityPolicy-2016-08"}
        balancing.create_listener(
            LoadBalancerArn=arn, Protocol=protocol, Port=80 if protocol == "HTTP" else 443,
            DefaultActions=[{"Type": "forward", "TargetGroupArn": target}],
            **({} if protocol == "HTTP" else secure),
        )
    return arn


@change("protect_load_balancer_from_deletion")
def _():
    return balancer("deletable")[0]


@change("drop_invalid_headers")
def _():
    return balancer_with("all-headers", routing__http__drop_invalid_header_fields__enabled="false")


@change("enable_load_balancer_logs")
def _():
    return {"id": balancer_with("unlogged", access_logs__s3__enabled="false"), "with": {"bucket": "logs-of-balancers"}}


@change("enable_connection_logs")
def _():
    quiet = balancer_with("quiet", connection_logs__s3__enabled="false", connection_logs__s3__bucket="former")
    return {"id": quiet, "with": {"bucket": "logs-of-balancers"}}


@change("enable_cross_zone")
def _():
    return balancer("zonal", kind="network")[0]


@change("stop_request_smuggling")
def _():
    return balancer_with("watching", routing__http__desync_mitigation_mode="monitor")


@change("close_when_web_firewall_fails")
def _():
    return balancer_with("failing-open", waf__fail_open__enabled="true")


@change("redirect_listener_to_https")
def _():
    return {"id": balancer_listening("both", "HTTP", "HTTPS"), "with": {"port": "443"}}


@change("strengthen_listener_policy")
def _():
    policy = "ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09"
    return {"id": balancer_listening("weak", "HTTPS"), "with": {"policy": policy}}


@change("strengthen_tls_listener_policy")
def _():
    policy = "ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09"
    return {"id": balancer_listening("weak-network", "TLS", kind="network"), "with": {"policy": policy}}
