/** The rules: what a transaction or a block does to the state, and when it is refused. Page 05. */
export { effectiveBalance, spendableBalance } from "./account.ts";
export { admitToPool, checkPoolFee, checkRequest } from "./admission.ts";
export { applyOutcome, applyTransaction } from "./apply.ts";
export { type Association, type AssociationReader, associationsOf, isAssociated } from "./associations.ts";
export {
  balanceWithConfirmations,
  effectiveBalanceWithConfirmations,
  generatingBalance,
  persistedGeneratingBalance,
} from "./balances.ts";
export {
  type AppliedTransaction,
  type ApplyOptions,
  appendKeyBlock,
  appendMicroBlock,
  type KeyBlock,
  poolContext,
} from "./block.ts";
export { isScripted } from "./counts-as-scripted.ts";
export {
  activationHeight,
  type Era,
  eraAt,
  feePriceAt,
  isFeatureActive,
  type LedgerRules,
} from "./era.ts";
export { effectiveFee, minimumFee } from "./fees.ts";
export {
  isFull,
  isOverfilled,
  MAX_BLOCK_SIZE,
  MAX_SCRIPT_RUNS,
  type Room,
  roomAfter,
} from "./limits.ts";
export { persistBlock } from "./persist.ts";
export { errorMessage, Refusal, refusalMessage, type ScriptRecord } from "./refusal.ts";
export * from "./state.ts";
export { type Outcome, type ValidationContext, validateTransaction } from "./validate.ts";
export { rememberedVerdicts, type Verdicts, verifyProof } from "./verdicts.ts";
