"""Services that are off in a region: another region than the one in which the other files make theirs."""

BARE = f"arn:aws:ec2:eu-west-1:{ACCOUNT}:region"


@change("create_threat_detector")
def _():
    return BARE


@change("create_configuration_recorder")
def _():
    client("s3").create_bucket(Bucket="first-recordings")
    role = f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/config.amazonaws.com/AWSServiceRoleForConfig"
    return {"id": BARE, "with": {"bucket": "first-recordings", "none": True, "role": role}}


@change("create_trail")
def _():
    client("s3").create_bucket(Bucket="first-trail")
    return {"id": BARE, "with": {"bucket": "first-trail", "none": True}}
