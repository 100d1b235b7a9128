import type { Transport } from "../interfaces.ts";

/** A transport without connections, for a node without peers. */
export const noTransport: Transport = {
  async listen() {
    return undefined;
  },
  async dial(host, port) {
    throw new Error(`${host}:${port} cannot be reached: this node connects to nothing`);
  },
};
