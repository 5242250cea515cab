"""Targets that fail their health check: machines with the tag `answers`, which has the code that they answer."""

from moto.elbv2.models import FakeHealthStatus, FakeTargetGroup

of_moto = FakeTargetGroup.health_for


def health_for(self, target, ec2_backend):
    health = of_moto(self, target, ec2_backend)
    if health.status != "healthy" or not health.instance_id.startswith("i-"):
        return health
    tags = {tag["key"]: tag["value"] for tag in ec2_backend.get_instance_by_id(health.instance_id).get_tags()}
    code = tags.get("answers", "200")
    if code == "200":
        return health
    said = f"Health checks failed with these codes: [{code}]"
    return FakeHealthStatus(
        health.instance_id, health.port, health.health_check_port, "unhealthy", "Target.ResponseCodeMismatch", said,
    )


FakeTargetGroup.health_for = health_for
