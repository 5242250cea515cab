"""Kinds of differences, who is right in each, and why by the documentation of AWS.

A rule is (check of Prowler, resource, kind) with the wildcards of a shell; the first that fits counts. "Both" means that the programs ask or say
the same in different ways, "undecided" that moto answers what AWS does not.
"""

from fnmatch import fnmatchcase

KINDS = {
    "ports-once": ("both", "A group that opens every port fails one check of Prowler, whose checks of single ports then pass; it fails each check of Reeve"),
    "halves": ("Reeve", "`0.0.0.0/1` and `128.0.0.0/1` together are every address"),
    "udp-memcached": ("Reeve", "Memcached answers over UDP too; Prowler looks at TCP alone"),
    "condition": ("Reeve", "A fixed KMS key narrows who writes (S3 User Guide, the meaning of public)"),
    "blocked": ("Reeve", "The block of the bucket shuts a public policy to other accounts (S3 User Guide, blocking public access)"),
    "tls-form": (
        "Reeve",
        "A Deny of plain HTTP has more than one spelling, and counts only for the bucket with its objects, every action and every caller (S3 User Guide, security best practices)",
    ),
    "own-key": ("both", "Prowler takes AWS's own key (`aws/s3`) for enough, Reeve asks for a key of the account"),
    "no-address": ("Reeve", "A machine without a public address is not reached from the internet (VPC User Guide, internet gateways)"),
    "template-silent": (
        "Reeve",
        "A template without metadata options starts machines that take IMDSv1, unless image or account say otherwise (EC2 User Guide, instance metadata options)",
    ),
    "accepted-alone": ("Reeve", "A flow log of accepted connections shows no refused ones (Security Hub EC2.6 asks for rejected ones)"),
    "one-day": ("Reeve", "One day of backups is too few for Security Hub RDS.11, which asks for seven"),
    "administrator": (
        "Reeve",
        "`*:*` is every action, and `NotAction` of a service is not (Security Hub IAM.1); an administrator's policy of the account, or inside a user, is one too",
    ),
    "escalation-error": ("Reeve", "Prowler's expansion of actions ends with an error (service `codestar` is unknown to it), which counts as pass"),
    "single-action": (
        "Reeve",
        "`kms:Decrypt` or `kms:D*` on every key fails Security Hub KMS.1, `cloudtrail:StopLogging` ends the log; Prowler asks for `kms:*` and `cloudtrail:*` alone",
    ),
    "every-action": ("Reeve", "`*:*`, `NotAction` of another service and `sts:AssumeR*` include `sts:AssumeRole` (IAM User Guide, policy elements)"),
    "no-policy": ("Reeve", "Without a policy of the file system, clients need a mount target inside the network (EFS User Guide, blocking public access)"),
    "warehouse": (
        "Reeve",
        "Security Hub Redshift.1 asks for the public address, Redshift.3 for seven days of automatic snapshots; Prowler asks for an open group as well, and for any snapshot",
    ),
    "host-network": ("Reeve", "Security Hub ECS.17 forbids the host's network to every task; Prowler excuses privileged containers"),
    "password-in-address": ("Reeve", "A password in an address is one with GitHub as well; Prowler, like Security Hub CodeBuild.1, looks at Bitbucket alone"),
    "emulator": (
        "undecided",
        "moto leaves out or fixes what decides: selectors of trails, times of delivery, monitoring roles, engine versions, certificates, logs of state machines, protection of "
        "Kubernetes clusters, visibility of builds",
    ),
}

RULES = [
    ("ec2_securitygroup_*", "open-halves", "halves"),
    ("ec2_securitygroup_*", "open-udp-memcached", "udp-memcached"),
    ("ec2_securitygroup_*", "open-p*", "ports-once"),
    ("s3_bucket_*", "b-public-blocked", "blocked"),
    ("s3_bucket_public_access", "*", "condition"),
    ("s3_bucket_cross_account_access", "*", "condition"),
    ("s3_bucket_secure_transport_policy", "*", "tls-form"),
    ("s3_bucket_kms_encryption", "*", "own-key"),
    ("ec2_instance_port_*", "*", "no-address"),
    ("ec2_launch_template_imdsv2_required", "silent", "template-silent"),
    ("vpc_flow_logs_enabled", "*", "accepted-alone"),
    ("rds_instance_backup_enabled", "*", "one-day"),
    ("iam_customer_*", "*", "administrator"),
    ("iam_user_administrator_access_policy", "*", "administrator"),
    ("iam_policy_allows_privilege_escalation", "*", "escalation-error"),
    ("iam_policy_no_full_access_to_*", "*", "single-action"),
    ("iam_no_custom_policy_permissive_role_assumption", "*", "every-action"),
    ("efs_not_publicly_accessible", "*", "no-policy"),
    ("redshift_*", "*", "warehouse"),
    ("ecs_task_definitions_host_networking_mode_users", "*", "host-network"),
    ("codebuild_project_source_repo_url_no_sensitive_credentials", "*", "password-in-address"),
    ("cloudtrail_*", "*", "emulator"),
    ("rds_instance_enhanced_monitoring_enabled", "*", "emulator"),
    ("rds_instance_deprecated_engine_version", "*", "emulator"),
    ("rds_instance_certificate_expiration", "*", "emulator"),
    ("stepfunctions_*", "*", "emulator"),
    ("eks_cluster_*", "*", "emulator"),
    ("codebuild_project_not_publicly_accessible", "*", "emulator"),
]


def kind(rules, check, resource):
    """Kind of a difference; `None` where nobody has judged it yet."""
    return next((kind for checks, resources, kind in rules if fnmatchcase(check, checks) and fnmatchcase(resource, resources)), None)


def count_judged(counts, known, **answers):
    """Counts what each program answered to what is seeded."""
    for name, answer in answers.items():
        if known and answer in ("pass", "fail"):
            counts[f"seeded and judged by {name}"] += 1
            counts[f"seeded and judged by {name}, right"] += answer == known
