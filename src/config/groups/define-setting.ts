import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

interface Details {
  /** One or two sentences for help and docs. */
  readonly about: string;
  /** True if `--help` shows the setting; `--help-all` shows all. */
  readonly basic?: true;
  readonly defaultText?: string | undefined;
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** Description of `--no-<name>`, which help shows for switches that are on by default. */
  readonly negated?: string | undefined;
}

export interface Setting<T> extends Details {
  /** Name of flag and file key: `api-port`. The variable is `HOLDFAST_API_PORT`. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => T;
}

/** `indexer`: a variable of the index service. The container also accepts it with its prefix. */
type WrittenDetails = Details & { readonly indexer?: string };

/** The default may depend on the network and the data directory. */
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

export function optional<T>(name: string, kind: Kind<T>, details: WrittenDetails): Setting<T | undefined> {
  return withDefault<T | undefined>(name, kind, undefined, details);
}
