import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

/** Texts and alternative names of a setting. */
interface Details {
  /** One or two sentences for help and docs. */
  readonly about: string;
  /** Describes the default if the value alone would not. */
  readonly defaultText?: string | undefined;
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** For a switch that is on by default: describes `--no-<name>`, which help then shows. */
  readonly negated?: string | undefined;
}

export interface Setting<T> extends Details {
  /** `api-port`: flag and key in files; with underscores, in upper case and after `HOLDFAST_` the variable. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => T;
}

/** `indexer` is a variable of the index service, which the container also accepts with its prefix. */
type WrittenDetails = Details & { readonly indexer?: string };

/** Defines a setting with a default, which may depend on the network. */
export function withDefault<T>(
  name: string,
  kind: Kind<T>,
  value: T | Setting<T>["defaultFor"],
  { indexer, ...details }: WrittenDetails,
): Setting<T> {
  // No default is a function itself.
  const defaultFor = typeof value === "function" ? (value as Setting<T>["defaultFor"]) : () => value;
  return { name, kind, defaultFor, ...details, ...(indexer && { container: indexer, plain: indexer }) };
}

/** Defines a setting that may be absent. */
export function optional<T>(name: string, kind: Kind<T>, details: WrittenDetails): Setting<T | undefined> {
  return withDefault<T | undefined>(name, kind, undefined, details);
}
