import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../interfaces.ts";

/** Names and addresses as the machine has them. */
export const systemHosts: Hosts = {
  async resolve(name) {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  },
  own: () =>
    Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []),
};
