"""Secrets."""


def secret(name, *principals):
    statements = [
        {"Effect": "Allow", "Principal": {"AWS": principal}, "Action": "secretsmanager:GetSecretValue", "Resource": "*"}
        for principal in principals
    ]
    secrets = client("secretsmanager")
    made = secrets.create_secret(Name=name, SecretString="the value")["ARN"]
    policy = {"Version": "2012-10-17", "Statement": statements}
    secrets.put_resource_policy(SecretId=made, ResourcePolicy=json.dumps(policy))
    return made, policy


@change("remove_public_secret_statements")
def _():
    made, policy = secret("half-open", "*", f"arn:aws:iam::{ACCOUNT}:role/shop")
    return {"id": made, "with": {"policy": {**policy, "Statement": policy["Statement"][1:]}}}


@change("make_secret_private")
def _():
    made, _ = secret("open", "*")
    return {"id": made, "with": {"is_public_alone": True}}
