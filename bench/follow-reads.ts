/**
 * Compares requests at followers with the same requests at their source: processor time per request in alternating turns,
 * then with one, two and three followers that answer at the same time. `bench/requests-together.ts` names the variables
 * that change the figures.
 */
import { join } from "node:path";
import { report } from "./figures.ts";
import { measure } from "./http-load.ts";
import { compareTogether, loadOf, routeOf, TURNS, warmUp } from "./requests-together.ts";
import { endProcess, inHome, median, type Served, serveNode } from "./support.ts";

const FOLLOWERS = 3;
const PATHS = ["/blocks/height", "/addresses/balance/details/3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"];

await inHome(async (home) => {
  const node = await serveNode("start", join(home, "node"), ["--no-forge", "--no-p2p"]);
  const nodes = [node];
  try {
    const followers: Served[] = [];
    for (let i = 0; i < FOLLOWERS; i++) {
      const follower = await serveNode("start", join(home, `follower-${i}`), ["--follow", node.url]);
      followers.push(follower);
      nodes.push(follower);
    }
    // The engine goes on optimising code that runs often, so both processes answer the same number of requests.
    const [first] = followers;
    for (const path of PATHS) {
      await warmUp(nodes, path);
      const ratios: number[] = [];
      const costs: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const ofNode = await measure(node, "persistent", loadOf(path));
        const ofFollower = await measure(first as Served, "persistent", loadOf(path));
        costs.push(ofNode.cost);
        ratios.push((100 * ofFollower.cost) / ofNode.cost);
      }
      report(
        `${routeOf(path)}: request at a follower against the node`,
        median(ratios),
        "%",
        { atMost: 105 },
        `node: ${median(costs).toFixed(1)} µs`,
      );
    }
    await compareTogether("followers", followers, PATHS);
  } finally {
    for (const { process: child } of nodes.reverse()) await endProcess(child);
  }
});
