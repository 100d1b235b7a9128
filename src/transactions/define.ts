import type { JsonOut } from "../bytes/json.ts";
import type { Aspects } from "./aspects.ts";
import type { NetworkRules, TransactionBase } from "./base.ts";
import type { Check } from "./checks.ts";
import type { Field, Shape } from "./fields.ts";
import type { Envelope, Item, Layout } from "./layout.ts";
import type { Wire } from "./wire.ts";

/** Ids of the features that allow or end a version. Page 02 §1. */
export interface Activation {
  readonly since?: number;
  readonly until?: number;
}

export const always: Activation = {};

export function since(feature: number): Activation {
  return { since: feature };
}

export function until(feature: number): Activation {
  return { until: feature };
}

type OwnName<T> = Extract<Exclude<keyof T, keyof TransactionBase>, string>;

/** JSON members common to all types. `sponsor` represents three members. */
type JsonHeader =
  | "type"
  | "version"
  | "id"
  | "sender"
  | "senderKeyType"
  | "senderPublicKey"
  | "sponsor"
  | "fee"
  | "timestamp"
  /** `signature` or `proofs`, depending on the envelope. */
  | "proofs";

/** @template Extra members only in JSON */
interface TypeDescription<T extends TransactionBase, Extra extends string = never> extends Aspects<T> {
  readonly type: T["type"];
  /** Such as `mass transfer`. */
  readonly name: string;
  /** The reference's class name without `Transaction`. */
  readonly className: string;
  /** Alternative name in paths. */
  readonly oldName?: string;
  /** False if requests cannot create this type. Default: true. */
  readonly requestable?: boolean;
  /** True on networks that have the type. Default: all. */
  readonly existsOn?: (network: NetworkRules) => boolean;
  readonly versions: Readonly<Record<number, Activation>>;
  /** In the order in which a request's members are read. */
  readonly fields: { readonly [Name in OwnName<T>]-?: Field<T[Name]> };
  readonly layouts: Readonly<Record<number, Layout<OwnName<T>>>>;
  /** Order of JSON members, if not the common order. */
  readonly json?: readonly (JsonHeader | OwnName<T> | Extra)[];
  /** Static rules after VERSION and CHAIN (page 02 §7), in order. */
  readonly checks: readonly Check<T>[];
  /** Default: the body's hash. */
  readonly computeId?: (tx: T, body: Uint8Array) => Uint8Array;
  readonly derived?: { readonly [name in Extra]: (tx: T) => JsonOut };
}

/** An empty `member` marks reserved bytes. */
interface BodyStep {
  readonly member: string;
  readonly wire: Wire<unknown>;
}

export interface CompiledLayout {
  readonly version: number;
  readonly envelope: Envelope;
  /** True for one signature instead of a list of proofs. */
  readonly hasOneSignature: boolean;
  readonly header: Layout["header"];
  readonly steps: readonly BodyStep[];
  /** Members that are not in the bytes. */
  readonly missing: readonly { readonly member: string; readonly makeValue: () => unknown }[];
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** Call its functions only with transactions of this type. */
export interface TransactionDefinition extends Aspects<TransactionBase> {
  readonly type: number;
  readonly name: string;
  readonly className: string;
  readonly pathNames: readonly string[];
  readonly requestable: boolean;
  /** False for initial balances in the genesis block. */
  readonly hasSender: boolean;
  readonly existsOn: (network: NetworkRules) => boolean;
  readonly versions: ReadonlyMap<number, Activation>;
  /** Highest version, the default in requests. */
  readonly defaultVersion: number;
  readonly fields: ReadonlyMap<string, Field<unknown>>;
  readonly layouts: ReadonlyMap<number, CompiledLayout>;
  /** Layout of bytes without a leading zero. */
  readonly oldLayout: CompiledLayout | undefined;
  readonly hasModernHeader: boolean;
  readonly json: readonly string[];
  readonly derived: ReadonlyMap<string, (tx: TransactionBase) => JsonOut>;
  readonly checks: readonly Check<TransactionBase>[];
  readonly computeId: ((tx: TransactionBase, body: Uint8Array) => Uint8Array) | undefined;
}

const JSON_HEADER: readonly JsonHeader[] = [
  "type",
  "version",
  "id",
  "sender",
  "senderKeyType",
  "senderPublicKey",
  "sponsor",
  "fee",
  "timestamp",
];

/** The common JSON members, with `typeMembers` before `proofs`. Page 02 §8. */
export function commonJson<Name extends string>(...typeMembers: Name[]): (JsonHeader | Name)[] {
  return [...JSON_HEADER, ...typeMembers, "proofs"];
}

function compileLayout(
  version: number,
  layout: Layout,
  fields: ReadonlyMap<string, Field<unknown>>,
): CompiledLayout {
  const shapes = new Map<string, Shape>();
  const steps = layout.items.map((item: Item<string>): BodyStep => {
    const step = typeof item === "string" ? { member: item } : item;
    const field = fields.get(step.member);
    const wire = step.wire ?? field?.wire;
    if (wire === undefined) throw new Error(`version ${version} lists ${step.member}, which has no encoding`);
    const shape = step.shape ?? field?.shape;
    if (field !== undefined && shape !== undefined) shapes.set(step.member, shape);
    // Safe cast: the description's type gives each member its own wire.
    return { member: step.member, wire: wire as Wire<unknown> };
  });
  const missing = [...fields]
    .filter(([member]) => !shapes.has(member))
    .map(([member, { absent }]) => {
      if (absent === undefined) throw new Error(`version ${version} lacks ${member}, which has no default`);
      return { member, makeValue: absent };
    });
  const { envelope, header } = layout;
  // The checks ahead of the writer (`verification/`) rely on this layout.
  if (version >= 3 && envelope !== "sponsor and proofs") {
    throw new Error(`version ${version} must have the standard layout`);
  }
  const hasOneSignature = envelope === "signature first" || envelope === "signature last";
  return { version, envelope, hasOneSignature, header, steps, missing, shapes };
}

const MAX_TYPE = 127;

function aspectsOf(description: Aspects<never>): Record<keyof Aspects<never>, unknown> {
  const { script, portfolio, groups, payouts, isLease, anchors, mappedAnchors } = description;
  const { association, entries, accounts, statement, recipientJson } = description;
  const { burnedAmount, leasedAmount, cancelledLease, operations } = description;
  return {
    script,
    portfolio,
    groups,
    payouts,
    burnedAmount,
    isLease,
    leasedAmount,
    cancelledLease,
    operations,
    anchors,
    mappedAnchors,
    association,
    entries,
    accounts,
    statement,
    recipientJson,
  };
}

/** @throws Error if the description is inconsistent */
export function defineTransaction<T extends TransactionBase, Extra extends string = never>(
  description: TypeDescription<T, Extra>,
): TransactionDefinition {
  const fields = new Map(Object.entries<unknown>(description.fields)) as ReadonlyMap<string, Field<unknown>>;
  const layouts = new Map(
    Object.entries(description.layouts).map(([version, layout]) => [
      Number(version),
      compileLayout(Number(version), layout, fields),
    ]),
  );
  const versions = new Map(
    Object.entries(description.versions).map(([version, activation]) => [Number(version), activation]),
  );
  if ([...versions.keys()].join() !== [...layouts.keys()].join()) {
    throw new Error(`${description.name}: each version needs a layout`);
  }
  if (!(Number.isInteger(description.type) && description.type >= 1 && description.type <= MAX_TYPE)) {
    throw new Error(`${description.name}: a type is a number from 1 to ${MAX_TYPE}`);
  }
  const all = [...layouts.values()];
  const pathName = description.name.replaceAll(" ", "-");
  return {
    type: description.type,
    name: description.name,
    className: `${description.className}Transaction`,
    pathNames: description.oldName === undefined ? [pathName] : [pathName, description.oldName],
    requestable: description.requestable ?? true,
    hasSender: all.every(({ steps }) => steps.some(({ member }) => member === "sender")),
    existsOn: description.existsOn ?? (() => true),
    versions,
    defaultVersion: Math.max(...versions.keys()),
    fields,
    layouts,
    oldLayout: all.find((layout) => layout.header !== "modern"),
    hasModernHeader: all.some((layout) => layout.header === "modern"),
    json: description.json ?? commonJson(...fields.keys()),
    // Safe casts: callers pass only transactions of this type to these functions.
    derived: new Map(
      Object.entries<unknown>(description.derived ?? {}),
    ) as unknown as TransactionDefinition["derived"],
    checks: description.checks as readonly Check<TransactionBase>[],
    computeId: description.computeId as TransactionDefinition["computeId"],
    ...(aspectsOf(description) as Aspects<TransactionBase>),
  };
}
