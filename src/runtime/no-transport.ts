import type { Transport } from "../interfaces.ts";

/** For nodes without peers: opens no port or connection. */
export const noTransport: Transport = {
  async listen() {
    return undefined;
  },
  async dial(host, port) {
    throw new Error(`Cannot connect to ${host}:${port}: this node has no transport`);
  },
};
