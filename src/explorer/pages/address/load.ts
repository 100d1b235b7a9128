/** What the page of an account asks the node: its balances always, and what the open tab shows. */
import type { Answer, Client } from "../../../client/index.ts";
import { ifThere } from "../../data/attempt.ts";
import { problemOf } from "../../data/problems.ts";
import type { ShownTransaction } from "../../describe/members.ts";
import type { PageContext, Problem } from "../../page.ts";
import { type ListPage, nextCursor, type PagedAnswer } from "../../parts/long-table.tsx";
import { concerns } from "./concerns.ts";

/** Changes of the balance that are plotted, leases that are drawn. */
const PLOTTED = 500;
const LEASES = 500;
const PAGE = 100;
/** A pool with more is not looked through. */
const MAX_POOL = 300;

export type Balances = Answer<"GET /addresses/balance/details/:address">;
export type Change = Answer<"GET /addresses/balance/changes/:address">[number];
export type Lease = Answer<"GET /leasing/active/:address">[number];
export type ListedTransaction = Answer<"GET /transactions/addresses/:address">[number];
export type DataEntry = Answer<"GET /addresses/data/:address">[number];
type Association = Answer<"GET /associations/status/:address">["outgoing"][number];
export type Sponsored = Answer<"GET /sponsorship/given/:address">[number];

/** A change, and what it changed; undefined where what stood before is not known. */
export interface ChangeRow {
  readonly change: Change;
  readonly before: Pick<Change, "regular" | "effective">;
}

/** Where a list of changes goes on: the last change of a page is shown with the next one, which says what it changed. */
interface ChangePlace {
  readonly cursor: string;
  readonly held: Change | undefined;
}

/** Changes have no id, and a block may have several, one by each of its micro blocks: what they came to tells them apart. */
export function changeKey({ change }: ChangeRow): string {
  const { height, transactions, regular, effective, unbonding } = change;
  return [height, transactions[0], regular, effective, unbonding].join(" ");
}

/** An association, and whether the account issued it. */
export interface AssociationRow {
  readonly association: Association;
  readonly isOwn: boolean;
}

export type TabData =
  | {
      readonly name: "transactions";
      readonly first: ListPage<ListedTransaction>;
      readonly total: number | undefined;
      readonly waiting: readonly ShownTransaction[];
    }
  | { readonly name: "changes"; readonly first: ListPage<ChangeRow, ChangePlace> }
  | { readonly name: "data"; readonly first: ListPage<DataEntry> }
  | { readonly name: "associations"; readonly first: ListPage<AssociationRow> }
  | { readonly name: "identity"; readonly document: Answer<"GET /identities/:address"> | undefined }
  | { readonly name: "script"; readonly info: Answer<"GET /addresses/scriptInfo/:address"> }
  | {
      readonly name: "sponsors";
      readonly sponsors: readonly string[];
      readonly given: ListPage<Sponsored> | undefined;
    }
  | { readonly name: "certificate"; readonly certificate: Answer<"GET /certificates/:address"> | undefined };

type TabName = TabData["name"];

/** In their order, with what they are called. */
export const tabNames: readonly { readonly name: TabName; readonly words: string }[] = [
  { name: "transactions", words: "Transactions" },
  { name: "changes", words: "Balance changes" },
  { name: "data", words: "Data" },
  { name: "associations", words: "Associations" },
  { name: "identity", words: "Identity" },
  { name: "script", words: "Script" },
  { name: "sponsors", words: "Sponsors" },
  { name: "certificate", words: "Certificate" },
];

/** The tab that `?tab=` names; the first one unless it names one. */
export function tabOf(text: string | null): TabName {
  return tabNames.find(({ name }) => name === text)?.name ?? "transactions";
}

export interface AddressData {
  readonly address: string;
  readonly balances: Balances;
  /** Newest first, with the place of those behind them; undefined where the node does not tell. */
  readonly changes: ListPage<Change> | undefined;
  readonly leases: ListPage<Lease>;
  readonly tab: TabData | { readonly name: TabName; readonly problem: Problem };
}

/** Statuses of what the node has nothing of, and of routes that it does not have. */
const MISSING = [404, 405, 501];

function partOf<Row>(answer: PagedAnswer<readonly Row[]>): ListPage<Row> {
  return { rows: answer.value, next: nextCursor(answer) };
}

/** Lists of an account, page by page. */
export class AccountLists {
  readonly #client: Client;
  readonly #params: { readonly address: string };

  constructor(client: Client, address: string) {
    this.#client = client;
    this.#params = { address };
  }

  async transactions(
    cursor?: string,
  ): Promise<ListPage<ListedTransaction> & { readonly total: number | undefined }> {
    const query = { type: "all", limit: PAGE, cursor };
    const wanted = { params: this.#params, query };
    const page = await this.#client.ask("GET /transactions/addresses/:address", wanted);
    const total = page.header("x-total");
    return { ...partOf(page), total: total === null ? undefined : Number(total) };
  }

  async #changes(query: {
    readonly limit: number;
    readonly cursor?: string | undefined;
  }): Promise<ListPage<Change>> {
    const wanted = { params: this.#params, query };
    return partOf(await this.#client.ask("GET /addresses/balance/changes/:address", wanted));
  }

  plotted(): Promise<ListPage<Change>> {
    return this.#changes({ limit: PLOTTED });
  }

  async changes(place?: ChangePlace): Promise<ListPage<ChangeRow, ChangePlace>> {
    const { rows, next: cursor } = await this.#changes({ limit: PAGE, cursor: place?.cursor });
    const all = place?.held === undefined ? rows : [place.held, ...rows];
    const shown = cursor === undefined ? all : all.slice(0, -1);
    const nothing = { regular: 0n, effective: 0n };
    return {
      rows: shown.map((change, i) => ({ change, before: all[i + 1] ?? nothing })),
      next: cursor === undefined ? undefined : { cursor, held: all.at(-1) },
    };
  }

  async leases(): Promise<ListPage<Lease>> {
    const wanted = { params: this.#params, query: { limit: LEASES } };
    return partOf(await this.#client.ask("GET /leasing/active/:address", wanted));
  }

  #wanted(cursor: string | undefined) {
    return { params: this.#params, query: { limit: PAGE, cursor } };
  }

  async data(cursor?: string): Promise<ListPage<DataEntry>> {
    return partOf(await this.#client.ask("GET /addresses/data/:address", this.#wanted(cursor)));
  }

  async associations(cursor?: string): Promise<ListPage<AssociationRow>> {
    const page = await this.#client.ask("GET /associations/status/:address", this.#wanted(cursor));
    const { outgoing, incoming } = page.value;
    const rows = [
      ...outgoing.map((association) => ({ association, isOwn: true })),
      ...incoming.map((association) => ({ association, isOwn: false })),
    ];
    return { rows, next: nextCursor(page) };
  }

  async given(cursor?: string): Promise<ListPage<Sponsored>> {
    return partOf(await this.#client.ask("GET /sponsorship/given/:address", this.#wanted(cursor)));
  }

  /** Those of the account that wait for a block, unless too many wait. */
  async waiting(): Promise<readonly ShownTransaction[]> {
    const { size } = await this.#client.call("GET /transactions/unconfirmed/size");
    if (size === 0 || size > MAX_POOL) return [];
    const pool = await this.#client.call("GET /transactions/unconfirmed");
    return pool.filter((transaction) => concerns(transaction, this.#params.address));
  }

  async tab(name: TabName): Promise<TabData> {
    const params = this.#params;
    switch (name) {
      case "transactions": {
        const [first, waiting] = await Promise.all([this.transactions(), this.waiting()]);
        return { name, first, total: first.total, waiting };
      }
      case "changes":
        return { name, first: await this.changes() };
      case "data":
        return { name, first: await this.data() };
      case "associations":
        return { name, first: await this.associations() };
      case "identity":
        return {
          name,
          document: await ifThere(this.#client.call("GET /identities/:address", { params }), MISSING),
        };
      case "script":
        return { name, info: await this.#client.call("GET /addresses/scriptInfo/:address", { params }) };
      case "sponsors": {
        const { sponsor } = await this.#client.call("GET /sponsorship/status/:address", { params });
        return { name, sponsors: sponsor, given: await ifThere(this.given(), MISSING) };
      }
      case "certificate":
        return {
          name,
          certificate: await ifThere(this.#client.call("GET /certificates/:address", { params }), MISSING),
        };
    }
  }
}

/** All that the page shows at once. @throws what the client throws, but for what the open tab asks */
export async function loadAddress(
  address: string,
  tab: TabName,
  { node }: PageContext,
): Promise<AddressData> {
  const lists = new AccountLists(node.client, address);
  const shown = lists.tab(tab).catch((error: unknown) => ({ name: tab, problem: problemOf(error) }));
  const [balances, changes, leases, open] = await Promise.all([
    node.client.call("GET /addresses/balance/details/:address", { params: { address } }),
    ifThere(lists.plotted(), MISSING),
    lists.leases(),
    shown,
  ]);
  return { address, balances, changes, leases, tab: open };
}
