import { DecodeError } from "../bytes/errors.ts";

/** Bytes that are not a block or micro block. The message is the protocol's text where it has one. */
export class BlockParseError extends Error {
  override readonly name = "BlockParseError";
}

/** Runs a parser. @throws BlockParseError instead of a DecodeError or BlockStructureError */
export function parseOrThrow<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DecodeError || error instanceof BlockStructureError) {
      throw new BlockParseError(error.message);
    }
    throw error;
  }
}

/** A block or micro block with an invalid structure. The message is the protocol's text. */
export class BlockStructureError extends Error {
  override readonly name = "BlockStructureError";
}

/** A genesis block that contradicts the network's settings. The message is the protocol's text. */
export class GenesisError extends Error {
  override readonly name = "GenesisError";
}
