import { describeSource } from "../../api/units/source.ts";
import type { Settings } from "../../config/settings.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { TrustSettings } from "../../indexes/trust/settings.ts";
import type { SourceDescription } from "../../interfaces.ts";
import { apiInfo } from "../api/api.ts";
import { chainDirectory, networkIdentity, readerContext } from "../composition.ts";

/** What a mirror knows about its node: plain data, for threads. */
export interface MirroredNode {
  readonly directory: string;
  readonly identity: string;
  readonly context: ReaderContext;
  /** Without the store's id, which is read when the store is opened. */
  readonly description: Omit<SourceDescription, "store">;
}

export interface MirrorTarget {
  readonly url: string;
  /** Default: the environment variable PGPASSWORD. */
  readonly password: string | undefined;
}

/** What the mirror thread needs to start: plain data. */
export interface MirrorOrder extends MirroredNode, MirrorTarget {}

export function mirroredNode(settings: Settings, trust: TrustSettings): MirroredNode {
  const { profile } = settings;
  const description = describeSource(apiInfo(settings, { store: "", trustRoot: trust.root }));
  if (description === undefined) throw new RangeError("The node has no description");
  return {
    directory: chainDirectory(settings),
    identity: networkIdentity(profile),
    context: offlineContext(settings, trust),
    description,
  };
}

/** Returns a reader's context without opening the chain. */
export function offlineContext(settings: Settings, trust: TrustSettings): ReaderContext {
  const { chainId, functionality, forging } = settings.profile;
  const { maxTransactionsInMicroBlock } = forging;
  return readerContext(settings, { chainId, functionality, maxTransactionsInMicroBlock }, trust);
}
