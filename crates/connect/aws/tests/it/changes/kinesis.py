"""Streams."""


def stream(name, *principals):
    streams = client("kinesis")
    streams.create_stream(StreamName=name, ShardCount=1)
    arn = streams.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["StreamARN"]
    statements = [
        {"Effect": "Allow", "Principal": principal, "Action": "kinesis:PutRecord", "Resource": arn} for principal in principals
    ]
    policy = {"Version": "2012-10-17", "Statement": statements}
    if principals:
        streams.put_resource_policy(ResourceARN=arn, Policy=json.dumps(policy))
    return arn, policy


@change("encrypt_stream")
def _():
    return {"id": stream("plain")[0], "with": {"key": "alias/aws/kinesis"}}


@change("keep_stream_records")
def _():
    return {"id": stream("short")[0], "with": {"is_short": True}}


@change("remove_public_stream_statements")
def _():
    made, policy = stream("half-open", "*", {"AWS": "arn:aws:iam::999999999999:root"})
    return {"id": made, "with": {"policy": {**policy, "Statement": policy["Statement"][1:]}}}


@change("make_stream_private")
def _():
    return {"id": stream("open", "*")[0], "with": {"is_public_alone": True}}
