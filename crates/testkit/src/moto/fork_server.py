"""Forks servers of moto from a process that has imported it, since an import costs two seconds of a processor.

Each line of standard input is a request in JSON, answered by a line:

- `{"code": "...", "arguments": [...]}` runs a program in a process of its own, and answers its number,
- `{"ended": 123}` answers whether it has ended,
- `{"stop": 123}` ends it.

At the end of the input, which is the end of the tests, all of them end.
"""

import json
import os
import random
import signal
import sys

import moto.server  # noqa: F401
from moto.backends import get_backend
from moto.moto_api._internal import mock_random

# What most tests ask for. The rest is imported by the servers themselves.
for name in ["autoscaling", "cloudwatch", "ec2", "elbv2", "iam", "kms", "rds", "s3", "sqs", "ssm", "sts"]:
    get_backend(name)
    __import__(f"moto.{name}.urls")

running = set()


def start(code, arguments):
    number = os.fork()
    if number:
        running.add(number)
        return number
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        # Servers with the same state would give their resources the same identifiers.
        random.seed()
        mock_random.seed()
        sys.argv = ["-c", *arguments]
        exec(compile(code, "moto", "exec"), {"__name__": "__main__"})
    finally:
        os._exit(1)


def ended(number):
    if number in running and os.waitpid(number, os.WNOHANG)[0]:
        running.remove(number)
    return number not in running


def stop(number):
    if not ended(number):
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        running.remove(number)


signal.signal(signal.SIGINT, signal.SIG_IGN)
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "code" in request:
        answer = start(request["code"], request["arguments"])
    elif "ended" in request:
        answer = ended(request["ended"])
    else:
        answer = stop(request["stop"])
    print(json.dumps(answer), flush=True)

for number in list(running):
    stop(number)
