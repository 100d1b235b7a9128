/** Nodes on loopback that only talk to each other, or serve the API. */

import { readFileSync } from "node:fs";
import { API_KEY } from "../src/api/testing/server.ts";
import { encodeUtf8 } from "../src/bytes/utf8.ts";
import { secureHash } from "../src/crypto/hashes.ts";
import { budgetHandles } from "../src/node/handles.ts";
import { createSystemEnvironment } from "../src/node/system-environment.ts";
import { createNode, type Node } from "../src/node.ts";
import type { PeerAddress } from "../src/peers/peer-address.ts";
import { peersOptions } from "../src/peers/testing/peer-table.ts";
import { customProfile } from "../src/profiles/index.ts";
import { LogLevels } from "../src/runtime/logging/log-levels.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { silentLog } from "../src/testing/silent-log.ts";

/**
 * Builds a node.
 * @param knownPeers peers to connect to
 * @param api true if it serves the API, on a port that the system chooses, with `API_KEY`
 * @param assumeValid id of a block, for `--assume-valid`
 */
export async function benchNode(
  genesis: string,
  home: string,
  knownPeers: readonly PeerAddress[],
  {
    api = false,
    assumeValid,
  }: { readonly api?: boolean; readonly assumeValid?: Uint8Array | undefined } = {},
): Promise<Node> {
  const profile = customProfile(readFileSync(genesis, "utf8"));
  const { sync, ...others } = peersOptions({ listen: { host: "127.0.0.1", port: 0 }, knownPeers });
  const peers = { ...others, sync: { ...sync, assumeValid } };
  const settings = settingsOf(profile, {
    dataDir: home,
    api: { enabled: api, port: 0, apiKeyHash: secureHash(encodeUtf8(API_KEY)) },
    forging: { enabled: false },
    imports: { assumeValid, verifySignatures: false },
    peers,
  });
  return createNode(
    await createSystemEnvironment(
      settings,
      { log: silentLog, levels: LogLevels.of({ level: "info", areas: {} }) },
      budgetHandles(undefined, settings),
    ),
    settings,
  );
}
