/** Page 06 §7.15. */
import Type from "typebox";
import { encodeBase64 } from "../../../bytes/base64.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import { certificateFields } from "../../../crypto/certificates.ts";
import { apiError } from "../../../http/errors.ts";
import { Reply } from "../../../http/responses/reply.ts";
import { type Call, get, routesOf } from "../../route.ts";
import { AddressText, object, Timestamp } from "../../schemas/common.ts";
import { BAD_ADDRESS, failsInIndex } from "../../schemas/failures.ts";
import { indexError } from "../statistics/index-query.ts";

function answerDetails(call: Call): JsonOut {
  const address = call.address();
  const der = call.read((chain) => chain.accounts.certificate(address));
  if (der === undefined) throw indexError("Certificate not found", 404);
  const fields = certificateFields(der);
  if (fields === undefined) throw indexError("Invalid certificate", 500);
  const now = call.api.clock.now();
  const { subject, issuer, notBefore, notAfter } = fields;
  return {
    subject,
    issuer,
    notBefore,
    notAfter,
    // The node trusts no certificate: it has no store of authorities.
    status: now < notBefore || now > notAfter ? "expired" : "untrusted",
    certificate: `-----BEGIN CERTIFICATE-----\n${encodeBase64(der)}\n-----END CERTIFICATE-----`,
  };
}

export const certificateRoutes = routesOf("certificates", [
  get("/certificates/:address", {
    summary: "Certificate of an account",
    request: { params: { address: AddressText } },
    answers: {
      ok: object(
        {
          subject: Type.String({ description: "Distinguished name (RFC 1779)." }),
          issuer: Type.String({ description: "Distinguished name (RFC 1779)." }),
          notBefore: Timestamp,
          notAfter: Timestamp,
          status: Type.Enum(["expired", "untrusted"]),
          certificate: Type.String({ description: "PEM." }),
        },
        "Certificate",
      ),
      failures: {
        ...BAD_ADDRESS,
        404: failsInIndex("The account has no certificate."),
        500: failsInIndex("The certificate cannot be read."),
      },
    },
    handle: answerDetails,
  }),
  get("/certificates/:address/raw", {
    summary: "Certificate of an account as DER bytes",
    request: { params: { address: AddressText } },
    answers: {
      ok: Type.String({ format: "binary" }),
      type: "application/pkix-cert",
      failures: {
        ...BAD_ADDRESS,
        404: "The account has no certificate.",
      },
    },
    handle: (call) => {
      const address = call.address();
      const body = call.read((chain) => chain.accounts.certificate(address));
      if (body === undefined) throw apiError("notFound");
      return new Reply({ type: "application/pkix-cert", body });
    },
  }),
]);
