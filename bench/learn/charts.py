#!/usr/bin/env python3
"""Draws ten series of the open data as `reeve analyze` judges them: docs/images/learning.png, described in docs/learning/charts.md.

Usage: charts.py REEVE DATA PICTURE (or `make bench-learn ARGS=charts`). Alarms come from `analyze anomalies` over the whole file, which
scores each row from those before it. The forecast sees the file up to where its band begins, seven eighths, and at most a week ahead.
"""
import csv
import json
import math
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# One of each kind: flat with spikes, daily swing, on and off, drifting, integers, counts of events, and two that are not of computers.
SERIES = [
    "nab/realAWSCloudwatch/ec2_cpu_utilization_5f5533.csv",
    "nab/realAWSCloudwatch/ec2_cpu_utilization_24ae8d.csv",
    "nab/realAWSCloudwatch/rds_cpu_utilization_cc0c53.csv",
    "nab/realAWSCloudwatch/ec2_network_in_257a54.csv",
    "nab/realAWSCloudwatch/elb_request_count_8c0756.csv",
    "nab/realKnownCause/cpu_utilization_asg_misconfiguration.csv",
    "nab/realKnownCause/nyc_taxi.csv",
    "nab/artificialNoAnomaly/art_daily_small_noise.csv",
    "nab/realTraffic/occupancy_6005.csv",
    "ett/ETTh1.csv",
]
AHEAD = timedelta(days=7)
LINES = ["#444444", "#1f6fb2", "#c62828", "#f2c14e"]


def read(path):
    """Times and values of a series; of ETT the oil's temperature, its last 3,000 hours."""
    with path.open() as file:
        rows = [(datetime.fromisoformat(row[0]), float(row[-1])) for row in list(csv.reader(file))[1:]]
    return rows[-3000:] if path.parts[-2] == "ett" else rows


def analyze(reeve, rows, *arguments):
    """What `reeve analyze` prints for some rows, by line, without the header."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("timestamp,value\n" + "".join(f"{time},{value!r}\n" for time, value in rows))
        file.flush()
        done = subprocess.run([reeve, "analyze", arguments[0], file.name, *arguments[1:]], check=True, capture_output=True, text=True)
    return [line.split(",") for line in done.stdout.splitlines()[1:]]


def draw(axes, reeve, path, windows):
    """One panel."""
    rows = read(path)
    times, values = zip(*rows)
    alarms = [time for time, line in zip(times, analyze(reeve, rows, "anomalies")) if line[-1] == "1"]
    seen = rows[: len(rows) * 7 // 8]
    step = sorted(b - a for a, b in zip(times, times[1:]))[len(times) // 2]
    ahead = min(math.ceil((times[-1] - seen[-1][0]) / step), int(AHEAD / step))
    bands = [[float(part) for part in line[1:]] for line in analyze(reeve, seen, "forecast", "--horizon", str(ahead))]
    coming = [seen[-1][0] + step * (n + 1) for n in range(ahead)]
    for start, end in windows:
        axes.axvspan(datetime.fromisoformat(start), datetime.fromisoformat(end), color=LINES[3], alpha=0.35, lw=0)
    axes.plot(times, values, color=LINES[0], lw=0.5)
    low, middle, high = zip(*bands)
    axes.fill_between(coming, low, high, color=LINES[1], alpha=0.3, lw=0)
    axes.plot(coming, middle, color=LINES[1], lw=0.9)
    for time in alarms:
        axes.axvline(time, ymin=0.94, color=LINES[2], lw=1.2)
    truth = dict(rows)
    found = [(truth[time], band) for time, band in zip(coming, bands) if time in truth]
    inside = sum(low <= value <= high for value, (low, _, high) in found)
    share = f"{100 * inside / len(found):.0f} % of {len(found)} values in the band" if found else "nothing to compare"
    axes.set_title(f"{path.parts[-2]}/{path.stem}: {len(alarms)} rows in alarm; {share}", fontsize=8, loc="left")
    span = max(values) - min(values) or 1
    axes.set_ylim(min(values) - 0.1 * span, max(values) + 0.2 * span)
    axes.tick_params(labelsize=6)
    return f"| {path.stem} | {len(windows)} | {len(alarms)} | {share} |"


def main():
    reeve, data, picture = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    windows = json.loads((data / "nab/labels.json").read_text())
    figure, panels = plt.subplots(5, 2, figsize=(15, 14), layout="constrained")
    for axes, name in zip(panels.flat, SERIES):
        own = windows.get(name.removeprefix("nab/"), [])
        print(draw(axes, reeve, data / name, own), flush=True)
    figure.savefig(picture, dpi=90)


main()
