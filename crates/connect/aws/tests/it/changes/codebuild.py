"""Build projects."""


@change("make_build_project_private")
def _():
    made = client("codebuild").create_project(
        name="public", source={"type": "S3", "location": "assets/site.zip"}, artifacts={"type": "NO_ARTIFACTS"},
        environment={"type": "LINUX_CONTAINER", "image": "aws/codebuild/standard:7.0", "computeType": "BUILD_GENERAL1_SMALL"},
        serviceRole=f"arn:aws:iam::{ACCOUNT}:role/builds",
    )["project"]["arn"]
    client("codebuild").update_project_visibility(projectArn=made, projectVisibility="PUBLIC_READ")
    return made
