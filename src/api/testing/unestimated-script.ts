/** Creates scripts for tests of estimates. */
import { secureHash } from "../../crypto/hashes.ts";
import { compileScript } from "../../script/index.ts";

/**
 * Returns a script that is expensive to estimate. Each number leads to a different script, so that no cache contains
 * its estimate.
 */
export function unestimated(number: number): string {
  const links = Array.from({ length: 40 }, (_, i) => `let x${i + 1} = if c then x${i} else x${i}`);
  const compiled = compileScript(["let c = height > 1", "let x0 = 1 == 1", ...links, "x40"].join("\n"));
  if (!compiled.ok) throw new Error(compiled.error);
  const bytes = Buffer.from(compiled.value.bytes);
  bytes.writeBigInt64BE(BigInt(number), bytes.indexOf(Buffer.from("0000000000000001", "hex")));
  const content = bytes.subarray(0, -4);
  return `base64:${Buffer.concat([content, secureHash(content).subarray(0, 4)]).toString("base64")}`;
}
