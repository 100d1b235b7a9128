import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../interfaces.ts";

/**
 * Returns the machine's names and addresses; without a free file handle to list them, the last known addresses.
 * @param failed called if the addresses cannot be listed
 */
export function createHosts(failed: (error: unknown) => void, interfaces = networkInterfaces): Hosts {
  let known: readonly string[] = [];
  return {
    async resolve(name) {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    },
    own() {
      try {
        known = Object.values(interfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []);
      } catch (error) {
        // Safe: with an old list the node may dial itself once, and detects it.
        failed(error);
      }
      return known;
    },
  };
}

/** For commands that open no connection. */
export const systemHosts: Hosts = createHosts(() => {});
