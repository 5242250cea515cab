import sys
from uuid import uuid4

from moto.autoscaling.exceptions import ValidationError
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.ec2.models.launch_templates import LaunchTemplate
from moto.ec2.responses.launch_templates import LaunchTemplates
from moto.server import main


class InstanceRefreshInProgress(ServiceException):
    code = "InstanceRefreshInProgressFault"


class ActiveInstanceRefreshNotFound(ServiceException):
    code = "ActiveInstanceRefreshNotFoundFault"


REFRESHES = {}


def group_of(self):
    groups = self.autoscaling_backend.autoscaling_groups
    name = self._get_param("AutoScalingGroupName")
    if name not in groups:
        raise ValidationError(f"AutoScalingGroup name not found - {name}")
    return groups[name]


def running(name):
    return next((one for one in REFRESHES.get(name, []) if one["Status"] == "InProgress"), None)


def start(self):
    group = group_of(self)
    preferences = self._get_param("Preferences", {})
    least, most = int(preferences.get("MinHealthyPercentage", 90)), int(preferences.get("MaxHealthyPercentage", 100))
    if not 0 <= least <= 100:
        raise ValidationError("MinHealthyPercentage must be between 0 and 100")
    if not 100 <= most <= 200 or most - least > 100:
        raise ValidationError("MaxHealthyPercentage must be between 100 and 200, and at most 100 above MinHealthyPercentage")
    if running(group.name):
        raise InstanceRefreshInProgress("An Instance Refresh is already in progress and blocks the execution of this one.")
    refresh = {
        "InstanceRefreshId": str(uuid4()), "AutoScalingGroupName": group.name, "Status": "InProgress",
        "PercentageComplete": 0, "InstancesToUpdate": len(group.instance_states),
    }
    refresh["seen"] = 0
    REFRESHES.setdefault(group.name, []).insert(0, refresh)
    return ActionResult({"InstanceRefreshId": refresh["InstanceRefreshId"]})


def replace(self, group):
    wanted = group.instance_type
    stale = [one.instance.id for one in group.instance_states if one.instance.instance_type != wanted]
    for instance in stale:
        self.autoscaling_backend.terminate_instance(instance, False)


def describe(self):
    group = group_of(self)
    refresh = running(group.name)
    if refresh and refresh["seen"] >= 1:
        replace(self, group)
        refresh.update(Status="Successful", PercentageComplete=100)
    elif refresh:
        refresh["seen"] += 1
    shown = [{k: v for k, v in one.items() if k != "seen"} for one in REFRESHES.get(group.name, [])]
    return ActionResult({"InstanceRefreshes": shown})


def cancel(self):
    group = group_of(self)
    refresh = running(group.name)
    if not refresh:
        raise ActiveInstanceRefreshNotFound("No in progress or pending Instance Refresh found for Auto Scaling group")
    refresh["Status"] = "Cancelled"
    return ActionResult({"InstanceRefreshId": refresh["InstanceRefreshId"]})


AutoScalingResponse.start_instance_refresh = start
AutoScalingResponse.describe_instance_refreshes = describe
AutoScalingResponse.cancel_instance_refresh = cancel

plain = LaunchTemplates.create_launch_template_version
made = LaunchTemplate.create_version
source = []


def create_from(self):
    source[:] = [self._get_param("SourceVersion")]
    return plain(self)


def create_version(self, data, description):
    number = source.pop() if source else None
    if number:
        data = {**self.get_version(number).data, **data}
    return made(self, data, description)


LaunchTemplates.create_launch_template_version = create_from
LaunchTemplate.create_version = create_version
main(sys.argv[1:])
