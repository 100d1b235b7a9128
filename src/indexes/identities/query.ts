/** Identities of accounts. Page 07 §8. */
import type { DidAnswer, DidRequest, DidResolution, IdentityQueries } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { QuerySource } from "../query-source.ts";
import { answerDid, identityVersions } from "./did-core.ts";
import type { IdentityFacts } from "./did-records.ts";
import { identityOf, resolveDid } from "./did-resolution.ts";
import { identityFacts } from "./facts.ts";

export class IdentityQuery implements IdentityQueries {
  readonly #rows: Reader;
  readonly #facts: IdentityFacts;
  readonly #networkName: string;

  constructor(source: QuerySource) {
    this.#rows = source.rows("identities");
    this.#facts = identityFacts(source.reader, this.#rows);
    this.#networkName = source.context.profile.networkName;
  }

  resolve(did: string, options: Parameters<IdentityQueries["resolve"]>[1]): DidResolution {
    return resolveDid(this.#facts, this.#networkName, { did, ...options });
  }

  answer(request: DidRequest): DidAnswer {
    return answerDid(this.#facts, this.#networkName, request);
  }

  versions(did: string, now: number): ReturnType<IdentityQueries["versions"]> {
    return identityVersions(this.#facts, this.#networkName, did, now);
  }

  countRecords(did: string, enough: number): number {
    const text = did.replace(/^did:[^:]*:/, "").replace(/[:/?#].*$/s, "");
    const identity = identityOf(text);
    if (typeof identity === "string") return 0;
    let count = 0;
    for (const table of [tables.didMethods, tables.didServices])
      for (const _row of this.#rows.range<unknown, unknown>(table, { prefix: identity.address }))
        if (++count >= enough) return count;
    return count;
  }
}
