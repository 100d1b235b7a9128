/** The description of a custom network: a JSON file, or an object in the reference's configuration file. */
import { absolutePath, type Kind, path, readSettingFile } from "./kinds.ts";

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
  return readSettingFile(value);
}
