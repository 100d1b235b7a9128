/** The description of a custom network: a JSON file, or an object in the reference's configuration file. */
import { readBounded } from "./bounded-file.ts";
import { absolutePath, InvalidValueError, type Kind, path } from "./kinds.ts";

/** Bytes of a description: a genesis block has 127 transactions at most. */
const MAX_NETWORK_FILE = 2 ** 20;

/** A network that is described within another file. */
export class DescribedNetwork {
  /** The description as JSON. */
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** A path, or the description itself. */
export const networkFile: Kind<string | DescribedNetwork> = {
  ...path,
  read: (value) => (value instanceof DescribedNetwork ? value : absolutePath(value)),
  write: (value) => (value instanceof DescribedNetwork ? "(described in the settings file)" : value),
};

/**
 * The description as JSON.
 * @throws ImpossibleValueError when the file cannot be read
 */
export function networkText(value: string | DescribedNetwork): string {
  if (value instanceof DescribedNetwork) return value.json;
  let text: string | undefined;
  try {
    text = readBounded(value, MAX_NETWORK_FILE);
  } catch (error) {
    throw new InvalidValueError(`cannot read ${value}: ${(error as Error).message}`);
  }
  if (text === undefined)
    throw new InvalidValueError(`${value} describes no network, it has more than 1 MiB`);
  return text;
}
