import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { CopyButton } from "./copy.tsx";
import { Time } from "./inline.tsx";
import { FieldList } from "./lists/table.tsx";
import { partTexts as texts } from "./texts.ts";
import { TruncatedText } from "./truncated-text.tsx";
import { useCode } from "./use-code.ts";

export function CertificateFieldList(props: {
  readonly subject: string;
  readonly issuer: string;
  /** In ms since 1970. `notAfter` is the end of validity. */
  readonly notBefore: bigint;
  readonly notAfter: bigint;
}) {
  const { subject, issuer, notBefore, notAfter } = props;
  return (
    <FieldList
      rows={[
        [texts.certificate.subject, <TruncatedText text={subject} />],
        [texts.certificate.issuer, <TruncatedText text={issuer} />],
        [texts.certificate.from, <Time at={notBefore} />],
        [texts.certificate.until, <Time at={notAfter} />],
      ]}
    />
  );
}

export function Pem({ text }: { readonly text: string }) {
  return (
    <pre class="copyable">
      <CopyButton text={text} noun={texts.nouns.certificate} />
      <TruncatedText text={text} maxCharacters={1_200} />
    </pre>
  );
}

const bytesOf = (pem: string): Uint8Array =>
  decodeBase64(pem.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, ""));

export function CertificateView({ pem }: { readonly pem: string }) {
  const code = useCode(() => import("../../crypto/certificates.ts"));
  const fields = code && tryDecode(() => code.certificateFields(bytesOf(pem)));
  return (
    <div>
      {fields !== undefined && (
        <CertificateFieldList
          {...fields}
          notBefore={BigInt(fields.notBefore)}
          notAfter={BigInt(fields.notAfter)}
        />
      )}
      {code !== undefined && fields === undefined && <p class="quiet">{texts.certificate.unreadable}</p>}
      <Pem text={pem} />
    </div>
  );
}
