"""Topics."""


def topic(name, **attributes):
    return client("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"]


@change("encrypt_topic")
def _():
    return {"id": topic("plain"), "with": {"key": "alias/aws/sns"}}


@change("make_topic_private")
def _():
    def policy(*principals):
        statements = [
            {"Effect": "Allow", "Principal": principal, "Action": "sns:Publish", "Resource": f"arn:aws:sns:{REGION}:{ACCOUNT}:open"}
            for principal in principals
        ]
        return {"Version": "2012-10-17", "Statement": statements}

    own = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
    return {"id": topic("open", Policy=json.dumps(policy("*", own))), "with": {"policy": policy(own)}}


@change("sign_topic_with_sha256")
def _():
    return topic("sha1")
