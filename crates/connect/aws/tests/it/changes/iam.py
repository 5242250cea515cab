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
