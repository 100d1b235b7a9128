/**
 * Measures the time between the commit of a block at a node and the first answer of a follower in another process that
 * knows this block: a request with `atLeast` waits there. `npm run bench -- follow-delay`.
 */
import { join } from "node:path";
import { API_KEY } from "../src/api/testing/server.ts";
import { BlockSource, genesis } from "./block-source.ts";
import { report } from "./figures.ts";
import { endProcess, inHome, percentile, serveNode } from "./support.ts";

const [delays = []] = await inHome(async (home) => {
  const source = await BlockSource.start(join(home, "node"));
  try {
    const follower = await serveNode("start", join(home, "follower"), [
      ...["--follow", source.url, "--follow-key", API_KEY, "--follow-check", "none", "--genesis", genesis],
    ]);
    try {
      return await source.delaysOf([follower]);
    } finally {
      await endProcess(follower.process);
    }
  } finally {
    await source.stop();
  }
});
report("Commit to a follower's answer, median", percentile(delays, 0.5), "ms");
report("Commit to a follower's answer, p99", percentile(delays, 0.99), "ms", { atMost: 100 });
