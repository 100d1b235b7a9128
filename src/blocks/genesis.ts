/** Page 03 §4. */

import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { keyPairFromAccountSeed } from "../crypto/seeds.ts";
import { type KeyPair, verify } from "../crypto/signatures.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { genesisDefinition, parseTransaction, type Transaction } from "../transactions/index.ts";
import { BLOCK_ID_LENGTH, type Block, blockUnsignedBytes, buildBlock } from "./block.ts";
import { GenesisError } from "./errors.ts";

/** The count of transactions is one signed byte. */
const MAX_ENTRIES = 127;

/** The key pair of every genesis block: that of the empty account seed. */
export function genesisKeyPair(): KeyPair {
  return keyPairFromAccountSeed(new Uint8Array(0));
}

function genesisTransactions(profile: NetworkProfile): Transaction[] {
  const { timestamp, transactions } = profile.genesis;
  return transactions.map(({ recipient, amount }) => {
    const bytes = new ByteWriter()
      .u8(genesisDefinition.type)
      .i64(timestamp)
      .bytes(recipient)
      .i64(amount)
      .toBytes();
    return parseTransaction(bytes, profile);
  });
}

/** @throws GenesisError for too many transactions or an invalid configured signature */
export function genesisBlock(profile: NetworkProfile): Block {
  const { genesis } = profile;
  if (genesis.transactions.length > MAX_ENTRIES) {
    throw new GenesisError(
      `A genesis block holds at most ${MAX_ENTRIES} transactions, not ${genesis.transactions.length}`,
    );
  }
  const built = buildBlock(
    {
      version: 1,
      timestamp: genesis.blockTimestamp,
      reference: new Uint8Array(BLOCK_ID_LENGTH).fill(0xff),
      baseTarget: genesis.initialBaseTarget,
      generationSignature: new Uint8Array(32),
      transactions: genesisTransactions(profile),
      features: [],
      feeVote: 0,
    },
    genesisKeyPair(),
  );
  const configured = genesis.signature;
  if (configured === undefined || bytesEqual(configured, built.signature)) return built;
  // Like the reference, accept any valid signature of the key.
  if (!verify({ keyType: "ed25519", bytes: built.generator }, blockUnsignedBytes(built), configured)) {
    throw new GenesisError(
      `Passed genesis signature is not valid. should be: ${encodeBase58(built.signature)} `,
    );
  }
  return { ...built, signature: configured };
}
