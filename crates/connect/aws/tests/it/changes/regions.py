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


@change("block_public_snapshots")
def _():
    return {"id": BARE, "with": {"unblocked": True}}


@change("block_former_public_snapshots")
def _():
    client("ec2").enable_snapshot_block_public_access(State="block-new-sharing")
    return {"id": f"arn:aws:ec2:{REGION}:{ACCOUNT}:region", "with": {"blocks_new": True}}
