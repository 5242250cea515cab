# Sourced by the Makefile's recipes: which cargo and Node to use, and where the tests find their peers.
# Nothing here installs anything (tools/setup does), and whatever the caller has set already wins.

reeve_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

command -v cargo >/dev/null 2>&1 || PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
# tools/setup puts a Node here only where the machine has none, or one too old for the dashboard's tools.
if [ -x "$reeve_root/.build/node/bin/node" ]; then PATH="$reeve_root/.build/node/bin:$PATH"; fi
# tools/setup puts cargo-deny here, which `cargo deny` finds on the PATH.
if [ -x "$reeve_root/.build/deny/bin/cargo-deny" ]; then PATH="$PATH:$reeve_root/.build/deny/bin"; fi
export PATH

first_of() { local path; for path in "$@"; do if [ -x "$path" ]; then echo "$path"; return; fi; done; }

: "${REEVE_TEST_MOTO:=$(first_of "$reeve_root/.venv/bin/moto_server")}"
: "${REEVE_TEST_VERSITYGW:=$(first_of "$reeve_root/.build/peers/versitygw")}"
: "${REEVE_TEST_FAKE_GCS:=$(first_of "$reeve_root/.build/peers/fake-gcs-server")}"
: "${REEVE_TEST_AZURITE:=$(first_of "$reeve_root/tests/peers/node_modules/.bin/azurite-blob")}"
: "${REEVE_TEST_PROMETHEUS:=$(first_of /usr/bin/prometheus "$(command -v prometheus || true)")}"
: "${REEVE_TEST_MARIADBD:=$(first_of /usr/sbin/mariadbd)}"
: "${REEVE_TEST_SSHD:=$(first_of /usr/sbin/sshd)}"
: "${REEVE_TEST_PYTHON:=$(first_of "$reeve_root/.venv/bin/python")}"
: "${REEVE_TEST_CHROMIUM:=$(first_of /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome)}"
if [ -z "${REEVE_TEST_PG_BIN:-}" ]; then
    # The newest installed PostgreSQL, as Debian lays them out.
    REEVE_TEST_PG_BIN=$(first_of $(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -rV))
    REEVE_TEST_PG_BIN=${REEVE_TEST_PG_BIN%/initdb}
fi
# PostgreSQL refuses to run as root: tests started by root run it as this user.
if [ "$(id -u)" = 0 ]; then : "${REEVE_TEST_PG_USER:=postgres}"; export REEVE_TEST_PG_USER; fi
export REEVE_TEST_MOTO REEVE_TEST_PYTHON REEVE_TEST_CHROMIUM REEVE_TEST_PG_BIN
export REEVE_TEST_VERSITYGW REEVE_TEST_FAKE_GCS REEVE_TEST_AZURITE REEVE_TEST_SSHD REEVE_TEST_PROMETHEUS REEVE_TEST_MARIADBD
unset -f first_of
unset reeve_root
