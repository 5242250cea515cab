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


def policy(*actions):
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": "*"}]}


def role(name):
    trust = policy("sts:AssumeRole")["Statement"][0] | {"Principal": {"Service": "ec2.amazonaws.com"}}
    del trust["Resource"]
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    return client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"]


def user(name):
    return client("iam").create_user(UserName=name)["User"]["Arn"]


FORMER, TIGHT = policy("s3:GetObject", "sqs:*"), policy("s3:GetObject")


def named(name, document):
    return {"PolicyName": name, "PolicyDocument": document}


for kind, make in [("role", role), ("user", user)]:

    def given(name, make=make, kind=kind):
        arn = make(name)
        put = client("iam").put_role_policy if kind == "role" else client("iam").put_user_policy
        put(**{f"{kind.title()}Name": name}, PolicyName="own", PolicyDocument=json.dumps(FORMER))
        return arn

    @change(f"tighten_{kind}_policy")
    def _(given=given):
        values = {"policy": "own", "former": FORMER, "tight": TIGHT, "remaining": [named("own", TIGHT)]}
        return {"id": given("tightened"), "with": values}

    @change(f"remove_unused_{kind}_policy")
    def _(given=given):
        return {"id": given("emptied"), "with": {"policy": "own", "former": FORMER, "remaining": []}}

    @change(f"suspend_unused_{kind}")
    def _(given=given):
        return given("suspended")


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
