# shellcheck shell=bash
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
# What the scripts beside this file share. Source it from bash with `set -euo pipefail`.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LOGS=$ROOT/build/log

# What a build needs; scripts/test adds what the tests need.
# shellcheck disable=SC2034  # read by the scripts that source this file
BUILD_PACKAGES=(g++ cmake ninja-build pkgconf libfmt-dev nlohmann-json3-dev libcli11-dev libsimdjson-dev libeigen3-dev
  libsqlite3-dev libarchive-dev libexpat1-dev zlib1g-dev libzstd-dev)
# For the HTML report; they often come from elsewhere than Debian's packages.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then BUILD_PACKAGES+=(nodejs npm); fi

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$0: $*"
  exit 1
}

# Uses ccache when it is there; never needs it. Paths relative to the tree let another clone use the same results.
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
fi
jobs_count() { nproc 2>/dev/null || echo 2; }

# missing_packages NAME…: those that are not installed, without asking the network.
missing_packages() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
    [[ $status == installed ]] || printf '%s\n' "$package"
  done
}

distribution() {
  # shellcheck source=/dev/null
  (. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-this system}") || printf 'this system'
}

# install_packages NAME…: installs what is missing with apt; silent when nothing is.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This script installs packages on Debian 12; on $(distribution) please install the counterparts of"
    say "  $*"
    say "yourself (C++20 compiler, CMake >= 3.25). Going on with what is here."
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      say "These packages are missing, and without root or sudo they cannot be installed from here. Please run, as root:"
      say "  apt-get install ${missing[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  mkdir -p "$LOGS"
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120)
  # An old list of packages is good enough when the network is away; whether it is shows when installing.
  "${as_root[@]}" "${apt[@]}" update >"$LOGS/apt.log" 2>&1 || true
  if ! "${as_root[@]}" "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$LOGS/apt.log" 2>&1 </dev/null; then
    tail -n 5 "$LOGS/apt.log" >&2
    die "apt-get could not install ${missing[*]} on $(distribution) (build/log/apt.log). Is the network there?" \
      "kernwatt is made for Debian 12; elsewhere install their counterparts by hand."
  fi
}

# progress: reads ninja's output and shows how far it is; one line on a terminal, nothing elsewhere.
progress() {
  local line
  if [[ -t 2 ]]; then
    while IFS= read -r line; do
      [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] &&
        printf '\r  building %s of %s \033[K' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    done
    printf '\r\033[K' >&2
  else
    cat >/dev/null
  fi
}

# build PRESET [TARGET…]: configures when needed and builds; the log is build/log/PRESET.log.
build() {
  local preset=$1
  shift
  local log=$LOGS/$preset.log targets=()
  (($#)) && targets=(--target "$@")
  mkdir -p "$LOGS"
  : >"$log"
  if [[ ! -f $ROOT/build/$preset/build.ninja ]]; then
    (cd "$ROOT" && cmake --preset "$preset") >>"$log" 2>&1 || { tail -n 25 "$log" >&2 && return 1; }
  fi
  # Going on after a failure shows all of them at once.
  if ! (cd "$ROOT" && cmake --build --preset "$preset" -j "$(jobs_count)" "${targets[@]}" -- -k 0) 2>&1 |
    tee -a "$log" | progress; then
    grep -E 'error|FAILED|fatal' -A 3 "$log" | head -n 60 >&2 || tail -n 25 "$log" >&2
    say "The build failed; all of it is in build/log/$preset.log"
    return 1
  fi
}
