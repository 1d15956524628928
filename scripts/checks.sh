# shellcheck shell=bash
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
# The steps of scripts/test, each a function that fails with its reason printed. Needs scripts/common.sh.

passed=0
failed=0
skipped=0
failures=()

# step NAME COMMAND…: runs one check and counts it.
step() {
  local name=$1 start=$SECONDS
  shift
  if "$@"; then
    passed=$((passed + 1))
    say "ok    $name ($((SECONDS - start)) s)"
  else
    failed=$((failed + 1))
    failures+=("$name")
    say "FAIL  $name ($((SECONDS - start)) s)"
  fi
}

# step_ctest NAME PRESET [FOLDER]: runs the tests of a build and counts each of them.
step_ctest() {
  local name=$1 start=$SECONDS log=$LOGS/$2-tests.log total=0 bad=0 unrun=0 code=0
  ctest --test-dir "build/$2/${3:-}" --output-on-failure -j "$(jobs_count)" >"$log" 2>&1 </dev/null || code=$?
  if [[ $(grep -E 'tests passed, [0-9]+ tests failed out of' "$log") =~ \ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    bad=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    unrun=$(grep -cE '\((Skipped|Disabled)\)$' "$log" || true)
  fi
  if ((total == 0)); then
    tail -n 20 "$log" >&2
    bad=1 total=1
  fi
  # A status that the counts do not explain, such as a crash of ctest itself, is a failure too.
  if ((code != 0 && bad == 0)); then bad=1; fi
  passed=$((passed + total - bad - unrun))
  failed=$((failed + bad))
  skipped=$((skipped + unrun))
  if ((bad)); then
    failures+=("$name: $bad of $total")
    # What a failed test said stands between its own line and the next test's.
    awk '/^ *[0-9]+\/[0-9]+ Test/ {show = /\*\*\*(Failed|Exception|Timeout|Not Run)/}
      /^ +Start +[0-9]+:/ {next} show' "$log" | head -n 300 >&2
    sed -n '/^The following tests FAILED:/,$p' "$log" >&2
    say "FAIL  $name: $bad of $total ($((SECONDS - start)) s)"
  else
    say "ok    $name: $((total - unrun)) passed, $unrun skipped ($((SECONDS - start)) s)"
  fi
}

# summary: the closing lines; fails when anything did.
summary() {
  local failure
  for failure in "${failures[@]}"; do say "failed: $failure"; done
  say "$SECONDS s in all"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  ((failed == 0 && passed > 0))
}

# Files of this repository by pattern; without git (a tarball) by name.
tree_files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -- "$@"
  else
    local pattern
    for pattern in "$@"; do find apps bench kernwatt tests tools -name "${pattern##*/}"; done
  fi
}

check_format() {
  tree_files '*.cpp' '*.hpp' | xargs -r clang-format --dry-run -Werror
}

check_scripts() {
  shellcheck -x scripts/* .ci/run tools/hooks/*
}

check_spelling() {
  tree_files '*.md' '*.cpp' '*.hpp' '*.py' '*.txt' '*.cmake' 'scripts/*' | grep -vE '^tests/(golden|fuzz/corpus)/' |
    xargs -r codespell --ignore-words tools/codespell-ignore.txt
}

# run_fuzzers: each over its seeds, then on for some seconds; what it finds stays out of the tree.
run_fuzzers() {
  local fuzzer name scratch bad=0
  for fuzzer in build/fuzz/tests/fuzz/*_fuzzer; do
    [[ -x $fuzzer ]] || { say "no fuzzer was built" && return 1; }
    name=$(basename "$fuzzer" _fuzzer)
    scratch=build/fuzz/found/$name
    mkdir -p "$scratch"
    if ! "$fuzzer" -max_total_time="${KERNWATT_FUZZ_SECONDS:-8}" -rss_limit_mb=2560 -timeout=25 -verbosity=0 \
      -artifact_prefix="$scratch-" "$scratch" "tests/fuzz/corpus/$name" >"$LOGS/fuzz-$name.log" 2>&1 </dev/null; then
      tail -n 40 "$LOGS/fuzz-$name.log" >&2
      say "the input that did it: $scratch-*"
      bad=1
    fi
  done
  return "$bad"
}

# tidy_file FILE DEADLINE: one file, unless the time is up. Run by xargs, so that all cores work.
tidy_file() {
  if (($(date +%s) >= $2)); then
    printf '%s\n' "$1" >>"$LOGS/tidy-left-out.log"
    return 0
  fi
  clang-tidy -p build/ci --quiet "$1" 2>/dev/null
}

# check_tidy MODE: the files that changed last come first, for as long as KERNWATT_TIDY_SECONDS; "full" has no limit.
check_tidy() {
  local deadline=$(($(date +%s) + ${KERNWATT_TIDY_SECONDS:-480})) left code=0
  [[ $1 == full ]] && deadline=$(($(date +%s) + 86400))
  : >"$LOGS/tidy-left-out.log"
  export LOGS
  export -f tidy_file
  # shellcheck disable=SC2016  # expanded by the inner bash
  recent_sources | xargs -P "$(jobs_count)" -I{} bash -c 'tidy_file "$1" "$2"' _ {} "$deadline" >"$LOGS/tidy.log" 2>&1 ||
    code=1
  left=$(wc -l <"$LOGS/tidy-left-out.log")
  ((left == 0)) || say "      $left files were left out for want of time: scripts/test --full reads them too"
  if ((code)); then grep -E '(error|warning):' "$LOGS/tidy.log" | sort -u | head -n 60 >&2 || tail "$LOGS/tidy.log" >&2; fi
  return "$code"
}

# The product's sources, the last changed first. Tests are left to the compiler: GoogleTest's macros trip the checks.
recent_sources() {
  { git log --format= --name-only 2>/dev/null || true && tree_files '*.cpp'; } |
    grep -E '^(kernwatt|apps|bench)/.*\.cpp$' | awk '!seen[$0]++' | while read -r file; do
    [[ ! -f $file ]] || printf '%s\n' "$file"
  done
}
