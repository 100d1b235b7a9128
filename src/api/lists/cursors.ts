/** A cursor is an element's position, so that no element is repeated or skipped if the list changes. */
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import type {
  AddressListPosition,
  AssociationPosition,
  ListPosition,
  TransferPosition,
  UnitPosition,
} from "../../interfaces.ts";

/** The first byte of each cursor. */
const cursorKinds = {
  transactions: 1,
  associatedChildren: 2,
  associatedParents: 3,
  dataEntries: 4,
  balances: 5,
  blocks: 6,
  outgoing: 7,
  incoming: 8,
  statements: 9,
  forgers: 10,
  generators: 11,
  newestTransactions: 12,
  sponsored: 13,
  units: 14,
  roleHolders: 15,
  versions: 16,
  accountTransactions: 17,
  newestBlocks: 18,
  richestAccounts: 19,
  largestTransfers: 20,
} as const;
type CursorKind = keyof typeof cursorKinds;

/** Enough for data keys of 100 characters. */
const MAX_POSITION_BYTES = 200;
const INT32_MAX = 2_147_483_647;
const INT64_MAX = 2n ** 63n - 1n;

function encodeBytes(kind: CursorKind, position: Uint8Array): string {
  return Buffer.concat([Uint8Array.of(cursorKinds[kind]), position]).toString("base64url");
}

function decodeBytes<Kind extends CursorKind>(
  text: string,
  ...kinds: readonly Kind[]
): { kind: Kind; bytes: Buffer } | undefined {
  if (text.length > 2 * MAX_POSITION_BYTES) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const kind = kinds.find((name) => cursorKinds[name] === bytes[0]);
  if (kind === undefined || bytes.toString("base64url") !== text) return undefined;
  return { kind, bytes: bytes.subarray(1) };
}

export interface CursorCodec<Position> {
  encode(position: Position): string;
  /** Returns undefined if the text is not a cursor of this list. */
  decode(text: string): Position | undefined;
  readonly example: Position;
}

interface Field<T> {
  readonly bytes: number;
  write(bytes: Buffer, value: T, offset: number): void;
  read(bytes: Buffer, offset: number): T;
}

const u32: Field<number> = {
  bytes: 4,
  write: (bytes, value, offset) => void bytes.writeUInt32BE(value, offset),
  read: (bytes, offset) => bytes.readUInt32BE(offset),
};
const i64: Field<bigint> = {
  bytes: 8,
  write: (bytes, value, offset) => void bytes.writeBigInt64BE(value, offset),
  read: (bytes, offset) => bytes.readBigInt64BE(offset),
};
const address: Field<Uint8Array> = {
  bytes: ADDRESS_LENGTH,
  write: (bytes, value, offset) => bytes.set(value, offset),
  read: (bytes, offset) => Uint8Array.from(bytes.subarray(offset, offset + ADDRESS_LENGTH)),
};

type Fields<Position> = { readonly [Name in keyof Position]: Field<Position[Name]> };

function record<Position extends object>(fields: Fields<Position>): Field<Position> {
  const names = Object.keys(fields) as (keyof Position)[];
  return {
    bytes: names.reduce((sum, name) => sum + fields[name].bytes, 0),
    write(bytes, position, start) {
      let offset = start;
      for (const name of names) {
        fields[name].write(bytes, position[name], offset);
        offset += fields[name].bytes;
      }
    },
    read(bytes, start) {
      let offset = start;
      const position: Partial<Position> = {};
      for (const name of names) {
        position[name] = fields[name].read(bytes, offset);
        offset += fields[name].bytes;
      }
      return position as Position;
    },
  };
}

function encodeRecord<Position>(kind: CursorKind, field: Field<Position>, position: Position): string {
  const bytes = Buffer.alloc(field.bytes);
  field.write(bytes, position, 0);
  return encodeBytes(kind, bytes);
}

function createCodec<Position>(
  kind: CursorKind,
  field: Field<Position>,
  example: Position,
): CursorCodec<Position> {
  return {
    encode: (position) => encodeRecord(kind, field, position),
    decode(text) {
      const bytes = decodeBytes(text, kind)?.bytes;
      return bytes?.length === field.bytes ? field.read(bytes, 0) : undefined;
    },
    example,
  };
}

/** For an answer with several lists: a cursor's first byte names its list. */
function createListsCodec<List extends CursorKind, Position>(
  lists: readonly List[],
  field: Field<Position>,
  example: Position & { readonly list: List },
): CursorCodec<Position & { readonly list: List }> {
  return {
    encode: (position) => encodeRecord(position.list, field, position),
    decode(text) {
      const found = decodeBytes(text, ...lists);
      return found?.bytes.length === field.bytes
        ? { ...field.read(found.bytes, 0), list: found.kind }
        : undefined;
    },
    example,
  };
}

/** Position in a list sorted by descending `rank`, descending `tieBreak`, and address. */
export interface RankPosition {
  readonly rank: bigint;
  readonly tieBreak: bigint;
  readonly address: Uint8Array;
}

const NO_ADDRESS = new Uint8Array(ADDRESS_LENGTH);
/** A position in the year 2100 precedes all transactions if the newest is first. */
const NEWEST: ListPosition = { timestamp: 4_102_444_800_000n, height: INT32_MAX, position: 0 };

const transaction = record<ListPosition>({ timestamp: i64, height: u32, position: u32 });
const heightAndPosition = record({ height: u32, position: u32 });
const unit = record<UnitPosition>({ height: u32, sequence: u32 });
const rank = record<RankPosition>({ rank: i64, tieBreak: i64, address });
const transfer = record<TransferPosition>({ amount: i64, height: u32, position: u32 });
const HIGHEST: RankPosition = { rank: INT64_MAX, tieBreak: INT64_MAX, address: NO_ADDRESS };

export const cursors = {
  transactions: createCodec("transactions", transaction, NEWEST),
  statements: createCodec("statements", transaction, { timestamp: 0n, height: 0, position: 0 }),
  sponsored: createCodec("sponsored", transaction, NEWEST),
  newestTransactions: createCodec("newestTransactions", heightAndPosition, NEWEST),
  accountTransactions: createCodec("accountTransactions", heightAndPosition, NEWEST),
  newestBlocks: createCodec("newestBlocks", u32, NEWEST.height),
  units: createCodec("units", unit, { height: NEWEST.height, sequence: 0 }),
  /** Start time of a version, ms. */
  versions: createCodec("versions", i64, 2n ** 62n),
  roleHolders: createCodec("roleHolders", address, NO_ADDRESS),
  balances: createCodec("balances", u32, NEWEST.height),
  blocks: createCodec("blocks", u32, 0),
  richestAccounts: createCodec("richestAccounts", rank, HIGHEST),
  largestTransfers: createCodec("largestTransfers", transfer, { amount: INT64_MAX, height: 0, position: 0 }),
  forgers: createCodec("forgers", rank, HIGHEST),
  generators: createCodec("generators", rank, HIGHEST),
  associatedAddresses: createListsCodec(["associatedChildren", "associatedParents"], record({ address }), {
    list: "associatedChildren",
    address: NO_ADDRESS,
  }) satisfies CursorCodec<AddressListPosition>,
  associations: createListsCodec(["outgoing", "incoming"], heightAndPosition, {
    list: "outgoing",
    height: 0,
    position: 0,
  }) satisfies CursorCodec<AssociationPosition>,
  dataEntries: {
    encode: (key) => encodeBytes("dataEntries", Buffer.from(key, "utf16le")),
    decode(text) {
      const bytes = decodeBytes(text, "dataEntries")?.bytes;
      return bytes && bytes.length % 2 === 0 ? bytes.toString("utf16le") : undefined;
    },
    example: "",
  } satisfies CursorCodec<string>,
};
