"""Adds up a test log and repeats what failed: `test_summary.py LOG [FAILED PART...]`. Exits 1 when a part failed, whatever the counts say."""

import re
import sys

ANSI = re.compile(r"\x1b\[[0-9;]*m")
# cargo: "test result: ok. 12 passed; 0 failed; 1 ignored; ..."
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
# vitest: "      Tests  3 failed | 12 passed | 1 skipped (16)"
VITEST = re.compile(r"^\s*Tests\s+(.+?)\s*\(\d+\)")
# node --test: "# pass 4" or "ℹ pass 4"
NODE = re.compile(r"^(?:#|ℹ) (pass|fail|skipped) (\d+)")
# unittest: "Ran 9 tests in 7.6s", then "OK (skipped=1)" or "FAILED (failures=1, errors=2)"
RAN = re.compile(r"^Ran (\d+) tests? in ")
OUTCOME = re.compile(r"^(?:OK|FAILED) \((.+)\)$")
# A failure of the pages (run.mjs), cargo, vitest, unittest, in this order; with the lines that follow it, indented or not.
FAILURE = re.compile(r"^(?:FAIL .+|---- .+ stdout ----|\s*FAIL  .+|(?:FAIL|ERROR): .+)$")
LINES_EACH, MOST_FAILURES = 8, 20


def failures(lines):
    """The first lines of each failure, `MOST_FAILURES` at most."""
    found, left = [], 0
    for line in lines:
        line = ANSI.sub("", line).rstrip()
        if FAILURE.match(line):
            left = LINES_EACH
            found.append([])
        if left and line:
            found[-1].append(line)
            left -= 1
    return found[:MOST_FAILURES]


def count(lines):
    """(passed, failed, skipped) over every runner's own summary lines."""
    passed = failed = skipped = 0
    for line in lines:
        line = ANSI.sub("", line)
        if match := CARGO.match(line):
            passed, failed, skipped = passed + int(match[1]), failed + int(match[2]), skipped + int(match[3])
        elif match := VITEST.match(line):
            for number, word in re.findall(r"(\d+) (passed|failed|skipped)", match[1]):
                if word == "passed":
                    passed += int(number)
                elif word == "failed":
                    failed += int(number)
                else:
                    skipped += int(number)
        elif match := RAN.match(line):
            passed += int(match[1])
        elif match := OUTCOME.match(line):
            for word, number in re.findall(r"(failures|errors|skipped)=(\d+)", match[1]):
                passed -= int(number)
                if word == "skipped":
                    skipped += int(number)
                else:
                    failed += int(number)
        elif match := NODE.match(line):
            if match[1] == "pass":
                passed += int(match[2])
            elif match[1] == "fail":
                failed += int(match[2])
            else:
                skipped += int(match[2])
    return passed, failed, skipped


def main(log, parts):
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    passed, failed, skipped = count(lines)
    for failure in failures(lines) if parts or failed else []:
        print("\n".join(failure))
    line = f"{passed} passed, {failed} failed"
    if skipped:
        line += f", {skipped} skipped"
    if parts:
        line += f"  (did not pass: {', '.join(parts)})"
    print(line)
    return 1 if parts or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
