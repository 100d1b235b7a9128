import type { Chain } from "../../src/chain/chain.ts";
import { RandomChain } from "../../src/chain/testing/random-chain.ts";
import type { Settings } from "../../src/config/settings.ts";
import { startApiInline } from "../../src/node/testing/api-inline.ts";
import { createNode, type Node } from "../../src/node.ts";
import type { Store } from "../../src/storage/store.ts";
import { trustOfSpenders } from "../../src/testing/random-transactions.ts";
import { settingsOf } from "../../src/testing/settings.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";

/** A random chain of a whole node, with an API after `node.start()`. */
export class NodeChain extends RandomChain {
  // Without an initial value: the base class opens the chain in its constructor.
  declare node: Node;
  declare settings: Settings;

  override openChain(store: Store): Chain {
    const { profile, clock } = this;
    const trust = trustOfSpenders(profile.chainId);
    this.settings = settingsOf(profile, {
      api: { port: 0 },
      chain: { stopOnUnsupportedFeature: false },
      forging: { enabled: false },
      index: { trustNetwork: trust.network },
      // The root of trust.
      anchoring: { hashAccount: trust.root },
      // Random blocks have no proof of stake.
      following: { check: "none" },
    });
    const wallet = fixedWallet([], profile.chainId);
    const environment = simulatedEnvironment({ clock, store, wallet, http: startApiInline() });
    this.node = createNode(environment, this.settings);
    return this.node.chain;
  }
}
