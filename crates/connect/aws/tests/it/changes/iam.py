"""Identities."""


@change("strengthen_password_policy")
def _():
    client("iam").update_account_password_policy(
        MinimumPasswordLength=10, RequireNumbers=True, RequireSymbols=False, AllowUsersToChangePassword=True
    )
    values = {"length": 14, "age": 90, "hard": False, "own": True, "former_age": [], "former_reuse": []}
    return {"id": f"arn:aws:iam::{ACCOUNT}:password-policy", "with": values}


@change("deactivate_access_key")
def _():
    client("iam").create_user(UserName="ann")
    return client("iam").create_access_key(UserName="ann")["AccessKey"]["AccessKeyId"]


@change("block_user")
def _():
    return client("iam").create_user(UserName="ben")["User"]["Arn"]


@change("block_role")
def _():
    return role("intruder")


@change("revoke_user_sessions")
def _():
    arn = client("iam").create_user(UserName="cem")["User"]["Arn"]
    return {"id": arn, "with": {"until": "2026-11-28T12:00:00Z"}}


@change("revoke_role_sessions")
def _():
    return {"id": role("stolen"), "with": {"until": "2026-11-28T12:00:00Z"}}


def role(name):
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}],
    }
    made = client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))
    return made["Role"]["Arn"]
