"use strict";
// Ends the process if Node.js is older than package.json requires. Every Node.js version must be able to read this file
// and those that load it, so they contain no newer syntax.
var wanted = Number(/\d+/.exec(require("../package.json").engines.node)[0]);
if (Number(/\d+/.exec(process.version)[0]) < wanted) {
  console.error(
    "Holdfast needs Node.js " +
      wanted +
      " or newer, and this is Node.js " +
      process.version +
      " at " +
      process.execPath +
      ".",
  );
  process.exit(1);
}
