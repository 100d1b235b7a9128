/** Settings that are a JSON object: their forms are those of `profiles/locked-supply.ts` and `indexes/trust/`. */
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
import { readBounded } from "./bounded-file.ts";
import { InvalidValueError, type Kind } from "./kinds.ts";

/** Bytes of a file with such an object. */
const MAX_FILE = 2 ** 20;

/** @param what the file holds, for the message */
function jsonText(value: unknown, what: string): string {
  // An object comes from the YAML file.
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  if (value.trimStart().startsWith("{")) return value;
  let text: string | undefined;
  try {
    text = readBounded(value, MAX_FILE);
  } catch (error) {
    throw new InvalidValueError(`cannot read the file ${value}: ${(error as Error).message}`);
  }
  if (text === undefined)
    throw new InvalidValueError(`the file ${value} holds no ${what}, it has more than 1 MiB`);
  return text;
}

/** Reads JSON text, the path of a JSON file, or an object of the YAML file. @throws ImpossibleValueError */
function readJson<T>(value: unknown, what: string, parse: (text: string) => T): T {
  try {
    return parse(jsonText(value, what));
  } catch (error) {
    if (error instanceof LockedSupplyError || error instanceof TrustNetworkError)
      throw new InvalidValueError(error.message);
    throw error;
  }
}

export const lockedSupplyKind: Kind<LockedSupply> = {
  expects: "whole tokens by year and month (JSON, or the path of a JSON file)",
  placeholder: "JSON|FILE",
  read: (value) => readJson(value, "table", parseLockedSupply),
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
  read: (value) => readJson(value, "roles", parseTrustNetwork),
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
