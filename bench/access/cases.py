"""Accounts with one principal whose escalation is known by construction: one per technique and manner.

The permissions of the techniques are those of crates/iam/data/techniques.toml, and so of pathfinding.cloud. The truth of a case follows from how it is
built, not from a program.
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ACCOUNT = "111122223333"
ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess"
DATE = "2026-01-01T00:00:00Z"
# Manner, whether the principal reaches an administrator, and what it shows.
MANNERS = {
    "whole": (True, "all permissions in one policy"),
    "split": (True, "the permissions over a policy of the principal and another one"),
    "missing": (False, "one permission missing"),
    "denied": (False, "one permission denied by another policy"),
    "boundary": (False, "one permission outside the permissions boundary"),
    "condition": (False, "passing the role to another service only"),
    "untrusted": (False, "no role trusts the service"),
    "weak": (False, "the target has no more permissions than the principal"),
    "organization": (False, "one permission denied by a service control policy"),
}


def techniques():
    text = (ROOT / "crates/iam/data/techniques.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["techniques"]


def arn(kind):
    return f"arn:aws:iam::{ACCOUNT}:{kind}"


def document(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def allow(actions, resources="*", **more):
    return {"Effect": "Allow", "Action": sorted(actions), "Resource": resources, **more}


def trusting(principal):
    return document({"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"})


def managed(name, body):
    version = {"VersionId": "v1", "IsDefaultVersion": True, "CreateDate": DATE, "Document": body}
    return {
        "PolicyName": name, "PolicyId": f"ANPA{name.upper()}", "Arn": arn(f"policy/{name}"), "Path": "/", "DefaultVersionId": "v1", "AttachmentCount": 1,
        "PermissionsBoundaryUsageCount": 0, "IsAttachable": True, "CreateDate": DATE, "UpdateDate": DATE, "PolicyVersionList": [version],
    }


def attached(*arns):
    return [{"PolicyName": one.rsplit("/", 1)[1], "PolicyArn": one} for one in arns]


class Account:
    """Authorization details of one case."""

    def __init__(self):
        self.users, self.groups, self.roles, self.policies, self.beside = [], [], [], [], {}
        admin = managed("AdministratorAccess", document({"Effect": "Allow", "Action": "*", "Resource": "*"}))
        self.policies.append({**admin, "Arn": ADMIN})

    def user(self, name, inline=(), arns=(), groups=()):
        self.users.append({
            "UserName": name, "UserId": f"AIDA{name.upper()}", "Arn": arn(f"user/{name}"), "Path": "/", "CreateDate": DATE, "GroupList": list(groups),
            "UserPolicyList": [{"PolicyName": f"inline{n}", "PolicyDocument": body} for n, body in enumerate(inline)],
            "AttachedManagedPolicies": attached(*arns), "Tags": [],
        })
        return self.users[-1]

    def role(self, name, trust, inline=(), arns=()):
        self.roles.append({
            "RoleName": name, "RoleId": f"AROA{name.upper()}", "Arn": arn(f"role/{name}"), "Path": "/", "CreateDate": DATE,
            "AssumeRolePolicyDocument": trust, "InstanceProfileList": [{"InstanceProfileName": name, "Roles": []}], "Tags": [],
            "RolePolicyList": [{"PolicyName": f"inline{n}", "PolicyDocument": body} for n, body in enumerate(inline)],
            "AttachedManagedPolicies": attached(*arns), "RoleLastUsed": {},
        })
        return self.roles[-1]

    def group(self, name, *arns):
        self.groups.append({
            "GroupName": name, "GroupId": f"AGPA{name.upper()}", "Arn": arn(f"group/{name}"), "Path": "/", "CreateDate": DATE,
            "GroupPolicyList": [], "AttachedManagedPolicies": attached(*arns),
        })

    def details(self):
        return {"UserDetailList": self.users, "GroupDetailList": self.groups, "RoleDetailList": self.roles, "Policies": self.policies}


def actions_of(technique):
    return {one["action"] for call in technique["calls"] for one in call if one["on"] != "@trusting_target"}


def filled(form):
    return form.format(partition="aws", region="eu-west-1", account=ACCOUNT).replace("*", "thing")


def case(technique, manner, every):
    """The account of a case and the ARN of its principal; none where the manner does not apply."""
    actions = actions_of(technique)
    target, effect = technique["target"], technique["effect"]
    changed = effect in ("empower", "become_empowered")
    passing = "iam:PassRole" in actions
    if manner == "condition" and not passing or manner == "untrusted" and target != "service_role":
        return None
    if manner == "weak" and changed or manner == "split" and len(actions) < 2:
        return None
    if manner in ("untrusted", "weak") and "ssm" in technique["id"]:
        return None

    lost = sorted(actions)[0]
    if manner == "missing":
        rest = actions - {lost}
        # What is left may be a technique of its own.
        if not rest or any(actions_of(one) <= rest for one in every):
            return None
        actions = rest
    # Where the principal could change itself as well, its permissions are for the target alone.
    scope = "*"
    if effect == "become_empowered":
        scope = [arn("user/target"), arn("role/target"), arn("policy/oftarget")]
    statement = allow(actions, scope)
    inline, extra = [document(statement)], []
    if manner == "split":
        inline, extra = [document(allow({lost}, scope))], [document(allow(actions - {lost}, scope))]
    if manner == "denied":
        extra = [document({"Effect": "Deny", "Action": [lost], "Resource": "*"})]
    if manner == "condition":
        elsewhere = {"StringEquals": {"iam:PassedToService": "monitoring.rds.amazonaws.com"}}
        inline = [document(allow(actions - {"iam:PassRole"}), allow({"iam:PassRole"}, Condition=elsewhere))]

    account = Account()
    for number, body in enumerate(extra):
        account.policies.append(managed(f"extra{number}", body))
    arns = [arn(f"policy/extra{number}") for number in range(len(extra))]
    power = [] if manner == "weak" else [ADMIN]
    nothing = document(allow({"s3:ListAllMyBuckets"}))
    service = {"Service": ["monitoring.rds.amazonaws.com"] if manner == "untrusted" else technique.get("services", [])}
    elsewhere, own = trusting({"AWS": "444455556666"}), trusting({"AWS": arn("root")})
    name, kind = "caller", "user"

    if target in ("service_role", "workload_role"):
        account.role("target", trusting(service), arns=power)
    elif target == "role":
        trust = elsewhere if any(one["action"] == "iam:UpdateAssumeRolePolicy" for call in technique["calls"] for one in call) else own
        if effect == "become_empowered":
            account.policies.append(managed("oftarget", nothing))
            account.role("target", trust, arns=[arn("policy/oftarget")])
        else:
            account.role("target", trust, arns=power)
    elif target == "user":
        account.user("target", arns=[] if effect == "become_empowered" else power)
    elif target == "group":
        account.group("target", *power)

    if target == "own_role":
        kind = "role"
        principal = account.role(name, elsewhere, inline, arns)
    elif target == "own_policy":
        account.policies.append(managed("own", inline[0]))
        principal = account.user(name, [], [*arns, arn("policy/own")])
    elif target == "own_group":
        account.group("mine")
        principal = account.user(name, inline, arns, ["mine"])
    else:
        principal = account.user(name, inline, arns)

    if manner == "boundary":
        account.policies.append(managed("limits", document({"Effect": "Allow", "NotAction": [lost], "Resource": "*"})))
        principal["PermissionsBoundary"] = {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": arn("policy/limits")}
    if manner == "organization":
        full = document({"Effect": "Allow", "Action": "*", "Resource": "*"}, {"Effect": "Deny", "Action": [lost], "Resource": "*"})
        account.beside = {"service_control_policies": [{"level": "Root", "policies": [{"name": "Limits", "policy": full}]}]}
    workloads = []
    if "workload" in technique:
        workloads.append({"arn": filled(technique["workload"]), "role": arn("role/target")})
    if "exists" in technique:
        workloads.append({"arn": filled(technique["exists"])})
    if workloads:
        account.beside["workloads"] = workloads
    return account, arn(f"{kind}/{name}")


def cases():
    every = techniques()
    for technique in every:
        for manner in MANNERS:
            built = case(technique, manner, every)
            if built:
                yield technique["id"], manner, *built
