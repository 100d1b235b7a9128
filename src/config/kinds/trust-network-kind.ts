/** The trust network as a setting: its form is the index's business (`indexes/trust/trust-network.ts`). */
import {
  defaultTrustNetwork,
  parseTrustNetwork,
  type TrustNetwork,
  TrustNetworkError,
} from "../../indexes/trust/trust-network.ts";
import { jsonSettingText } from "./json-setting-text.ts";
import { ImpossibleValueError, type Kind } from "./kinds.ts";

export { defaultTrustNetwork };

/** JSON text, the path of a JSON file, or an object of the YAML file. */
export const trustNetworkKind: Kind<TrustNetwork> = {
  expects: "roles by name (JSON, or the path of a JSON file)",
  placeholder: "JSON|FILE",
  read: (value) => {
    try {
      return parseTrustNetwork(jsonSettingText(value, "roles"));
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
