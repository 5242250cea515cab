"""Requests of higher quotas, which moto lacks, as strict as Service Quotas."""

import json

from moto.core.exceptions import JsonRESTError
from moto.servicequotas.responses import ServiceQuotasResponse

REQUESTS = []
OPEN = ("PENDING", "CASE_OPENED")


def asked(self):
    body = json.loads(self.body)
    quota = self.backend.get_service_quota(body["ServiceCode"], body["QuotaCode"])
    place = {"Region": self.region, "ServiceCode": body["ServiceCode"], "QuotaCode": body["QuotaCode"]}
    own = [one for one in REQUESTS if place.items() <= one.items()]
    return body, quota, place, own


def request(self):
    body, quota, place, own = asked(self)
    if body["DesiredValue"] <= quota["Value"]:
        raise JsonRESTError("IllegalArgumentException", "Provide a value that is greater than the current quota.")
    if any(one["Status"] in OPEN for one in own):
        raise JsonRESTError("ResourceAlreadyExistsException", "Only one open quota increase request is allowed per quota.")
    made = {**place, "Id": f"request-{len(REQUESTS)}", "DesiredValue": body["DesiredValue"], "Status": "PENDING"}
    REQUESTS.insert(0, made)
    return json.dumps({"RequestedQuota": made})


def history(self):
    return json.dumps({"RequestedQuotas": asked(self)[3]})


ServiceQuotasResponse.request_service_quota_increase = request
ServiceQuotasResponse.list_requested_service_quota_change_history_by_quota = history
