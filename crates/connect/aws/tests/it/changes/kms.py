"""Encryption keys."""


def key():
    return client("kms").create_key()["KeyMetadata"]


@change("enable_key_rotation")
def _():
    return key()["Arn"]


@change("cancel_key_deletion")
def _():
    made = key()
    client("kms").schedule_key_deletion(KeyId=made["KeyId"], PendingWindowInDays=7)
    return {"id": made["Arn"], "with": {"pending": True}}
