import { decodeBase64, encodeBase64 } from "../bytes/base64.ts";
import { DecodeError } from "../bytes/errors.ts";
import { Feature } from "../profiles/features.ts";
import { EmptyScriptError, ScriptParseError } from "../script/errors.ts";
import type { NetworkRules, TransactionBase } from "./base.ts";
import { feePositive, keyTypesFrom3, sponsorFrom3 } from "./checks.ts";
import { always, defineTransaction, since } from "./define.ts";
import { TransactionParseError, validationError } from "./errors.ts";
import { refuse, refuseWithCause } from "./faults.ts";
import { type Field, textMember } from "./fields.ts";
import { as, chainId, fee, modern, senderKey, standard, timestamp } from "./layout.ts";
import { bytes16OrNone, flaggedBytes16, type Wire } from "./wire.ts";

/** Set script: put a script on the sender's account, or remove it. Page 02 §10.7. */
export interface SetScriptTransaction extends TransactionBase {
  readonly type: 13;
  /** Canonical script bytes (version, expression, checksum); undefined removes the script. */
  readonly script: Uint8Array | undefined;
}

/** The bytes of the script written again from its parsed form. @throws ScriptParseError, EmptyScriptError */
function canonical(bytes: Uint8Array, network: NetworkRules): Uint8Array {
  if (network.scripts === undefined) throw new ScriptParseError("no parser");
  return network.scripts.canonical(bytes);
}

/** A script in the bytes of a transaction, around one way to say that there is none. */
function scriptWire(optionalBytes: Wire<Uint8Array | undefined>): Wire<Uint8Array | undefined> {
  return {
    read: (reader, network) => {
      const bytes = optionalBytes.read(reader, network);
      try {
        return bytes === undefined ? undefined : canonical(bytes, network);
      } catch (error) {
        if (error instanceof ScriptParseError)
          throw new TransactionParseError(`ScriptParseError(${error.text})`);
        if (error instanceof EmptyScriptError) throw new TransactionParseError(error.message);
        throw error;
      }
    },
    write: optionalBytes.write,
  };
}

function requestedScript(text: string, network: NetworkRules): Uint8Array | undefined {
  if (text === "") return undefined;
  try {
    return canonical(decodeBase64(text), network);
  } catch (error) {
    if (error instanceof EmptyScriptError) refuseWithCause(error.exception);
    if (error instanceof ScriptParseError) refuse(validationError("ScriptParseError", String(error.text)));
    if (error instanceof DecodeError) {
      refuse(validationError("ScriptParseError", `Unable to decode base64: ${error.message}`));
    }
    throw error;
  }
}

const script: Field<Uint8Array | undefined> = {
  wire: scriptWire(bytes16OrNone),
  show: (value) => (value === undefined ? null : `base64:${encodeBase64(value)}`),
  request: {
    read: (json, path, faults) => {
      const text = textMember.read(json, path, faults);
      return text && ((network) => requestedScript(text(network), network));
    },
  },
  absent: () => undefined,
  shape: { kind: "script" },
  schema: { type: ["string", "null"], description: "compiled script in Base64" },
};

export const setScript = defineTransaction<SetScriptTransaction>({
  type: 13,
  name: "set script",
  className: "SetScript",
  versions: { 1: always, 3: since(Feature.Cobalt) },
  fields: { script },
  layouts: {
    1: modern(chainId, senderKey, as("script", scriptWire(flaggedBytes16)), fee, timestamp),
    3: standard("script"),
  },
  checks: [feePositive, sponsorFrom3, keyTypesFrom3],
});
