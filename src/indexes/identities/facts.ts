import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { IdentityFacts } from "./did-records.ts";

/**
 * What is known of identities, for documents and resolution.
 * @param keys where the keys of accounts are read
 * @param rows where the rest is read: without the identity index a DID has the key of its account and no more
 */
export function identityFacts(keys: Reader, rows: Reader = keys): IdentityFacts {
  return {
    key: (address) => keys.get(tables.firstSeenKeys, address),
    methods: (address) =>
      Array.from(rows.range(tables.didMethods, { prefix: address }), ([, record]) => record),
    services: (address) =>
      Array.from(rows.range(tables.didServices, { prefix: address }), ([, record]) => record),
    deactivation: (address) => rows.get(tables.deactivations, address),
  };
}
