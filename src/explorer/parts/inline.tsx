import { signal } from "@preact/signals";
import { tokenText } from "../../bytes/tokens.ts";
import { labelOf } from "../data/labels.ts";
import { addressLink, anchorLink, blockLink, forgerLink, identityLink, transactionLink } from "../links.ts";
import {
  ageText,
  amountText,
  DECIMAL_MARK,
  durationText,
  isoText,
  localized,
  timeText,
} from "../text/text.ts";
import { CopyButton, WithCopyButton } from "./copy.tsx";
import { partTexts as texts } from "./texts.ts";
import { now } from "./time/now.ts";

/** Symbol of the token, such as `LTO`; undefined until known. */
export const tokenSymbol = signal<string | undefined>(undefined);

export function Amount(props: {
  /** In 10⁻⁸ tokens. */
  readonly value: bigint;
  readonly hasSign?: boolean | undefined;
  readonly hasCopyButton?: boolean | undefined;
}) {
  const { value, hasSign = false, hasCopyButton = false } = props;
  const [whole, decimals] = amountText(value < 0n ? -value : value).split(DECIMAL_MARK);
  const sign = value < 0n ? "−" : hasSign && value > 0n ? "+" : "";
  const amount = (
    <data class="amount" value={tokenText(value)}>
      {sign}
      {whole}
      <span class="decimals">{decimals !== undefined && DECIMAL_MARK + decimals}</span>
      {tokenSymbol.value !== undefined && <span class="unit"> {tokenSymbol.value}</span>}
    </data>
  );
  // Spreadsheets expect no thousands separators.
  const plain = localized(tokenText(value).replaceAll(",", ""));
  return hasCopyButton ? (
    <WithCopyButton text={plain} noun={texts.nouns.amount}>
      {amount}
    </WithCopyButton>
  ) : (
    amount
  );
}

/** The document contains the full text, which CSS shortens. */
export function Id(props: {
  readonly value: string;
  readonly noun: string;
  readonly href?: string | undefined;
  readonly noCopy?: boolean | undefined;
}) {
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
  ({ value, noCopy }: LinkedIdProps) => <Id value={value} noun={noun} href={link(value)} noCopy={noCopy} />;

/** An address with the account's name, if it has one. */
const linkedAddress = (link: (address: string) => string) => (props: LinkedIdProps) => {
  const label = labelOf(props.value);
  const id = <Id {...props} noun={texts.nouns.address} href={link(props.value)} />;
  if (label === undefined) return id;
  const [kind, title] = label.isOwn
    ? ["own account-name", texts.ownLabel]
    : ["account-name", texts.networkLabel];
  return (
    <span class="labelled">
      <bdi class={kind} title={title}>
        {label.text}
      </bdi>{" "}
      {id}
    </span>
  );
};

export const Address = linkedAddress(addressLink);
export const Forger = linkedAddress(forgerLink);
export const BlockId = linkedId(texts.nouns.blockId, blockLink);
export const TransactionId = linkedId(texts.nouns.transactionId, transactionLink);
export const Did = linkedId(texts.nouns.did, identityLink);
/** @param props.value hash in hex */
export const Hash = linkedId(texts.nouns.hash, anchorLink);

interface TimeProps {
  /** In ms since 1970. Values out of range for dates are shown as numbers. */
  readonly at: bigint;
}

function TimeElement(props: TimeProps & { readonly text: string; readonly tooltip: string }) {
  const iso = isoText(props.at);
  if (iso === undefined) return <span>{timeText(props.at)}</span>;
  return (
    <time dateTime={iso} title={props.tooltip}>
      {props.text}
    </time>
  );
}

export function Time({ at }: TimeProps) {
  return <TimeElement at={at} text={timeText(at)} tooltip={isoText(at) ?? ""} />;
}

export function Age({ at }: TimeProps) {
  const text = ageText(Number(at), now.value);
  return <TimeElement at={at} text={text} tooltip={`${timeText(at)}, ${isoText(at)}`} />;
}

export function Due({ at }: TimeProps) {
  const delayMs = now.value - Number(at);
  return delayMs < 0 ? (
    <Age at={at} />
  ) : (
    <span class="unsettled">{texts.overdue(durationText(delayMs))}</span>
  );
}
