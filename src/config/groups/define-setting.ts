/** What a setting is. */
import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

/** What a setting is for, and its other names. */
interface Details {
  /** For help and docs: what it does, in one sentence or two. */
  readonly about: string;
  /** The standard value in words, where the value itself would not tell. */
  readonly defaultText?: string | undefined;
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** For a switch that is on by default: what `--no-<name>` does. Help shows that flag then. */
  readonly negated?: string | undefined;
}

/** One setting. `D` is its value when nobody sets it. */
export interface Setting<T, D = T> extends Details {
  /** `api-port`: flag, file key, and upper-cased with underscores behind `HOLDFAST_`. */
  readonly name: string;
  readonly kind: Kind<T>;
  /** Computed when it depends on the network. */
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => D;
}

/** As they are written down: `indexer` is a name of the indexer that the container knows too, with its prefix. */
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

/** A setting that always has a value: `standard`, or what it is for the network. */
export function withDefault<T>(
  name: string,
  kind: Kind<T>,
  standard: T | ((network: NetworkProfile, dataDir: string) => T),
  details: WrittenDetails,
): Setting<T> {
  const compute = typeof standard === "function" ? (standard as Setting<T>["defaultFor"]) : () => standard;
  return define(name, kind, compute, details);
}

/** A setting that may be absent. */
export function optional<T>(name: string, kind: Kind<T>, details: WrittenDetails): Setting<T, T | undefined> {
  return define(name, kind, () => undefined, details);
}
