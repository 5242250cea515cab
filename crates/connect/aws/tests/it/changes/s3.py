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


def bucket_statement(principal, bucket):
    return {"Effect": "Allow", "Principal": principal, "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{bucket}/*"}


def bucket_with_policy(name, *principals):
    policy = {"Version": "2012-10-17", "Statement": [bucket_statement(one, name) for one in principals]}
    client("s3").put_bucket_policy(Bucket=bucket(name), Policy=json.dumps(policy))
    return policy


@change("remove_public_statements")
def _():
    policy = bucket_with_policy("half-public", "*", {"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
    policy["Statement"] = policy["Statement"][1:]
    return {"id": "half-public", "with": {"policy": policy}}


@change("remove_bucket_policy")
def _():
    bucket_with_policy("all-public", "*")
    return {"id": "all-public", "with": {"none": True}}


def bucket_owner_grant(name):
    owner = client("s3").get_bucket_acl(Bucket=name)["Owner"]["ID"]
    return [{"Grantee": {"ID": owner}, "Permission": "FULL_CONTROL"}]


@change("make_bucket_private")
def _():
    client("s3").put_bucket_acl(Bucket=bucket("listed"), ACL="public-read")
    everybody = "http://acs.amazonaws.com/groups/global/AllUsers"
    return {
        "id": "listed",
        "with": {"own": bucket_owner_grant("listed"), "form": "URI", "type": "Group", "who": everybody, "permission": "READ"},
    }


@change("remove_bucket_grants")
def _():
    client("s3").put_bucket_acl(Bucket=bucket("written"), ACL="public-read-write")
    return {"id": "written", "with": {"own": bucket_owner_grant("written")}}


@change("encrypt_bucket")
def _():
    return bucket("plain")


@change("enable_bucket_logging")
def _():
    # The service that delivers logs may write to the target.
    target = bucket("logs-of-buckets")
    client("s3").put_bucket_acl(Bucket=target, ACL="log-delivery-write")
    return {"id": bucket("unlogged"), "with": {"bucket": target}}


@change("enforce_bucket_ownership")
def _():
    client("s3").put_bucket_ownership_controls(
        Bucket=bucket("lists"), OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]}
    )
    return {"id": "lists", "with": {"former": "BucketOwnerPreferred"}}


def bucket_denial(name, sid, condition):
    resources = [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"]
    return {"Sid": sid, "Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": resources, "Condition": condition}


@change("demand_tls_of_bucket")
def _():
    deny = bucket_denial("untold", "DenyWithoutTls", {"Bool": {"aws:SecureTransport": "false"}})
    return {"id": bucket("untold"), "with": {"policy": {"Version": "2012-10-17", "Statement": [deny]}}}


@change("demand_tls_1_2_of_bucket")
def _():
    policy = bucket_with_policy("told", {"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
    policy["Statement"].append(bucket_denial("told", "DenyTlsBefore12", {"NumericLessThan": {"s3:TlsVersion": "1.2"}}))
    return {"id": "told", "with": {"policy": policy}}
