/** Common setup for tests of whole nodes: temporary folders, and nodes that stop with the test. */
import { afterAll, afterEach } from "vitest";
import { type NodeProcess, removeFolder, startNodeProcess, temporaryFolder } from "./node-process.ts";

/**
 * Returns functions that create folders and start nodes for the tests of a file or a `describe`. Call it where hooks
 * are allowed.
 * @param scope whether cleanup runs after each test or after all of them
 */
export function nodeFixture(name: string, scope: "each" | "all" = "each") {
  const folders: string[] = [];
  const nodes: NodeProcess[] = [];
  (scope === "each" ? afterEach : afterAll)(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    for (const path of folders.splice(0)) removeFolder(path);
  });
  const folder = (): string => {
    const path = temporaryFolder(name);
    folders.push(path);
    return path;
  };
  /** Starts a node in this folder, by default a new one. */
  const start = async (
    options: Partial<Parameters<typeof startNodeProcess>[0]> = {},
  ): Promise<NodeProcess> => {
    const node = await startNodeProcess({ dataDir: options.dataDir ?? folder(), ...options });
    nodes.push(node);
    return node;
  };
  return { folder, start };
}
