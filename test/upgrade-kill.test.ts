/** Processes that are killed, or have no more disk space, while they upgrade a store. */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { FORMAT_VERSION, openStore } from "../src/storage/store.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { nextWrite } from "./support/next-write.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { everyRow, oldFormats, oldNetwork, unpackStores } from "./support/old-stores.ts";

/** `npm run soak:upgrade -- --times 10` sets the number of kills for each format, and a random seed. */
const times = Number(process.env.SOAK_TIMES ?? 2);
const seed = Number(process.env.SOAK_SEED ?? 1);
/** The upgrade of format 5 makes this many commits that it reports, and the one of format 4 some more. */
const COMMITS = 6;
/** Number of writes to the file of format 5; that of format 4 is written about twice as often. */
const WRITES = 16;
/** Space for some commits of the upgrade, bytes. */
const SPACE = 60_000;

const script = fileURLToPath(new URL("support/open-store.mjs", import.meta.url));
const folder = temporaryFolder("upgrade-kill");
let stores = 0;

afterAll(() => removeFolder(folder));

const unpack = (format: number): string => unpackStores(format, join(folder, String(stores++)));

async function rowsOf(directory: string): Promise<string[]> {
  const store = await openStore(directory, { network: oldNetwork });
  const rows = everyRow(store);
  await store.close();
  return rows;
}

/** Upgrades a store in another process. @param moment the process is killed when it resolves */
async function upgrade(
  command: readonly string[],
  moment?: (over: AbortSignal) => Promise<void>,
): Promise<{ readonly signal: NodeJS.Signals | null; readonly output: string }> {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const over = new AbortController();
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.on("close", (_, signal) => resolve(signal)),
  );
  void ended.then(() => over.abort());
  await moment?.(over.signal);
  if (moment !== undefined) child.kill("SIGKILL");
  return { signal: await ended, output };
}

describe.each(oldFormats)("an upgrade of format %i", (format) => {
  test(
    `killed ${times} times at any point ends like an uninterrupted one`,
    async () => {
      const expected = await rowsOf(unpack(format));
      const random = new SeededRandom(seed + format);
      let directory = unpack(format);
      let kills = 0;
      for (let round = 0; round < times; round++) {
        // Between two commits, or during one.
        const { signal } =
          round % 2 === 0
            ? await upgrade([
                process.execPath,
                script,
                directory,
                oldNetwork,
                String(1 + random.below(COMMITS)),
              ])
            : await upgrade([process.execPath, script, directory, oldNetwork], (over) =>
                nextWrite(join(directory, "data.mdb"), 1 + random.below(WRITES), over),
              );
        if (signal === "SIGKILL") kills++;
        // Some stores are killed again on their way.
        if (signal === "SIGKILL" && random.chance(30)) continue;
        expect(await rowsOf(directory)).toEqual(expected);
        directory = unpack(format);
      }
      expect(await rowsOf(directory)).toEqual(expected);
      expect(kills).toBeGreaterThan(0);
      if (process.env.SOAK_TIMES !== undefined)
        console.log(`${kills} kills of ${times} upgrades of format ${format}`);
    },
    60_000 + times * 5_000,
  );

  test("without disk space fails with an error that names what to do, and continues later", async () => {
    const expected = await rowsOf(unpack(format));
    const directory = unpack(format);
    const blocks = Math.ceil((statSync(join(directory, "data.mdb")).size + SPACE) / 512);
    const limited = `trap "" XFSZ; ulimit -f ${blocks}; exec "$@"`;
    const { output } = await upgrade([
      "sh",
      "-c",
      limited,
      "sh",
      process.execPath,
      script,
      directory,
      oldNetwork,
    ]);
    expect(output).toContain(`The data directory ${directory} cannot be written: `);
    expect(output).toContain(
      `. The upgrade of ${directory} from format ${format} to ${FORMAT_VERSION} is incomplete: free space or repair the disk, then start again to continue; `,
    );
    expect(output).toContain(
      format === 4 ? "; the version that wrote it can still read it" : "; older versions cannot read it",
    );
    expect(await rowsOf(directory)).toEqual(expected);
  });
});
