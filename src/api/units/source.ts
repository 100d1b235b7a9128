import { genesisBlock } from "../../blocks/genesis.ts";
import type { SourceDescription } from "../../interfaces.ts";
import { STREAM_VERSION } from "../../units/description.ts";
import { answerSettingTexts } from "../following/answer-settings.ts";
import type { ApiInfo } from "../info.ts";

/** Describes this node for followers; undefined without a stream of units. */
export function describeSource({
  source,
  network,
  version,
  configuration,
}: ApiInfo): SourceDescription | undefined {
  if (source === undefined) return undefined;
  return {
    version: STREAM_VERSION,
    program: `Holdfast ${version}`,
    network: {
      name: network.networkName,
      chainId: network.chainId,
      genesis: genesisBlock(network).signature,
    },
    store: source.store,
    settings: answerSettingTexts(configuration),
    trustRoot: source.trustRoot,
  };
}
