import type { JSX } from "preact";
import { addressLink, anchorLink, blockLink, identityLink, transactionLink } from "../links.ts";
import { CopyButton } from "./copy.tsx";
import { partTexts as texts } from "./texts.ts";

/** The document contains the full text, which CSS shortens. */
export function Id(props: {
  readonly value: string;
  readonly noun: string;
  readonly href?: string | undefined;
  readonly noCopy?: boolean | undefined;
}): JSX.Element {
  const { value, noun, href, noCopy = false } = props;
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
      {!noCopy && <CopyButton text={value} noun={noun} />}
    </span>
  );
}

interface LinkedIdProps {
  readonly value: string;
  readonly noCopy?: boolean | undefined;
}

const linkedId =
  (noun: string, link: (value: string) => string) =>
  ({ value, noCopy }: LinkedIdProps): JSX.Element => (
    <Id value={value} noun={noun} href={link(value)} noCopy={noCopy} />
  );

export const Address = linkedId(texts.nouns.address, addressLink);
export const BlockId = linkedId(texts.nouns.blockId, blockLink);
export const TransactionId = linkedId(texts.nouns.transactionId, transactionLink);
export const Did = linkedId(texts.nouns.did, identityLink);
/** @param props.value hash in hex */
export const Hash = linkedId(texts.nouns.hash, anchorLink);
