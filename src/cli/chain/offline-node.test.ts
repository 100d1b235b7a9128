import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeUtf8 } from "../../bytes/utf8.ts";
import { Secret } from "../../config/kinds/secret.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { parseTrustNetwork } from "../../indexes/trust/trust-network.ts";
import { dev } from "../../profiles/index.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import { type SettingsChanges, settingsOf } from "../../testing/settings.ts";
import type { Io } from "../io.ts";
import { offlineNode } from "./offline-node.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-offline-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const owner = addressOf(keyPairOf("the owner").publicKey, dev.chainId);
const roles = parseTrustNetwork('{"root":{},"member":{}}');

test.each<[string, SettingsChanges, root: Uint8Array | undefined]>([
  ["is nobody's business where no index asks for roles", {}, undefined],
  ["is the wallet's account where roles are given", { index: { trustNetwork: roles } }, owner],
  [
    "is the wallet's account where anchors are those of accounts with a role",
    { index: { anchors: "trust" } },
    owner,
  ],
  [
    "is the account that was named",
    { index: { anchors: "trust" }, anchoring: { hashAccount: new Uint8Array(26) } },
    new Uint8Array(26),
  ],
])("the root of trust %s", async (_, changes, root) => {
  const settings = settingsOf(dev, {
    dataDir: folder,
    wallet: {
      file: join(folder, "wallet.bin"),
      seed: new Secret(encodeUtf8("the owner")),
    },
    ...changes,
  });
  const io = { out: () => {}, err: () => {} } as Pick<Io, "out" | "err"> as Io;
  const node = await offlineNode(settings, io, { threads: 1 });
  try {
    expect(node.trust.root).toEqual(root);
  } finally {
    await node.stop();
  }
});
