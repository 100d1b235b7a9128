import type { Transport } from "../interfaces.ts";

/** Connects nothing: nobody comes, and whoever is dialled refuses. For a node that talks to no other. */
export const noTransport: Transport = {
  async listen() {
    return undefined;
  },
  async dial(host, port) {
    throw new Error(`${host}:${port} cannot be reached: this node connects to nothing`);
  },
};
