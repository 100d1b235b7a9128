import type { NetworkRules } from "../../transactions/index.ts";
import { QueueVerifier, type Verifier } from "../verifier.ts";
import { inlineChecker } from "./inline-checker.ts";

/** Checks in the caller's thread, one after the other. */
export function inlineVerifier(network: NetworkRules): Verifier {
  return new QueueVerifier(inlineChecker(network), network);
}
