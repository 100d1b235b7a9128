import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../interfaces.ts";

/**
 * Returns the machine's names and addresses. Without a free file handle the system cannot list the addresses: the
 * last known ones are used then.
 * @param failed called if the addresses cannot be listed
 * @param interfaces lists the addresses
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
        // Safe to continue: with an old list the node may dial itself once, and notices.
        failed(error);
      }
      return known;
    },
  };
}

/** For commands that open no connection. */
export const systemHosts: Hosts = createHosts(() => {});
