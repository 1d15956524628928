#!/bin/sh
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
# install.sh FOLDER: puts the modules of FOLDER/package-lock.json into FOLDER/node_modules. npm checks their hashes.
# What npm has in its cache is not fetched again, so that further build folders need no network.
set -eu
cd "$1"
"${KERNWATT_NPM:-npm}" ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error >npm.log 2>&1 || {
  tail -n 15 npm.log >&2
  echo "npm could not fetch the modules of the HTML report (the whole log: $1/npm.log). Is the network there?" >&2
  exit 1
}
