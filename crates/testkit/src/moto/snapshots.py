"""moto's answer about the snapshots that everyone may restore.

DescribeSnapshots with RestorableBy: moto leaves the parameter out and answers every snapshot. Here
the answer has those alone that were shared with everyone.
"""

from moto.ec2.responses.elastic_block_store import ElasticBlockStore

all_snapshots = ElasticBlockStore.describe_snapshots


def describe_snapshots(self):
    answer = all_snapshots(self)
    if any(name.startswith("RestorableBy") for name in self.querystring):
        shared = [one for one in answer.result["Snapshots"] if "all" in one.create_volume_permission_groups]
        answer.result["Snapshots"] = shared
    return answer


ElasticBlockStore.describe_snapshots = describe_snapshots
