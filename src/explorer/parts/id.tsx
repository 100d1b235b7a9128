import type { JSX } from "preact";
import { addressLink, anchorLink, blockLink, identityLink, transactionLink } from "../links.ts";
import { Copy } from "./copy.tsx";
import { partTexts as texts } from "./texts.ts";

/** The full text is present; CSS shortens it. */
export function Id(props: {
  readonly value: string;
  /** Noun for the copy button: "address", "block id". */
  readonly what: string;
  readonly href?: string | undefined;
  /** Omits the copy button, for long lists. */
  readonly bare?: boolean | undefined;
}): JSX.Element {
  const { value, what, href, bare = false } = props;
  const text = <bdi title={value}>{value}</bdi>;
  return (
    <span class="id">
      {href === undefined ? (
        <span class="text">{text}</span>
      ) : (
        <a class="text" href={href}>
          {text}
        </a>
      )}
      {!bare && <Copy text={value} what={what} />}
    </span>
  );
}

interface Value {
  readonly value: string;
  readonly bare?: boolean | undefined;
}

const idPart =
  (what: string, link: (value: string) => string) =>
  ({ value, bare }: Value): JSX.Element => <Id value={value} what={what} href={link(value)} bare={bare} />;

export const Address = idPart(texts.what.address, addressLink);
export const BlockId = idPart(texts.what.blockId, blockLink);
export const TransactionId = idPart(texts.what.transactionId, transactionLink);
export const Did = idPart(texts.what.did, identityLink);
/** @param props.value in hex */
export const Hash = idPart(texts.what.hash, anchorLink);
