import { isX509Structure } from "../../crypto/certificate-structure.ts";
import { Feature } from "../../profiles/features.ts";
import type { TransactionBase } from "../base.ts";
import { feePositive, rule } from "../checks.ts";
import { defineTransaction, since } from "../define.ts";
import { genericError, tooBigArray } from "../errors.ts";
import { certificate as certificateField } from "../fields.ts";
import { standard } from "../layout.ts";

/** Sets or removes the X.509 certificate of the sender's account. Page 02 §10.14. */
export interface CertificateTransaction extends TransactionBase {
  readonly type: 24;
  /** DER (or BER), stored as received; undefined removes the certificate. */
  readonly certificate: Uint8Array | undefined;
}

const MAX_BYTES = 10 * 1024;

export const certificate = defineTransaction<CertificateTransaction>({
  type: 24,
  name: "certificate",
  className: "Certificate",
  versions: { 3: since(Feature.Palladium) },
  fields: { certificate: certificateField },
  layouts: { 3: standard("certificate") },
  checks: [
    feePositive,
    rule(
      (tx) => tx.certificate === undefined || isX509Structure(tx.certificate),
      genericError("Invalid X.509 certificate (not DER-encoded?)"),
    ),
    rule((tx) => tx.certificate === undefined || tx.certificate.length <= MAX_BYTES, tooBigArray),
  ],
});
