/** What a setting is, and under which heading it stands. */
import type { NetworkProfile } from "../../profiles/index.ts";
import type { Kind } from "../kinds/kinds.ts";

/** One setting. `D` is what stands when nobody sets it. */
export interface Setting<T, D = T> {
  /** `api-port`: flag, file key, and upper-cased with underscores behind `HOLDFAST_`. */
  readonly name: string;
  /** For help and docs: what it does, in one sentence or two. */
  readonly about: string;
  readonly group: Group;
  readonly kind: Kind<T>;
  /** Computed when it depends on the network. */
  readonly standard: (network: NetworkProfile, dataDir: string) => D;
  /** The standard value in words, where the value itself would not tell. */
  readonly standardText?: string | undefined;
  readonly container?: string | undefined;
  readonly reference?: string | undefined;
  readonly plain?: string | undefined;
  /** The flag is `--no-<name>`: a switch that is on unless it is taken away. */
  readonly on?: boolean | undefined;
  /** For help: what `--no-<name>` does. Every switch that is `on` has it. */
  readonly negated?: string | undefined;
}

/** Headings of help and docs. */
export const groups = {
  node: "Node",
  api: "HTTP interface",
  wallet: "Wallet",
  forging: "Forging and voting",
  pool: "Unconfirmed transactions",
  peers: "Connections to other nodes",
  exchange: "What is exchanged with other nodes",
  chain: "Chain",
  index: "Index",
} as const;

export type Group = keyof typeof groups;

/** What a setting is called, and what it is for. */
type Names = Pick<Setting<unknown>, "name" | "about" | "group"> &
  Partial<Pick<Setting<unknown>, "standardText" | "container" | "reference" | "plain" | "on" | "negated">>;

/** A setting that always has a value: `standard`, or what it is for the network. */
export function always<T>(
  names: Names,
  kind: Kind<T>,
  standard: T | ((network: NetworkProfile, dataDir: string) => T),
): Setting<T> {
  const compute = typeof standard === "function" ? (standard as Setting<T>["standard"]) : () => standard;
  return { ...names, kind, standard: compute };
}

/** A setting that may be absent. */
export function maybe<T>(names: Names, kind: Kind<T>): Setting<T, T | undefined> {
  return { ...names, kind, standard: () => undefined };
}
