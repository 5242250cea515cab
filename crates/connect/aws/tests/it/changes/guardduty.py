"""Threat detectors."""


def detector(enabled=True):
    made = client("guardduty").create_detector(Enable=enabled, FindingPublishingFrequency="SIX_HOURS")["DetectorId"]
    return f"arn:aws:guardduty:{REGION}:{ACCOUNT}:detector/{made}"


@change("enable_threat_detection")
def _():
    return detector(enabled=False)


@change("report_threats_within_minutes")
def _():
    return detector()


@change("watch_buckets_for_threats")
def _():
    return detector()


@change("watch_database_logins")
def _():
    return detector()


@change("watch_functions_for_threats")
def _():
    return detector()


@change("watch_kubernetes_for_threats")
def _():
    return detector()


@change("scan_disks_for_malware")
def _():
    return detector()
