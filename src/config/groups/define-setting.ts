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

/** A setting. `D` is the type of its default. */
export interface Setting<T, D = T> extends Details {
  /** `api-port`: flag and key in files; with underscores, in upper case and after `HOLDFAST_` the variable. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => D;
}

/** `indexer` is a variable of the index service, which the container also accepts with its prefix. */
type WrittenDetails = Details & { readonly indexer?: string };

function define<T, D>(
  name: string,
  kind: Kind<T>,
  defaultFor: Setting<T, D>["defaultFor"],
  { indexer, ...details }: WrittenDetails,
): Setting<T, D> {
  const names = indexer === undefined ? {} : { container: indexer, plain: indexer };
  return { name, kind, defaultFor, ...details, ...names };
}

/** Defines a setting with a default, which may depend on the network. */
export function withDefault<T>(
  name: string,
  kind: Kind<T>,
  standard: T | ((network: NetworkProfile, dataDir: string) => T),
  details: WrittenDetails,
): Setting<T> {
  const compute = typeof standard === "function" ? (standard as Setting<T>["defaultFor"]) : () => standard;
  return define(name, kind, compute, details);
}

/** Defines a setting that may be absent. */
export function optional<T>(name: string, kind: Kind<T>, details: WrittenDetails): Setting<T, T | undefined> {
  return define(name, kind, () => undefined, details);
}
