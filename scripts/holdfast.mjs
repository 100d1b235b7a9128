#!/usr/bin/env node
// The command `holdfast`: in a clone, brings packages and build up to date first; in an installed package, runs
// what was built.
import { existsSync } from "node:fs";

if (existsSync(new URL("../src", import.meta.url))) {
  process.argv.splice(2, 0, "holdfast");
  await import("./run.mjs");
} else {
  await import("../dist/cli.js");
}
