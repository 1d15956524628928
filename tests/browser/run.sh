#!/bin/sh
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
# run.sh FOLDER: the browser tests, with their modules in FOLDER. Exit status 77 (skipped) says what is missing.
# Needs KERNWATT_PROGRAM, KERNWATT_SOURCE_DIR, KERNWATT_PAGE_MODULES, KERNWATT_SCREENSHOTS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
skip() {
  echo "skipped: $*"
  exit 77
}
KERNWATT_CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no chromium (apt-get install chromium)"
command -v node >/dev/null || skip "there is no node"
mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed-lock.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$folder/"
  (cd "$folder" && npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
    skip "npm could not fetch the modules of the tests ($folder/npm.log)"
  cp "$here/package-lock.json" "$folder/installed-lock.json"
fi
# Modules are looked for beside the file that imports them, so the tests run from a copy.
cp "$here"/*.mjs "$folder/"
# The page's types, by the compiler that its bundler leaves out.
cat >"$folder/tsconfig.json" <<EOF
{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true, "noEmit": true,
  "noUnusedLocals": true, "noUnusedParameters": true, "types": [], "lib": ["es2023", "dom", "dom.iterable"],
  "paths": {"echarts/*": ["$KERNWATT_PAGE_MODULES/echarts/*"]}},
 "include": ["$KERNWATT_SOURCE_DIR/kernwatt/report/html/page/src/**/*.ts"]}
EOF
"$folder/node_modules/.bin/tsc" -p "$folder/tsconfig.json"
export KERNWATT_CHROMIUM KERNWATT_BROWSER_WORK="$folder/work"
cd "$folder"
exec node --test --test-reporter=spec --test-timeout=240000 report_test.mjs
