import { absolutePath, type Kind, path, readSettingFile } from "./kinds.ts";

/** A custom network from a settings file of the reference, converted to the JSON of a genesis file. */
export class DescribedNetwork {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

export const networkFileKind: Kind<string | DescribedNetwork> = {
  ...path,
  read: (value) => (value instanceof DescribedNetwork ? value : absolutePath(value)),
  write: (value) => (value instanceof DescribedNetwork ? "(described in the settings file)" : value),
};

/** @throws InvalidValueError if the file is unreadable */
export function genesisText(value: string | DescribedNetwork): string {
  if (value instanceof DescribedNetwork) return value.json;
  return readSettingFile(value);
}
