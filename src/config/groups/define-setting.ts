import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

/** Texts and alternative names of a setting. */
interface Details {
  /** One or two sentences for help and docs. */
  readonly about: string;
  /** Describes the default if its value is not enough. */
  readonly defaultText?: string | undefined;
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** For switches on by default: describes `--no-<name>`, which help shows instead. */
  readonly negated?: string | undefined;
}

export interface Setting<T> extends Details {
  /** `api-port`: the flag and file key; in upper case with underscores, prefixed `HOLDFAST_`, the variable. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => T;
}

/** `indexer` is a variable of the index service; the container also accepts it with its prefix. */
type WrittenDetails = Details & { readonly indexer?: string };

/** The default may depend on the network. */
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
