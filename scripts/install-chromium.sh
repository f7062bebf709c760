#!/bin/sh
# Puts Chromium from the packages of Debian or Ubuntu where it is missing, for the browser tests.
# Elsewhere, or without the right to install, it says so; the tests are skipped then.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then
        echo "found $(command -v "$name")"
        exit 0
    fi
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "no Chromium, and no apt-get to install it: browser tests will be skipped" >&2
    exit 0
fi
run=""
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "no Chromium, and no right to install it: browser tests will be skipped" >&2
        exit 0
    fi
    run="sudo"
fi
$run apt-get update -qq
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends chromium
