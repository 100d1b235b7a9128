import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import { base58 } from "../kinds/kinds.ts";
import { optional } from "./define-setting.ts";

export const importSettings = {
  assumeValid: optional("assume-valid", base58(BLOCK_ID_LENGTH), {
    basic: true,
    about:
      "Id of a block, in Base58. If the file contains it, `holdfast import` does not check the signatures of the " +
      "blocks up to it, nor run scripts of accounts: use it only for a file from a source that you trust. " +
      "`holdfast verify --signatures` checks them later. The running node does not use it",
    defaultText: "none",
  }),
} as const;
