"""The market of spot capacity as EC2 answers about it: prices that move, and placement scores.

Scores are as strict as EC2's: unknown parameters, a missing target capacity, missing instance types
and more than ten configurations within a day are refused. Zone `a` scores 9, others 7; from eight
machines on each scores 2.
"""

import re
from datetime import timedelta

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response
from moto.ec2.responses.spot_instances import SpotInstances

KNOWN = re.compile(
    r"^(Action|Version|DryRun|InstanceType\.\d+|TargetCapacity|TargetCapacityUnitType|SingleAvailabilityZone"
    r"|RegionName\.\d+|MaxResults|NextToken)$"
)
MOST = 10
ASKED = {}

plain = SpotInstances.describe_spot_price_history


def history(self):
    answer = plain(self)
    now, moved = utcnow(), []
    for one in answer.result["SpotPriceHistory"]:
        in_first = one["AvailabilityZone"].endswith("a")
        for days, price in ((9, 0.03), (3, 0.04), (1, 0.05)) if in_first else ((9, 0.02),):
            at = (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            moved.append({**one, "ProductDescription": "Linux/UNIX", "SpotPrice": f"{price:.6f}", "Timestamp": at})
    return ActionResult({"SpotPriceHistory": moved})


def refused(code, message):
    return EC2ClientError(code, message)


def scores(self):
    given = {name: value[0] for name, value in self.querystring.items()}
    for name in given:
        if not KNOWN.match(name):
            raise refused("UnknownParameter", f"The parameter {name} is not recognized")
    if "TargetCapacity" not in given:
        raise refused("MissingParameter", "The request must contain the parameter TargetCapacity")
    if not given["TargetCapacity"].isdigit() or int(given["TargetCapacity"]) < 1:
        raise refused("InvalidParameterValue", "TargetCapacity must be at least 1")
    types = sorted(value for name, value in given.items() if name.startswith("InstanceType."))
    if not types:
        raise refused("MissingParameter", "The request must contain InstanceTypes or InstanceRequirementsWithMetadata")
    if not 10 <= int(given.get("MaxResults", "10")) <= 1000:
        raise refused("InvalidParameterValue", "MaxResults must be between 10 and 1000")

    now = utcnow()
    question = (tuple(types), given["TargetCapacity"])
    lately = {key for key, at in ASKED.items() if now - at < timedelta(days=1)}
    if question not in lately and len(lately) >= MOST:
        raise refused("MaxConfigLimitExceeded", "You have exceeded your maximum allowed Spot placement configurations.")
    ASKED[question] = now

    regions = sorted(value for name, value in given.items() if name.startswith("RegionName."))
    zones = self.ec2_backend.describe_availability_zones()
    short = int(given["TargetCapacity"]) >= 8
    found = [
        {
            "Region": zone.region_name,
            "AvailabilityZoneId": zone.zone_id,
            "Score": 2 if short else 9 if zone.name.endswith("a") else 7,
        }
        for zone in zones
        if zone.region_name in (regions or [zone.region_name])
    ]
    return ActionResult({"SpotPlacementScores": found})


SpotInstances.describe_spot_price_history = history
EC2Response.get_spot_placement_scores = scores
