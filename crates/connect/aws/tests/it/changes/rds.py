"""Databases."""


def database(name, **settings):
    made = client("rds").create_db_instance(
        DBInstanceIdentifier=name, DBInstanceClass="db.m5.large", Engine="postgres", AllocatedStorage=20,
        MasterUsername="keeper", MasterUserPassword="hunter2222", **settings,
    )
    return made["DBInstance"]["DBInstanceArn"]


def database_cluster(name, **settings):
    made = client("rds").create_db_cluster(
        DBClusterIdentifier=name, Engine="aurora-postgresql", MasterUsername="keeper", MasterUserPassword="hunter2222", **settings
    )
    return made["DBCluster"]["DBClusterArn"]


@change("make_database_private")
def _():
    return database("public", PubliclyAccessible=True)


@change("protect_database_from_deletion")
def _():
    return database("unprotected")


@change("enable_database_backups")
def _():
    return {"id": database("no-backups", BackupRetentionPeriod=0), "with": {"has_none": True, "none_pending": True}}


@change("keep_database_backups")
def _():
    return {"id": database("few-backups", BackupRetentionPeriod=2), "with": {"is_short": True}}


@change("enable_minor_upgrades")
def _():
    return database("old", AutoMinorVersionUpgrade=False)


@change("move_database_maintenance")
def _():
    made = database("busy", PreferredMaintenanceWindow="tue:12:00-tue:12:30", PreferredBackupWindow="01:00-01:30")
    return {"id": made, "with": {"window": "sun:03:00-sun:05:00"}}


@change("enable_database_logs")
def _():
    made = database("silent", EnableCloudwatchLogsExports=["upgrade"])
    return {"id": made, "with": {"log": "postgresql", "logs": ["upgrade", "postgresql"]}}


@change("enable_database_iam_authentication")
def _():
    return {"id": database("passwords"), "with": {"none_pending": True}}


@change("copy_database_tags")
def _():
    return database("untagged")


@change("protect_cluster_from_deletion")
def _():
    return database_cluster("unprotected-cluster")


@change("keep_cluster_backups")
def _():
    made = database_cluster("few-backups-cluster", BackupRetentionPeriod=1)
    return {"id": made, "with": {"is_short": True, "none_pending": True}}


@change("copy_cluster_tags")
def _():
    return {"id": database_cluster("untagged-cluster"), "with": {"none_pending": True}}


@change("enable_cluster_iam_authentication")
def _():
    return {"id": database_cluster("passwords-cluster"), "with": {"none_pending": True}}


@change("enable_database_cluster_logs")
def _():
    return {"id": database_cluster("silent-cluster"), "with": {"log": "postgresql", "logs": ["postgresql"]}}


@change("make_database_snapshot_private")
def _():
    database("shared")
    rds = client("rds")
    made = rds.create_db_snapshot(DBSnapshotIdentifier="shared-1", DBInstanceIdentifier="shared")
    rds.modify_db_snapshot_attribute(
        DBSnapshotIdentifier="shared-1", AttributeName="restore", ValuesToAdd=["all", "999999999999"]
    )
    return {"id": made["DBSnapshot"]["DBSnapshotArn"], "with": {"left": ["999999999999"]}}


@change("stop_sharing_database_snapshot")
def _():
    rds = client("rds")
    rds.create_db_instance(DBInstanceIdentifier="lent", DBInstanceClass="db.m5.large", Engine="postgres", MasterUsername="root",
                           MasterUserPassword="Hunter2222", AllocatedStorage=20)
    found = rds.create_db_snapshot(DBInstanceIdentifier="lent", DBSnapshotIdentifier="lent-1")["DBSnapshot"]["DBSnapshotArn"]
    rds.modify_db_snapshot_attribute(DBSnapshotIdentifier="lent-1", AttributeName="restore", ValuesToAdd=["444455556666", "777788889999"])
    return {"id": found, "with": {"accounts": ["777788889999"], "gone": ["444455556666"], "left": ["777788889999"]}}
