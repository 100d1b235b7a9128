import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { certificateKey } from "../../crypto/certificates.ts";
import type { CertificateTransaction } from "../../transactions/types/certificate.ts";
import { senderEffect } from "../effect.ts";
import { genericError, type Refusal } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** Only the certificate's key is checked. Page 05 §20. */
export const certificateRule: TransactionRule<CertificateTransaction> = {
  fees: fixedFees({ 4: 10_000_000n, 5: 5_000n }),
  effect: (_view, tx) =>
    checkKey(tx) ??
    senderEffect(tx.senderAddress, {
      kind: "certificate",
      address: tx.senderAddress,
      certificate: tx.certificate,
    }),
};

function checkKey({ certificate, sender }: CertificateTransaction): Refusal | undefined {
  if (certificate === undefined) return undefined;
  const key = certificateKey(certificate);
  if (!key.ok) return genericError(key.error);
  if (key.value.keyType !== sender.keyType) {
    return genericError("Key type in certificate does not match sender's key type");
  }
  if (!bytesEqual(key.value.bytes, sender.bytes)) {
    return genericError(
      `Public key in certificate ${encodeBase58(key.value.bytes)} does not match sender's public key ${encodeBase58(sender.bytes)}`,
    );
  }
  return undefined;
}
