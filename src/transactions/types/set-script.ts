import { encodeBase64 } from "../../bytes/base64.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { Feature } from "../../profiles/features.ts";
import { EmptyScriptError, ScriptParseError } from "../../script/errors.ts";
import { parseScript, parseScriptText, reparseScript } from "../../script/script.ts";
import { SET_SCRIPT_TRANSACTION } from "../../script/values/object-types.ts";
import { unit } from "../../script/values/values.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, keyTypeNeedsVersion3, sponsorNeedsVersion3 } from "../checks.ts";
import { always, defineTransaction, since } from "../define.ts";
import { TransactionParseError, validationError } from "../errors.ts";
import { refuse, refuseWithCause } from "../faults.ts";
import { type Field, text } from "../fields.ts";
import { chainId, encodedAs, fee, modern, senderKey, standard, timestamp } from "../layout.ts";
import { bytes16OrNone, flaggedBytes16, type Wire } from "../wire.ts";

/** Sets or removes the script of the sender's account. Page 02 §10.7. */
export interface SetScriptTransaction extends TransactionBase {
  readonly type: 13;
  /** Canonical bytes (version, expression, checksum); undefined removes the script. */
  readonly script: Uint8Array | undefined;
}

function scriptWire(optionalBytes: Wire<Uint8Array | undefined>): Wire<Uint8Array | undefined> {
  return {
    read: (reader, network) => {
      const bytes = optionalBytes.read(reader, network);
      try {
        if (bytes === undefined) return undefined;
        const script = (reader.isReparse ? reparseScript(bytes) : parseScript(bytes)).bytes;
        if (!bytesEqual(script, bytes)) reader.isNonCanonical = true;
        return script;
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

function requestedScript(source: string): Uint8Array | undefined {
  if (source === "") return undefined;
  try {
    return parseScriptText(source).bytes;
  } catch (error) {
    if (error instanceof EmptyScriptError) refuseWithCause(error.exception);
    if (error instanceof ScriptParseError) refuse(validationError("ScriptParseError", String(error.text)));
    throw error;
  }
}

const script: Field<Uint8Array | undefined> = {
  wire: scriptWire(bytes16OrNone),
  show: (value) => (value === undefined ? null : `base64:${encodeBase64(value)}`),
  request: text(requestedScript),
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
    1: modern(chainId, senderKey, encodedAs("script", scriptWire(flaggedBytes16)), fee, timestamp),
    3: standard("script"),
  },
  groups: ["script"],
  script: { objectType: SET_SCRIPT_TRANSACTION, ownValues: (tx) => [tx.script ?? unit] },
  checks: [feePositive, sponsorNeedsVersion3, keyTypeNeedsVersion3],
});
