"""Adds up a test log, names what took longest, and repeats what failed: `test_summary.py LOG [FAILED PART...]`. Exits 1 when a part failed, whatever the counts say."""

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
# Lines of a failure that say less than the one after them.
PREAMBLE = re.compile(r"^(?:note: |stack backtrace|thread '.+' .*panicked at .+:$)|^$")
# Characters of a failure where each has one line.
BRIEF = 240
# tools/test: "== rust took 612 s"
PART = re.compile(r"^== (.+) took (\d+) s$")
# cargo: "     Running tests/it/main.rs (/target/debug/deps/it-6431c404d5937385)", then "...; finished in 513.54s"
RUNNING = re.compile(r"^\s+Running (?:unittests )?(\S+) \((?:.*/)?([^/]+)-[0-9a-f]{16}\)")
FINISHED = re.compile(r"finished in ([\d.]+)s$")
# run.mjs: "ok   every page fits a phone  (30.5 s)"
STORY = re.compile(r"^ok   (.+)  \(([\d.]+) s\)$")
MOST_SLOW = 12


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


def brief(failure):
    """A failure in one line: its name and its first line that says something."""
    name = re.sub(r"^---- (.+) stdout ----$", r"\1", failure[0])
    said = [line.strip() for line in failure[1:] if not PREAMBLE.match(line.strip())]
    return " | ".join([name, *said])[:BRIEF]


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


def durations(lines):
    """(seconds of each part in order, (seconds, name) of the slowest binaries and stories)."""
    parts, slow, binary, crate = [], [], None, "?"
    for line in lines:
        line = ANSI.sub("", line).rstrip()
        if match := PART.match(line):
            parts.append((match[1], int(match[2])))
        elif match := RUNNING.match(line):
            # An integration test is named like those of every crate, and follows the units of its own.
            crate = crate if match[1].startswith("tests/") else match[2]
            binary = f"{crate} {match[1]}"
        elif CARGO.match(line) and binary and (match := FINISHED.search(line)):
            slow.append((float(match[1]), binary))
            binary = None
        elif match := STORY.match(line):
            slow.append((float(match[2]), match[1]))
    return parts, sorted(slow, reverse=True)[:MOST_SLOW]


def main(log, parts):
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    passed, failed, skipped = count(lines)
    took, slow = durations(lines)
    if took:
        print("seconds: " + ", ".join(f"{part} {seconds}" for part, seconds in took))
        print("slowest: " + ", ".join(f"{name} {seconds:.0f}" for seconds, name in slow))
    failed_tests = failures(lines) if parts or failed else []
    for failure in failed_tests:
        print("\n".join(failure))
    # Again, short enough for a view that keeps only the last lines.
    for failure in failed_tests:
        print(brief(failure))
    line = f"{passed} passed, {failed} failed"
    if skipped:
        line += f", {skipped} skipped"
    if parts:
        line += f"  (did not pass: {', '.join(parts)})"
    print(line)
    return 1 if parts or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
