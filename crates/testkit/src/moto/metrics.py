"""moto's answers about metrics, computed sooner.

GetMetricData: moto compares every stored point with every period of every query, minutes of one
processor for a fortnight of three machines. Here each query is put to moto's own function for the
points of its metric alone and a few periods at a time, and the parts are joined: the same values.

ListMetrics: moto lists a metric of several dimensions once for each of its points. Here it is
listed once, as CloudWatch does.
"""

from datetime import timedelta

from moto.cloudwatch.models import CloudWatchBackend, Dimension

PERIODS_AT_ONCE = 64
compute = CloudWatchBackend.get_metric_data
listed = CloudWatchBackend.get_filtered_metrics


class Points:
    """The part of a backend that moto's function reads."""

    def __init__(self, points):
        self.points = points

    def get_all_metrics(self):
        return self.points


def series(name, dimensions):
    return name, tuple(sorted((dimension.name, dimension.value) for dimension in dimensions))


def get_metric_data(self, queries, start_time, end_time, scan_by="TimestampAscending"):
    plain = all(query.get("MetricStat", {}).get("Metric", {}).get("Dimensions") for query in queries)
    if not plain or start_time >= end_time:
        return compute(self, queries, start_time, end_time, scan_by)
    start_time, end_time = start_time.replace(microsecond=0), end_time.replace(microsecond=0)
    points = {}
    for point in self.get_all_metrics():
        if start_time <= point.timestamp < end_time:
            points.setdefault(series(point.name, point.dimensions), []).append(point)
    results = []
    for query in queries:
        metric = query["MetricStat"]["Metric"]
        dimensions = [Dimension(one["Name"], one["Value"]) for one in metric["Dimensions"]]
        own = points.get(series(metric["MetricName"], dimensions), [])
        results.extend(joined(own, query, start_time, end_time, scan_by))
    return results


def joined(points, query, start_time, end_time, scan_by):
    step = timedelta(seconds=int(query["MetricStat"]["Period"])) * PERIODS_AT_ONCE
    whole = compute(Points([]), [query], start_time, start_time + timedelta(seconds=1))
    parts = {}
    for point in points:
        parts.setdefault((point.timestamp - start_time) // step, []).append(point)
    for part in sorted(parts):
        begin = start_time + part * step
        found = compute(Points(parts[part]), [query], begin, min(begin + step, end_time))
        for result, more in zip(whole, found):
            result["values"] += more["values"]
            result["timestamps"] += more["timestamps"]
    if scan_by == "TimestampDescending":
        for result in whole:
            result["values"].reverse()
            result["timestamps"].reverse()
    return whole


def get_filtered_metrics(self, metric_name, namespace, dimensions):
    first = {}
    for point in self.get_all_metrics():
        first.setdefault((point.namespace, series(point.name, point.dimensions)), point)
    return listed(Points(list(first.values())), metric_name, namespace, dimensions)


CloudWatchBackend.get_metric_data = get_metric_data
CloudWatchBackend.get_filtered_metrics = get_filtered_metrics
