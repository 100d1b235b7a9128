/** Bytes that are no block or micro block. The message is the protocol's text where it has one. */
export class BlockParseError extends Error {
  override readonly name = "BlockParseError";
}

/** A block or micro block that may not exist in this form. The message is the protocol's text. */
export class BlockStructureError extends Error {
  override readonly name = "BlockStructureError";
}

/** A genesis block that the network's settings contradict. The message is the protocol's text. */
export class GenesisError extends Error {
  override readonly name = "GenesisError";
}
