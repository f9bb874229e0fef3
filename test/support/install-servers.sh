#!/usr/bin/env bash
# Installs the outside server that a few tests replay real traffic against: nginx, from the system's own packages.
# Never fails: where it cannot install, it says so, and those tests are skipped with the same reason.
set -uo pipefail

if command -v nginx >/dev/null 2>&1; then
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "install-servers: nginx is missing and this is not root with apt-get: the tests against nginx will be skipped." >&2
  exit 0
fi

echo "install-servers: installing nginx with apt-get (once) ..." >&2
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

install() {
  # A policy that forbids the package from starting its own service: the tests start their own nginx on their own port.
  timeout 300 apt-get update -qq &&
    RUNLEVEL=1 timeout 300 apt-get install -y -qq --no-install-recommends "$1"
}

if install nginx-light >"$log" 2>&1 || install nginx >>"$log" 2>&1; then
  echo "install-servers: nginx is installed." >&2
else
  echo "install-servers: apt-get could not install nginx: the tests against nginx will be skipped. Its last lines:" >&2
  tail -n 3 "$log" >&2
fi
exit 0
