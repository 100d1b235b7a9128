import { DecodeError } from "../bytes/errors.ts";

/** The message is the protocol's text, if defined. */
export class BlockParseError extends Error {
  override readonly name = "BlockParseError";
}

/** @throws BlockParseError instead of DecodeError and BlockStructureError */
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

/** The message is the protocol's text. */
export class BlockStructureError extends Error {
  override readonly name = "BlockStructureError";
}

/** The genesis block contradicts the network's settings. */
export class GenesisError extends Error {
  override readonly name = "GenesisError";
}
