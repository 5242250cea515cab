"""moto's answers about assigned public addresses, as EC2 gives them.

EC2 names `amazon` as the owner of an address that it assigned, and the account as the owner of an
Elastic IP. moto names the account for both, so that an address that a stop takes away looks like
one that stays.
"""

from moto.ec2.models.elastic_network_interfaces import NetworkInterface

described = NetworkInterface.association.fget


def association(self):
    found = described(self)
    if found and not found.get("allocationId"):
        found["ipOwnerId"] = "amazon"
    return found


NetworkInterface.association = property(association)
