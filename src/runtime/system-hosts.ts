import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../interfaces.ts";

/** If addresses cannot be listed, `own` returns those of its last success. */
export function createHosts(onError: (error: unknown) => void, interfaces = networkInterfaces): Hosts {
  let lastAddresses: readonly string[] = [];
  return {
    async resolve(name) {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    },
    own() {
      try {
        lastAddresses = Object.values(interfaces()).flatMap(
          (entries) => entries?.map(({ address }) => address) ?? [],
        );
      } catch (error) {
        // An outdated list is safe.
        onError(error);
      }
      return lastAddresses;
    },
  };
}

/** For commands without connections: ignores failures to list addresses. */
export const systemHosts: Hosts = createHosts(() => {});
