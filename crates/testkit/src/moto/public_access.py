"""The blocks of public snapshots and images of a region, which moto lacks."""

from moto.core.responses import ActionResult
from moto.ec2.responses.settings import Settings


def blocks(self):
    return self.ec2_backend.__dict__.setdefault("blocks_of_public_access", {"snapshots": "unblocked", "images": "unblocked"})


def answered(kind, member, state):
    def action(self):
        if state is not None:
            blocks(self)[kind] = state or self._get_param(member)
        return ActionResult({member: blocks(self)[kind]})

    return action


for kind, name, member in (("snapshots", "snapshot", "State"), ("images", "image", "ImageBlockPublicAccessState")):
    setattr(Settings, f"get_{name}_block_public_access_state", answered(kind, member, None))
    setattr(Settings, f"enable_{name}_block_public_access", answered(kind, member, ""))
    setattr(Settings, f"disable_{name}_block_public_access", answered(kind, member, "unblocked"))
