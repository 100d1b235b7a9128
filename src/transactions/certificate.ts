import type { TransactionBase } from "./base.ts";

/** Certificate: put an X.509 certificate on the sender's account, or remove it. Page 02 §10.14. */
export interface CertificateTransaction extends TransactionBase {
  readonly type: 24;
  /** DER (or BER), kept as received; undefined removes the certificate. */
  readonly certificate: Uint8Array | undefined;
}
