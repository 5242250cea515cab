"""The running service held against its own description with schemathesis: thousands of requests made from the schema, good and broken.

`python -m unittest discover tests/interface`; REEVE_BIN is the program (default target/debug/reeve). REEVE_INTERFACE_SEED makes other requests
(`random` for new ones each time; a failure prints its seed): left out, every run makes the same ones.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REEVE = os.environ.get("REEVE_BIN", str(ROOT / "target" / "debug" / "reeve"))
TOKEN = "the-first-administrator-of-the-tests"
# Requests of each operation beside those that cover its schema's edges.
EXAMPLES = 3
# A run takes about a minute on two cores.
LONGEST_S = 600


class Interface(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REEVE_")}
        self.service = subprocess.Popen(
            [REEVE, "serve", "--data-dir", self.home.name, "--listen", "127.0.0.1:0"],
            env=environment | {"REEVE_ADMIN_TOKEN": TOKEN}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.stop)
        for line in self.service.stdout:
            if line.startswith("Dashboard: "):
                self.url = line.removeprefix("Dashboard: ").strip()
                return
        self.fail("the service did not start")

    def stop(self):
        self.service.send_signal(signal.SIGTERM)
        self.service.wait(timeout=60)
        self.service.stdout.close()

    def test_answers_are_as_described(self):
        seed = os.environ.get("REEVE_INTERFACE_SEED", "1")
        seed = str(random.randrange(2**32)) if seed == "random" else seed
        program = pathlib.Path(sys.executable).parent / "schemathesis"
        run = subprocess.run(
            [program, "--config-file", HERE / "schemathesis.toml", "run", f"{self.url}/api/openapi.json",
             "--header", f"Authorization: Bearer {TOKEN}", "--phases", "examples,coverage,fuzzing",
             "--max-examples", str(EXAMPLES), "--seed", seed, "--continue-on-failure", "--generation-database", "none",
             "--suppress-health-check", "all", "--warnings", "off", "--no-color"],
            env=os.environ | {"SCHEMATHESIS_HOOKS": "serializers", "PYTHONPATH": str(HERE)},
            cwd=self.home.name, capture_output=True, text=True, timeout=LONGEST_S, check=False)
        self.assertEqual(run.returncode, 0, f"seed {seed}\n{run.stdout[-20000:]}\n{run.stderr[-2000:]}")
        self.assertRegex(run.stdout, r"Tested: \d{3}", "every operation was tested")


if __name__ == "__main__":
    unittest.main()
