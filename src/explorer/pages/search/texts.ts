import { lookupTexts } from "../../search/texts.ts";

export const searchTexts = {
  title: "Search",
  found: "Found",
  several: "Several matches",
  nothing: "Nothing found",
  searched: "Searched for {text}",
  caption: "Possible matches",
  searchedAs: "Searched as",
  result: "Result",
  kinds: lookupTexts.kinds,
  beginsWith: "Begins with this text",
  waitForTransaction: "wait for it",
  checkHash: "check it",
  openAddress: "open the address of this key",
  chainEnd: (height: string) =>
    `The node's chain ends at height ${height}. The node has no newer blocks, and no transactions that are only in the pools of other nodes.`,
};
