/** What a page of the explorer is: what it loads, and how that is drawn. A page fetches nothing by itself. */
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { EventData } from "../api/schemas/events.ts";
import type { Answer, Client } from "../client/index.ts";

/** Whether the same may succeed later, and whose fault it is, follow from the kind. */
type ProblemKind =
  /** The node does not have what was asked for. */
  | "unknown"
  /** What was asked for has not the form that it must have. */
  | "malformed"
  /** Not without a key, not from this page, or not so often. */
  | "refused"
  /** No connection, or it broke. */
  | "unreachable"
  /** It is there, and lets no page of another host read its answers. */
  | "closed to pages"
  /** It took too long. */
  | "late"
  /** It answered what no node answers, or more than any does. */
  | "nonsense"
  /** It has too much to do, or is on its way up. */
  | "busy"
  /** An index that the answer comes from is being built. */
  | "building"
  /** It failed, or the page did. */
  | "failed";

/** What is said in place of an answer. */
export interface Problem {
  readonly kind: ProblemKind;
  /** A sentence. */
  readonly message: string;
  /** What to do, as a sentence. */
  readonly advice: string;
  /** What the node itself said; text that may be anybody's. */
  readonly detail?: string | undefined;
}

/** The node that is looked at. */
export interface NodeApi {
  /** Where its interface stands, with the slash at the end. */
  readonly url: string;
  /** Whether it is the one that the page comes from; another one is named by `?node=`. */
  readonly own: boolean;
  readonly client: Client;
  /** Known once the node has answered; `undefined` before. */
  readonly network: ReadonlySignal<NetworkInfo | undefined>;
  /** Waits for them. @throws what the client throws, and for an answer that is none */
  loadNetwork(): Promise<NetworkInfo>;
  /** What an error comes to, in words; asks the node once more where only that tells. */
  diagnose(error: unknown): Promise<Problem>;
  /** A client with a key, which is kept nowhere else. @throws RangeError where the node is not `own` */
  withKey(apiKey: string): Client;
}

/** What network the node belongs to. */
export interface NetworkInfo {
  /** `dev`, `testnet`, `mainnet` or what a founder chose. */
  readonly name: string;
  /** The byte in every address: 90 for Z. */
  readonly chainId: number;
}

/** Whether the page hears of what happens. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** The node itself fetches what others have; its newest block is of that time. */
  | { readonly state: "behind"; readonly sinceMs: number; readonly sync: SyncStatus }
  | { readonly state: "lost"; readonly sinceMs: number; readonly problem: Problem };

/** How far the node is with what others have. */
export type SyncStatus = Answer<"GET /node/sync">;

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
  /** As it stands with its micro blocks; of a block that left the chain, as it stood last. */
  readonly id: string;
  readonly generator: string;
  readonly timestamp: bigint;
  /** Those of the key block and of all its micro blocks. */
  readonly transactionCount: number;
  /** Transactions of each micro block, in order. Those that were there before the page was opened are not told apart. */
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
  /** Whether it left the chain and did not come back yet; `by` is the block that stands at its height now. */
  readonly reverted: boolean;
  readonly replacedBy?: string | undefined;
}

/** What happens on the chain, as it happens. Bounded, whoever sends how much. */
export interface Live {
  readonly tip: ReadonlySignal<Tip | undefined>;
  readonly connection: ReadonlySignal<Connection>;
  /** Newest first; what left the chain stands before what stands at its height now. */
  readonly blocks: ReadonlySignal<readonly StripBlock[]>;
  /** What was told since the page was opened, newest first; those of the pool among them. */
  readonly transactions: ReadonlySignal<readonly LiveTransaction[]>;
  /** How many the pool took of which the node did not tell, having too many at once. */
  readonly missed: ReadonlySignal<number>;
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
