/**
 * Imports chains with all checks and with `--assume-valid`, through the command line: `npm run soak:trusted --
 * --transactions 600000`. One chain has few accounts, the other a million accounts drawn by a power law. Both exports must
 * equal the imported file byte for byte, and both stores must be equal row by row (the comparison of `holdfast verify`).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { comparedTables, tableFaults } from "../src/chain/jobs/verify-differences.ts";
import { transactionLookupFaults } from "../src/chain/jobs/verify-lookups.ts";
import { sponsorFaults } from "../src/chain/jobs/verify-sponsors.ts";
import { openNodeStore } from "../src/node/composition.ts";
import { customProfile } from "../src/profiles/index.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { makeLongChain, type Recipients } from "../test/support/long-chain.ts";
import { plainEnvironment, whole } from "./support.ts";

const [option = "--transactions", value = "600000", ...more] = process.argv.slice(2);
const transactions = /^[1-9]\d{0,8}$/.test(value) ? Number(value) : Number.NaN;
if (option !== "--transactions" || more.length > 0 || Number.isNaN(transactions)) {
  console.error("Usage: npm run soak:trusted -- --transactions N");
  process.exit(2);
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const cli = join(root, "dist", "cli.js");
const load = join(process.env.HOLDFAST_VECTORS ?? join(root, "test", "vectors"), "chains", "load");
const genesis = join(load, "genesis.json");

const CHAINS: Readonly<Record<string, Recipients>> = {
  "accounts of load": { count: 0 },
  "1,000,000 accounts by a power law": { count: 1_000_000, drawn: "by power law" },
};

/** A block file ends with the signature of its last block, which is the block's id. */
const ID_LENGTH = 64;

/** Runs a command. @throws Error if it fails */
function holdfast(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, "--genesis", genesis], {
    encoding: "utf8",
    env: plainEnvironment(),
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`holdfast ${args[0]}: code ${status}\n${stdout}${stderr}`);
}

function lastBlockId(file: string): string {
  const id = Buffer.alloc(ID_LENGTH);
  readSync(openSync(file, "r"), id, 0, ID_LENGTH, statSync(file).size - ID_LENGTH);
  return encodeBase58(id);
}

/** Compares two stores row by row. @returns number of rows @throws Error at the first difference */
async function compareStores(first: string, second: string): Promise<number> {
  const profile = customProfile(readFileSync(genesis, "utf8"));
  const stores = [];
  try {
    for (const dataDir of [first, second])
      stores.push(await openNodeStore({ ...settingsOf(profile), dataDir }));
    const [one, other] = stores.map((store) => store.snapshot());
    if (one === undefined || other === undefined) throw new Error("A store is missing");
    const comparisons = [
      ...comparedTables.map((table) => tableFaults(table, one, other)),
      sponsorFaults(one, other),
      transactionLookupFaults(one, other),
    ];
    let rows = 0;
    for (const comparison of comparisons) {
      let next = comparison.next();
      for (; next.done !== true; next = comparison.next())
        if (next.value !== undefined) throw new Error(`Stores differ: ${JSON.stringify(next.value)}`);
      rows += next.value;
    }
    one.close();
    other.close();
    return rows;
  } finally {
    for (const store of stores) await store.close();
  }
}

const home = mkdtempSync(join(tmpdir(), "holdfast-imports-"));
try {
  for (const [name, recipients] of Object.entries(CHAINS)) {
    const at = (file: string): string => join(home, file);
    console.log(`${name}: building a chain of ${whole(transactions)} transactions ...`);
    await makeLongChain(load, at("blocks"), transactions, recipients);
    for (const [kind, options] of [
      ["checked", []],
      ["trusted", ["--assume-valid", lastBlockId(at("blocks"))]],
    ] as const) {
      holdfast("import", at("blocks"), "--data-dir", at(kind), ...options);
      holdfast("export", at("export"), "--data-dir", at(kind));
      if (spawnSync("cmp", [at("blocks"), at("export")], { stdio: "inherit" }).status !== 0)
        throw new Error(`${name}: the export after the ${kind} import differs`);
      rmSync(at("export"));
      console.log(`${name}: ${kind} import, export equal to the file`);
    }
    console.log(`${name}: ${whole(await compareStores(at("checked"), at("trusted")))} rows are equal`);
    for (const file of ["blocks", "checked", "trusted"]) rmSync(at(file), { recursive: true });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
