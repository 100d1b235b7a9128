/** Page 06 §7.6. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { addressText } from "../../../crypto/addresses.ts";
import type { HeaderInfo } from "../../../interfaces.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { AddressText, Amount, BaseTarget, BlockId, base58, object } from "../../schemas/common.ts";
import { BAD_ADDRESS } from "../../schemas/failures.ts";
import { BAD_BLOCK_ID, lastHeader, parseBlockId, requireBlock } from "../blocks/blocks.ts";

const GenerationSignature = base58("32 bytes.");

function headerOf(call: Call): HeaderInfo {
  const id = parseBlockId(call.param("blockId"));
  return requireBlock(call.read((chain) => chain.blocks.headerById(id)));
}

function signatureJson({ generationSignature }: HeaderInfo) {
  return { generationSignature: encodeBase58(generationSignature) };
}

export const consensusRoutes = routesOf("consensus", [
  get("/consensus/algo", {
    summary: "Name of the consensus algorithm",
    answers: { ok: object({ consensusAlgo: Type.String() }) },
    handle: () => ({ consensusAlgo: "Fair Proof-of-Stake (FairPoS)" }),
  }),
  get("/consensus/basetarget", {
    summary: "Base target of the last block, and chain score",
    answers: { ok: object({ baseTarget: BaseTarget, score: Type.String() }) },
    handle: (call) =>
      call.read((chain) => ({
        baseTarget: lastHeader(chain).baseTarget,
        score: String(chain.blocks.score()),
      })),
  }),
  get("/consensus/basetarget/:blockId", {
    summary: "Base target of a block",
    request: { params: { blockId: BlockId } },
    answers: { ok: object({ baseTarget: BaseTarget }), failures: BAD_BLOCK_ID },
    handle: (call) => ({ baseTarget: headerOf(call).baseTarget }),
  }),
  get("/consensus/generationsignature", {
    summary: "Generation signature of the last block",
    answers: { ok: object({ generationSignature: GenerationSignature }) },
    handle: (call) => call.read((chain) => signatureJson(lastHeader(chain))),
  }),
  get("/consensus/generationsignature/:blockId", {
    summary: "Generation signature of a block",
    request: { params: { blockId: BlockId } },
    answers: { ok: object({ generationSignature: GenerationSignature }), failures: BAD_BLOCK_ID },
    handle: (call) => signatureJson(headerOf(call)),
  }),
  get("/consensus/generatingbalance/:address", {
    summary: "Smallest effective balance over the last 1000 blocks, without the liquid block",
    request: { params: { address: AddressText } },
    answers: {
      ok: object({ address: AddressText, balance: Amount }),
      failures: BAD_ADDRESS,
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
