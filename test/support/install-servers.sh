#!/usr/bin/env bash
# Installs the outside programs that some tests need, nginx, HAProxy and openssl, from the system's own packages.
# Never fails: where it cannot install, it says so, and those tests are skipped with the same reason.
set -uo pipefail

missing=()
command -v nginx >/dev/null 2>&1 || missing+=(nginx-light)
command -v haproxy >/dev/null 2>&1 || missing+=(haproxy)
command -v openssl >/dev/null 2>&1 || missing+=(openssl)
[ "${#missing[@]}" = 0 ] && exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "install-servers: ${missing[*]} missing and this is not root with apt-get: the tests against them will be skipped." >&2
  exit 0
fi

echo "install-servers: installing ${missing[*]} with apt-get (once) ..." >&2
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# RUNLEVEL=1 keeps a package from starting its own service: the tests start their own servers on their own ports.
if timeout 300 apt-get update -qq >"$log" 2>&1 &&
  RUNLEVEL=1 timeout 300 apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  echo "install-servers: ${missing[*]} installed." >&2
else
  echo "install-servers: apt-get could not install ${missing[*]}: the tests against them will be skipped. Its last lines:" >&2
  tail -n 3 "$log" >&2
fi
exit 0
