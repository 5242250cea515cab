#!/usr/bin/env python3
"""Compares `reeve analyze access` with Cloudsplaining on one account with several principals: see README.md.

Usage: account.py [--reeve PROGRAM], with a Python that has Cloudsplaining 0.9.1.
"""

import argparse
import logging
import os
import tempfile
from pathlib import Path

from beside import of_cloudsplaining, of_reeve
from cases import ADMIN, Account, allow, arn, document, managed, trusting

VERSION = ["iam:CreatePolicyVersion"]
LAMBDA = ["lambda:CreateFunction", "lambda:InvokeFunction"]


def seeded():
    """The account, and of each principal whether it can become an administrator, with the reason."""
    account = Account()
    truth = {}

    def user(name, is_true, why, *inline, **more):
        made = account.user(name, inline=inline, **more)
        truth[arn(f"user/{name}")] = (is_true, why)
        return made

    account.role("lambda-admin", trusting({"Service": "lambda.amazonaws.com"}), arns=[ADMIN])
    account.role("ec2-weak", trusting({"Service": "ec2.amazonaws.com"}), inline=[document(allow(["s3:GetObject"]))])
    account.role("ops-admin", trusting({"AWS": arn("user/operator")}), arns=[ADMIN])
    account.role("helper", trusting({"AWS": arn("user/chained")}), inline=[document(allow(["iam:PutRolePolicy"], arn("role/helper")))])
    account.user("admin", arns=[ADMIN])
    account.policies.append(managed("shared", document(allow(VERSION))))
    account.policies.append(managed("groups", document(allow(["iam:AttachGroupPolicy"]))))
    account.group("builders", arn("policy/groups"))

    user("versions", True, "makes a new version of a managed policy that it has", arns=[arn("policy/shared")])
    user("grouped", True, "its group lets it attach a policy to the group", groups=["builders"])
    user("split", True, "passes a role by one policy and makes a function by another", document(allow(["iam:PassRole"])), document(allow(LAMBDA)))
    user("keys", True, "makes an access key of the administrator alone", document(allow(["iam:CreateAccessKey"], arn("user/admin"))))
    user("operator", True, "assumes a role that is an administrator and trusts it", document(allow(["sts:AssumeRole"], arn("role/ops-admin"))))
    user("chained", True, "assumes a role that may write its own policy", document(allow(["sts:AssumeRole"], arn("role/helper"))))
    user("negated", True, "is allowed everything but S3", document({"Effect": "Allow", "NotAction": "s3:*", "Resource": "*"}))
    mfa = {"Condition": {"Bool": {"aws:MultiFactorAuthPresent": "true"}}}
    user("second-factor", True, "may attach a policy to users after a second factor", document(allow(["iam:AttachUserPolicy"], **mfa)))

    bounded = user("bounded", False, "its permissions boundary allows S3 alone", document(allow(["iam:AttachUserPolicy"])))
    account.policies.append(managed("only-s3", document(allow(["s3:*"]))))
    bounded["PermissionsBoundary"] = {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": arn("policy/only-s3")}
    denial = document({"Effect": "Deny", "Action": "iam:*", "Resource": "*"})
    user("denied", False, "another policy denies it everything of IAM", document(allow(["iam:AttachUserPolicy"])), denial)
    user("own-keys", False, "makes access keys of itself alone", document(allow(["iam:CreateAccessKey"], arn("user/own-keys"))))
    user("stranger", False, "may assume a role that does not trust it", document(allow(["sts:AssumeRole"], arn("role/ops-admin"))))
    ecs = allow(["iam:PassRole"], Condition={"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}})
    user("conditional", False, "passes roles to another service than the one that it may use", document(ecs, allow(LAMBDA)))
    user("machines", False, "starts machines, and no administrator trusts EC2", document(allow(["iam:PassRole", "ec2:RunInstances"])))
    user("weak-target", False, "passes one role, which is none", document(allow(["iam:PassRole"], arn("role/ec2-weak")), allow(["ec2:RunInstances"])))
    user("reader", False, "reads IAM", document(allow(["iam:Get*", "iam:List*"])))
    return account, truth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reeve", default=os.environ.get("REEVE_BIN", "reeve"))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)

    everything = {"flag_conditional_statements": True, "flag_resource_arn_statements": True}
    account, truth = seeded()
    right = [0, 0, 0]
    word = {True: "yes", False: "no"}
    print("| principal | becomes an administrator | Reeve | Cloudsplaining | with its flags | because it |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for principal, (expected, why) in truth.items():
            answers = [
                of_reeve(options.reeve, Path(folder), account, principal, "--admins"),
                of_cloudsplaining(account, principal, {}),
                of_cloudsplaining(account, principal, everything),
            ]
            right = [count + (answer == expected) for count, answer in zip(right, answers, strict=True)]
            cells = [word[expected], *(word[answer] + ("" if answer == expected else " (wrong)") for answer in answers)]
            print(f"| {principal.rsplit('/', 1)[1]} | {' | '.join(cells)} | {why} |")
    print(f"\nRight of {len(truth)}: Reeve {right[0]}, Cloudsplaining {right[1]}, with its flags {right[2]}")


if __name__ == "__main__":
    main()
