/** Defines a page, and what pages receive: the node and live data of its chain. */
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { EventData } from "../api/schemas/events.ts";
import type { Answer, Client } from "../client/index.ts";

/** Kind of a failure, which indicates its cause and whether a retry can succeed. */
type ProblemKind =
  | "unknown"
  /** The request has an invalid form. */
  | "malformed"
  /** The API key is missing or wrong, or the request is not allowed from this host. */
  | "refused"
  /** There is no connection, or it broke. */
  | "unreachable"
  /** The node blocks cross-origin requests (CORS). */
  | "cross-origin"
  /** The request timed out. */
  | "timeout"
  /** The answer is too large, or is not one that a node sends. */
  | "invalid-answer"
  /** The node is overloaded or starting, or a rate limit is exceeded. */
  | "busy"
  /** The required index is being built. */
  | "building"
  /** The node failed with another status, or the page failed. */
  | "failed";

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** What the user can do, as a sentence. */
  readonly advice: string;
  /** Text from the node, which can contain anything. */
  readonly detail?: string | undefined;
}

export interface NodeApi {
  /** Base URL of its API, with a trailing slash. */
  readonly url: string;
  /** True if this node serves the page; false for another node, chosen with `?node=`. */
  readonly servesPage: boolean;
  readonly client: Client;
  /** The node's network; undefined before the first answer. */
  readonly network: ReadonlySignal<NetworkInfo | undefined>;
  /** Loads `network`. @throws the client's errors, and InvalidAnswerError */
  loadNetwork(): Promise<NetworkInfo>;
  /** Describes an error. May send another request to find the cause. */
  diagnose(error: unknown): Promise<Problem>;
  /** Returns a client that sends the API key. @throws RangeError unless `servesPage` */
  withKey(apiKey: string): Client;
}

export interface NetworkInfo {
  /** `dev`, `testnet`, `mainnet` or a custom name. */
  readonly name: string;
  /** Second byte of every address of the network, such as 90 for Z. */
  readonly chainId: number;
}

/** State of the event stream. Times are in ms since 1970. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** The node is syncing; its newest block is from `sinceMs`. */
  | { readonly state: "behind"; readonly sinceMs: number; readonly sync: SyncStatus }
  | { readonly state: "lost"; readonly sinceMs: number; readonly problem: Problem };

export type SyncStatus = Answer<"GET /node/sync">;

export interface Tip {
  readonly height: number;
  /** 0 for a key block; then counts its micro blocks. */
  readonly sequence: number;
  readonly id: string;
  readonly timestamp: bigint;
}

/** A key block with its micro blocks, as shown in the block strip. */
export interface StripBlock {
  readonly height: number;
  /** Id of the block with its current micro blocks; of a reverted block, with its last ones. */
  readonly id: string;
  readonly generator: string;
  readonly timestamp: bigint;
  /** Number of transactions, including those of all micro blocks. */
  readonly transactionCount: number;
  /** Micro blocks that arrived since the page was opened, in order. */
  readonly microBlocks: readonly { readonly id: string; readonly transactionCount: number }[];
  /** True if micro blocks can still be added. */
  readonly liquid: boolean;
  /** Set if the block was reverted; `by` is the id of the block that replaced it, if known. */
  readonly reverted?: { readonly by: string | undefined } | undefined;
}

/** A transaction that was received while the page is open. */
export interface LiveTransaction {
  readonly transaction: EventData["transaction"]["transaction"] | EventData["pool"]["transaction"];
  /** Height of its block; undefined for a pool transaction. */
  readonly height: number | undefined;
  /** True if its block was reverted and no other block contains it. */
  readonly reverted: boolean;
  /** Id of the block that is now at the height of the reverted block. */
  readonly replacedBy?: string | undefined;
}

export interface Live {
  readonly tip: ReadonlySignal<Tip | undefined>;
  readonly connection: ReadonlySignal<Connection>;
  /** Recent blocks, newest first. A reverted block precedes its replacement. */
  readonly blocks: ReadonlySignal<readonly StripBlock[]>;
  /** Transactions received since the page was opened, including those of the pool; newest first. */
  readonly transactions: ReadonlySignal<readonly LiveTransaction[]>;
  /** Number of pool transactions that the node did not send because there were too many. */
  readonly missed: ReadonlySignal<number>;
}

export interface PageContext {
  readonly node: NodeApi;
  readonly live: Live;
  /** Aborts when the user leaves the page. */
  readonly signal: AbortSignal;
}

export type Params = Readonly<Record<string, string>>;

export interface PageDefinition<Data> {
  /** Path relative to the base, such as `block/:id`. A final `?` makes the last segment optional: `anchor/:hash?`. */
  readonly path: string;
  title(params: Params, data: Data | undefined): string;
  /** Loads the data of the page. @throws errors of the client, or a `PageProblem` */
  load(params: Params, query: URLSearchParams, context: PageContext): Promise<Data>;
  readonly refresh: "never" | "tip" | "new";
  readonly View: (props: {
    readonly params: Params;
    readonly query: URLSearchParams;
    readonly data: Data;
    readonly context: PageContext;
  }) => JSX.Element;
}

/** Thrown by pages that cannot be shown. The message and the advice are shown instead. */
export class PageProblem extends Error {
  override readonly name = "PageProblem";
  readonly kind: "unknown" | "malformed" | "unavailable";
  readonly advice: string;

  /** @param message what is wrong, as a sentence @param advice what the user can do, as a sentence */
  constructor(kind: PageProblem["kind"], message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }
}
