/** Runs each statement of docs/sql.md, and compares its rows with the answers of the API. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeBase58, encodeBase58 } from "../src/bytes/base58.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { readerContext } from "../src/node/composition.ts";
import type { SqlConnection, SqlRow } from "../src/postgres/connection/sql-connection.ts";
import { migrate } from "../src/postgres/schema/migrate.ts";
import { MirrorDatabase } from "../src/postgres/testing/mirror-database.ts";
import { PostgresServer, postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { dev } from "../src/profiles/index.ts";
import { spenders } from "../src/testing/random-transactions.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { NodeChain } from "./support/node-chain.ts";
import { questions, type SqlVariable, sqlPage, sqlPageHead, withVariables } from "./support/sql-questions.ts";
import { viewReference } from "./support/view-reference.ts";

const HEIGHT = 100;

type Json = Record<string, unknown>;
/** JSON numbers are exact in the API; rows have bigints. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? Number(one) : one), 0),
  ) as unknown;

test("the page has at least twenty questions", () => {
  expect(questions.size).toBeGreaterThanOrEqual(20);
  expect([...questions].filter(([, statements]) => statements.length === 0)).toEqual([]);
});

describe.skipIf(postgresPrograms === undefined)("docs/sql.md (scripts/install-postgres.sh)", () => {
  let server: PostgresServer;
  let sql: SqlConnection;
  let owner: SqlConnection;
  let subject: NodeChain;
  let url = "";
  let addresses: string[] = [];
  const asked = new Set<string>();

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.createDatabase("chain");
    owner = await server.connect("postgres", "chain", { deadlineMs: 60_000 });
    await migrate(owner, "test");
    // A network whose features are all active at once.
    for (let seed = 10; ; seed++) {
      subject = new NodeChain(new SeededRandom(seed));
      if (subject.profile.functionality.preActivatedFeatures === dev.functionality.preActivatedFeatures)
        break;
    }
    await subject.node.start();
    while (subject.chain.tip.height < HEIGHT) subject.grow();
    const reader = chainReader(
      subject.store,
      readerContext(subject.settings, subject.node.chain.rules, subject.node.trust),
    );
    const mirror = new MirrorDatabase(owner, { reader, network: subject.profile, clock: subject.clock });
    await mirror.begin();
    while (!(await mirror.follow(1_000)).isComplete);
    await mirror.live();
    url = subject.node.url ?? "";
    sql = await server.connect("holdfast_reader", "chain", { deadlineMs: 60_000 });
    addresses = spenders.map(({ publicKey }) => addressText(addressOf(publicKey, subject.profile.chainId)));
  }, 180_000);

  afterAll(async () => {
    await sql?.close();
    await owner?.close();
    await server?.stop();
    await subject?.node.stop();
  });

  /** Rows of a question's statement, as `psql` would ask it. */
  async function ask(question: string, variables: Readonly<Record<string, SqlVariable>> = {}, number = 0) {
    asked.add(question);
    const filled = withVariables(questions.get(question)?.[number] ?? "", variables);
    return (await sql.query<SqlRow>(filled)).rows;
  }

  async function get(path: string): Promise<unknown> {
    const response = await fetch(new URL(path, url));
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  const getObject = async (path: string) => (await get(path)) as Json;
  const getList = async (path: string) => (await get(path)) as Json[];

  /** All transactions on the chain, with their height and block time. */
  async function allTransactions() {
    const blocks = await getList(`/blocks/seq/1/${HEIGHT}`);
    return blocks.flatMap((block) =>
      (block.transactions as Json[]).map((one) => ({ ...one, height: block.height, block })),
    ) as (Json & { height: number; block: Json })[];
  }

  test("lists the views as the catalogue has them", async () => {
    await expect(sqlPageHead + (await viewReference(owner))).toMatchFileSnapshot(sqlPage);
  });

  test("balance of an account", async () => {
    for (const address of addresses) {
      const { regular, effective } = await getObject(`/addresses/balance/details/${address}`);
      const rows = await ask("What is an account's balance?", { address });
      expect(plain(rows)).toMatchObject([{ balance: regular, effective_balance: effective }]);
    }
  });

  test("balance at a moment, and all balances at a height", async () => {
    const height = HEIGHT / 2;
    const { timestamp } = await getObject(`/blocks/headers/at/${height}`);
    const all = await getObject(`/debug/stateAtHeight/${height}`).catch(() => undefined);
    const rows = plain(await ask("What were all balances at a height?", { height })) as Json[];
    const found = new Map(rows.map(({ address, balance }) => [address, balance]));
    if (all !== undefined) expect(Object.fromEntries(found)).toEqual(all);
    for (const address of addresses) {
      const history = await getList(`/addresses/balance/history/${address}`);
      const at = history.find((one) => Number(one.height) <= height);
      const moment = new Date(Number(timestamp)).toISOString();
      const answer = plain(await ask("What was an account's balance at a moment?", { address, moment }));
      expect(answer).toMatchObject([{ balance: at?.balance }]);
      expect(found.get(address) ?? 0).toBe(at?.balance);
    }
  });

  test("richest accounts", async () => {
    const richest = await getList("/addresses/richest?limit=10");
    const rows = plain(await ask("Which accounts hold the most?")) as Json[];
    expect(rows.map(({ balance }) => balance)).toEqual(richest.map(({ balance }) => balance));
    expect(rows.map(({ address }) => address).sort()).toEqual(richest.map(({ address }) => address).sort());
    for (const { address, effective } of richest)
      expect(effective).toBe((await getObject(`/addresses/balance/details/${address}`)).effective);
  });

  test("transactions of an account, and one by its id", async () => {
    for (const address of addresses) {
      const [listed] = (await get(`/transactions/address/${address}/limit/200`)) as Json[][];
      const rows = await ask("What are the newest transactions of an account?", { address });
      const lowest = Number(rows.at(-1)?.height);
      const seen = rows
        .filter(({ height }) => Number(height) > lowest)
        .map(({ id }) => encodeBase58(id as Uint8Array));
      expect(seen.length).toBeGreaterThan(0);
      // The API does not list a transaction for a sender whose balances it does not change.
      const above = listed.filter(({ height }) => Number(height) > lowest);
      expect(above.map(({ id }) => id).filter((id) => !seen.includes(String(id)))).toEqual([]);
      const id = String(listed[0].id);
      const info = await getObject(`/transactions/info/${id}`);
      const [row] = await ask("Which transaction has this id?", { id: decodeBase58(id, 100) });
      expect(plain(row)).toMatchObject({
        height: info.height,
        type: info.type,
        sender: info.sender,
        fee: info.fee,
        effective_fee: info.effectiveFee ?? info.fee,
        time_ms: info.timestamp,
      });
    }
  });

  test("received amounts, and the largest transfers", async () => {
    for (const address of addresses) {
      const totals = (await getObject(`/addresses/totals/${address}`)) as Record<string, Json>;
      const rows = plain(await ask("What did an account receive each month?", { address })) as Json[];
      const sum = rows.reduce((all, { amount }) => all + Number(amount), 0);
      const genesis = await owner.query<{ amount: bigint }>(
        "select coalesce(sum(amount), 0) as amount from holdfast.transfers where recipient = $1 and sender is null",
        [address],
      );
      expect(sum + Number(genesis.rows[0]?.amount)).toBe(totals.received.amount);
    }
    const transfers = (await allTransactions()).flatMap((one) =>
      one.type === 1
        ? []
        : one.transfers !== undefined
          ? (one.transfers as Json[]).map(({ amount }) => Number(amount))
          : one.recipient !== undefined && one.type === 4
            ? [Number(one.amount)]
            : [],
    );
    const rows = plain(await ask("Which transfers were the largest?")) as Json[];
    expect(rows.map(({ amount }) => amount)).toEqual(transfers.sort((a, b) => b - a).slice(0, 10));
  });

  test("anchors of a hash, and of an organisation", async () => {
    const anchors = (await allTransactions()).flatMap((one) =>
      one.type === 15
        ? (one.anchors as string[]).map((hash) => ({ hash, one }))
        : one.type === 22
          ? Object.values(one.anchors as Record<string, string>).map((hash) => ({ hash, one }))
          : [],
    );
    expect(anchors.length).toBeGreaterThan(3);
    for (const { hash } of anchors.slice(0, 5)) {
      const bytes = decodeBase58(hash, 200);
      const proof = await getObject(`/index/hash/${encodeHex(bytes)}`).catch(() =>
        getObject(`/hash/${encodeHex(bytes)}`),
      );
      const rows = await ask("Who anchored a hash, and when?", { hash: bytes });
      const ids = rows.map(({ transaction_id: id }) => encodeBase58(id as Uint8Array));
      expect(ids).toEqual(anchors.filter((other) => other.hash === hash).map(({ one }) => one.id));
      expect(ids.filter((id) => JSON.stringify(proof).includes(id))).toHaveLength(1);
    }
    for (const address of addresses) {
      const own = anchors.filter(({ one }) => one.sender === address);
      const rows = plain(
        await ask("How many hashes did an organisation anchor each month?", { address }),
      ) as Json[];
      expect(rows.reduce((sum, one) => sum + Number(one.anchors), 0)).toBe(own.length);
      expect(rows.reduce((sum, one) => sum + Number(one.transactions), 0)).toBe(
        new Set(own.map(({ one }) => one)).size,
      );
    }
  });

  test("leases to a forger", async () => {
    let leases = 0;
    for (const address of addresses) {
      const active = await getList(`/leasing/active/${address}`);
      const to = active.filter(({ recipient }) => recipient === address).reverse();
      const rows = await ask("Who leased to a forger?", { address });
      expect(rows.map(({ id }) => encodeBase58(id as Uint8Array))).toEqual(to.map(({ id }) => id));
      expect(plain(rows)).toMatchObject(to.map(({ sender, amount }) => ({ sender, amount })));
      leases += rows.length;
    }
    expect(leases).toBeGreaterThan(0);
    const rows = plain(await ask("How much is leased to each forger?")) as Json[];
    const headers = await getList(`/blocks/headers/seq/1/${HEIGHT}`);
    const blocks = new Map<unknown, number>();
    for (const { generator } of headers) blocks.set(generator, (blocks.get(generator) ?? 0) + 1);
    expect(new Map(rows.map((row) => [row.generator, row.blocks]))).toEqual(blocks);
    for (const { generator, leased } of rows) {
      const { regular, effective } = await getObject(`/addresses/balance/details/${generator}`);
      expect(Number(regular) + Number(leased)).toBe(effective);
    }
  });

  test("blocks, fees and supply by day", async () => {
    const headers = await getList(`/blocks/headers/seq/1/${HEIGHT}`);
    const dayOf = (time: unknown): string => new Date(Number(time)).toISOString().slice(0, 10);
    const after = (day: string): string => dayOf(Date.parse(day) + 86_400_000);
    const days = [...new Set(headers.map(({ timestamp }) => dayOf(timestamp)))];
    const dayText = (row: SqlRow): string => (row.day as Date).toISOString().slice(0, 10);
    const supply = await ask("How many tokens exist?");
    const fees = await ask("What did transactions cost each day?");
    expect(supply.map(dayText)).toEqual(days);
    expect(fees.map(dayText)).toEqual(days);
    for (const [i, day] of days.entries()) {
      const forged = await getObject(`/stats/generators/${day}/${after(day)}`);
      const rows = plain(await ask("How many blocks did each account forge on a day?", { day })) as Json[];
      // Statistics of the API begin after the genesis block.
      const others = rows.filter(({ generator }) => generator !== headers[0]?.generator);
      expect(others.map(({ generator, blocks }) => `${generator} ${blocks}`)).toEqual(
        (forged.generators as Json[]).map(({ generator, blocks }) => `${generator} ${blocks}`).sort(),
      );
      const [answer] = await getList(`/stats/supply/${day}/${after(day)}`);
      // The genesis block of this network does not give away the whole supply of its profile.
      const { initialBalance, transactions } = subject.profile.genesis;
      const missing = transactions.reduce((rest, { amount }) => rest - amount, initialBalance);
      expect(plain(supply[i]?.supply)).toEqual(Number(answer.supply) - Number(missing));
      const blocks = (await getList(`/blocks/seq/1/${HEIGHT}`)).filter(
        ({ timestamp }) => dayOf(timestamp) === day,
      );
      expect(plain(fees[i])).toMatchObject({
        transactions: blocks.reduce((sum, one) => sum + Number(one.transactionCount), 0),
        fees: blocks.reduce((sum, one) => sum + Number(one.fee), 0),
        burned: blocks.reduce((sum, one) => sum + Number(one.burnedFees), 0),
      });
    }
  });

  test("transactions by type", async () => {
    const counts = new Map<unknown, number>();
    for (const { type } of await allTransactions()) counts.set(type, (counts.get(type) ?? 0) + 1);
    const rows = plain(await ask("How many transactions of each type were there?")) as Json[];
    expect(rows.map(({ transactions }) => Number(transactions)).sort((a, b) => a - b)).toEqual(
      [...counts.values()].sort((a, b) => a - b),
    );
  });

  test("associations", async () => {
    const edges = new Map<string, Set<string>>();
    for (const address of addresses) {
      const { outgoing } = (await getObject(`/associations/status/${address}`)) as { outgoing: Json[] };
      edges.set(address, new Set(outgoing.map(({ recipient }) => String(recipient))));
      const rows = await ask("Which associations has an account issued?", { address });
      const key = (type: unknown, recipient: unknown, subject: unknown): string =>
        `${type} ${recipient} ${subject}`;
      expect(
        rows
          .map(({ type, recipient, subject }) =>
            key(type, recipient, subject === null ? null : encodeBase58(subject as Uint8Array)),
          )
          .sort(),
      ).toEqual(outgoing.map((one) => key(one.type, one.recipient, one.subject)).sort());
    }
    for (const address of addresses) {
      const steps = new Map([[address, 0]]);
      for (let step = 1; step <= 3; step++)
        for (const [from, at] of [...steps])
          if (at === step - 1)
            for (const to of edges.get(from) ?? []) if (!steps.has(to)) steps.set(to, step);
      const rows = await ask("Whom does an account reach over associations?", { address });
      expect(Object.fromEntries(rows.map((row) => [row.address, row.steps]))).toEqual(
        Object.fromEntries(steps),
      );
    }
  });

  test("roles, data and sponsors", async () => {
    const { accounts } = (await getObject("/roles")) as { accounts: { address: string; roles: Json[] }[] };
    const granted = accounts.flatMap(({ address, roles }) => roles.map((one) => ({ address, ...one })));
    expect(granted.length).toBeGreaterThan(0);
    const text = ({ address, role, sender, type }: Json): string => `${address} ${role} ${sender} ${type}`;
    expect((await ask("Who holds which role?")).map(text).sort()).toEqual(granted.map(text).sort());
    for (const address of addresses) {
      const data = await getList(`/addresses/data/${address}`);
      const rows = await ask("Which data does an account publish?", { address });
      const shownValue = (row: SqlRow): unknown =>
        row.binary_value instanceof Uint8Array
          ? `base64:${Buffer.from(row.binary_value).toString("base64")}`
          : (row.integer_value ?? row.boolean_value ?? row.string_text);
      expect(
        plain(rows.map((row) => ({ key: row.key_text, type: row.type, value: shownValue(row) }))),
      ).toEqual(
        data
          .map(({ key, type, value }) => ({ key, type, value }))
          .sort((a, b) => Buffer.compare(Buffer.from(String(a.key)), Buffer.from(String(b.key)))),
      );
      const { sponsor } = (await getObject(`/sponsorship/status/${address}`)) as { sponsor: string[] };
      const sponsors = await ask("Who pays an account's fees?", { address });
      expect(sponsors.map((row) => row.sponsor).sort()).toEqual(sponsor.toSorted());
    }
  });

  test("methods and deactivations of DIDs", async () => {
    const deactivated = await ask("Which DIDs are deactivated?");
    let resolved = 0;
    const names = [
      ["authentication", "authentication"],
      ["assertionMethod", "assertion_method"],
      ["capabilityDelegation", "capability_delegation"],
    ] as const;
    for (const address of addresses) {
      const did = `did:lto:${address}`;
      const response = await fetch(
        new URL(`/identifiers/${did}?versionTime=${new Date().toISOString()}`, url),
        {
          headers: { accept: 'application/ld+json;profile="https://w3id.org/did-resolution"' },
        },
      );
      const body = (await response.json()) as { didDocument: Json; didDocumentMetadata: Json };
      const gone = deactivated.find((row) => row.did === did);
      resolved++;
      expect(gone !== undefined, address).toBe(body.didDocumentMetadata.deactivated === true);
      if (gone !== undefined) {
        expect(`did:lto:${gone.deactivated_by}`).toBe(body.didDocumentMetadata.deactivatedBy);
        continue;
      }
      const rows = await ask("Which keys may act for a DID?", { did });
      if (!response.ok) {
        expect(rows).toEqual([]);
        continue;
      }
      for (const [member, column] of names)
        expect(
          rows
            .filter((row) => row[column] === true)
            .map(({ method }) => `did:lto:${method}#sign`)
            .sort(),
          `${address} ${member}`,
        ).toEqual((body.didDocument[member] as string[]).toSorted());
    }
    expect(resolved).toBeGreaterThan(0);
  });

  test("status of credentials", async () => {
    const { rows: all } = await owner.query<{ credential: Uint8Array; issuer: string }>(
      "select distinct credential, signer as issuer from holdfast.credential_statements",
    );
    expect(all.length).toBeGreaterThan(0);
    const time = (text: unknown): number | null => (text === undefined ? null : Date.parse(String(text)));
    const second = (ms: unknown): number | null =>
      ms === null ? null : Math.floor(Number(ms) / 1_000) * 1_000;
    let found = 0;
    for (const { credential, issuer } of all) {
      const path = `/credential-status/${encodeBase58(credential)}?issuer=did:lto:${issuer}`;
      const status = await getObject(path);
      const others = (status.statements as { signer: { id: string } }[]).some(
        ({ signer }) => signer.id !== `did:lto:${issuer}#sign`,
      );
      if (others) continue;
      if (status.issued !== undefined || status.suspended !== undefined) found++;
      const [row] = await ask("What is the status of a credential?", { credential, address: issuer });
      expect([
        second(row?.issued_ms ?? null),
        second(row?.suspended_ms ?? null),
        second(row?.revoked_ms ?? null),
      ]).toEqual([time(status.issued), time(status.suspended), time(status.revoked)]);
    }
    expect(found).toBeGreaterThan(0);
  });

  test("costs, and whether the database is current", async () => {
    const { rows } = await owner.query<{ id: Uint8Array }>("select id from holdfast.transactions limit 1");
    const id = rows[0]?.id ?? new Uint8Array();
    const question = "What does a statement without `height` cost?";
    const planOf = async (number: number) =>
      (await ask(question, { id }, number)).map((row) => String(row["QUERY PLAN"])).join("\n");
    expect(await planOf(0)).toMatch(/Seq Scan on transaction_\d+/);
    expect(await planOf(1)).toContain("transaction_place");
    const [tip] = await ask("Is the database current?");
    const { height } = await getObject("/blocks/height");
    expect(tip).toMatchObject({ height, state: "live" });
  });

  test("every question was asked", () => {
    expect([...questions.keys()].filter((question) => !asked.has(question))).toEqual([]);
  });
});
