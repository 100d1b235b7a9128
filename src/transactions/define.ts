/**
 * Defines transaction types. Codecs, JSON forms, request schemas and test generators are derived from one
 * description.
 */
import type { JsonOut } from "../bytes/json.ts";
import type { Aspects } from "./aspects.ts";
import type { NetworkRules, TransactionBase } from "./base.ts";
import type { Check } from "./checks.ts";
import type { Field, Shape } from "./fields.ts";
import type { Envelope, Item, Layout } from "./layout.ts";
import type { Wire } from "./wire.ts";

/** The features that allow a version in blocks, or end it. Page 02 §1. */
export interface Activation {
  /** Id of a feature that must be active. */
  readonly since?: number;
  /** Id of a feature that must not be active. */
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

/** Members that the JSON of any type can show. `sender` and `sponsor` are three members each. */
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

/** The description of a type. @template Extra members that only the JSON has */
interface TypeDescription<T extends TransactionBase, Extra extends string = never> extends Aspects<T> {
  /** 1 to 127. */
  readonly type: T["type"];
  /** With spaces. */
  readonly name: string;
  /** The reference's name without `Transaction`. */
  readonly className: string;
  /** Alternative name in paths. */
  readonly oldName?: string;
  /** False if no request can make one; true by default. */
  readonly requestable?: boolean;
  /** All networks by default. */
  readonly existsOn?: (network: NetworkRules) => boolean;
  readonly versions: Readonly<Record<number, Activation>>;
  /** In the order of requests. */
  readonly fields: { readonly [Name in OwnName<T>]-?: Field<T[Name]> };
  readonly layouts: Readonly<Record<number, Layout<OwnName<T>>>>;
  /** If the order differs from the common one. */
  readonly json?: readonly (JsonHeader | OwnName<T> | Extra)[];
  /** The rules after VERSION and CHAIN, in order. */
  readonly checks: readonly Check<T>[];
  /** If it is not the hash of the body. */
  readonly identity?: (tx: T, body: Uint8Array) => Uint8Array;
  /** Members that only the JSON has. */
  readonly derived?: { readonly [name in Extra]: (tx: T) => JsonOut };
}

/** A step of a body. The member "" is for bytes without meaning. */
interface BodyStep {
  readonly member: string;
  readonly wire: Wire<unknown>;
}

export interface CompiledLayout {
  readonly version: number;
  readonly envelope: Envelope;
  /** True if the layout has one signature of the sender instead of a list of proofs. */
  readonly oneSignature: boolean;
  readonly header: Layout["header"];
  readonly steps: readonly BodyStep[];
  /** Members that this layout lacks, and their values. */
  readonly missing: readonly { readonly member: string; readonly value: () => unknown }[];
  /** The type's own members in this layout and their possible values. */
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** A transaction type. Its functions must be called only with transactions of that type. */
export interface TransactionDefinition extends Aspects<TransactionBase> {
  readonly type: number;
  readonly name: string;
  readonly className: string;
  readonly pathNames: readonly string[];
  readonly requestable: boolean;
  /**
   * True if an account signs it, pays its fee and is indexed. False for initial balances: no account can send
   * them, and only the first block has them.
   */
  readonly hasSender: boolean;
  readonly existsOn: (network: NetworkRules) => boolean;
  readonly versions: ReadonlyMap<number, Activation>;
  /** The highest version, for requests without one. */
  readonly defaultVersion: number;
  readonly fields: ReadonlyMap<string, Field<unknown>>;
  readonly layouts: ReadonlyMap<number, CompiledLayout>;
  /** The layout of bytes that do not begin with a zero. */
  readonly oldLayout: CompiledLayout | undefined;
  /** True if bytes may begin with a zero. */
  readonly hasModernHeader: boolean;
  readonly json: readonly string[];
  readonly derived: ReadonlyMap<string, (tx: TransactionBase) => JsonOut>;
  readonly checks: readonly Check<TransactionBase>[];
  readonly identity: ((tx: TransactionBase, body: Uint8Array) => Uint8Array) | undefined;
}

const JSON_FRONT: readonly JsonHeader[] = [
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

/** Returns the members of the common JSON form, around `own`. Page 02 §8. */
export function commonJson<Name extends string>(...own: Name[]): (JsonHeader | Name)[] {
  return [...JSON_FRONT, ...own, "proofs"];
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
    // The description's type ties each wire to its member.
    return { member: step.member, wire: wire as Wire<unknown> };
  });
  const missing = [...fields]
    .filter(([member]) => !shapes.has(member))
    .map(([member, { absent }]) => {
      if (absent === undefined) throw new Error(`version ${version} lacks ${member}, which must be given`);
      return { member, value: absent };
    });
  const { envelope, header } = layout;
  // Verification ahead of the writer relies on this to find the parts of version 3.
  if (version >= 3 && envelope !== "sponsor and proofs") {
    throw new Error(`version ${version} must have the standard layout`);
  }
  const oneSignature = envelope === "signature first" || envelope === "signature last";
  return { version, envelope, oneSignature, header, steps, missing, shapes };
}

const MAX_TYPE = 127;

/** Returns all aspects, including missing ones, so that all definitions have the same shape. */
function aspectsOf(description: Aspects<never>): Record<keyof Aspects<never>, unknown> {
  const { summary, script, portfolio, groups, payouts, isLease, anchors, mappedAnchors } = description;
  const { association, entries, accounts, declaration, recipientJson } = description;
  const { leasedAmount, cancelledLease, operations } = description;
  return {
    summary,
    script,
    portfolio,
    groups,
    payouts,
    isLease,
    leasedAmount,
    cancelledLease,
    operations,
    anchors,
    mappedAnchors,
    association,
    entries,
    accounts,
    declaration,
    recipientJson,
  };
}

/** @throws Error at start if the description contradicts itself */
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
    // The casts below widen functions over the type's own interface. They are called only through the
    // registry, which finds the definition of a transaction's own type.
    derived: new Map(
      Object.entries<unknown>(description.derived ?? {}),
    ) as unknown as TransactionDefinition["derived"],
    checks: description.checks as readonly Check<TransactionBase>[],
    identity: description.identity as TransactionDefinition["identity"],
    ...(aspectsOf(description) as Aspects<TransactionBase>),
  };
}
