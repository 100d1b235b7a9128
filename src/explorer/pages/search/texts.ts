export const searchTexts = {
  title: "Search",
  found: "Found",
  several: "Several matches",
  nothing: "Nothing found",
  searched: "Searched for {text}",
  caption: "Possible matches",
  searchedAs: "Searched as",
  result: "Result",
  kinds: {
    height: "Height",
    block: "Block",
    transaction: "Transaction",
    address: "Address",
    did: "DID",
    hash: "Hash",
    "public key": "Public key",
  },
  waitForTransaction: "wait for it",
  checkHash: "check it",
  openAddress: "open the address of this key",
  chainEnd: (height: string) =>
    `The node's chain ends at height ${height}. The node has no newer blocks, and no transactions that are only in the pools of other nodes.`,
};
