"""Trails."""


def trail(name):
    client("s3").create_bucket(Bucket=f"logs-of-{name}")
    return client("cloudtrail").create_trail(Name=name, S3BucketName=f"logs-of-{name}")["TrailARN"]


@change("start_trail")
def _():
    return trail("stopped")


@change("validate_trail_logs")
def _():
    return trail("unproven")


@change("widen_trail_to_all_regions")
def _():
    return trail("narrow")


@change("find_unusual_activity")
def _():
    return trail("unwatched")
