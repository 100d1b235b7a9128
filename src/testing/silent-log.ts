import type { Log } from "../interfaces.ts";

/** A log that nobody reads. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
