import { encodeBase58 } from "../bytes/base58.ts";
import { tokenText } from "../bytes/tokens.ts";
import type { Chain } from "../chain/chain.ts";
import { uncheckedBlocks } from "../chain/reading/unchecked.ts";
import type { Settings } from "../config/settings.ts";
import { addressText } from "../crypto/addresses.ts";
import type { Log } from "../interfaces.ts";
import { formatPeerAddress } from "../peers/peer-address.ts";
import { hasExplorer, hasOpenKeyRoutes } from "./api/api.ts";
import type { Environment } from "./environment.ts";

interface StartingNode {
  readonly environment: Pick<Environment, "wallet" | "log">;
  readonly settings: Settings;
  readonly chain: Chain;
  readonly url: string | undefined;
  readonly adminUrl?: string | undefined;
}

const MAX_NAMED_PEERS = 3;

export function logStartup({ environment, settings, chain, url, adminUrl }: StartingNode): void {
  const { wallet, log } = environment;
  const { profile } = settings;
  const unchecked = chain.read(uncheckedBlocks);
  if (unchecked !== undefined)
    log.warn(
      `Signatures of blocks ${unchecked.from} to ${unchecked.to} were not checked (--assume-valid): ` +
        "`holdfast verify --signatures` checks them",
    );
  logAssumption(settings, chain, log);
  const account = wallet.oldest();
  const balance = account && chain.ledger((ledger) => ledger.account(account.address).balance);
  log.info(`Network ${profile.name} (${profile.networkName}), height ${chain.tip.height}`, {
    chainId: String.fromCharCode(profile.chainId),
    dataDir: settings.dataDir,
  });
  if (account === undefined) log.warn("The wallet has no accounts");
  else log.info(`Wallet account ${addressText(account.address)}, balance ${tokenText(balance ?? 0n)} tokens`);
  logPeers(settings, log);
  if (url === undefined) {
    log.info("The HTTP interface is disabled");
    return;
  }
  if (hasOpenKeyRoutes(settings))
    log.warn("Routes that need an API key are OPEN to programs on this machine: no key is configured");
  else if (settings.api.apiKeyHash === undefined && settings.api.apiKeys === undefined)
    log.info("Routes that need an API key are closed: no key is configured");
  if (adminUrl !== undefined) log.info(`Routes that need an API key are at ${adminUrl} only`);
  if (settings.api.authToken === undefined)
    log.warn(
      "POST /hash is open to everyone who can reach the interface, and the wallet pays: no token is configured",
    );
  log.info(`HTTP interface at ${url}, documentation at ${url}/api-docs/`);
  if (!settings.api.explorer) return;
  if (hasExplorer()) log.info(`Explorer at ${url}/explorer/`);
  else log.info("The explorer is not available: build it with Node.js 20.19, 22.12 or newer");
}

function logAssumption({ imports: { assumeValid } }: Settings, chain: Chain, log: Log): void {
  if (assumeValid === undefined) return;
  const id = encodeBase58(assumeValid);
  const height = chain.heightOf(assumeValid);
  if (height === undefined)
    log.warn(
      `Signatures of transactions before block ${id} are not checked if a peer's chain leads to it (--assume-valid)`,
    );
  else
    log.info(
      `The chain contains block ${id} of --assume-valid at height ${height}: every signature is checked`,
    );
}

/** Logs nothing on `dev` without P2P, which is usual there. */
function logPeers({ peers, profile }: Settings, log: Log): void {
  if (peers === undefined) {
    if (profile.name !== "dev") log.info("P2P is disabled (--no-p2p)");
    return;
  }
  const { knownPeers, peersFile } = peers.connections;
  const storedPeers = peersFile === undefined ? "" : `; nodes of ${peersFile} are tried too`;
  if (knownPeers.length === 0) {
    log.info(`No other nodes are configured: add some with --peers${storedPeers}`);
    return;
  }
  const names = knownPeers.slice(0, MAX_NAMED_PEERS).map(formatPeerAddress).join(", ");
  const unnamed = knownPeers.length - MAX_NAMED_PEERS;
  const nodes = knownPeers.length === 1 ? "1 known node" : `${knownPeers.length} known nodes`;
  log.info(`Connecting to ${nodes}: ${names}${unnamed > 0 ? ` and ${unnamed} more` : ""}${storedPeers}`);
}
