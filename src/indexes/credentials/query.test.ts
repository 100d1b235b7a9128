import { describe, expect, test } from "vitest";
import { credentialIndex } from "../../indexes/credentials/write.ts";
import type { IdentityFacts } from "../../indexes/identities/did-records.ts";
import {
  addresses,
  IndexChain,
  people,
  timeOf,
  transactionOf,
  unitOf,
} from "../../indexes/testing/index-chain.ts";
import type { ListPosition } from "../../interfaces.ts";
import { credentialStatusOf } from "./query.ts";

describe("a page of statements about a credential", () => {
  const subject = Uint8Array.of(1);
  const chain = new IndexChain([credentialIndex({ status: "all", disputes: "all" })]);
  const statement = (n: number, statementType: bigint, size: number) =>
    transactionOf(
      people[n === 0 ? 0 : 1],
      23,
      {
        statementType,
        recipient: undefined,
        subject,
        data: Array.from({ length: size }, (_, i) => ({
          key: `${n} ${i}`,
          type: "string",
          value: "x".repeat(1_000),
        })),
      },
      timeOf(1) + BigInt(n),
    );
  const transactions = [
    statement(0, 0x10n, 0),
    ...Array.from({ length: 60 }, (_, n) => statement(n + 1, 0x14n, 100)),
    statement(99, 0x11n, 0),
  ];
  chain.apply(unitOf(1, 0, 0, transactions));
  let reads = 0;
  const transactionAt = ({ height, position }: { readonly height: number; readonly position: number }) => {
    reads++;
    const transaction = transactions[position];
    return { transaction, height, position, effectiveFee: 0n, effectiveSponsor: undefined };
  };
  const [first] = people;
  const facts: IdentityFacts = {
    key: (address) => {
      const person = people[addresses.indexOf(address)] ?? first;
      return { keyType: "ed25519", publicKey: person.publicKey, created: 0n };
    },
    methods: () => [],
    services: () => [],
    deactivation: () => undefined,
  };
  const page = (query: {
    readonly after?: ListPosition;
    readonly offset?: number;
    readonly limit?: number;
    readonly issuer?: Uint8Array;
  }) => {
    reads = 0;
    return credentialStatusOf(chain.store, transactionAt, facts, subject, {
      offset: 0,
      limit: 1_000,
      ...query,
    });
  };

  test("ends when it gets too large, and reads only what it lists", () => {
    const { total, statements } = page({});
    expect(total).toBe(62);
    expect(statements.length).toBeGreaterThan(20);
    expect(statements.length).toBeLessThan(50);
    expect(reads).toBeLessThanOrEqual(statements.length + 1);
    const next = page({ offset: statements.length });
    expect(statements.length + next.statements.length).toBe(62);
    expect(page({ limit: 0 }).statements).toEqual([]);
    expect(reads).toBe(0);
  });

  test("continues after a statement, or after the place of a missing one", () => {
    const first = page({});
    const second = page({ after: first.statements.at(-1) });
    expect(first.hasMore).toBe(true);
    expect(second.hasMore).toBe(false);
    expect(first.statements.length + second.statements.length).toBe(62);
    const nobodys = { timestamp: timeOf(1), height: 1, position: 7 };
    expect(page({ after: nobodys, limit: 2 }).statements.map(({ position }) => position)).toEqual([1, 2]);
    expect(page({ after: nobodys, offset: 60 })).toMatchObject({ total: 62, hasMore: false });
  });

  test("shows the status by all statements, including those of other pages", () => {
    expect(page({ limit: 1, issuer: addresses[0] })).toMatchObject({ issued: timeOf(1), revoked: undefined });
    expect(page({ limit: 1, issuer: addresses[1] })).toMatchObject({
      issued: undefined,
      revoked: timeOf(1) + 99n,
    });
  });
});
