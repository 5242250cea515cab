"""Kubernetes clusters."""


def kubernetes(name):
    role = f"arn:aws:iam::{ACCOUNT}:role/eks"
    network = {"subnetIds": [], "endpointPublicAccess": True, "endpointPrivateAccess": False, "publicAccessCidrs": ["0.0.0.0/0"]}
    return client("eks").create_cluster(name=name, roleArn=role, resourcesVpcConfig=network)["cluster"]["arn"]


@change("enable_cluster_logs")
def _():
    logs = [
        {"enabled": True, "types": ["api", "audit", "authenticator"]},
        {"enabled": False, "types": ["controllerManager", "scheduler"]},
    ]
    return {"id": kubernetes("silent"), "with": {"logs": logs}}


@change("make_cluster_endpoint_private")
def _():
    return kubernetes("public")


@change("enable_private_cluster_endpoint")
def _():
    return kubernetes("public-alone")


@change("protect_kubernetes_cluster_from_deletion")
def _():
    return kubernetes("unprotected")
