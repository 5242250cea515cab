"""Caches."""


def cache(name, **settings):
    made = client("elasticache").create_replication_group(
        ReplicationGroupId=name, ReplicationGroupDescription=name, Engine="redis", CacheNodeType="cache.m7g.large",
        NumCacheClusters=2, **settings,
    )
    return made["ReplicationGroup"]["ARN"]


@change("enable_cache_backups")
def _():
    return {"id": cache("no-backups"), "with": {"node": "no-backups-001"}}


@change("enable_cache_minor_upgrades")
def _():
    return cache("old", AutoMinorVersionUpgrade=False)


@change("enable_cache_failover")
def _():
    return {"id": cache("steady", AutomaticFailoverEnabled=False), "with": {"has_replicas": True}}
