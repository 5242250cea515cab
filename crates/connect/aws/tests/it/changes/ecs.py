"""Container clusters."""


@change("enable_container_insights")
def _():
    return client("ecs").create_cluster(clusterName="unmeasured")["cluster"]["clusterArn"]
