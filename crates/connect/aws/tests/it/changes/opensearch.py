"""Search domains."""


def domain(name, **settings):
    return client("opensearch").create_domain(DomainName=name, EngineVersion="OpenSearch_2.19", **settings)["DomainStatus"]["ARN"]


@change("enforce_search_https")
def _():
    options = {"EnforceHTTPS": True, "TLSSecurityPolicy": "Policy-Min-TLS-1-0-2019-07", "CustomEndpointEnabled": False}
    return {"id": domain("no-https"), "with": {"options": options}}


@change("demand_search_tls_1_2")
def _():
    options = {"EnforceHTTPS": False, "TLSSecurityPolicy": "Policy-Min-TLS-1-2-2019-07", "CustomEndpointEnabled": False}
    return {"id": domain("old-tls"), "with": {"options": options}}


@change("encrypt_search_nodes")
def _():
    return domain("plain")
