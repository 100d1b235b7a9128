/** Page 08 §6. */

export type Type = NothingType | SingleType | UnionType;
export type SingleType = PrimitiveType | ListType | ObjectType;
/** A type in a signature. The only union with parameters is `OPTION_OF_T`. */
export type ParameterType = Type | TypeParameter | ParameterList | ParameterUnion;

/** Type of expressions without a value, such as `throw`. */
interface NothingType {
  readonly kind: "nothing";
}

interface PrimitiveType {
  readonly kind: "primitive";
  readonly name: "Unit" | "Int" | "ByteVector" | "Boolean" | "String";
}

interface ListType {
  readonly kind: "list";
  readonly element: Type;
}

export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  /** Fields in constructor order. */
  readonly fields: readonly (readonly [name: string, type: Type])[];
}

/** Members are ordered and may repeat. */
export interface UnionType {
  readonly kind: "union";
  readonly members: readonly SingleType[];
}

/** `code` is the letter's character code: 84 for T. */
export interface TypeParameter {
  readonly kind: "parameter";
  readonly code: number;
}

interface ParameterList {
  readonly kind: "parameter list";
  readonly element: ParameterType;
}

interface ParameterUnion {
  readonly kind: "parameter union";
  readonly members: readonly (TypeParameter | ParameterList | SingleType)[];
}

export const NOTHING: NothingType = { kind: "nothing" };
export const UNIT: PrimitiveType = { kind: "primitive", name: "Unit" };
export const INT: PrimitiveType = { kind: "primitive", name: "Int" };
export const BYTES: PrimitiveType = { kind: "primitive", name: "ByteVector" };
export const BOOLEAN: PrimitiveType = { kind: "primitive", name: "Boolean" };
export const STRING: PrimitiveType = { kind: "primitive", name: "String" };
export const T: TypeParameter = { kind: "parameter", code: 84 };
export const LIST_OF_T: ParameterList = { kind: "parameter list", element: T };
export const OPTION_OF_T: ParameterUnion = { kind: "parameter union", members: [T, UNIT] };

export function listOf(element: Type): ListType {
  return { kind: "list", element };
}

/** Returns a union even for one member. */
export function unionOf(...types: readonly Type[]): UnionType {
  return { kind: "union", members: types.flatMap(membersOf) };
}

export function membersOf(type: Type): readonly SingleType[] {
  if (type.kind === "union") return type.members;
  return type.kind === "nothing" ? [] : [type];
}

export function typeText(type: ParameterType): string {
  switch (type.kind) {
    case "nothing":
      return "Nothing";
    case "primitive":
    case "object":
      return type.name;
    case "list":
      return `LIST(${typeText(type.element)})`;
    case "union":
      // sort() without a comparison uses UTF-16 order.
      return `UNION(${type.members.map(typeText).sort().join("|")})`;
    case "parameter":
      return `TYPEPARAM(${type.code})`;
    case "parameter list":
      return `PARAMETERIZEDLIST(${typeText(type.element)})`;
    case "parameter union":
      return `PARAMETERIZEDUNION(${listText(type.members)})`;
  }
}

export function listText(types: readonly ParameterType[]): string {
  return `List(${types.map(typeText).join(", ")})`;
}

/** Compares structure, including the order of fields and members. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case "nothing":
      return b.kind === "nothing";
    case "primitive":
      return b.kind === "primitive" && a.name === b.name;
    case "list":
      return b.kind === "list" && sameType(a.element, b.element);
    case "object":
      return b.kind === "object" && a.name === b.name && sameFields(a, b);
    case "union":
      return (
        b.kind === "union" &&
        a.members.length === b.members.length &&
        a.members.every((member, i) => sameType(member, b.members[i]))
      );
  }
}

function sameFields(a: ObjectType, b: ObjectType): boolean {
  return (
    a.fields.length === b.fields.length &&
    a.fields.every(([name, type], i) => name === b.fields[i][0] && sameType(type, b.fields[i][1]))
  );
}

function contains(members: readonly SingleType[], type: SingleType): boolean {
  return members.some((member) => sameType(member, type));
}

/** Returns true if `a` has all members of `b`. */
export function covers(a: Type, b: Type): boolean {
  const members = membersOf(a);
  return a === b || membersOf(b).every((type) => contains(members, type));
}

export function equivalent(a: Type, b: Type): boolean {
  return covers(a, b) && covers(b, a);
}

/** Member order of joined unions above `MAX_ORDERED_MEMBERS`, from the reference's class hash codes. Page 08 §6. */
export const JOINED_UNION_ORDER: readonly string[] = [
  "RevokeAssociationTransaction",
  "LIST(DataEntry)",
  "Unit",
  "Address",
  "MassTransferTransaction",
  "DataTransaction",
  "CancelSponsorshipTransaction",
  "LIST(Transfer)",
  "GenesisTransaction",
  "TransferTransaction",
  "DataEntry",
  "IssueAssociationTransaction",
  "AnchorTransaction",
  "SetScriptTransaction",
  "String",
  "Transfer",
  "LeaseCancelTransaction",
  "RegisterTransaction",
  "LeaseTransaction",
  "SponsorshipTransaction",
  "Boolean",
  "Int",
  "LIST(ByteVector)",
  "ByteVector",
];
const JOINED_UNION_RANK = new Map(JOINED_UNION_ORDER.map((name, rank) => [name, rank]));
/** A joined union of up to this many members keeps their order. */
const MAX_ORDERED_MEMBERS = 4;

function joinUnions(a: UnionType, b: UnionType): UnionType {
  const members: SingleType[] = [];
  for (const member of [...a.members, ...b.members]) {
    if (!contains(members, member)) members.push(member);
  }
  if (members.length > MAX_ORDERED_MEMBERS) {
    const rank = (type: SingleType) => JOINED_UNION_RANK.get(typeText(type)) ?? JOINED_UNION_ORDER.length;
    members.sort((x, y) => rank(x) - rank(y));
  }
  return { kind: "union", members };
}

export function commonType(a: Type, b: Type): Type {
  if (a.kind === "nothing") return b;
  if (b.kind === "nothing" || sameType(a, b)) return a;
  if (a.kind === "list" && b.kind === "list") {
    const element = commonType(a.element, b.element);
    if (element.kind === "nothing") return NOTHING;
    return element.kind === "union" ? unionOf(a, b) : listOf(element);
  }
  if (a.kind === "union") {
    if (b.kind === "union") return joinUnions(a, b);
    return contains(a.members, b) ? a : unionOf(a, b);
  }
  if (b.kind === "union") return contains(b.members, a) ? b : unionOf(b, a);
  return unionOf(a, b);
}

/** Returns Nothing for an empty list. */
export function commonTypeOfAll(types: readonly Type[]): Type {
  return types.reduceRight<Type>((joined, type) => commonType(type, joined), NOTHING);
}
