import { type Signal, signal } from "@preact/signals";
import { decodeBase58 } from "../../bytes/base58.ts";
import { tryDecode } from "../../bytes/errors.ts";
import {
  type BoundedAnswer,
  type BoundedFetch,
  InvalidAnswerError,
  limitedFetch,
} from "../../client/bounded-fetch.ts";
import type { FetchedAnswer } from "../../client/client.ts";
import { membersOf } from "../../client/decode.ts";
import {
  type Client,
  createClient,
  FailedRequestError,
  type Fetch,
  type StreamFetch,
} from "../../client/index.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import type { NetworkInfo, NodeApi, Problem, SyncStatus } from "../page.ts";
import { displayText } from "../text/text.ts";
import { parseLabels } from "./labels.ts";
import type { NodeLocation } from "./node-url.ts";
import type { PageClock } from "./platform.ts";
import { crossOriginProblem, problemOf } from "./problems.ts";
import { SharedClient } from "./shared-client.ts";

/** The JSON of a full block is smaller. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

export type PageFetch = BoundedFetch<BoundedAnswer & Pick<FetchedAnswer, "headers">> & StreamFetch;

interface NodeApiOptions {
  readonly location: NodeLocation;
  readonly fetch: PageFetch;
  /** For event streams. Default: `fetch`. */
  readonly openEvents?: StreamFetch | undefined;
  readonly clock: PageClock;
  /** Resolves if the host answers, even if the page may not read the answer. Default: none. */
  readonly probe?: ((url: string) => Promise<unknown>) | undefined;
}

/** By id of the first block. */
export const knownNetworks: Readonly<Record<string, string>> = {
  "3xfb8SHvXK1eUT73kqq89Ayvt2w5ivy9CM2HHVYZ6H5zjgmbukadkFhis74vXsfak9YjwUCBMQUKsKmiRPmAWaB3": "mainnet",
  "47pP5r1Kh159XmxcfG2eQVj6dKNhub3mvGgpJovcw7EcZyJswFLYyKGYNV21BGJ8pwkajA75ZLMWFBdv3BzMRMk": "testnet",
  "53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn": "dev",
};

function chainIdOf(address: unknown): number {
  const text = typeof address === "string" ? address : "";
  const bytes = tryDecode(() => decodeBase58(text, 2 * ADDRESS_LENGTH));
  if (bytes?.length === ADDRESS_LENGTH) return bytes[1];
  throw new InvalidAnswerError("its first block has no valid generator");
}

const MAX_NAME_LENGTH = 40;

/** Undefined if the answer does not name the network. */
function networkInfoOf(answer: unknown): NetworkInfo | undefined {
  const { displayName, tokenSymbol, chainId, accountNames } = membersOf(membersOf(answer).network);
  if (typeof displayName !== "string" || typeof chainId !== "number") return undefined;
  return {
    name: displayText(displayName.slice(0, MAX_NAME_LENGTH)),
    chainId,
    tokenSymbol:
      typeof tokenSymbol === "string" ? displayText(tokenSymbol.slice(0, MAX_NAME_LENGTH)) : undefined,
    accountNames: parseLabels(membersOf(accountNames)),
  };
}

export class RemoteNodeApi implements NodeApi {
  readonly url: string;
  readonly servesPage: boolean;
  readonly openEvents: StreamFetch;
  readonly #limitedFetch: Fetch;
  readonly client: SharedClient;
  readonly #options: NodeApiOptions;
  readonly network: Signal<NetworkInfo | undefined> = signal(undefined);

  constructor(options: NodeApiOptions) {
    const { location, fetch, openEvents = fetch, clock } = options;
    this.#options = options;
    this.url = location.url;
    this.servesPage = location.servesPage;
    this.openEvents = openEvents;
    const limited = limitedFetch({ fetch, after: (...args) => clock.after(...args) }, MAX_ANSWER_BYTES);
    this.#limitedFetch = async (...args) => {
      const answer = await limited(...args);
      // Some web servers answer every path with a page.
      if (answer.status === 200 && answer.headers.get("content-type")?.startsWith("text/html"))
        throw new InvalidAnswerError("its answer is a web page");
      return answer;
    };
    this.client = new SharedClient(createClient({ url: location.url, fetch: this.#limitedFetch }));
  }

  withKey(apiKey: string): Client {
    if (!this.servesPage) throw new RangeError("The API key is sent only to the node that serves the page");
    return createClient({ url: this.url, fetch: this.#limitedFetch, apiKey });
  }

  /** Also learns the network. @throws the client's errors */
  async loadSync(): Promise<SyncStatus> {
    const answer = await this.client.call("GET /node/sync");
    this.network.value ??= networkInfoOf(answer);
    return answer;
  }

  async loadNetwork(): Promise<NetworkInfo> {
    if (this.network.value === undefined)
      await this.loadSync().catch((error: unknown) => {
        if (!(error instanceof FailedRequestError)) throw error;
      });
    if (this.network.value !== undefined) return this.network.value;
    // Other implementations do not name their network.
    const params = { height: 1 };
    const { generator, signature } = await this.client.call("GET /blocks/headers/at/:height", { params });
    this.network.value = { chainId: chainIdOf(generator), name: knownNetworks[signature] ?? "network" };
    return this.network.value;
  }

  async diagnose(error: unknown): Promise<Problem> {
    const problem = problemOf(error);
    const { probe } = this.#options;
    if (problem.kind !== "unreachable" || this.servesPage || probe === undefined) return problem;
    // Browsers report a blocked cross-origin request like an unreachable node.
    return probe(`${this.url}node/version`).then(
      () => crossOriginProblem,
      () => problem,
    );
  }

  reset(): void {
    this.client.reset();
    this.network.value = undefined;
  }
}
