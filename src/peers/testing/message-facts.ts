/** Properties of messages that recorded vectors state. */
import { isAnnouncementSigned } from "../../blocks/announcement.ts";
import { isBlockSigned } from "../../blocks/block.ts";
import { isCheckpointSigned } from "../../blocks/checkpoint.ts";
import { isMicroBlockSigned } from "../../blocks/micro-block.ts";
import { parseMicroBlock } from "../../blocks/testing/micro-blocks.ts";
import { parseBlock } from "../../blocks/testing/parse-block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { verifyProof } from "../../ledger/verdicts.ts";
import { parseTransaction, transactionId } from "../../transactions/index.ts";
import { formatPeerAddress } from "../peer-address.ts";
import type { ReceivedMessage } from "../wire/messages.ts";

/** The networks of the vectors by the characters of their chain ids. */
export const NETWORKS = { T: { chainId: 84, payment: true }, L: { chainId: 76, payment: true } };

/**
 * Returns the properties of a message by their names in the vectors.
 * @param checkpointSigner public key that signs checkpoints
 */
export function factsOf(
  message: ReceivedMessage,
  checkpointSigner: Uint8Array,
): Readonly<Record<string, () => unknown>> {
  switch (message.type) {
    case "Peers":
      return {
        peers: () => message.addresses.map(formatPeerAddress),
        count: () => message.addresses.length,
      };
    case "GetSignatures":
    case "Signatures":
      return {
        signatures: () => message.ids.map(encodeHex),
        signatures_base58: () => message.ids.map(encodeBase58),
        ids: () => message.ids.map((id) => id[63]),
        note: () =>
          encodeHex(message.ids[0]) === encodeHex(message.ids[1]) ? "parent, parent, child 1, child 2" : "",
      };
    case "GetBlock":
      return { signature_base58: () => encodeBase58(message.id), id: () => message.id[63] };
    case "MicroBlockRequest":
      return { totalBlockSig_base58: () => encodeBase58(message.id), total: () => message.id[63] };
    case "Score":
      return { score: () => String(message.score) };
    case "Block": {
      const { header } = message.scan;
      return {
        version: () => header.version,
        timestamp: () => Number(header.timestamp),
        reference_base58: () => encodeBase58(header.reference),
        baseTarget: () => Number(header.baseTarget),
        generationSignature: () => encodeHex(header.generationSignature),
        generator_public_key_base58: () => encodeBase58(header.generator),
        generator: () => encodeBase58(header.generator),
        transactionCount: () => header.transactionCount,
        features: () => header.features,
        feeVote: () => header.feeVote,
        signature_base58: () => encodeBase58(header.signature),
        signature_valid: () => isBlockSigned(parseBlock(message.bytes, NETWORKS.T)),
      };
    }
    case "MicroBlockResponse": {
      const { header, offsets } = message.scan;
      const micro = parseMicroBlock(message.bytes, NETWORKS.T);
      return {
        version: () => header.version,
        prevResBlockSig_base58: () => encodeBase58(header.reference),
        totalResBlockSig_base58: () => encodeBase58(header.totalSignature),
        prev: () => header.reference[63],
        total: () => header.totalSignature[63],
        transactionCount: () => offsets.length / 2,
        sender: () => encodeBase58(header.generator),
        signature_base58: () => encodeBase58(header.signature),
        signature_valid: () => isMicroBlockSigned(micro),
      };
    }
    case "MicroBlockInv": {
      const { announcement } = message;
      const { generator, totalSignature, reference } = announcement;
      return {
        sender: () => encodeBase58(generator),
        totalBlockSig_base58: () => encodeBase58(totalSignature),
        prevBlockSig_base58: () => encodeBase58(reference),
        total: () => totalSignature[63],
        prev: () => reference[63],
        chainId: () => "T",
        signed_message: () =>
          encodeHex(concatBytes(addressOf(generator, NETWORKS.T.chainId), totalSignature, reference)),
        signature_valid: () => isAnnouncementSigned(announcement, NETWORKS.T.chainId),
        signature_valid_on_T: () => isAnnouncementSigned(announcement, NETWORKS.T.chainId),
        signature_valid_on_L: () => isAnnouncementSigned(announcement, NETWORKS.L.chainId),
      };
    }
    case "Checkpoint": {
      const { checkpoint } = message;
      return {
        items: () => checkpoint.items.map(({ height, id }) => ({ height, signature: encodeHex(id) })),
        count: () => checkpoint.items.length,
        public_key_base58: () => encodeBase58(checkpointSigner),
        signature: () => encodeHex(checkpoint.signature),
        signature_valid: () => isCheckpointSigned(checkpoint, checkpointSigner),
      };
    }
    case "Transaction": {
      const transaction = parseTransaction(message.bytes, NETWORKS.T);
      if (transaction.type !== 4) throw new Error(`facts of transaction type ${transaction.type}`);
      return {
        id_base58: () => encodeBase58(transactionId(transaction)),
        chainId: () => "T",
        type: () => transaction.type,
        version: () => transaction.version,
        sender: () => addressText(addressOf(transaction.sender.bytes, NETWORKS.T.chainId)),
        recipient: () => addressText(transaction.recipient),
        amount: () => Number(transaction.amount),
        fee: () => Number(transaction.fee),
        timestamp: () => Number(transaction.timestamp),
        attachment_utf8: () => new TextDecoder().decode(transaction.attachment),
        sponsored: () => transaction.sponsor !== undefined,
        signature_valid: () => verifyProof(transaction, 0, transaction.sender),
      };
    }
    default:
      return {};
  }
}
