import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import { base58, booleanKind } from "../kinds/kinds.ts";
import { optional, withDefault } from "./define-setting.ts";

export const importSettings = {
  assumeValid: optional("assume-valid", base58(BLOCK_ID_LENGTH), {
    basic: true,
    about:
      "Id of a block that you trust, in Base58. Up to this block, a node that downloads the chain checks no signatures " +
      "of transactions, and runs no scripts of accounts. Up to this block, `holdfast import` checks no signatures at " +
      "all: import only a file from a source that you trust",
    defaultText: "none",
  }),
  verifySignatures: withDefault("verify-signatures", booleanKind, false, {
    about:
      "Check, in the background of the running node, the signatures that assume-valid skipped. The node stops if " +
      "one is invalid. `holdfast verify --signatures` does the same without a running node",
  }),
} as const;
