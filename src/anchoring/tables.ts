/** The anchor store is separate: rollbacks of the chain must not affect it. */
import {
  bytesKeyCodec,
  bytesValue,
  getU32,
  putU32,
  readLengthPrefixed,
  readVarint,
  table,
  valueCodec,
  writeLengthPrefixed,
  writeVarint,
} from "../storage/codecs.ts";
import { heightKey } from "../storage/keys.ts";
import type { KeyCodec, ValueCodec } from "../storage/kv.ts";

/** `hash`, `root`: anchor the content; `sponsor`, `cancel`: begin or end a sponsorship for a role. */
const jobKinds = ["hash", "root", "sponsor", "cancel"] as const;
export type JobKind = (typeof jobKinds)[number];

export interface Job {
  readonly kind: JobKind;
  /** A hash or root to anchor, or the address of a sponsored account. */
  readonly content: Uint8Array;
  /** Time of the request, ms. */
  readonly since: number;
}

interface Dispatch {
  readonly serials: readonly number[];
  readonly bytes: Uint8Array;
}

export interface Tree {
  readonly root: Uint8Array;
  /** Roots of the groups of leaves, in order, 32 bytes each. */
  readonly groupRoots: Uint8Array;
}

export interface LeafPosition {
  readonly tree: number;
  readonly index: number;
}

const jobValue = valueCodec<Job>(
  (writer, { kind, content, since }) => {
    writer.u8(jobKinds.indexOf(kind));
    writeVarint(writer, since);
    writeLengthPrefixed(writer, content);
  },
  (reader) => {
    const kind = jobKinds[reader.u8()];
    const since = readVarint(reader);
    return { kind, since, content: readLengthPrefixed(reader) };
  },
);

const dispatchValue = valueCodec<Dispatch>(
  (writer, { serials, bytes }) => {
    writeVarint(writer, serials.length);
    for (const serial of serials) writer.u32(serial);
    writeLengthPrefixed(writer, bytes);
  },
  (reader) => {
    const serials = Array.from({ length: readVarint(reader) }, () => reader.u32());
    return { serials, bytes: readLengthPrefixed(reader) };
  },
);

const treeValue = valueCodec<Tree>(
  (writer, { root, groupRoots }) => {
    writeLengthPrefixed(writer, root);
    writeLengthPrefixed(writer, groupRoots);
  },
  (reader) => ({ root: readLengthPrefixed(reader), groupRoots: readLengthPrefixed(reader) }),
);

interface GroupKey {
  readonly tree: number;
  readonly group: number;
}

function u32Pair<A extends string, B extends string>(first: A, second: B) {
  type Pair = { readonly [K in A | B]: number };
  return {
    encode(pair: Pair) {
      const out = new Uint8Array(8);
      putU32(out, 0, pair[first]);
      putU32(out, 4, pair[second]);
      return out;
    },
    // TypeScript cannot infer the two names.
    decode: (bytes: Uint8Array) =>
      ({ [first]: getU32(bytes, 0), [second]: getU32(bytes, 4) }) as unknown as Pair,
  };
}

const leafPositionValue: ValueCodec<LeafPosition> = u32Pair("tree", "index");
const groupKey: KeyCodec<GroupKey> = u32Pair("tree", "group");

const notJournaled = { journaled: false } as const;

export const anchorTables = {
  /** serial u32, ascending with time -> kind u8, time of the request in ms, content */
  jobs: table(0xe0, "jobs", heightKey, jobValue, notJournaled),
  /** transaction id(32) -> job serials, transaction bytes */
  dispatches: table(0xe1, "dispatches", bytesKeyCodec, dispatchValue, notJournaled),
  /** tree u32 -> root, group roots; absent until all leaves are written */
  trees: table(0xe2, "trees", heightKey, treeValue, notJournaled),
  /** tree u32, group u32 -> up to 128 leaves, 32 bytes each */
  leafGroups: table(0xe3, "leafGroups", groupKey, bytesValue, notJournaled),
  /** leaf(32) -> tree u32, index u32; valid only if the tree has the leaf at this index */
  leaves: table(0xe4, "leaves", bytesKeyCodec, leafPositionValue, notJournaled),
  /** (one row: "sponsoring") -> scan position and spending: `role-sponsoring.ts` */
  facts: table(0xe5, "facts", bytesKeyCodec, bytesValue, notJournaled),
} as const;
