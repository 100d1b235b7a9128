/** The trust network as a setting: its form is the index's business (`indexes/trust-network.ts`). */
import {
  defaultTrustNetwork,
  parseTrustNetwork,
  type TrustNetwork,
  TrustNetworkError,
} from "../indexes/trust-network.ts";
import { readAtMost } from "./bounded-file.ts";
import { ImpossibleValueError, type Kind } from "./kinds.ts";

export { defaultTrustNetwork, type TrustNetwork };

/** Bytes of a file of roles. */
const MAX_FILE = 2 ** 20;

function jsonText(value: unknown): string {
  // An object comes from the YAML file.
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  if (value.trimStart().startsWith("{")) return value;
  let text: string | undefined;
  try {
    text = readAtMost(value, MAX_FILE);
  } catch (error) {
    throw new ImpossibleValueError(`cannot read the file ${value}: ${(error as Error).message}`);
  }
  if (text === undefined)
    throw new ImpossibleValueError(`the file ${value} holds no roles, it has more than 1 MiB`);
  return text;
}

/** JSON text, the path of a JSON file, or an object of the YAML file. */
export const trustNetworkKind: Kind<TrustNetwork> = {
  expects: "roles by name (JSON, or the path of a JSON file)",
  placeholder: "JSON|FILE",
  read: (value) => {
    try {
      return parseTrustNetwork(jsonText(value));
    } catch (error) {
      if (error instanceof TrustNetworkError) throw new ImpossibleValueError(error.message);
      throw error;
    }
  },
  write: (network) =>
    Object.fromEntries(
      [...network].map(([name, { description, issues, authorization, sponsored }]) => [
        name,
        {
          ...(description === undefined ? {} : { description }),
          ...(issues.length === 0
            ? {}
            : { issues: issues.map(({ type, role }) => ({ type: Number(type), role })) }),
          ...(authorization.length === 0 ? {} : { authorization }),
          ...(sponsored ? { sponsored } : {}),
        },
      ]),
    ),
};
