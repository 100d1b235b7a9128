/** Interfaces of the explorer's pages. */
import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { EventData } from "../api/schemas/events.ts";
import type { Answer, Client } from "../client/index.ts";

/** The kind tells whether a retry can succeed, and who caused the failure. */
type ProblemKind =
  /** The node does not have it. */
  | "unknown"
  /** The request has an invalid form. */
  | "malformed"
  /** API key missing, request not allowed from here, or rate limit exceeded. */
  | "refused"
  /** No connection, or a broken one. */
  | "unreachable"
  /** The node blocks cross-origin requests (CORS). */
  | "closed to pages"
  /** Timeout. */
  | "late"
  /** An answer that no node gives, or one that is too large. */
  | "nonsense"
  /** Overloaded or starting. */
  | "busy"
  /** The required index is being built. */
  | "building"
  /** The node or the page failed. */
  | "failed";

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** What to do, as a sentence. */
  readonly advice: string;
  /** Text from the node, which can contain anything. */
  readonly detail?: string | undefined;
}

/** The node that the explorer shows. */
export interface NodeApi {
  /** Of its API, with a trailing slash. */
  readonly url: string;
  /** Whether the page comes from this node; `?node=` names another one. */
  readonly own: boolean;
  readonly client: Client;
  /** Undefined before the first answer. */
  readonly network: ReadonlySignal<NetworkInfo | undefined>;
  /** @throws the client's errors, and InvalidAnswerError */
  loadNetwork(): Promise<NetworkInfo>;
  /** Describes an error. May send another request to find the cause. */
  diagnose(error: unknown): Promise<Problem>;
  /** @throws RangeError unless the node is `own` */
  withKey(apiKey: string): Client;
}

export interface NetworkInfo {
  /** `dev`, `testnet`, `mainnet` or a custom name. */
  readonly name: string;
  /** The second byte of every address: 90 for Z. */
  readonly chainId: number;
}

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** The node is syncing; its newest block is from `sinceMs`. */
  | { readonly state: "behind"; readonly sinceMs: number; readonly sync: SyncStatus }
  | { readonly state: "lost"; readonly sinceMs: number; readonly problem: Problem };

export type SyncStatus = Answer<"GET /node/sync">;

/** The newest block or micro block. */
export interface Tip {
  readonly height: number;
  /** 0 for the key block, then its micro blocks. */
  readonly sequence: number;
  readonly id: string;
  readonly timestamp: bigint;
}

/** A key block with its micro blocks. */
export interface StripBlock {
  readonly height: number;
  /** Id with the current micro blocks, or with the last ones if reverted. */
  readonly id: string;
  readonly generator: string;
  readonly timestamp: bigint;
  /** Including all micro blocks. */
  readonly transactionCount: number;
  /** Micro blocks in order, without those from before the page was opened. */
  readonly microBlocks: readonly { readonly id: string; readonly transactionCount: number }[];
  /** Whether micro blocks can still be added. */
  readonly liquid: boolean;
  /** Set once the block was reverted; `by` is its replacement, if known. */
  readonly reverted?: { readonly by: string | undefined } | undefined;
}

/** A pool transaction has no height. */
export interface LiveTransaction {
  readonly transaction: EventData["transaction"]["transaction"] | EventData["pool"]["transaction"];
  readonly height: number | undefined;
  /** True if it was reverted and is in no block again; `replacedBy` is the block now at its height. */
  readonly reverted: boolean;
  readonly replacedBy?: string | undefined;
}

export interface Live {
  readonly tip: ReadonlySignal<Tip | undefined>;
  readonly connection: ReadonlySignal<Connection>;
  /** Newest first; reverted blocks before their replacements. */
  readonly blocks: ReadonlySignal<readonly StripBlock[]>;
  /** Transactions since the page was opened, pool included; newest first. */
  readonly transactions: ReadonlySignal<readonly LiveTransaction[]>;
  /** Pool transactions that the node did not send because there were too many. */
  readonly missed: ReadonlySignal<number>;
}

export interface PageContext {
  readonly node: NodeApi;
  readonly live: Live;
  /** Aborts when the user leaves the page. */
  readonly signal: AbortSignal;
}

/** Decoded, by name. */
export type Params = Readonly<Record<string, string>>;

export interface PageDefinition<Data> {
  /** Path below the base, e.g. `block/:id`; a final `?` makes the last segment optional: `anchor/:hash?`. */
  readonly path: string;
  /** Title of the tab and the history entry. @param data undefined while loading */
  title(params: Params, data: Data | undefined): string;
  /** @throws errors of the client, or a `PageProblem` */
  load(params: Params, query: URLSearchParams, context: PageContext): Promise<Data>;
  /** When to reload in the background: never, with each key block, or with every change. */
  readonly refresh: "never" | "tip" | "new";
  readonly View: (props: {
    readonly params: Params;
    readonly query: URLSearchParams;
    readonly data: Data;
    readonly context: PageContext;
  }) => JSX.Element;
}

/** Shown instead of the page. */
export class PageProblem extends Error {
  override readonly name = "PageProblem";
  readonly kind: "unknown" | "malformed" | "unavailable";
  readonly advice: string;

  /** @param message what is wrong @param advice what to do; both are sentences */
  constructor(kind: PageProblem["kind"], message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }
}
