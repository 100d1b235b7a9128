#!/usr/bin/env node
"use strict";
// The command `holdfast`. In a clone it first updates packages and build; in an installed package it runs the compiled
// files.
require("./node-version.cjs");
var path = require("node:path");
if (require("node:fs").existsSync(path.join(__dirname, "..", "src"))) {
  process.argv.splice(2, 0, "holdfast");
  import("./run.mjs");
} else {
  import("../dist/cli.js");
}
