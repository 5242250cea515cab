"""Buckets."""


def bucket(name):
    client("s3").create_bucket(Bucket=name)
    return name


@change("block_public_access")
def _():
    return bucket("open")


@change("enable_bucket_versioning")
def _():
    return bucket("unversioned")
