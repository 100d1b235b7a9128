"use strict";
// Ends the process when Node.js is older than package.json asks for. Every Node.js must be able to read this file, and
// those that load it: nothing in them is newer than the versions that they refuse.
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
