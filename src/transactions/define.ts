/**
 * What a type of transaction is: one description, from which the codecs, the JSON forms, the schema of the
 * request and the generator for tests are derived.
 */
import type { JsonOut } from "../bytes/json.ts";
import type { Aspects } from "./aspects.ts";
import type { NetworkRules, TransactionBase } from "./base.ts";
import type { Check } from "./checks.ts";
import type { Field, Shape } from "./fields.ts";
import type { Envelope, Item, Layout } from "./layout.ts";
import type { Wire } from "./wire.ts";

/** From which feature on a version may stand in a block, and from which on it may not any more. Page 02 §1. */
export interface Activation {
  /** Id of the feature that must be active. */
  readonly since?: number;
  /** Id of the feature that must not be active. */
  readonly until?: number;
}

/** A version that was always allowed. */
export const always: Activation = {};

/** A version that a feature brings. */
export function since(feature: number): Activation {
  return { since: feature };
}

/** A version that a feature ends. */
export function until(feature: number): Activation {
  return { until: feature };
}

type OwnName<T> = Extract<Exclude<keyof T, keyof TransactionBase>, string>;

/** Members that JSON can show, beside a type's own; `sender` and `sponsor` are three members each. */
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
  /** `signature` or `proofs`, by the envelope. */
  | "proofs";

/** What a type's file states. @template Extra names of members that JSON shows although the bytes do not hold them */
interface TypeDescription<T extends TransactionBase, Extra extends string = never> extends Aspects<T> {
  /** 1 to 127: one byte, which requests read as a signed one. */
  readonly type: T["type"];
  /** With spaces. */
  readonly name: string;
  /** As the reference calls it, without `Transaction`. */
  readonly className: string;
  /** A further name for paths. */
  readonly oldName?: string;
  /** Whether a request can make one; true unless stated. */
  readonly requestable?: boolean;
  /** Which networks have the type; all unless stated. */
  readonly existsOn?: (network: NetworkRules) => boolean;
  readonly versions: Readonly<Record<number, Activation>>;
  /** The type's own members, in the order of the request. */
  readonly fields: { readonly [Name in OwnName<T>]-?: Field<T[Name]> };
  readonly layouts: Readonly<Record<number, Layout<OwnName<T>>>>;
  /** Members of the JSON form in their order, when it is not the common one around `fields`. */
  readonly json?: readonly (JsonHeader | OwnName<T> | Extra)[];
  /** The rules behind VERSION and CHAIN, in their order. */
  readonly checks: readonly Check<T>[];
  /** The id, when it is not the hash of the body. */
  readonly identity?: (tx: T, body: Uint8Array) => Uint8Array;
  /** What JSON shows although the bytes do not hold it. */
  readonly derived?: { readonly [name in Extra]: (tx: T) => JsonOut };
}

/** A step of a body, ready to run. The member "" is for bytes without meaning. */
interface BodyStep {
  readonly member: string;
  readonly wire: Wire<unknown>;
}

export interface CompiledLayout {
  readonly version: number;
  readonly envelope: Envelope;
  /** Whether the form holds one signature of the sender, and no list of proofs. */
  readonly oneSignature: boolean;
  readonly header: Layout["header"];
  readonly steps: readonly BodyStep[];
  /** Members that this layout does not hold, and what they are then. */
  readonly missing: readonly { readonly member: string; readonly value: () => unknown }[];
  /** The type's own members in this layout and the values that fit. */
  readonly shapes: ReadonlyMap<string, Shape>;
}

/** A type of transaction. Whoever calls its functions gives it transactions of that type. */
export interface TransactionDefinition extends Aspects<TransactionBase> {
  readonly type: number;
  readonly name: string;
  readonly className: string;
  readonly pathNames: readonly string[];
  readonly requestable: boolean;
  /**
   * Whether it comes from an account: one that signs it, pays its fee and is seen in indexes. The initial balances do
   * not: nobody can send them, and they stand in the first block only.
   */
  readonly hasSender: boolean;
  readonly existsOn: (network: NetworkRules) => boolean;
  readonly versions: ReadonlyMap<number, Activation>;
  /** The version that requests get when they state none: the highest. */
  readonly defaultVersion: number;
  readonly fields: ReadonlyMap<string, Field<unknown>>;
  readonly layouts: ReadonlyMap<number, CompiledLayout>;
  /** The layout of the bytes that do not begin with a zero. */
  readonly oldLayout: CompiledLayout | undefined;
  /** Whether bytes may begin with a zero. */
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

/** The members of the common JSON form, around others. Page 02 §8. */
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
    // The description's type ties each encoding to the type of its member.
    return { member: step.member, wire: wire as Wire<unknown> };
  });
  const missing = [...fields]
    .filter(([member]) => !shapes.has(member))
    .map(([member, { absent }]) => {
      if (absent === undefined) throw new Error(`version ${version} lacks ${member}, which must be given`);
      return { member, value: absent };
    });
  const { envelope, header } = layout;
  // The checks ahead of the writer find the parts of version 3 by this.
  if (version >= 3 && envelope !== "sponsor and proofs") {
    throw new Error(`version ${version} must have the standard layout`);
  }
  const oneSignature = envelope === "signature in front" || envelope === "signature behind";
  return { version, envelope, oneSignature, header, steps, missing, shapes };
}

const MAX_TYPE = 127;

/** The aspects alone, those that a type does not have too: so all definitions are objects of one form. */
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

/**
 * Makes a type from its description.
 * @throws Error when the description contradicts itself (at start, since types are constants)
 */
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
    // Below, functions over the type's own interface are given to callers that know only the common one. The
    // registry leads each transaction to the definition of its type, and nothing else calls them.
    derived: new Map(
      Object.entries<unknown>(description.derived ?? {}),
    ) as unknown as TransactionDefinition["derived"],
    checks: description.checks as readonly Check<TransactionBase>[],
    identity: description.identity as TransactionDefinition["identity"],
    ...(aspectsOf(description) as Aspects<TransactionBase>),
  };
}
