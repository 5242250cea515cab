#!/usr/bin/env python3
"""Compares `reeve analyze access` with Cloudsplaining on accounts whose escalations are known: see README.md.

Usage: beside.py [--reeve PROGRAM], with a Python that has Cloudsplaining 0.9.1. The program is otherwise $REEVE_BIN, and then the one on the path.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from cases import MANNERS, cases


def of_reeve(program, folder, account, principal, *flags):
    """Whether a way to administrators is certain or possible."""
    details, beside = folder / "details.json", folder / "beside.json"
    details.write_text(json.dumps(account.details()), encoding="utf-8")
    files = [details]
    if account.beside:
        beside.write_text(json.dumps(account.beside), encoding="utf-8")
        files.append(beside)
    done = subprocess.run([program, "analyze", "access", *flags, *files], check=True, capture_output=True, text=True)
    ways = [json.loads(line) for line in done.stdout.splitlines()]
    return any(way["principal"] == principal and way["reaches"] == "admin" and way["grade"] != "blocked" for way in ways)


def of_cloudsplaining(account, principal, flags):
    """Whether a policy of the principal, or of a group of it, is listed under privilege escalation."""
    from cloudsplaining.command.scan import scan_account_authorization_details
    from cloudsplaining.shared.exclusions import DEFAULT_EXCLUSIONS

    results = scan_account_authorization_details(account.details(), DEFAULT_EXCLUSIONS, "case", return_json_results=True, **flags)["iam_results"]
    found = [one for kind in ("users", "roles") for one in results[kind].values() if one["arn"] == principal]
    holders = found + [group for one in found for group in one.get("groups", {}).values()]
    kinds = ("inline_policies", "customer_managed_policies", "aws_managed_policies")
    policies = [results[kind][policy] for holder in holders for kind in kinds for policy in holder.get(kind, {})]
    return any(policy["PrivilegeEscalation"]["findings"] for policy in policies)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reeve", default=os.environ.get("REEVE_BIN", "reeve"))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)

    everything = {"flag_conditional_statements": True, "flag_resource_arn_statements": True}
    rows = defaultdict(lambda: [0, 0, 0, 0])
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for technique, manner, account, principal in cases():
            expected = MANNERS[manner][0]
            answers = [
                of_reeve(options.reeve, Path(folder), account, principal),
                of_cloudsplaining(account, principal, {}),
                of_cloudsplaining(account, principal, everything),
            ]
            rows[manner][0] += 1
            for at, answer in enumerate(answers):
                rows[manner][at + 1] += answer == expected
            if answers[0] != expected:
                wrong.append(f"{technique} {manner}")

    print("| case | escalation | accounts | Reeve right | Cloudsplaining right | with its two further flags |")
    print("|---|---|---|---|---|---|")
    for manner, (expected, text) in MANNERS.items():
        count, *right = rows[manner]
        print(f"| {text} | {'yes' if expected else 'no'} | {count} | {' | '.join(map(str, right))} |")
    totals = [sum(row[at] for row in rows.values()) for at in range(4)]
    print(f"| all | | {' | '.join(map(str, totals))} |")
    for one in wrong:
        print(f"wrong: {one}", file=sys.stderr)


if __name__ == "__main__":
    main()
