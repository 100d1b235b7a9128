#!/usr/bin/env node
"use strict";
// The command `holdfast`: in a clone, brings packages and build up to date first; in an installed package, runs
// what was built.
require("./node-version.cjs");
var path = require("node:path");
if (require("node:fs").existsSync(path.join(__dirname, "..", "src"))) {
  process.argv.splice(2, 0, "holdfast");
  import("./run.mjs");
} else {
  import("../dist/cli.js");
}
