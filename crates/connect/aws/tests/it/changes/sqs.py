"""Queues."""


def queue(name, **attributes):
    client("sqs").create_queue(QueueName=name, Attributes=attributes)
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"


def queue_policy(name, *statements):
    everywhere = {"Action": "sqs:SendMessage", "Resource": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"}
    return {"Version": "2012-10-17", "Statement": [{**everywhere, **statement} for statement in statements]}


PUBLIC = {"Sid": "all", "Effect": "Allow", "Principal": "*"}
OWN = {"Sid": "own", "Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}}


@change("encrypt_queue")
def _():
    return {"id": queue("plain", SqsManagedSseEnabled="false"), "with": {"has_no_key": True}}


@change("remove_public_queue_statements")
def _():
    made = queue("half-open", Policy=json.dumps(queue_policy("half-open", PUBLIC, OWN)))
    return {"id": made, "with": {"policy": queue_policy("half-open", OWN)}}


@change("make_queue_private")
def _():
    made = queue("open", Policy=json.dumps(queue_policy("open", PUBLIC)))
    return {"id": made, "with": {"is_public_alone": True}}


@change("keep_queue_messages")
def _():
    return {"id": queue("forgetful", MessageRetentionPeriod="345600"), "with": {"is_short": True}}
