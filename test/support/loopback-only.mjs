/**
 * Keeps a process and its children on this machine: they can only dial, look up and send to loopback, however the host
 * is named. Every test runs with it (`vitest.config.ts`), and so does every process that a test starts. It is plain
 * JavaScript because it is loaded before all other modules, including the compiler.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const installed = Symbol.for("holdfast.loopbackOnly");
const own = import.meta.url;

const isLocal = (host) =>
  host === undefined ||
  host === null ||
  /^(localhost|127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/i.test(host);

const refusal = (host) =>
  Object.assign(new Error(`Tests may only connect to this machine, not to ${host}`), { code: "ENETUNREACH" });

function install() {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    // The arguments are a list if `net.connect` passes them on, or as the caller wrote them.
    const [first, second] = Array.isArray(args[0]) ? args[0] : args;
    const host =
      typeof first === "object" && first !== null
        ? first.host
        : typeof second === "string"
          ? second
          : undefined;
    if (isLocal(host)) return connect.apply(this, args);
    this.destroy(refusal(host));
    return this;
  };
  const { send } = dgram.Socket.prototype;
  dgram.Socket.prototype.send = function (...args) {
    const host = args.find((arg) => typeof arg === "string" && arg !== args[0]);
    if (!isLocal(host)) throw refusal(host);
    return send.apply(this, args);
  };
  const { lookup } = dns;
  dns.lookup = (host, ...rest) => {
    if (isLocal(host) || net.isIP(host) !== 0) return lookup(host, ...rest);
    process.nextTick(rest[rest.length - 1], refusal(host));
  };
  const { lookup: look } = dns.promises;
  dns.promises.lookup = async (host, ...rest) => {
    if (isLocal(host) || net.isIP(host) !== 0) return look(host, ...rest);
    throw refusal(host);
  };
  syncBuiltinESMExports();
  const options = process.env.NODE_OPTIONS ?? "";
  if (!options.includes(own)) process.env.NODE_OPTIONS = `${options} --import=${own}`.trim();
}

if (globalThis[installed] === undefined) {
  globalThis[installed] = true;
  install();
}
