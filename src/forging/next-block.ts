import { encodeBase58 } from "../bytes/base58.ts";
import type { Chain } from "../chain/chain.ts";
import type { WalletAccount } from "../control/index.ts";
import { failed, ok, type Result } from "../errors/result.ts";
import type { Clock } from "../interfaces.ts";
import type { AccountState } from "./metrics.ts";
import type { ForgingOptions } from "./options.ts";

const INT64_MAX = (1n << 63n) - 1n;

/** `text` is the protocol's text; `reason` is for metrics. */
export interface ForgingProblem<R> {
  readonly reason: R;
  readonly text: string;
}

interface NextBlock {
  /** Ms since 1970. */
  readonly at: number;
  /** Generating balance, units. */
  readonly balance: bigint;
}

interface Dependencies {
  readonly chain: Pick<Chain, "tip" | "forging">;
  readonly clock: Pick<Clock, "now">;
  readonly options: Pick<ForgingOptions, "intervalAfterLastBlockMs">;
  readonly isProvisional: () => boolean;
}

/** When an account may forge its next block. Page 03 §10.1, steps 1 to 5. */
export function nextBlock(
  { chain, clock, options, isProvisional }: Dependencies,
  { address, publicKey }: WalletAccount,
): Result<NextBlock, ForgingProblem<Exclude<AccountState, "scheduled">>> {
  const { tip } = chain;
  const now = clock.now();
  if (tip.height !== 1 && options.intervalAfterLastBlockMs !== undefined) {
    const age = now - Number(tip.keyBlock.timestamp);
    if (age > options.intervalAfterLastBlockMs)
      return failed({
        reason: "chain_too_old",
        text: `BlockChain is too old (last block timestamp is ${tip.keyBlock.timestamp} generated ${age} milliseconds ago)`,
      });
  }
  if (isProvisional())
    return failed({
      reason: "provisional",
      text: "The chain does not contain the block of --assume-valid yet, and was not checked",
    });
  const address58 = encodeBase58(address);
  if (chain.forging.isScripted(address))
    return failed({
      reason: "scripted",
      text: `Account(${address58}) is scripted and therefore not allowed to forge blocks`,
    });
  const balance = chain.forging.generatingBalance(address);
  if (balance < chain.forging.minimumGeneratingBalance())
    return failed({
      reason: "low_balance",
      text: `Balance ${balance} of ${address58} is lower than required for generation`,
    });
  const at = BigInt.asIntN(64, chain.forging.blockDelay(publicKey, balance) + tip.keyBlock.timestamp);
  if (at <= 0n || at >= INT64_MAX)
    return failed({ reason: "no_time", text: `Invalid next block generation time: ${at}` });
  return ok({ at: Number(at), balance });
}
