/** Builds signed transactions for tests. */
import type { KeyPair } from "../crypto/signatures.ts";
import {
  copyTransaction,
  definitions,
  signTransaction,
  staticCheck,
  type Transaction,
} from "../transactions/index.ts";
import { TransactionRecord } from "../transactions/record.ts";

/** Members of every transaction; `members` are those of its type. */
export interface TransactionPlan {
  readonly type: number;
  /** 3 by default, which every type but genesis and payment has. */
  readonly version?: number;
  readonly sender: KeyPair;
  readonly sponsor?: KeyPair | undefined;
  readonly fee: bigint;
  /** Milliseconds. */
  readonly timestamp: number | bigint;
  readonly chainId: number;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Returns the number of a type by its name, such as `mass transfer`. @throws RangeError */
export function typeOf(name: string): number {
  const found = definitions.find((definition) => definition.name === name);
  if (found === undefined) throw new RangeError(`there is no transaction type ${name}`);
  return found.type;
}

/** Builds and signs a transaction. @throws RangeError if a static rule refuses it */
export function buildTransaction(plan: TransactionPlan): Transaction {
  const { sender, sponsor, chainId } = plan;
  const record = new TransactionRecord(plan.type, plan.version ?? 3, chainId);
  record.timestamp = BigInt(plan.timestamp);
  record.sender = { keyType: sender.keyType, bytes: sender.publicKey };
  record.fee = plan.fee;
  for (const [member, value] of Object.entries(plan.members)) record.set(member, value);
  // The static check below finds missing members.
  let transaction = record.complete(chainId) as unknown as Transaction;
  if (sponsor !== undefined)
    transaction = copyTransaction(transaction, {
      sponsor: { keyType: sponsor.keyType, bytes: sponsor.publicKey },
    });
  const fault = staticCheck(transaction, { chainId, payment: true });
  if (fault !== undefined) throw new RangeError(`${fault.kind}(${fault.args.join(",")})`);
  const signed = signTransaction(transaction, sender);
  return sponsor === undefined ? signed : signTransaction(signed, sponsor);
}
