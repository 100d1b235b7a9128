/** The locked supply as a setting: its form stands in `profiles/locked-supply.ts`. */
import {
  type LockedSupply,
  LockedSupplyError,
  mainnetLockedSupply,
  monthNames,
  noLockedSupply,
  parseLockedSupply,
} from "../../profiles/locked-supply.ts";
import { jsonSettingText } from "./json-setting-text.ts";
import { ImpossibleValueError, type Kind } from "./kinds.ts";

export { mainnetLockedSupply, noLockedSupply };

/** JSON text, the path of a JSON file, or an object of the YAML file. */
export const lockedSupplyKind: Kind<LockedSupply> = {
  expects: "whole tokens by year and month (JSON, or the path of a JSON file)",
  placeholder: "JSON|FILE",
  read: (value) => {
    try {
      return parseLockedSupply(jsonSettingText(value, "table"));
    } catch (error) {
      if (error instanceof LockedSupplyError) throw new ImpossibleValueError(error.message);
      throw error;
    }
  },
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
