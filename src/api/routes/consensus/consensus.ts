/** Proof of stake. Page 06 §7.6. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { addressText } from "../../../crypto/addresses.ts";
import type { HeaderInfo } from "../../../interfaces.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { AddressText, Amount, BaseTarget, BlockId, base58, object } from "../../schemas/common.ts";
import { parseBlockId, requireBlock } from "../blocks/blocks.ts";

const BY_ID = { 400: "The id is not Base58, or too long.", 404: "There is no such block." };
const GenerationSignature = base58("32 bytes.");

function headerOf(call: Call): HeaderInfo {
  const id = parseBlockId(call.param("blockId"));
  return requireBlock(call.read((chain) => chain.blocks.headerById(id)));
}

export const consensusRoutes = routesOf("consensus", [
  get("/consensus/algo", {
    summary: "Name of the consensus algorithm",
    answers: { ok: object({ consensusAlgo: Type.String() }) },
    handle: () => ({ consensusAlgo: "Fair Proof-of-Stake (FairPoS)" }),
  }),
  get("/consensus/basetarget", {
    summary: "Base target of the last block, and score of the chain",
    answers: { ok: object({ baseTarget: BaseTarget, score: Type.String() }) },
    handle: (call) =>
      call.read((chain) => ({
        baseTarget: requireBlock(chain.blocks.header(chain.height())).baseTarget,
        score: String(chain.blocks.score()),
      })),
  }),
  get("/consensus/basetarget/:blockId", {
    summary: "Base target of a block",
    request: { params: { blockId: BlockId } },
    answers: { ok: object({ baseTarget: BaseTarget }), failures: BY_ID },
    handle: (call) => ({ baseTarget: headerOf(call).baseTarget }),
  }),
  get("/consensus/generationsignature", {
    summary: "Generation signature of the last block",
    answers: { ok: object({ generationSignature: GenerationSignature }) },
    handle: (call) =>
      call.read((chain) => ({
        generationSignature: encodeBase58(
          requireBlock(chain.blocks.header(chain.height())).generationSignature,
        ),
      })),
  }),
  get("/consensus/generationsignature/:blockId", {
    summary: "Generation signature of a block",
    request: { params: { blockId: BlockId } },
    answers: { ok: object({ generationSignature: GenerationSignature }), failures: BY_ID },
    handle: (call) => ({ generationSignature: encodeBase58(headerOf(call).generationSignature) }),
  }),
  get("/consensus/generatingbalance/:address", {
    summary: "Smallest effective balance over the last 1000 blocks, the liquid one left out",
    request: { params: { address: AddressText } },
    answers: {
      ok: object({ address: AddressText, balance: Amount }),
      failures: { 400: "The address is not valid on this network." },
    },
    handle: (call) => {
      const address = call.address();
      return {
        address: addressText(address),
        balance: call.read((chain) => chain.accounts.generatingBalance(address)),
      };
    },
  }),
]);
