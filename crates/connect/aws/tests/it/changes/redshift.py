"""Warehouses."""


def warehouse(name, **settings):
    client("redshift").create_cluster(
        ClusterIdentifier=name, NodeType="ra3.large", MasterUsername="keeper", MasterUserPassword="Hunter2222", **settings
    )
    return f"arn:aws:redshift:{REGION}:{ACCOUNT}:cluster:{name}"


@change("make_warehouse_private")
def _():
    return warehouse("public", PubliclyAccessible=True)


@change("keep_warehouse_backups")
def _():
    return {"id": warehouse("few-backups", AutomatedSnapshotRetentionPeriod=1), "with": {"is_short": True}}


@change("enable_warehouse_upgrades")
def _():
    return warehouse("old", AllowVersionUpgrade=False)


@change("keep_warehouse_traffic_in_network")
def _():
    return warehouse("outside", EnhancedVpcRouting=False)


@change("enable_warehouse_logs")
def _():
    return warehouse("silent")
