import { catalogue } from "../text/catalogue.ts";
import { countText, numberText } from "../text/text.ts";

export const lookupTexts = catalogue("lookupTexts", {
  hint: "Enter a height, a block or transaction id, an address, a DID, or a hash in hex, Base58 or Base64.",
  copyAgain: "Copy the text again from its source.",
  empty: "Enter a text to search for.",
  tooLong: (length: number) => `The text is too long: ${numberText(length)} characters.`,
  noMatch: "No block, transaction, address, DID or hash matches this text.",
  checksum: "Checksum mismatch: probably a typo in the address.",
  otherNetwork: (addressNetwork: string, nodeNetwork: string) =>
    `This address belongs to another network (${addressNetwork}); this node is on network ${nodeNetwork}.`,
  otherNetworkAdvice: "Open the explorer of a node on that network, or add its URL to this page as ?node=.",
  chainId: (byte: number) => `number ${byte}`,
  heightRange: "Block heights range from 1 to 2,147,483,647.",
  notWhole: "A height is a whole number, such as 12345 or 12,345.",
  hexLength: (bytes: number) =>
    `Hex text of ${countText(bytes, "byte")}: hashes have 16, 20, 32, 48 or 64 bytes (SHA-256: 64 hex digits).`,
  oddHex: "Odd number of hex digits: one is missing or extra.",
  base58Length: (bytes: number) =>
    `Base58 text of ${countText(bytes, "byte")}: addresses have 26, transaction ids 32, block ids 64.`,
  notBase58: "This looks like an id, but Base58 has no 0, O, I or l.",
  url: "This URL contains no id, address or hash.",
  didWithoutMethod: "A DID includes its method, as in did:lto:3N….",
  didWithoutAddress: "did:lto: must be followed by an address.",
  unknownDidMethod: (method: string) => `Unknown DID method “${method}”.`,
  knownDidMethod: "This node supports did:lto.",
  notCredential: "This is not the id of a credential.",
  credentialAdvice: "Enter the SHA-256 of the credential in hex or Base58, or as a URN (urn:sha256:…).",

  kinds: {
    height: "Height",
    block: "Block",
    transaction: "Transaction",
    address: "Address",
    did: "DID",
    hash: "Hash",
    "public key": "Public key",
    recent: "Recent search",
  },
  block: (height: number) => `Block ${numberText(height)}`,
  futureBlock: (height: number, tip: number) =>
    `Block ${numberText(height)} does not exist yet: the chain has height ${numberText(tip)}`,
  noBlock: "No block with this id on the chain",
  transaction: (height: number) => `Transaction in block ${numberText(height)}`,
  pendingTransaction: "Pending transaction",
  noTransaction: "No transaction with this id on the chain or in the pool",
  anchor: (encoding: string) => `Anchored hash (read as ${encoding})`,
  noAnchor: (encoding: string) => `No anchor of this hash and no statement about it (read as ${encoding})`,
  subject: "Subject of statements, such as a credential",
  publicKey: "Public key of an account",
  noAccount: "No account with this public key",
  noPublicKey: "Not a public key",
  failed: (status: number) => `Not available: the node answered with status ${status}`,
});

export const searchTexts = catalogue("searchTexts", {
  title: "Search",
  found: "Found",
  several: "Several matches",
  nothing: "Nothing found",
  searched: "Searched for {text}",
  caption: "Possible matches",
  searchedAs: "Searched as",
  result: "Result",
  beginsWith: "Begins with this text",
  waitForTransaction: "wait for it",
  checkHash: "check it",
  openAddress: "open the address of this key",
  chainEnd: (height: string) =>
    `The node's chain ends at height ${height}. The node has no newer blocks, and no transactions that are only in the pools of other nodes.`,
});
