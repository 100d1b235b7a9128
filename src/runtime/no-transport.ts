import type { Transport } from "../interfaces.ts";

/** Transport of a node without peers. It opens no port and no connection. */
export const noTransport: Transport = {
  async listen() {
    return undefined;
  },
  async dial(host, port) {
    throw new Error(`Cannot connect to ${host}:${port}: this node has no transport`);
  },
};
