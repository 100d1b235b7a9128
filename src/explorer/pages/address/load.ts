import type { Answer, Client } from "../../../client/index.ts";
import { undefinedIfMissing } from "../../data/use-query.ts";
import type { ShownTransaction } from "../../describe/details.ts";
import type { Live, PageContext } from "../../page.ts";
import { type ListPage, PAGE_SIZE, toListPage } from "../../parts/lists/long-table.tsx";
import { type FilterValues, filterParameters } from "../lists/filters.tsx";
import { involvesAddress } from "./account-version.ts";

const PLOTTED_CHANGES = 50;
const MAX_PLOTTED_CHANGES = 500;
const MAX_LEASES = 500;
/** A larger pool is not searched for the account's transactions. */
const MAX_POOL_SCAN = 300;

export type Balances = Answer<"GET /addresses/balance/details/:address">;
export type Change = Answer<"GET /addresses/balance/changes/:address">[number];
export type Lease = Answer<"GET /leasing/active/:address">[number];
export type AccountRow = Answer<"GET /addresses/transactions/:address">[number];
export type DataEntry = Answer<"GET /addresses/data/:address">[number];
type Association = Answer<"GET /associations/status/:address">["outgoing"][number];
export type Sponsored = Answer<"GET /sponsorship/given/:address">[number];

export interface ChangeRow {
  readonly change: Change;
  readonly before: Pick<Change, "regular" | "effective">;
}

/** `change`: oldest change of the previous answer. The balance before it is only in the next answer. */
interface ChangeCursor {
  readonly cursor: string;
  readonly change: Change | undefined;
}

/** Changes have no id, and a block can cause several. */
export function changeKey({ change }: ChangeRow): string {
  const { height, transactions, regular, effective, unbonding } = change;
  return [height, transactions[0], regular, effective, unbonding].join(" ");
}

export interface AssociationRow {
  readonly association: Association;
  readonly isOutgoing: boolean;
}

export const tabNames = [
  "transactions",
  "changes",
  "data",
  "associations",
  "identity",
  "script",
  "sponsors",
  "certificate",
] as const;

export type TabName = (typeof tabNames)[number];
export type TabData = Awaited<ReturnType<AccountLists["loadTab"]>>;

export function parseTab(text: string | null): TabName {
  return tabNames.find((name) => name === text) ?? "transactions";
}

export interface TabProps<Name extends TabData["name"]> {
  readonly address: string;
  readonly tab: Extract<TabData, { name: Name }>;
  readonly lists: AccountLists;
  readonly live: Live;
  readonly context: PageContext;
  readonly version: string;
  readonly query: URLSearchParams;
}

/** Statuses of nodes without the route or its data. */
const MISSING_STATUSES = [404, 405, 501];

export const ifSupported = <T>(answer: Promise<T>): Promise<T | undefined> =>
  undefinedIfMissing(answer, MISSING_STATUSES);

export class AccountLists {
  readonly #client: Client;
  readonly #params: { readonly address: string };

  constructor(client: Client, address: string) {
    this.#client = client;
    this.#params = { address };
  }

  #pageRequest<Query extends { readonly limit?: number | undefined }>(query: Query) {
    const { limit = PAGE_SIZE, ...others } = query;
    return { params: this.#params, query: { limit, ...others } };
  }

  async loadTransactions(
    filters: FilterValues,
    cursor?: string,
    limit?: number,
  ): Promise<ListPage<AccountRow>> {
    const request = this.#pageRequest({ ...filterParameters(filters), cursor, limit });
    return toListPage(await this.#client.callWithHeaders("GET /addresses/transactions/:address", request));
  }

  loadTotals({ from, to }: FilterValues): Promise<Answer<"GET /addresses/totals/:address">> {
    return this.#client.call("GET /addresses/totals/:address", { params: this.#params, query: { from, to } });
  }

  async #loadChangePage(query: {
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
  }) {
    const request = this.#pageRequest(query);
    return toListPage(await this.#client.callWithHeaders("GET /addresses/balance/changes/:address", request));
  }

  loadPlottedChanges(showsAll: boolean): Promise<ListPage<Change>> {
    return this.#loadChangePage({ limit: showsAll ? MAX_PLOTTED_CHANGES : PLOTTED_CHANGES });
  }

  async loadChanges(from?: ChangeCursor, limit?: number): Promise<ListPage<ChangeRow, ChangeCursor>> {
    const { rows, next: cursor } = await this.#loadChangePage({ cursor: from?.cursor, limit });
    const changes = from?.change === undefined ? rows : [from.change, ...rows];
    const shown = cursor === undefined ? changes : changes.slice(0, -1);
    const zeroBalance = { regular: 0n, effective: 0n };
    return {
      rows: shown.map((change, i) => ({ change, before: changes[i + 1] ?? zeroBalance })),
      next: cursor === undefined ? undefined : { cursor, change: changes.at(-1) },
    };
  }

  async loadLeases() {
    const request = this.#pageRequest({ limit: MAX_LEASES });
    return toListPage(await this.#client.callWithHeaders("GET /leasing/active/:address", request));
  }

  async loadData(cursor?: string, limit?: number) {
    const request = this.#pageRequest({ cursor, limit });
    return toListPage(await this.#client.callWithHeaders("GET /addresses/data/:address", request));
  }

  async loadAssociations(cursor?: string, limit?: number): Promise<ListPage<AssociationRow>> {
    const request = this.#pageRequest({ cursor, limit });
    const answer = await this.#client.callWithHeaders("GET /associations/status/:address", request);
    const { outgoing, incoming } = answer.value;
    const value = [
      ...outgoing.map((association) => ({ association, isOutgoing: true })),
      ...incoming.map((association) => ({ association, isOutgoing: false })),
    ];
    return toListPage({ value, header: (name) => answer.header(name) });
  }

  async loadSponsored(cursor?: string, limit?: number) {
    const request = this.#pageRequest({ cursor, limit });
    return toListPage(await this.#client.callWithHeaders("GET /sponsorship/given/:address", request));
  }

  async loadPending(): Promise<readonly ShownTransaction[]> {
    const { size } = await this.#client.call("GET /transactions/unconfirmed/size");
    if (size === 0 || size > MAX_POOL_SCAN) return [];
    const pool = await this.#client.call("GET /transactions/unconfirmed");
    return pool.filter((transaction) => involvesAddress(transaction, this.#params.address));
  }

  async loadTab(name: TabName) {
    const params = this.#params;
    switch (name) {
      case "transactions":
        return { name, pending: await this.loadPending() };
      case "changes":
        return { name, first: await this.loadChanges() };
      case "data":
        return { name, first: await this.loadData() };
      case "associations":
        return { name, first: await this.loadAssociations() };
      case "identity":
        return {
          name,
          document: await ifSupported(this.#client.call("GET /identities/:address", { params })),
        };
      case "script":
        return { name, info: await this.#client.call("GET /addresses/scriptInfo/:address", { params }) };
      case "sponsors": {
        const { sponsor } = await this.#client.call("GET /sponsorship/status/:address", { params });
        return { name, sponsors: sponsor, sponsored: await ifSupported(this.loadSponsored()) };
      }
      case "certificate":
        return {
          name,
          certificate: await ifSupported(this.#client.call("GET /certificates/:address", { params })),
        };
    }
  }
}
