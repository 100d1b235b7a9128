import { DecodeError } from "../bytes/errors.ts";

/** Malformed block or micro block bytes. Uses the protocol's message if there is one. */
export class BlockParseError extends Error {
  override readonly name = "BlockParseError";
}

/** Parses, and converts DecodeError and BlockStructureError. @throws BlockParseError */
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

/** An invalid block or micro block. The message is the protocol's text. */
export class BlockStructureError extends Error {
  override readonly name = "BlockStructureError";
}

/** A genesis block that contradicts the network's settings. The message is the protocol's text. */
export class GenesisError extends Error {
  override readonly name = "GenesisError";
}
