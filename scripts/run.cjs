"use strict";
// Starts run.mjs, which an old Node.js could not even read.
require("./node-version.cjs");
import("./run.mjs");
