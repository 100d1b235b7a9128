import { DecodeError } from "../bytes/errors.ts";

/** Bytes that are no block or micro block. The message is the protocol's text where it has one. */
export class BlockParseError extends Error {
  override readonly name = "BlockParseError";
}

/** Runs a parser. @throws BlockParseError in place of a DecodeError or BlockStructureError */
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

/** A block or micro block that may not exist in this form. The message is the protocol's text. */
export class BlockStructureError extends Error {
  override readonly name = "BlockStructureError";
}

/** A genesis block that the network's settings contradict. The message is the protocol's text. */
export class GenesisError extends Error {
  override readonly name = "GenesisError";
}
