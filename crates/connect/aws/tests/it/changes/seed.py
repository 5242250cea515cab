"""Creates for each change that is data one resource that needs it, and prints identifiers and values as JSON.

The files beside this one have the resources, one file a service: a function for each change, marked with its name, that
returns the identifier of the resource, and where the change needs values that the document does not have, these too.
"""

import json
import pathlib
import sys

import boto3
from botocore.config import Config

ENDPOINT, REGION, WANTED = sys.argv[1], sys.argv[2], sys.argv[3:]
ACCOUNT = "123456789012"
# A creation that is sent again, because its answer was late, is refused.
PATIENT = Config(read_timeout=300, retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
MAKERS = {}


def client(service):
    return boto3.client(
        service,
        endpoint_url=ENDPOINT,
        region_name=REGION,
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="secret",
        config=PATIENT,
    )


def change(name):
    def register(make):
        MAKERS[name] = make
        return make

    return register


made = {}
for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if path.name != "seed.py":
        exec(compile(path.read_text(), str(path), "exec"))
for name, make in MAKERS.items():
    if WANTED and name not in WANTED:
        continue
    try:
        found = make()
        made[name] = found if isinstance(found, dict) else {"id": found, "with": {}}
    except Exception as error:
        made[name] = {"error": f"{type(error).__name__}: {error}"}
print(json.dumps(made))
