"""Container registries."""


def registry(name, *principals):
    made = client("ecr").create_repository(repositoryName=name)["repository"]["repositoryArn"]
    statements = [
        {"Sid": str(at), "Effect": "Allow", "Principal": principal, "Action": ["ecr:BatchGetImage"]}
        for at, principal in enumerate(principals)
    ]
    policy = {"Version": "2012-10-17", "Statement": statements}
    if principals:
        client("ecr").set_repository_policy(repositoryName=name, policyText=json.dumps(policy))
    return made, policy


@change("scan_images_on_push")
def _():
    return registry("unscanned")[0]


@change("make_tags_immutable")
def _():
    return registry("mutable")[0]


@change("remove_public_repository_statements")
def _():
    made, policy = registry("half-open", "*", {"AWS": "arn:aws:iam::999999999999:root"})
    return {"id": made, "with": {"policy": {**policy, "Statement": policy["Statement"][1:]}}}


@change("make_repository_private")
def _():
    return {"id": registry("open", "*")[0], "with": {"is_public_alone": True}}
