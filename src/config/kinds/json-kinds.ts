/** Settings in JSON. `profiles/locked-supply.ts` and `indexes/trust/` define the formats. */
import {
  parseTrustNetwork,
  type TrustNetwork,
  TrustNetworkError,
} from "../../indexes/trust/trust-network.ts";
import {
  type LockedSupply,
  LockedSupplyError,
  monthNames,
  parseLockedSupply,
} from "../../profiles/locked-supply.ts";
import { InvalidValueError, type Kind, readSettingFile } from "./kinds.ts";

function jsonText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  if (value.trimStart().startsWith("{")) return value;
  return readSettingFile(value);
}

/** Reads JSON text, a JSON file, or a YAML object. @throws InvalidValueError */
function readJson<T>(value: unknown, parse: (text: string) => T): T {
  try {
    return parse(jsonText(value));
  } catch (error) {
    if (error instanceof LockedSupplyError || error instanceof TrustNetworkError)
      throw new InvalidValueError(error.message);
    throw error;
  }
}

export const lockedSupplyKind: Kind<LockedSupply> = {
  expects: "whole tokens by year and month (JSON, or the path of a JSON file)",
  placeholder: "JSON|FILE",
  read: (value) => readJson(value, parseLockedSupply),
  write: (table) =>
    Object.fromEntries(
      [...table].map(([year, tokens]) => [
        year,
        Object.fromEntries(
          monthNames.flatMap((name, i) => (tokens[i] === undefined ? [] : [[name, tokens[i]]])),
        ),
      ]),
    ),
};

export const trustNetworkKind: Kind<TrustNetwork> = {
  expects: "roles by name (JSON, or the path of a JSON file)",
  placeholder: "JSON|FILE",
  read: (value) => readJson(value, parseTrustNetwork),
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
