/** What a page of the explorer is: what it loads, and how that is drawn. A page fetches nothing by itself. */
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { EventData } from "../api/http/event-schemas.ts";
import type { Client } from "../client/index.ts";

/** The node that is looked at. */
export interface NodeApi {
  /** Where its interface stands, with the slash at the end. */
  readonly url: string;
  /** Whether it is the one that the page comes from; another one is named by `?node=`. */
  readonly own: boolean;
  readonly client: Client;
  /** Known once the node has answered; `undefined` before. */
  readonly network: ReadonlySignal<NetworkFacts | undefined>;
}

/** What network the node belongs to. */
export interface NetworkFacts {
  /** `dev`, `testnet`, `mainnet` or what a founder chose. */
  readonly name: string;
  /** The byte in every address: 90 for Z. */
  readonly chainId: number;
}

/** Whether the page hears of what happens. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** The tip is older than a network's blocks should be apart. */
  | { readonly state: "behind"; readonly sinceMs: number }
  | { readonly state: "lost"; readonly sinceMs: number };

/** The newest block or micro block. */
export interface Tip {
  readonly height: number;
  /** 0: the key block itself; then its micro blocks. */
  readonly sequence: number;
  readonly id: string;
  readonly timestamp: bigint;
}

/** A key block of the strip, with what was added to it. */
export interface StripBlock {
  readonly height: number;
  /** Of the key block. */
  readonly id: string;
  readonly generator: string;
  readonly timestamp: bigint;
  /** Those of the key block and of all its micro blocks. */
  readonly transactionCount: number;
  /** Transactions of each micro block, in order. */
  readonly microBlocks: readonly { readonly id: string; readonly transactionCount: number }[];
  /** Whether it is still filling. */
  readonly liquid: boolean;
  /** Set once it has left the chain; `by` is what stands at its height now, as soon as that is known. */
  readonly reverted?: { readonly by: string | undefined } | undefined;
}

/** A transaction as `/events` tells it; one of the pool has no place yet. */
export interface LiveTransaction {
  readonly transaction: EventData["transaction"]["transaction"] | EventData["pool"]["transaction"];
  readonly height: number | undefined;
  readonly reverted: boolean;
}

/** What happens on the chain, as it happens. Bounded, whoever sends how much. */
export interface Live {
  readonly tip: ReadonlySignal<Tip | undefined>;
  readonly connection: ReadonlySignal<Connection>;
  /** Newest first. */
  readonly blocks: ReadonlySignal<readonly StripBlock[]>;
  /** Newest first. */
  readonly transactions: ReadonlySignal<readonly LiveTransaction[]>;
}

/** What every page is given. */
export interface PageContext {
  readonly node: NodeApi;
  readonly live: Live;
  /** Ends what is loaded when somebody goes elsewhere. */
  readonly signal: AbortSignal;
}

/** The parts of a path that a page names with `:`, decoded. */
export type Params = Readonly<Record<string, string>>;

/** A page, in a file of its own in `pages/`. */
export interface PageDefinition<Data> {
  /** Below the base of the page, e.g. `block/:id`; a last `?` makes a part optional: `anchor/:hash?`. */
  readonly path: string;
  /** Of the tab and the history. @param data undefined as long as it is loaded */
  title(params: Params, data: Data | undefined): string;
  /** @throws what the shell shows: an answer of the node, or a `PageProblem` */
  load(params: Params, query: URLSearchParams, context: PageContext): Promise<Data>;
  /** When it is loaded again, silently: never, when a key block comes or goes, or with everything new. */
  readonly refresh: "never" | "tip" | "new";
  readonly View: (props: {
    readonly params: Params;
    readonly query: URLSearchParams;
    readonly data: Data;
    readonly context: PageContext;
  }) => JSX.Element;
}

/** What a page says in place of what it should show. */
export class PageProblem extends Error {
  override readonly name = "PageProblem";
  readonly kind: "unknown" | "malformed" | "unavailable";
  /** What to do about it, as a sentence. */
  readonly advice: string;

  /** @param message what is the matter, as a sentence */
  constructor(kind: PageProblem["kind"], message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }
}
