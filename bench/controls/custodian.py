"""Cloud Custodian on the account of the comparison: its policies are in custodian.yml, each with the checks of Reeve that ask the same."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import seed
import yaml
from verdicts import count_judged, kind

POLICIES = Path(__file__).with_name("custodian.yml")

# Member that identifies a resource, by type.
IDENTIFIERS = {
    "s3": "Name", "ec2": "InstanceId", "security-group": "GroupId", "ebs": "VolumeId", "ebs-snapshot": "SnapshotId", "ami": "ImageId",
    "network-addr": "AllocationId", "launch-template-version": "LaunchTemplateId", "vpc": "VpcId", "subnet": "SubnetId", "asg": "AutoScalingGroupARN",
    "rds": "DBInstanceArn", "rds-cluster": "DBClusterArn", "rds-snapshot": "DBSnapshotArn", "dynamodb-table": "TableArn", "iam-policy": "Arn",
    "iam-user": "Arn", "iam-group": "Arn", "iam-role": "Arn", "kms-key": "KeyArn", "cloudtrail": "TrailARN", "log-group": "logGroupArn", "sqs": "QueueArn",
    "sns": "TopicArn", "lambda": "FunctionArn", "app-elb": "LoadBalancerArn", "efs": "FileSystemArn", "elasticache-group": "ARN",
    "redshift": "ClusterNamespaceArn", "elasticsearch": "ARN", "kinesis": "StreamARN", "secrets-manager": "ARN", "eks": "arn",
    "ecs-task-definition": "taskDefinitionArn", "distribution": "ARN", "sagemaker-notebook": "NotebookInstanceArn", "message-broker": "BrokerArn",
    "account": "account_id",
}  # fmt: skip

# moto comes with hundreds of images and their snapshots: only those of the seed are compared.
OF_MOTO = ("aws.ec2.snapshot_", "aws.ec2.image_")

# Kinds of differences: who is right, and why.
KINDS = {
    "tls-form": ("Reeve", "A Deny of plain HTTP has more than one spelling, and counts only for the bucket together with its objects (S3 User Guide)"),
    "condition": (
        "Reeve",
        "A fixed organization, key or source narrows who is let in, `0.0.0.0/0` does not (S3 User Guide, the meaning of public; IAM User Guide, condition keys)",
    ),
    "blocked": ("Reeve", "The block of the bucket makes public lists and policies ineffective (S3 User Guide, blocking public access)"),
    "administrator": ("Reeve", "`*:*` is every action too, and a condition on the second factor leaves an administrator one (Security Hub IAM.1)"),
    "halves": ("Reeve", "`0.0.0.0/1` and `128.0.0.0/1` together are every address"),
    "udp": ("Reeve", "SSH is TCP alone; the filter asks for the port over any protocol"),
    "rule-off": ("Reeve", "A lifecycle rule that is disabled does nothing (S3 User Guide)"),
    "accepted-alone": ("Reeve", "A flow log of accepted connections shows no refused ones (Security Hub EC2.6 asks for rejected ones)"),
    "own-key": ("both", "Custodian takes AWS's own key (`aws/s3`) for enough, Reeve asks for a key of the account"),
    "external-id": ("both", "Custodian finds every role for another account, Reeve excuses one that demands an external ID"),
    "emulator": ("undecided", "moto leaves out the attribute that decides"),
}

RULES = [
    ("s3-kms-encryption", "*", "own-key"),
    ("s3-*", "b-acl-ignored", "blocked"),
    ("s3-*", "b-public-blocked", "blocked"),
    ("s3-plain-http", "*", "tls-form"),
    ("s3-lifecycle", "b-rule-off", "rule-off"),
    ("s3-public-policy", "*", "condition"),
    ("s3-other-accounts", "*", "condition"),
    ("topic-public", "*", "condition"),
    ("function-public", "*", "condition"),
    ("group-*", "open-halves", "halves"),
    ("group-*", "open-udp", "udp"),
    ("policy-administrator", "*", "administrator"),
    ("role-outsiders", "*", "external-id"),
    ("network-flow-logs", "*", "accepted-alone"),
    ("balancer-invalid-headers", "*", "emulator"),
]


def read_policies():
    return yaml.safe_load(POLICIES.read_text())["policies"]


def checks():
    """Checks of Reeve that a policy is compared with."""
    return {f"aws.{check}" for policy in read_policies() for check in policy.get("metadata", {}).get("checks", [])}


def run(program, endpoint, out, _):
    """Identifiers that each policy found: {policy: [identifier, ...]}; `None` for a policy that failed."""
    folder = out / "custodian"
    shutil.rmtree(folder, ignore_errors=True)
    command = [program, "run", "--region", seed.REGION, "--cache", out / "custodian.cache", "-s", folder, POLICIES]
    (out / "custodian.cache").unlink(missing_ok=True)
    with (out / "custodian.log").open("w") as log:
        subprocess.run(command, env=seed.environment(endpoint), stdout=log, stderr=log, check=False)
    found = {}
    for policy in read_policies():
        file = folder / policy["name"] / "resources.json"
        kind = policy["resource"].removeprefix("aws.")
        if not file.exists():
            found[policy["name"]] = None
            continue
        found[policy["name"]] = [identifier(kind, resource) for resource in json.loads(file.read_text())]
    return found


def identifier(kind, resource):
    if kind == "account":
        return "account"
    if kind == "redshift":
        return f"cluster:{resource['ClusterIdentifier']}"
    if kind == "log-group":
        return seed.key(resource.get("logGroupArn") or resource["arn"])
    if kind == "kms-key":
        return seed.key(resource.get("KeyArn") or resource["Arn"])
    return seed.key(resource[IDENTIFIERS[kind]])


def compare(found, of_reeve, seeded, truth_of):
    """One row a policy and resource that both know: (policy, checks, resource, Custodian, Reeve, truth)."""
    for policy in read_policies():
        metadata = policy.get("metadata")
        matched = found.get(policy["name"])
        everything = found.get("all-" + policy["resource"].removeprefix("aws."))
        if not metadata or matched is None or everything is None:
            continue
        names, fold = [f"aws.{check}" for check in metadata["checks"]], metadata.get("fold")
        if fold:
            everything, matched = ["account"], ["account"] if matched else []
        answers = of_reeve(names, fold)
        known = seeded["truth"].get(names[0], {}) if names[0].startswith(OF_MOTO) else everything
        for resource in sorted(set(everything) & set(known) & answers.keys()):
            left = "fail" if resource in matched else "pass"
            yield policy["name"], "+".join(names), seeded["names"].get(resource, resource), left, answers[resource], truth_of(names, resource)


def report(rows, found, out):
    """Counts, a table of the kinds of differences, and every difference."""
    counts, kinds, lines, compared = Counter(), Counter(), [], set()
    for policy, names, resource, left, right, known in rows:
        if right not in ("pass", "fail"):
            counts[f"Reeve {right}"] += 1
            continue
        compared.add(policy)
        outcome = "agree" if left == right and known in (None, left) else "both wrong" if left == right else "differ"
        counts[outcome] += 1
        count_judged(counts, known, Custodian=left, Reeve=right)
        verdict = ""
        if outcome == "differ":
            verdict = kind(RULES, policy, resource) or "not judged"
            kinds[verdict] += 1
        if outcome != "agree":
            lines.append(f"{outcome:12} {verdict:16} {policy} {names} {resource}: Custodian {left}, Reeve {right}, seeded {known}")
    asked = {policy["name"] for policy in read_policies() if policy.get("metadata")}
    failed = sorted(name for name, resources in found.items() if resources is None)
    table = [f"| {kinds[name]} | {right} | {why} |" for name, (right, why) in KINDS.items() if kinds[name]]
    text = [f"{len(asked)} policies of Custodian, {len(compared)} compared on at least one resource", *(f"{count:6} {name}" for name, count in sorted(counts.items()))]
    (out / "custodian.txt").write_text(
        "\n".join([*text, "", "failed: " + " ".join(failed), "not compared: " + " ".join(sorted(asked - compared)), "", *table, "", *lines]) + "\n"
    )
    print("\n".join(text))
    print(f"{kinds['not judged']} differences that no rule judges; every difference: {out / 'custodian.txt'}")
