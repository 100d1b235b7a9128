import type { DidAnswer, DidRequest, DidResolution, IdentityQueries } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { Queries } from "../query-source.ts";
import { answerDid, identityVersions } from "./did-core.ts";
import { identityFacts } from "./did-records.ts";
import { identityOf, resolveDid } from "./did-resolution.ts";

export class IdentityQuery extends Queries implements IdentityQueries {
  readonly #rows = this.source.rows("identities");
  readonly #facts = identityFacts(this.source.reader, this.#rows);
  readonly #networkName = this.source.context.profile.networkName;

  resolve(did: string, options: Parameters<IdentityQueries["resolve"]>[1]): DidResolution {
    return resolveDid(this.#facts, this.#networkName, { did, ...options });
  }

  answer(request: DidRequest): DidAnswer {
    return answerDid(this.#facts, this.#networkName, request);
  }

  versions(did: string, now: number): ReturnType<IdentityQueries["versions"]> {
    return identityVersions(this.#facts, this.#networkName, did, now);
  }

  countRecords(did: string, limit: number): number {
    const text = did.replace(/^did:[^:]*:/, "").replace(/[:/?#].*$/s, "");
    const identity = identityOf(text);
    if (typeof identity === "string") return 0;
    let count = 0;
    for (const table of [tables.didMethods, tables.didServices])
      for (const _row of this.#rows.range<unknown, unknown>(table, { prefix: identity.address }))
        if (++count >= limit) return count;
    return count;
  }
}
