import type { JSX } from "preact";
import { addressLink, anchorLink, blockLink, identityLink, transactionLink } from "../links.ts";
import { Copy } from "./copy.tsx";
import { partTexts as texts } from "./texts.ts";

/** An id with a copy button. The full text is present; CSS shortens it. */
export function Id(props: {
  readonly value: string;
  /** Noun for the copy button: "address", "block id". */
  readonly what: string;
  /** Link target, if any. */
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

export const Address = ({ value, bare }: Value): JSX.Element => (
  <Id value={value} what={texts.what.address} href={addressLink(value)} bare={bare} />
);

export const BlockId = ({ value, bare }: Value): JSX.Element => (
  <Id value={value} what={texts.what.blockId} href={blockLink(value)} bare={bare} />
);

export const TransactionId = ({ value, bare }: Value): JSX.Element => (
  <Id value={value} what={texts.what.transactionId} href={transactionLink(value)} bare={bare} />
);

export const Did = ({ value, bare }: Value): JSX.Element => (
  <Id value={value} what={texts.what.did} href={identityLink(value)} bare={bare} />
);

/** @param props.value in hex */
export const Hash = ({ value, bare }: Value): JSX.Element => (
  <Id value={value} what={texts.what.hash} href={anchorLink(value)} bare={bare} />
);
