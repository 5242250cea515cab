"""Log groups."""


def log_group(name):
    client("logs").create_log_group(logGroupName=name)
    return f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{name}"


@change("retain_log_group")
def _():
    made = log_group("short")
    client("logs").put_retention_policy(logGroupName="short", retentionInDays=30)
    return {"id": made, "with": {"days": 365}}


@change("protect_log_group_from_deletion")
def _():
    return log_group("unprotected")
