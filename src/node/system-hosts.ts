import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../interfaces.ts";

/**
 * Names and addresses as the machine has them. The system cannot list its addresses while no file handle is free: then
 * the last known ones count.
 * @param failed is told why they cannot be listed
 * @param interfaces lists them
 */
export function hostsOf(failed: (error: unknown) => void, interfaces = networkInterfaces): Hosts {
  let known: readonly string[] = [];
  return {
    async resolve(name) {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    },
    own() {
      try {
        known = Object.values(interfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []);
      } catch (error) {
        // Whatever the reason: without the newest list the node may dial itself once, and notices.
        failed(error);
      }
      return known;
    },
  };
}

/** The machine's names and addresses, for commands that open no connection. */
export const systemHosts: Hosts = hostsOf(() => {});
