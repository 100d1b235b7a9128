import type { Log } from "../interfaces.ts";

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
