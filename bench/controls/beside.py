#!/usr/bin/env python3
"""Compares Reeve's checks of controls with Prowler's and with policies of Cloud Custodian on one account of moto: see README.md.

Usage: beside.py --out DIR [--moto PROGRAM] [--prowler PROGRAM] [--custodian PROGRAM] [--reeve PROGRAM], or beside.py --out DIR --kept to
compare what DIR holds. The programs are otherwise $REEVE_TEST_MOTO, $PROWLER_BIN, $CUSTODIAN_BIN and $REEVE_BIN, and then those on the path.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path

import custodian
import seed
from pairs import pairs
from verdicts import KINDS, RULES, count_judged, kind

TOKEN = "the-administrator-of-the-comparison"
FRAMEWORKS = "soc2, iso27001, hipaa, pci_dss, gdpr, fedramp_moderate, cis_aws"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def running(command, log, **variables):
    """A process that is ended with the block, with `variables` instead of those of Reeve and AWS in this environment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("REEVE_", "AWS_"))}
    with log.open("w") as output, subprocess.Popen(command, env=clean | variables, stdout=output, stderr=output) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()


def until(what, patience, look):
    """The first value of `look` that is not `None`."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = look()
        if found is not None:
            return found
        time.sleep(1)
    raise SystemExit(f"not within {patience} s: {what}")


def call(url, body=None, token=None):
    """Status and answer of a call; status 0 if nobody answers."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, headers=headers, data=None if body is None else json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text.startswith((b"{", b"[")) else {}
    except urllib.error.HTTPError as error:
        return error.code, {"error": error.read().decode(errors="replace")}
    except (urllib.error.URLError, ConnectionError):
        return 0, {}


def run_prowler(program, endpoint, out, _):
    """Results by check and resource: {check: {resource: [status, ...]}}."""
    checks = sorted({theirs for theirs, _, _ in pairs()})
    folder = out / "prowler"
    shutil.rmtree(folder, ignore_errors=True)
    with (out / "prowler.log").open("w") as log:
        ended = subprocess.run(
            [
                program,
                "aws",
                "--region",
                seed.REGION,
                "--output-formats",
                "json-ocsf",
                "--output-directory",
                folder,
                "--output-filename",
                "results",
                "--no-banner",
                "--no-color",
                "--ignore-exit-code-3",
                "--scan-unused-services",
                "--log-level",
                "ERROR",
                "--check",
                *checks,
            ],
            env=seed.environment(endpoint),
            stdout=log,
            stderr=log,
            check=False,
        )
    written = sorted(folder.rglob("*.ocsf.json"))
    if not written:
        raise SystemExit(f"Prowler ended with {ended.returncode} and wrote no results: see {out / 'prowler.log'}")
    results = defaultdict(lambda: defaultdict(list))
    for finding in json.loads(written[0].read_text()):
        for resource in finding["resources"]:
            results[finding["metadata"]["event_code"]][resource["uid"]].append(finding["status_code"])
    return results


def run_reeve(program, endpoint, out, seeded):
    """Results by check and resource: {check: {resource: [result, why]}}."""
    data = out / "reeve-data"
    shutil.rmtree(data, ignore_errors=True)
    listen = f"127.0.0.1:{free_port()}"
    api = f"http://{listen}/api/v1/"
    variables = {"REEVE_ADMIN_TOKEN": TOKEN, "REEVE_OUTBOUND": '{ allow = ["127.0.0.0/8"] }'}

    def ask(path, body=None, expect=(200, 201)):
        status, answer = call(api + path, body, TOKEN)
        if status not in expect:
            raise SystemExit(f"{path}: {status} {answer}")
        return answer

    with running([program, "serve", "--data-dir", data, "--listen", listen], out / "reeve.log", **variables):
        until("Reeve answers", 120, lambda: call(api + "connections", token=TOKEN)[0] == 200 or None)
        connection = ask(
            "connections",
            {
                "name": "compared",
                "provider": "aws",
                "regions": [seed.REGION],
                "endpoint": endpoint,
                "allow_actions": False,
                "credentials": {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret"},
            },
        )["id"]

        def read():
            now = ask(f"connections/{connection}")
            return now if now["status"] in ("ready", "failing") and now.get("last_sync") else None

        synced = until("the account is read", 900, read)
        (out / "connection.json").write_text(json.dumps(synced, indent=1))
        agent = ask(
            "intelligence/agents",
            {
                "agent_type": "compliance_intelligence",
                "name": "Compared",
                "mode": "active",
                "learning_period": "14d",
                "confidence_threshold": "80%",
                "auto_apply": {"enabled": False},
                "settings": {"frameworks": FRAMEWORKS},
                "reason": "a comparison",
            },
        )["id"]

        def finished():
            status, answer = call(api + f"intelligence/agents/{agent}/run", {}, TOKEN)
            return answer if status == 200 else None

        ran = until("the agent ran", 600, finished)
        if ran.get("error"):
            raise SystemExit(f"the agent failed: {ran['error']}")
        results = {}
        for check in sorted({check for _, ours, _ in pairs() for check in ours} | seeded["truth"].keys() | custodian.checks()):
            items, cursor = [], ""
            while cursor is not None:
                page = ask(f"intelligence/controls/{check}/results?limit=1000{cursor}")
                items += page["items"]
                following = page.get("next_cursor")
                cursor = f"&cursor={following}" if following else None
            results[check] = {item["resource_id"]: [item["result"], item.get("why")] for item in items}
    shutil.rmtree(data, ignore_errors=True)
    return results


def folded(answers, fold):
    """One answer of many."""
    if fold == "all":
        return "pass" if "pass" in answers else "fail" if "fail" in answers else next(iter(answers), None)
    for answer in ("fail", "unknown", "pass"):
        if answer in answers:
            return answer
    return next(iter(answers), None)


def of_prowler(results, fold):
    words = {"PASS": "pass", "FAIL": "fail"}
    answers = defaultdict(list)
    for uid, statuses in results.items():
        answers["account" if fold else seed.key(uid)] += [words.get(status, "manual") for status in statuses]
    return {resource: folded(many, fold) for resource, many in answers.items()}


def of_reeve(results, checks, fold):
    by_resource = defaultdict(list)
    for check in checks:
        for identifier, (result, _) in results.get(check, {}).items():
            by_resource[identifier].append(result)
    answers = defaultdict(list)
    for identifier, many in by_resource.items():
        # Several checks of one resource fail together; only then are resources folded.
        answers["account" if fold else seed.key(identifier)].append(folded(many, "any"))
    return {resource: folded(many, fold) for resource, many in answers.items()}


def compare(theirs_all, ours_all, seeded):
    """One row a pair and resource that either side judged: (check of Prowler, checks of Reeve, resource, Prowler, Reeve, truth)."""
    truth, names = seeded["truth"], seeded["names"]
    for theirs, ours, fold in pairs():
        left, right = of_prowler(theirs_all.get(theirs, {}), fold), of_reeve(ours_all, ours, fold)
        resources = left.keys() | right.keys()
        if ours[0].startswith(custodian.OF_MOTO):
            resources &= truth.get(ours[0], {}).keys()
        for resource in sorted(resources):
            known = [truth.get(check, {}).get(resource) for check in ours]
            yield theirs, "+".join(ours), names.get(resource, resource), left.get(resource), right.get(resource), folded([one for one in known if one], "any")


def outcome(left, right, known):
    judged = ("pass", "fail")
    if left in judged and right in judged:
        if left != right:
            return "differ"
        return "agree" if known in (None, left) else "both wrong"
    if right == "unknown":
        return "Reeve unknown"
    if left in judged:
        return "Reeve not applicable" if right == "not_applicable" else "Prowler alone"
    return "Reeve alone" if right in judged else "neither"


def against_seed(ours_all, seeded):
    """Answers of Reeve to what is seeded: how many there are of each, and a line for each that is wrong."""
    counts, lines = Counter(), []
    for check, resources in sorted(seeded["truth"].items()):
        answers = of_reeve(ours_all, [check], None)
        for resource, known in resources.items():
            answer = answers.get(resource) or of_reeve(ours_all, [check], "any").get(resource)
            found = "right" if answer == known else answer if answer not in ("pass", "fail") else "wrong"
            counts[f"seeded {known}, Reeve {found}"] += 1
            if found != "right":
                lines.append(f"{check} {seeded['names'].get(resource, resource)}: Reeve {answer}, seeded {known}")
    return counts, lines


def report(rows, seed_counts, seed_lines, out):
    """Counts, a table of the kinds of differences, and every result that is not plain agreement."""
    counts, by_pair, kinds, lines = Counter(), defaultdict(Counter), Counter(), []
    for theirs, ours, resource, left, right, known in rows:
        found = outcome(left, right, known)
        counts[found] += 1
        by_pair[theirs][found] += 1
        verdict = ""
        if found == "differ":
            verdict = kind(RULES, theirs, resource) or "not judged"
            kinds[verdict] += 1
        count_judged(counts, known, Prowler=left, Reeve=right)
        if found not in ("agree", "neither"):
            lines.append(f"{found:20} {verdict:20} {theirs} {ours} {resource}: Prowler {left}, Reeve {right}, seeded {known}")
    compared = {pair for pair, found in by_pair.items() if found.keys() & {"agree", "differ", "both wrong"}}
    asked = {theirs for theirs, _, _ in pairs()}
    table = ["| results | right | why |", "|---|---|---|", *(f"| {kinds[name]} | {right} | {why} |" for name, (right, why) in KINDS.items() if kinds[name])]
    text = [
        f"{len(asked)} pairs, {len(compared)} compared on at least one resource",
        *(f"{count:6} {found}" for found, count in sorted((counts + seed_counts).items())),
    ]
    (out / "report.txt").write_text(
        "\n".join([*text, "", "without a common result: " + " ".join(sorted(asked - compared)), "", *table, "", *lines, "", "Reeve against the seed:", *seed_lines])
        + "\n"
    )
    print("\n".join(text))
    print(f"{kinds['not judged']} differences that no rule judges; every difference: {out / 'report.txt'}")


def program(given, variable, name):
    found = given or os.environ.get(variable) or shutil.which(name)
    if not found:
        raise SystemExit(f"no {name}: give --{name.split('_')[0]}, or set {variable}")
    return found


def measure(arguments, out):
    """Seeds an account and asks both programs; writes what each said."""
    moto = program(arguments.moto, "REEVE_TEST_MOTO", "moto_server")
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    with running([moto, "-H", "127.0.0.1", "-p", str(port)], out / "moto.log", MOTO_IAM_LOAD_MANAGED_POLICIES="true"):
        until("moto answers", 60, lambda: call(endpoint + "/moto-api/data.json")[0] == 200 or None)
        seeded = seed.fill(endpoint, seed.REGION)
        for line in seeded["refused"]:
            print("moto refused:", line, file=sys.stderr)
        (out / "seeded.json").write_text(json.dumps(seeded, indent=1))
        for name, run, chosen in (
            ("reeve", run_reeve, program(arguments.reeve, "REEVE_BIN", "reeve")),
            ("prowler", run_prowler, program(arguments.prowler, "PROWLER_BIN", "prowler")),
            ("custodian", custodian.run, program(arguments.custodian, "CUSTODIAN_BIN", "custodian")),
        ):
            begun = time.monotonic()
            (out / f"{name}.json").write_text(json.dumps(run(chosen, endpoint, out, seeded), indent=1))
            print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kept", action="store_true")
    for name in ("moto", "prowler", "custodian", "reeve"):
        parser.add_argument(f"--{name}")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if not arguments.kept:
        measure(arguments, out)
    theirs, ours, seeded = (json.loads((out / f"{name}.json").read_text()) for name in ("prowler", "reeve", "seeded"))
    report(compare(theirs, ours, seeded), *against_seed(ours, seeded), out)

    def of_checks(checks, fold):
        return of_reeve(ours, checks, fold)

    def truth_of(checks, resource):
        known = [seeded["truth"].get(check, {}).get(resource) for check in checks]
        return folded([one for one in known if one], "any")

    found = json.loads((out / "custodian.json").read_text())
    custodian.report(custodian.compare(found, of_checks, seeded, truth_of), found, out)


if __name__ == "__main__":
    main()
