/** The views of identities and credentials agree with the API on the recorded chain of the index. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { decodeBase64 } from "../src/bytes/base64.ts";
import { type JsonValue, printJson } from "../src/bytes/json.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { x25519Of } from "../src/crypto/x25519.ts";
import { readerContext } from "../src/node/composition.ts";
import type { Node } from "../src/node.ts";
import type { SqlConnection } from "../src/postgres/connection/sql-connection.ts";
import { migrate } from "../src/postgres/schema/migrate.ts";
import { MirrorDatabase } from "../src/postgres/testing/mirror-database.ts";
import { PostgresServer, postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { customProfile } from "../src/profiles/index.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { startFollowed } from "./replay/followed-node.ts";
import { hasVectors, loadVectorsJson } from "./vectors.ts";

type Method = string | { readonly id: string };

interface Resolution {
  readonly didDocument?: Readonly<Record<string, readonly Method[] | undefined>>;
  readonly didDocumentMetadata?: {
    readonly created?: string;
    readonly deactivated?: boolean;
    readonly deactivatedBy?: string;
  };
}

interface CredentialStatus {
  readonly issued?: string;
  readonly suspended?: string;
  readonly revoked?: string;
  readonly statements: readonly { readonly signer: { readonly id: string } }[];
}

const RELATIONSHIPS = {
  authentication: "authentication",
  assertionMethod: "assertion_method",
  keyAgreement: "key_agreement",
  capabilityInvocation: "capability_invocation",
  capabilityDelegation: "capability_delegation",
} as const;

/** The API shows whole seconds. */
const second = (ms: unknown): number | undefined =>
  ms === null ? undefined : Math.floor(Number(ms) / 1_000) * 1_000;
const time = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);
/** DIDs of methods, sorted. */
const didsOf = (methods: readonly Method[] = []): string[] =>
  methods.map((one) => (typeof one === "string" ? one : one.id).split("#")[0]).sort();

describe.skipIf(postgresPrograms === undefined || !hasVectors)(
  "identities (scripts/install-postgres.sh)",
  () => {
    let server: PostgresServer;
    let sql: SqlConnection;
    let node: Node;
    beforeAll(async () => {
      server = await PostgresServer.start();
      await server.createDatabase("chain");
      sql = await server.connect("postgres", "chain");
      await migrate(sql, "test");
      const file = loadVectorsJson("index/chain.json") as ReadonlyMap<string, JsonValue>;
      const profile = customProfile(printJson(file.get("custom") ?? null));
      const now = Date.now();
      const nothing = { differences: async () => [], stop: async () => {} };
      const started = await startFollowed({
        profile,
        blocks: decodeBase64(String(file.get("blocksBinary"))),
        now,
        start: async () => nothing,
      });
      node = started.node;
      const context = readerContext(node.settings, node.chain.rules, node.trust);
      const mirror = new MirrorDatabase(sql, {
        reader: chainReader(node.environment.store, context),
        network: profile,
        clock: new VirtualClock(now),
      });
      await mirror.begin();
      while (!(await mirror.follow(1_000)).isComplete);
      await mirror.live();
    });
    afterAll(async () => {
      await node?.stop();
      await sql?.close();
      await server?.stop();
    });

    async function get<T>(path: string): Promise<T> {
      const accept = 'application/ld+json;profile="https://w3id.org/did-resolution"';
      const response = await fetch(new URL(path, node.url), { headers: { accept } });
      return (await response.json()) as T;
    }

    test("have the methods, times and deactivations of their DID documents", async () => {
      const { rows } = await sql.query("select * from holdfast.identities");
      const seen = { deactivated: 0, extraMethods: 0, deactivatesOnly: 0, services: 0 };
      for (const { did, created_ms: created, deactivated_ms: gone, deactivated_by: by } of rows) {
        const path = `/identifiers/${did}?versionTime=${new Date().toISOString()}`;
        const { didDocument, didDocumentMetadata: facts = {} } = await get<Resolution>(path);
        const name = String(did);
        expect(facts.deactivated === true, name).toBe(gone !== null);
        expect(time(facts.created), name).toBe(second(created));
        if (gone !== null) {
          seen.deactivated++;
          expect(facts.deactivatedBy, name).toBe(`did:lto:${by}`);
          continue;
        }
        if (didDocument === undefined) throw new Error(`${name} has no document`);
        const { rows: methods } = await sql.query("select * from holdfast.identity_methods where did = $1", [
          name,
        ]);
        const shown = (filter: (row: (typeof methods)[number]) => boolean): string[] =>
          methods
            .filter(filter)
            .map(({ method }) => `did:lto:${method}`)
            .sort();
        expect(
          shown((row) => row.deactivates_only !== true),
          name,
        ).toEqual(didsOf(didDocument.verificationMethod));
        for (const [member, column] of Object.entries(RELATIONSHIPS)) {
          const expected = didsOf(didDocument[member]);
          // The API leaves out bytes that are not a point of the curve, which have no key for encryption.
          const hasKey = (row: (typeof methods)[number]): boolean =>
            member !== "keyAgreement" ||
            row.key_type !== "ed25519" ||
            x25519Of(row.public_key as Uint8Array) !== undefined;
          expect(
            shown((row) => row[column] === true && hasKey(row)),
            `${name} ${member}`,
          ).toEqual(expected);
        }
        if (methods.length > 1) seen.extraMethods++;
        if (methods.some((row) => row.deactivates_only === true)) seen.deactivatesOnly++;
        if ((didDocument.service ?? []).length > 0) seen.services++;
      }
      for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
    });

    test("give their credentials the status of the API", async () => {
      const { rows } = await sql.query("select * from holdfast.credentials");
      let compared = 0;
      for (const { credential, issuer, ...row } of rows) {
        const id = encodeBase58(credential as Uint8Array);
        const status = await get<CredentialStatus>(`/credential-status/${id}?issuer=did:lto:${issuer}`);
        // The view counts only the issuer's own statements.
        if (status.statements.some(({ signer }) => signer.id !== `did:lto:${issuer}#sign`)) continue;
        compared++;
        const { issued, suspended, revoked } = status;
        expect([issued, suspended, revoked].map(time), id).toEqual(
          [row.issued_ms, row.suspended_ms, row.revoked_ms].map(second),
        );
      }
      expect(compared).toBeGreaterThan(3);
    });
  },
);
