"""Machines that Systems Manager manages, and their patches, which moto lacks.

A running machine with the tag `missing-patches` is managed and lacks so many patches. A run of
AWS-RunPatchBaseline installs them; with the tag `patches-fail` it ends well and installs nothing.
Machines that are not managed, other documents and other parameters are refused as Systems Manager
refuses them. A run is in progress for the first look at it.
"""

from uuid import uuid4

from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ssm.responses import SimpleSystemManagerResponse as Ssm


class InvalidInstanceId(ServiceException):
    code = "InvalidInstanceId"


class InvalidParameters(ServiceException):
    code = "InvalidParameters"


RUNS = []
INSTALLED = set()


def managed(self):
    backend = ec2_backends[self.current_account][self.region]
    found = {}
    for machine in backend.all_instances():
        tags = {tag["key"]: tag["value"] for tag in machine.get_tags()}
        if machine.state == "running" and "missing-patches" in tags:
            found[machine.id] = tags
    return found


def describe_instance_information(self):
    listed = [{"InstanceId": one, "PingStatus": "Online", "PlatformType": "Linux", "ResourceType": "EC2Instance"} for one in managed(self)]
    return ActionResult({"InstanceInformationList": listed})


def describe_instance_patch_states(self):
    known, states = managed(self), []
    for one in self._get_param("InstanceIds", []):
        if one not in known:
            continue
        missing = 0 if one in INSTALLED else int(known[one]["missing-patches"])
        states.append({
            "InstanceId": one, "BaselineId": "pb-0123456789abcdef0", "Operation": "Install" if one in INSTALLED else "Scan",
            "MissingCount": missing, "FailedCount": 0, "CriticalNonCompliantCount": 0, "SecurityNonCompliantCount": missing,
            "InstalledPendingRebootCount": 0,
        })
    return ActionResult({"InstancePatchStates": states})


def send_command(self):
    parameters = self._get_param("Parameters", {})
    known, wanted = managed(self), self._get_param("InstanceIds", [])
    fits = (
        self._get_param("DocumentName") == "AWS-RunPatchBaseline"
        and parameters.get("Operation") == ["Install"]
        and parameters.get("RebootOption") in (["RebootIfNeeded"], ["NoReboot"])
    )
    if not fits:
        raise InvalidParameters("the document has no such parameters")
    if not wanted or any(one not in known for one in wanted):
        raise InvalidInstanceId("an instance is not managed")
    run = {
        "CommandId": str(uuid4()), "Comment": self._get_param("Comment", ""), "DocumentName": "AWS-RunPatchBaseline",
        "InstanceIds": wanted, "Status": "InProgress", "TargetCount": len(wanted), "CompletedCount": 0, "ErrorCount": 0,
    }
    RUNS.append(run)
    return ActionResult({"Command": run})


def list_commands(self):
    answer = [dict(run) for run in RUNS]
    known = managed(self)
    for run in RUNS:
        run.update(Status="Success", CompletedCount=run["TargetCount"])
        INSTALLED.update(one for one in run["InstanceIds"] if "patches-fail" not in known.get(one, {}))
    return ActionResult({"Commands": answer})


for action in (describe_instance_information, describe_instance_patch_states, send_command, list_commands):
    setattr(Ssm, action.__name__, action)
