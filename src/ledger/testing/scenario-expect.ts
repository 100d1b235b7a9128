/** Compares a state with the expectations of a scenario. `state-scenarios.json`, "format". */
import { encodeBase58 } from "../../bytes/base58.ts";
import { encodeBase64 } from "../../bytes/base64.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { encodeHex } from "../../bytes/hex.ts";
import type { DataEntry } from "../../transactions/data-entry.ts";
import { effectiveBalance, spendableBalance } from "../account.ts";
import { type Association, type AssociationReader, associationsOf } from "../associations.ts";
import { balanceWithConfirmations, effectiveBalanceWithConfirmations } from "../balances.ts";
import { feePriceAt, type LedgerRules } from "../era.ts";
import { isScripted } from "../scripts/counts-as-scripted.ts";
import type { AccountHistory, LedgerView } from "../state.ts";
import type { ScenarioWorld } from "./scenario-world.ts";

export type Expectation = Readonly<Record<string, unknown>>;

/** The state to compare, with parts of its chain. */
export interface ExpectationSubject {
  readonly world: ScenarioWorld;
  readonly rules: LedgerRules;
  readonly ledger: LedgerView & AccountHistory & AssociationReader;
  /** Ids of the listed transactions of an address, newest first. */
  addressTransactions(address: Uint8Array, all: boolean): readonly Uint8Array[];
}

type Actual = (subject: ExpectationSubject, expected: never) => unknown;

const byName =
  <T>(read: (subject: ExpectationSubject, name: string, expected: T) => unknown): Actual =>
  (subject, expected: never) =>
    Object.fromEntries(
      Object.entries(expected as Record<string, T>).map(([name, value]) => [
        name,
        read(subject, name, value),
      ]),
    );

/** Reads the value for each member of an expectation, in the form of the file. */
const actualOf: Readonly<Record<string, Actual>> = {
  height: ({ ledger }) => ledger.height,
  burned: ({ ledger }) => String(ledger.blockTotals(ledger.height)?.burned ?? 0n),
  burnedAt: byName(({ ledger }, height) => String(ledger.blockTotals(Number(height))?.burned ?? 0n)),
  portfolios: byName<object>(({ ledger, world }, name, expected) => {
    const account = ledger.account(world.address(name));
    const portfolio: Readonly<Record<string, string>> = {
      regular: String(account.balance),
      leaseIn: String(account.leaseIn),
      leaseOut: String(account.leaseOut),
      unbonding: String(account.unbonding),
      effective: String(effectiveBalance(account)),
      available: String(spendableBalance(account)),
    };
    // Some scenarios list only some members.
    return Object.fromEntries(Object.keys(expected).map((member) => [member, portfolio[member]]));
  }),
  sponsors: byName(({ ledger, world }, name) => ledger.sponsors(world.address(name)).map(nameOf(world))),
  effectiveSponsor: byName(({ ledger, world }, ref) => {
    const sponsor = ledger.effectiveSponsor(world.id(ref));
    return sponsor === undefined ? null : nameOf(world)(sponsor);
  }),
  leases: byName(({ ledger, world }, ref) => {
    const lease = ledger.lease(world.id(ref));
    return lease === undefined ? null : lease.active ? "active" : "canceled";
  }),
  accountData: byName(({ ledger, world }, name) =>
    [...ledger.dataEntries(world.address(name))].map(entryOut),
  ),
  certificate: byName<string | null>(({ ledger, world }, name, expected) => {
    const certificate = ledger.certificate(world.address(name));
    if (certificate === undefined) return null;
    const wanted = expected === null ? undefined : world.certificate(expected);
    return wanted !== undefined && bytesEqual(certificate, wanted) ? expected : encodeHex(certificate);
  }),
  associations: byName<Readonly<Record<string, unknown>>>(({ ledger, world }, name, expected) => {
    const lists: Record<string, unknown> = {};
    for (const direction of Object.keys(expected)) {
      if (direction !== "outgoing" && direction !== "incoming") throw new RangeError(`unknown ${direction}`);
      const found = associationsOf(ledger, world.address(name), direction);
      lists[direction] = unordered(found.map((association) => associationOut(world, association)));
    }
    return lists;
  }),
  effectiveBalance: byName<object>(({ ledger, world }, name, expected) =>
    byConfirmations(expected, (confirmations) =>
      effectiveBalanceWithConfirmations(ledger, world.address(name), ledger.height, confirmations),
    ),
  ),
  balanceWithConfirmations: byName<object>(({ ledger, world }, name, expected) =>
    byConfirmations(expected, (confirmations) =>
      balanceWithConfirmations(ledger, world.address(name), ledger.height, confirmations),
    ),
  ),
  feePrice: byName(({ ledger, rules }, height) => String(feePriceAt(ledger, rules, Number(height)))),
  addressTransactions: byName<object>((subject, name, expected) =>
    Object.fromEntries(
      Object.keys(expected).map((which) => {
        if (which !== "all" && which !== "portfolio") throw new RangeError(`unknown ${which}`);
        const ids = subject.addressTransactions(subject.world.address(name), which === "all");
        return [which, ids.map((id) => subject.world.ref(id))];
      }),
    ),
  ),
  hasScript: byName(({ ledger, world }, name) => isScripted(ledger, world.address(name))),
  containsTransaction: byName(
    ({ ledger, world }, ref) => ledger.knownTransaction(world.id(ref)) !== undefined,
  ),
  transactionHeight: byName(
    ({ ledger, world }, ref) => ledger.knownTransaction(world.id(ref))?.height ?? null,
  ),
  activeLeases: byName((subject, name) => {
    const { ledger, world } = subject;
    const ids = subject.addressTransactions(world.address(name), false);
    return ids
      .filter((id) => ledger.lease(id)?.active === true)
      .map((id) => world.ref(id))
      .sort();
  }),
  activatedFeatures: ({ ledger, rules }) =>
    featureHeights(
      [...ledger.features()].filter(([id]) => !rules.functionality.preActivatedFeatures.has(id)),
      ({ activated }) => activated,
    ),
  approvedFeatures: ({ ledger }) => featureHeights([...ledger.features()], ({ approved }) => approved),
};

/** Sorts lists whose order has no meaning. */
function normalised(member: string, expected: unknown): unknown {
  if (member === "activeLeases") {
    return Object.fromEntries(
      Object.entries(expected as Record<string, string[]>).map(([name, refs]) => [name, [...refs].sort()]),
    );
  }
  if (member === "associations") {
    return Object.fromEntries(
      Object.entries(expected as Record<string, Record<string, unknown[]>>).map(([name, lists]) => [
        name,
        Object.fromEntries(Object.entries(lists).map(([direction, list]) => [direction, unordered(list)])),
      ]),
    );
  }
  return expected;
}

/**
 * Returns expected and actual values in comparable form.
 * @throws RangeError for an unknown member
 */
export function compareWith(
  subject: ExpectationSubject,
  expectation: Expectation,
): { readonly expected: unknown; readonly actual: unknown } {
  const expected: Record<string, unknown> = {};
  const actual: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(expectation)) {
    const read = actualOf[member];
    if (read === undefined) throw new RangeError(`unknown expectation ${member}`);
    expected[member] = plainCopy(normalised(member, value));
    // Each reader declares the form of its own member.
    actual[member] = read(subject, value as never);
  }
  return { expected, actual };
}

function nameOf(world: ScenarioWorld): (address: Uint8Array) => string {
  return (address) =>
    world.names().find((name) => bytesEqual(world.address(name), address)) ?? encodeBase58(address);
}

function byConfirmations(expected: object, read: (confirmations: number) => bigint): unknown {
  return Object.fromEntries(Object.keys(expected).map((text) => [text, String(read(Number(text)))]));
}

function featureHeights<T>(features: readonly [number, T][], height: (state: T) => number): unknown {
  return Object.fromEntries(features.map(([id, state]) => [String(id), height(state)]));
}

function entryOut({ key, type, value }: DataEntry): unknown {
  if (typeof value === "bigint") return { key, type, value: String(value) };
  if (value instanceof Uint8Array) return { key, type, value: `base64:${encodeBase64(value)}` };
  return { key, type, value };
}

function associationOut(world: ScenarioWorld, association: Association): unknown {
  const { sender, type, recipient, subject, timestamp, expires, data } = association;
  return {
    sender: nameOf(world)(sender),
    type: String(type),
    recipient: nameOf(world)(recipient),
    subject: subject === undefined ? null : encodeHex(subject),
    timestamp: time(timestamp),
    expires: expires === undefined ? null : time(expires),
    data: data.map(entryOut),
  };
}

/** A time as in the file: a string if it is not a safe integer. */
function time(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function unordered(list: readonly unknown[]): unknown[] {
  return [...list].map(plainCopy).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Removes null prototypes, which would fail a comparison. */
function plainCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
