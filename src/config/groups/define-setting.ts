import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

interface Details {
  /** One or two sentences for help and docs. */
  readonly about: string;
  /** `--help` shows the setting; `--help-all` shows all. */
  readonly basic?: true;
  readonly defaultText?: string | undefined;
  /** Other names: see `config/settings.ts`. */
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** Description of `--no-<name>`. */
  readonly negated?: string | undefined;
}

export interface Setting<T> extends Details {
  /** Name of the flag: `api-port`. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultFor: (network: NetworkProfile, dataDir: string) => T;
}

/** `indexer` sets both `plain` and `container`. */
type SettingDetails = Details & { readonly indexer?: string };

/** The default may depend on the network and the data directory. */
export function withDefault<T>(
  name: string,
  kind: Kind<T>,
  value: T | Setting<T>["defaultFor"],
  { indexer, ...details }: SettingDetails,
): Setting<T> {
  // No setting has a function as its value.
  const defaultFor = typeof value === "function" ? (value as Setting<T>["defaultFor"]) : () => value;
  return { name, kind, defaultFor, ...details, ...(indexer && { container: indexer, plain: indexer }) };
}

export function optional<T>(name: string, kind: Kind<T>, details: SettingDetails): Setting<T | undefined> {
  return withDefault<T | undefined>(name, kind, undefined, details);
}
