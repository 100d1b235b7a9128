/** The trust network as a setting: its form is the index's business (`indexes/trust-network.ts`). */
import { readFileSync } from "node:fs";
import {
  defaultTrustNetwork,
  parseTrustNetwork,
  type TrustNetwork,
  TrustNetworkError,
} from "../indexes/trust-network.ts";
import { ImpossibleValueError, type Kind } from "./kinds.ts";

export { defaultTrustNetwork, type TrustNetwork };

function jsonText(value: unknown): string {
  // An object comes from the YAML file.
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  if (value.trimStart().startsWith("{")) return value;
  try {
    return readFileSync(value, "utf8");
  } catch (error) {
    throw new ImpossibleValueError(`cannot read the file ${value}: ${(error as Error).message}`);
  }
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
