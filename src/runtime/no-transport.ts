import type { Transport } from "../interfaces.ts";

/** For a node without peers: opens no port and no connection. */
export const noTransport: Transport = {
  async listen() {
    return undefined;
  },
  async dial(host, port) {
    throw new Error(`Cannot connect to ${host}:${port}: this node has no transport`);
  },
};
