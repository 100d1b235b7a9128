import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

/** Texts and alternative names of a setting. */
interface Details {
  /** Description for help and docs, one or two sentences. */
  readonly about: string;
  /** True if `--help` shows the setting; `--help-all` shows all. */
  readonly basic?: true;
  /** Describes the default if its value is not enough. */
  readonly defaultText?: string | undefined;
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** Description of `--no-<name>`, which help shows instead for switches that are on by default. */
  readonly negated?: string | undefined;
}

export interface Setting<T> extends Details {
  /** Name of the flag and file key: `api-port`. The variable derived from it is `HOLDFAST_API_PORT`. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => T;
}

/** `indexer` names a variable of the index service, which the container also accepts with its prefix. */
type WrittenDetails = Details & { readonly indexer?: string };

/** Defines a setting with a default, which may depend on the network and the data directory. */
export function withDefault<T>(
  name: string,
  kind: Kind<T>,
  value: T | Setting<T>["defaultFor"],
  { indexer, ...details }: WrittenDetails,
): Setting<T> {
  // A default is never a function.
  const defaultFor = typeof value === "function" ? (value as Setting<T>["defaultFor"]) : () => value;
  return { name, kind, defaultFor, ...details, ...(indexer && { container: indexer, plain: indexer }) };
}

/** Defines a setting that may be undefined. */
export function optional<T>(name: string, kind: Kind<T>, details: WrittenDetails): Setting<T | undefined> {
  return withDefault<T | undefined>(name, kind, undefined, details);
}
