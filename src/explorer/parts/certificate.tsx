/** A certificate: what stands in it, in words, and the certificate itself. */
import type { JSX } from "preact";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { certificateFields } from "../../crypto/certificates.ts";
import { Copy } from "./copy.tsx";
import { Facts } from "./table.tsx";
import { Time } from "./time/time.tsx";
import { TruncatedText } from "./truncated-text.tsx";

/** What a certificate says of itself. */
export function CertificateFacts(props: {
  /** Whose key it certifies. */
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly notBefore: bigint;
  readonly notAfter: bigint;
}): JSX.Element {
  const { subject, issuer, notBefore, notAfter } = props;
  return (
    <Facts
      rows={[
        ["Subject", <TruncatedText text={subject} />],
        ["Issuer", <TruncatedText text={issuer} />],
        ["Valid from", <Time at={notBefore} />],
        ["Valid until", <Time at={notAfter} />],
      ]}
    />
  );
}

/** A certificate in PEM, with a button to copy it. */
export function Pem({ text }: { readonly text: string }): JSX.Element {
  return (
    <pre class="certificate">
      <Copy text={text} what="certificate" />
      <TruncatedText text={text} most={1_200} />
    </pre>
  );
}

/** What a certificate in PEM says; undefined where it cannot be read. */
const fieldsOf = (pem: string): ReturnType<typeof certificateFields> =>
  tryDecode(() => certificateFields(decodeBase64(pem.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, ""))));

/** A certificate of which only the text is there, as a transaction has it. */
export function CertificateView({ pem }: { readonly pem: string }): JSX.Element {
  const fields = fieldsOf(pem);
  return (
    <div>
      {fields === undefined ? (
        <p class="quiet">It cannot be read as a certificate.</p>
      ) : (
        <CertificateFacts
          {...fields}
          notBefore={BigInt(fields.notBefore)}
          notAfter={BigInt(fields.notAfter)}
        />
      )}
      <Pem text={pem} />
    </div>
  );
}
