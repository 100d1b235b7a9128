import { bytesEqual } from "../../bytes/compare.ts";
import type { RoleGrant, RoleHolder, TrustQueries, TrustRoles } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { Queries } from "../query-source.ts";
import { heldRoles, issuableRoles, roleGrantsOf } from "./roles.ts";

export class TrustQuery extends Queries implements TrustQueries {
  readonly #rows = this.source.rows("trust");
  readonly #settings = this.source.context.trust;

  /** Has one entry per role name. Page 07 §9.2. */
  rolesOf(address: Uint8Array): TrustRoles {
    const roles = heldRoles(this.#rows, this.#settings, address);
    const issuesRoles = new Map<string, { readonly type: bigint; readonly role: string }>();
    const issuesAuthorization = new Set<string>();
    for (const name of roles) {
      const { issues = [], authorization = [] } = this.#settings.network.get(name) ?? {};
      for (const issue of issues) if (!issuesRoles.has(issue.role)) issuesRoles.set(issue.role, issue);
      for (const uri of authorization) issuesAuthorization.add(uri);
    }
    return { roles, issuesRoles: [...issuesRoles.values()], issuesAuthorization: [...issuesAuthorization] };
  }

  grantsOf(address: Uint8Array): readonly RoleGrant[] {
    return roleGrantsOf(this.#rows, address);
  }

  root(): Uint8Array | undefined {
    return this.#settings.root;
  }

  holders({ after, limit }: Parameters<TrustQueries["holders"]>[0]): readonly RoleHolder[] {
    const holders: RoleHolder[] = [];
    for (const [address, grants] of this.#rows.range(tables.roles, after && { from: after })) {
      if (holders.length >= limit) break;
      if (after === undefined || !bytesEqual(address, after))
        holders.push({ address: address.slice(), grants });
    }
    return holders;
  }

  issuableRoles(address: Uint8Array, type: bigint): readonly string[] {
    return issuableRoles(this.#rows, this.#settings, address, type);
  }
}
