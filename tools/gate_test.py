"""The gate's own tests: each check must find what it is there to find. `make check` runs them first."""

import os
import pathlib
import sys
import tempfile
import unittest

import changelog
import circles
import drift
import errors
import glossary
import imports
import keep_times
import npm_licenses
import openings
import requirements
import shape
import test_summary


class Imports(unittest.TestCase):
    rules = {
        "may_import": {"tlog": [], "audit": [], "access": ["audit"], "connect": ["audit", "connect"], "server": ["*"], "testkit": ["*"]},
        "only_in": {"aws-*": ["connect"]},
        "never_in": {"tokio": ["tlog"]},
    }

    def check(self, package, dependency, kind, expect):
        packages = [{"name": package, "dependencies": [{"name": dependency, "kind": kind}]}]
        self.assertEqual(bool(list(imports.edge_problems(packages, self.rules))), expect, (package, dependency, kind))

    def test_edges(self):
        self.check("reeve-access", "reeve-audit", None, False)
        self.check("reeve-audit", "reeve-access", None, True)
        self.check("reeve-server", "reeve-tlog", None, False)
        self.check("reeve-connect-aws", "reeve-connect-aws-ec2", None, False)
        self.check("reeve-audit", "reeve-testkit", "dev", False)
        self.check("reeve-server", "reeve-testkit", None, True)
        self.check("reeve-unheard-of", "serde", None, True)

    def test_outside_crates(self):
        self.check("reeve-connect-aws", "aws-sdk-s3", None, False)
        self.check("reeve-server", "aws-sdk-s3", None, True)
        self.check("reeve-tlog", "tokio", None, True)
        self.check("reeve-tlog", "tokio", "dev", False)


class Circles(unittest.TestCase):
    def check(self, files, expect):
        texts = {tuple(name.split("::")) if name else (): text for name, text in files.items()}
        self.assertEqual(circles.circles(circles.Crate(texts).edges()), expect)

    def test_four_files_in_a_circle(self):
        ring = {"a": "use super::b::B;", "b": "use crate::c::{C, D as E};", "c": "fn f(d: crate::d::D) {}", "d": "use super::a;"}
        self.check({"": "mod a;", **ring}, [[("a",), ("b",), ("c",), ("d",)]])
        self.check({"": "mod a;", **ring, "d": "// use super::a;"}, [])
        self.check({"": "mod a;", **ring, "d": "#[cfg(test)]\nmod tests {\n    use super::a;\n}"}, [])
        self.check({"": "mod a;", "a": "use super::b::B;", "b": "use crate::c::C;", "c": "use super::a::A;"}, [])

    def test_a_name_leads_through_re_exports_to_its_file(self):
        root = "pub use a::A;\npub use b::B;\npub use c::C;\npub use d::D;"
        ring = {"a": "use crate::B;", "b": "use super::{C};", "c": "use crate::D;", "d": "use crate::A;"}
        self.check({"": root, **ring}, [[("a",), ("b",), ("c",), ("d",)]])
        self.check({"": root, **ring, "d": "pub use crate::A;"}, [])

    def test_visibility_is_no_import(self):
        ring = {"a": "use super::b::B;", "b": "use super::c::C;", "c": "use super::d::D;", "d": "pub(in crate::a) fn f() {}"}
        self.check({"": "mod a;", **ring}, [])

    def test_every_large_circle_is_refused(self):
        found = {"lake": [[("a",), ("b",), ("c",), ("d",)]]}
        self.assertEqual(len(list(circles.refusals(found))), 1)
        self.assertEqual(list(circles.refusals({})), [])


class Glossary(unittest.TestCase):
    def words(self, place, read, text):
        return [word for _, line in read(text) for word, _ in glossary.retired(line, place)]

    def test_retired_words_of_messages(self):
        for text, expect in [
            ('error("judged anew, by nobody")', ["nobody", "anew"]),
            ('error("judged again")', []),
            ('// judged anew by nobody, "anew" too', []),
            ('error("a quote \\" and then anew, \\\n    by nobody")', ["nobody", "anew"]),
            ('warn!(r#"an index is "built anew""#)', ["anew"]),
            ('format!("the rest is {said}")', []),
            ('fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = "built anew"; }', []),
        ]:
            self.assertEqual(self.words("program", glossary.sentences, text), expect, text)
        self.assertEqual(self.words("program", glossary.help_texts, "    /// Says anew.\n    // Says anew."), ["anew"])

    def test_retired_words_of_pages(self):
        for text, expect in [
            ("It is built anew.", ["anew"]),
            ("`anew` is a name, [so](is/anew.md)", []),
            ("```\nanew\n```\nanew", ["anew"]),
            ("a sealed segment", []),
        ]:
            self.assertEqual(self.words("docs", glossary.prose, text), expect, text)


class Licences(unittest.TestCase):
    def test_expressions(self):
        allow = {"MIT", "ISC", "Apache-2.0 WITH LLVM-exception"}
        for expression, expect in [
            ("MIT", True),
            ("GPL-3.0", False),
            ("GPL-3.0 OR MIT", True),
            ("GPL-3.0/MIT", True),
            ("GPL-3.0 AND MIT", False),
            ("(MIT OR GPL-2.0) AND ISC", True),
            ("MIT AND (GPL-2.0 OR GPL-3.0)", False),
            ("Apache-2.0 WITH LLVM-exception", True),
            ("Apache-2.0", False),
            ("", False),
        ]:
            self.assertEqual(npm_licenses.allowed(expression, allow), expect, expression)

    def test_shipped_packages(self):
        lock = {"packages": {"": {}, "node_modules/a": {"license": "GPL-3.0"}, "node_modules/b": {"license": "GPL-3.0", "dev": True}, "node_modules/c": {}}}
        found = list(npm_licenses.package_problems(lock, {"MIT"}))
        self.assertEqual([line.split(": ")[1] for line in found], ["a", "c"])


class Shape(unittest.TestCase):
    def test_long_functions(self):
        def function(name, size):
            return f"fn {name}() {{ {'x ' * (size - len('fn a ( ) { }'.split()))}}} // no token\n"

        text = function("long", shape.FUNCTION_TOKENS + 1) + function("fits", shape.FUNCTION_TOKENS)
        self.assertEqual([name.split("`")[1] for name in shape.long_functions("a.rs", text)], ["long"])


class Openings(unittest.TestCase):
    def test_doc_comments(self):
        text = """//! How it works.
//!
//! What it refuses.

/// Whether it is open.
#[test]
fn a() {}
    /// Returns `true` if it is open. Whether
    /// Who asks is irrelevant.
    fn b() {}
/// **Where** it is.
/// `When` it was.
//// That is a separator.
// Which is no doc comment.
/// Whatever it takes.
"""
        self.assertEqual([number for number, _, _ in openings.doc_comments(text)], [1, 5, 8, 11, 15])
        self.assertEqual([number for number, _ in openings.openings(text)], [1, 5, 11])

    def test_sections(self):
        text = """/// Returns the rules.
///
/// # Errors
/// When the store fails.
fn a() {}
/// Returns the rule. If it is closed, nothing.
/// # Panics
/// The rule is unknown.
fn b() {}
"""
        self.assertEqual([number for number, _ in openings.openings(text)], [4])

    def test_share(self):
        def compare(count, comments):
            return list(openings.compare({"a": {"comments": comments, "places": ["place"] * count}}))

        self.assertEqual(compare(1, 100), [])
        self.assertIn("1 are allowed", compare(2, 100)[0])
        self.assertIn("0 are allowed", compare(1, 99)[0])


class Requirements(unittest.TestCase):
    def test_public_items_without_a_doc_comment_are_found(self):
        text = "/// A.\n#[derive(\n    Debug,\n)]\npub struct A {\n    pub id: u8,\n}\n\npub fn b() {}\n/// C.\npub async fn c() {}\npub(crate) fn d() {}\n"
        self.assertEqual(list(openings.undocumented(text)), [(9, "b")])
        self.assertEqual(list(openings.undocumented("#[cfg(test)]\npub fn b() {}\n")), [])

    def problems(self, *rows):
        paths, tests = {"crates/http/src/guard.rs", "crates/reports/pdf/src/text.rs", "web/a.ts"}, {"http": {"refuses"}, "e2e": {"a search: by user"}}
        return list(requirements.row_problems("\n".join(rows), paths.__contains__, tests))

    def test_rows_that_hold(self):
        self.assertEqual(
            self.problems(
                "# A heading about A-001",
                "| id | requirement | state | where | test |",
                "| A-001 | A thing | done | `http/guard.rs`, `reports/pdf/text.rs` | `http: refuses` |",
                "| A-002 | A thing | partial: no key | `web/a.ts` | `e2e: a search: by user` |",
                "| A-003 | A thing | open |  |  |",
            ),
            [],
        )

    def test_rows_that_do_not(self):
        for row, expect in [
            ("| A-001 | A | done | `http/gone.rs` | `http: refuses` |", "no http/gone.rs"),
            ("| A-001 | A | done | `http/guard.rs` | `http: gone` |", "no test `gone`"),
            ("| A-001 | A | done | `http/guard.rs` | `engine: refuses` |", "`engine` has no test"),
            ("| A-001 | A | done | `http/guard.rs` |  |", "without a test it is open"),
            ("| A-001 | A | partial | `http/guard.rs` | `http: refuses` |", "partial with what is missing"),
            ("| A-001 | A | finished | `http/guard.rs` | `http: refuses` |", "`finished`"),
            ("| A-001 | A | open |  |  |\n| A-001 | A | open |  |  |", "stands twice"),
            ("| A-001 | A | open |", "a row has the cells"),
        ]:
            found = self.problems(row)
            self.assertEqual(len(found), 1, row)
            self.assertIn(expect, found[0])

    def test_citations(self):
        found = list(requirements.citation_problems({"A-001"}, [("a.rs", "// requirement A-001\n// A-002, and B-003; A-0041")]))
        self.assertEqual([line.split()[1] for line in found], ["A-002", "B-003"])

    def test_names_of_tests(self):
        text = "#[test]\nfn a() {}\n#[tokio::test(start_paused = true)]\n#[cfg(unix)]\nasync fn b() {}\nfn c() {}"
        self.assertEqual(requirements.TEST.findall(text), ["a", "b"])


class Changelog(unittest.TestCase):
    def test_fragments(self):
        for name, text, expect in [
            ("alerts.added.md", "Alerts.\n", 0),
            ("alerts-2.security.md", "Alerts\nof two lines.", 0),
            ("alerts.md", "Alerts.", 1),
            ("alerts.improved.md", "Alerts.", 1),
            ("alerts.added.md", "\n", 1),
            ("alerts.added.md", "- Alerts.", 1),
            ("alerts.added.md", "Alerts.\n\nReports.", 1),
        ]:
            self.assertEqual(len(list(changelog.fragment_problems([(name, text)]))), expect, (name, text))

    def test_a_release(self):
        found = [("b.fixed.md", "One.\nTwo.\n"), ("a.added.md", "New.\n")]
        text = changelog.released("# Changelog\n\nWords.\n\n## [0.1.0] - then\n\nOld.\n", "0.2.0", "now", found)
        expect = "# Changelog\n\nWords.\n\n## [0.2.0] - now\n\n### Added\n\n- New.\n\n### Fixed\n\n- One. Two.\n\n## [0.1.0] - then\n\nOld.\n"
        self.assertEqual(text, expect)
        self.assertEqual(list(changelog.changelog_problems(text)), [])
        self.assertEqual(len(list(changelog.changelog_problems("## [Unreleased]"))), 1)

    def test_versions_of_the_manifests(self):
        for name, before in changelog.MANIFESTS:
            text = (changelog.ROOT / name).read_text(encoding="utf-8")
            self.assertIn('"9.8.7"', changelog.with_version(text, before, "9.8.7"), name)


class Errors(unittest.TestCase):
    def test_codes(self):
        text = 'fn describe(self) -> (&str, u16) {\n match self { A::B => ("not_found", "Not found"), A::C => { ("gone", 1) } }\n}\nfn other() { x("no_code") }'
        self.assertEqual([errors.CODE.findall(body) for body in errors.bodies(text)], [["not_found", "gone"]])


class Drift(unittest.TestCase):
    def test_places(self):
        old, new = {"a": [1, {"b": 2}], "c": 1}, {"a": [1, {"b": 3}], "d": 1}
        self.assertEqual(sorted(drift.difference(old, new)), ["/a/1/b", "/c", "/d"])
        self.assertEqual(drift.difference(old, old), [])


class Summary(unittest.TestCase):
    def test_runners(self):
        lines = [
            "test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
            "\x1b[2m      Tests \x1b[22m \x1b[1m8 passed\x1b[22m | 1 skipped\x1b[90m (9)\x1b[39m",
            "\u2139 pass 3",
            "\u2139 fail 2",
            "Ran 9 tests in 7.648s",
            "FAILED (failures=1, errors=1, skipped=2)",
        ]
        self.assertEqual(test_summary.count(lines), (28, 5, 3))

    def test_parts_binaries_and_stories_are_ordered_by_their_time(self):
        lines = [
            "     Running unittests src/lib.rs (/t/debug/deps/reeve_lake-57127b806d30af5e)\n",
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s\n",
            "     Running tests/it/main.rs (/t/debug/deps/it-6431c404d5937385)\n",
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 512.40s\n",
            "== rust took 600 s\n",
            "ok   every page fits a phone  (30.5 s)\n",
            "== pages took 40 s\n",
        ]
        parts, slow = test_summary.durations(lines)
        self.assertEqual(parts, [("rust", 600), ("pages", 40)])
        self.assertEqual(
            slow,
            [(512.4, "reeve_lake tests/it/main.rs"), (30.5, "every page fits a phone"), (1.5, "reeve_lake src/lib.rs")],
        )

    def test_failures(self):
        lines = [
            "ok   a page opens  (1.0 s)",
            "FAIL a rollout is begun",
            "     locator.click: Timeout",
            *(f"         at step {number}" for number in range(20)),
            "---- limits::bodies stdout ----",
            "",
            "thread 'limits::bodies' panicked",
        ]
        stories, cargo = test_summary.failures(lines)
        self.assertEqual(stories[:2], ["FAIL a rollout is begun", "     locator.click: Timeout"])
        self.assertEqual(len(stories), test_summary.LINES_EACH)
        self.assertEqual(cargo, ["---- limits::bodies stdout ----", "thread 'limits::bodies' panicked"])

    def test_a_failure_in_one_line_leaves_out_where_it_panicked(self):
        failure = [
            "---- limits::bodies stdout ----",
            "thread 'limits::bodies' (7) panicked at crates/server/tests/it/limits.rs:9:5:",
            "left: 413",
            "note: run with `RUST_BACKTRACE=1`",
        ]
        self.assertEqual(test_summary.brief(failure), "limits::bodies | left: 413")


class KeepTimes(unittest.TestCase):
    def test_only_what_the_last_run_saw_keeps_its_time(self):
        with tempfile.TemporaryDirectory() as folder:
            root, then = pathlib.Path(folder), 1_000_000_000

            def run(seen, **contents):
                for name, text in contents.items():
                    (root / name).write_text(text)
                return keep_times.keep(root, contents, seen)

            first = run({}, same="a", changed="b", gone="c")
            for record in first.values():
                record[1] = then
            second = run(first, same="a", changed="B")
            self.assertEqual(second["same"][1], then)
            self.assertEqual((root / "same").stat().st_mtime_ns, then)
            self.assertGreater(second["changed"][1], then)

            # As in the first run, but not as in the last: what was compiled last is not of this content.
            os.utime(root / "changed", ns=(then, then))
            third = run(second, changed="b", gone="c")
            self.assertTrue(all(time > then for _, time in third.values()))


def problems():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = unittest.TestResult()
    suite.run(result)
    return [f"{test}: {trace.strip().splitlines()[-1]}" for test, trace in result.failures + result.errors]


if __name__ == "__main__":
    unittest.main()
