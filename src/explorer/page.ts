import type { ReadonlySignal, Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { EventData } from "../api/schemas/events.ts";
import type { Answer, Client } from "../client/index.ts";

type ProblemKind =
  /** Nothing has this id, height or address. */
  | "unknown"
  /** Invalid id, height or address. */
  | "malformed"
  /** The API key is missing or wrong, or the request is not allowed from this host. */
  | "refused"
  | "unreachable"
  | "cross-origin"
  | "timeout"
  /** Not the answer of a node. */
  | "invalid-answer"
  /** Overloaded or starting. */
  | "busy"
  /** An index is being built. */
  | "building"
  /** Any other failure. */
  | "failed";

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly advice: string;
  /** Untrusted text from the node. */
  readonly detail?: string | undefined;
}

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

export interface NodeApi {
  /** With a trailing slash. */
  readonly url: string;
  /** False for another node, chosen with `?node=`. */
  readonly servesPage: boolean;
  readonly client: Client;
  /** Undefined before the first answer. */
  readonly network: ReadonlySignal<NetworkInfo | undefined>;
  /** @throws the client's errors, and InvalidAnswerError */
  loadNetwork(): Promise<NetworkInfo>;
  diagnose(error: unknown): Promise<Problem>;
  /** The client sends the API key. @throws RangeError unless `servesPage` */
  withKey(apiKey: string): Client;
}

export interface NetworkInfo {
  readonly name: string;
  /** Undefined if the node does not send it. */
  readonly tokenSymbol?: string | undefined;
  /** By address. */
  readonly accountNames?: ReadonlyMap<string, string> | undefined;
  /** Second byte of every address, such as 90 for Z. */
  readonly chainId: number;
}

/** `behind`: live, but the node is syncing; `lost`: the page retries. Times are in ms since 1970. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "behind"; readonly sinceMs: number; readonly sync: SyncStatus }
  | { readonly state: "lost"; readonly sinceMs: number; readonly problem: Problem };

export type SyncStatus = Answer<"GET /node/sync">;

export interface Tip {
  readonly height: number;
  /** 0 for a key block; then counts its micro blocks. */
  readonly sequence: number;
  readonly id: string;
  /** Of the key block, ms since 1970. */
  readonly timestamp: bigint;
}

export interface RecentBlock {
  readonly height: number;
  /** Changes with each micro block. A reverted block keeps its last id. */
  readonly id: string;
  readonly generator: string;
  readonly timestamp: bigint;
  readonly transactionCount: number;
  readonly microBlocks: readonly { readonly id: string; readonly transactionCount: number }[];
  readonly liquid: boolean;
  /** Set if the block was reverted; `by` is the replacement's id, if known. */
  readonly reverted?: { readonly by: string | undefined } | undefined;
}

export interface LiveTransaction {
  readonly transaction: EventData["transaction"]["transaction"] | EventData["pool"]["transaction"];
  /** Undefined in the pool. */
  readonly height: number | undefined;
  /** True if the block was reverted and no other block contains the transaction. */
  readonly reverted: boolean;
  /** Id of the block now at this height. */
  readonly replacedBy?: string | undefined;
}

export interface Live {
  readonly tip: ReadonlySignal<Tip | undefined>;
  readonly connection: ReadonlySignal<Connection>;
  /** Recent blocks, newest first. A reverted block precedes its replacement. */
  readonly blocks: ReadonlySignal<readonly RecentBlock[]>;
  /** Includes the pool. Newest first. */
  readonly transactions: ReadonlySignal<readonly LiveTransaction[]>;
  /** Pool transactions that the node did not send: there were too many. */
  readonly missed: ReadonlySignal<number>;
  /** When the event stream last sent anything, including heartbeats, ms since 1970. */
  readonly heardAtMs: ReadonlySignal<number | undefined>;
}

/** The page sets it, and the shell reads it. */
export interface PageState {
  readonly title?: string | undefined;
  /** Set if the page shows a failure instead of its content. */
  readonly problem?: Problem | undefined;
}

export interface QueryOptions {
  /** A change reloads the value. Undefined while unknown. */
  readonly version?: string | undefined;
  /** Minimum time between two loads. */
  readonly minIntervalMs?: number;
}

export interface PageQueries {
  /** True while any value is loaded for the first time. */
  readonly isLoading: ReadonlySignal<boolean>;
  /**
   * The signal is undefined until the value is loaded. After a failed reload the old value remains.
   * @param key calls with equal keys share a value
   */
  get<T>(key: string, load: () => Promise<T>, options?: QueryOptions): ReadonlySignal<Attempt<T> | undefined>;
  /** Retries failed loads until the returned function is called. */
  watch(key: string): () => void;
  /** Does nothing while the value is being loaded. */
  reload(key: string): void;
  /** Resolves when no value is being loaded. */
  settled(): Promise<void>;
}

export interface PageContext {
  readonly node: NodeApi;
  /** Without `?node=`, this is `node`. */
  readonly servingNode: NodeApi;
  readonly live: Live;
  readonly queries: PageQueries;
  readonly page: Signal<PageState>;
}

export type Params = Readonly<Record<string, string>>;

export interface PageProps {
  readonly params: Params;
  readonly query: URLSearchParams;
  readonly context: PageContext;
}

export interface PageDefinition {
  title(params: Params): string;
  /** True if the page itself reports an unreachable node. */
  readonly worksWithoutNode?: boolean | undefined;
  readonly View: (props: PageProps) => JSX.Element;
}

export class PageProblem extends Error {
  override readonly name = "PageProblem";
  readonly kind: "unknown" | "malformed" | "failed";
  readonly advice: string;

  constructor(kind: PageProblem["kind"], message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }
}
