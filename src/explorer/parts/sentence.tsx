import type { JSX } from "preact";
import { encodeHex } from "../../bytes/hex.ts";
import type { SentencePart } from "../describe/types.ts";
import type { Value } from "../describe/value.ts";
import { displayText } from "../text/display-text.ts";
import { byteCount, isoText } from "../text/measures.ts";
import { Amount } from "./amount.tsx";
import { Address, BlockId, Hash, TransactionId } from "./id.tsx";
import { partTexts as texts } from "./texts.ts";
import { Time } from "./time/time.tsx";
import { decodeBytes, Height, readableText, ValueView } from "./value.tsx";

/** Longer texts are replaced by their size. */
const MAX_QUOTED_CHARACTERS = 60;

function InlineValue({ value }: { readonly value: Value }): JSX.Element {
  switch (value.kind) {
    case "amount":
      return (
        <b>
          <Amount value={value.amount} />
        </b>
      );
    case "address":
      return <Address value={value.address} noCopy />;
    case "transaction":
      return <TransactionId value={value.id} noCopy />;
    case "block":
      return <BlockId value={value.id} noCopy />;
    case "height":
      return <Height height={value.height} />;
    case "time": {
      const iso = isoText(value.time);
      // Quoted sentences need the time in UTC.
      return (
        <>
          <Time at={value.time} />
          {iso !== undefined && ` (${iso.slice(0, 19).replace("T", " ")} UTC)`}
        </>
      );
    }
    case "script":
      return <>{texts.scriptOf(decodeBytes(value.base64, "base64")?.length ?? 0)}</>;
    case "certificate":
      return <>{texts.aCertificate}</>;
    case "hash":
    case "bytes": {
      const bytes = decodeBytes(value.base58, "base58") ?? new Uint8Array(0);
      if (value.kind === "hash" && bytes.length >= 16) return <Hash value={encodeHex(bytes)} noCopy />;
      const text = readableText(bytes);
      if (text !== undefined && text.length <= MAX_QUOTED_CHARACTERS)
        return (
          <>
            “<bdi>{displayText(text)}</bdi>”
          </>
        );
      return <>{byteCount(bytes.length)}</>;
    }
    default:
      return <ValueView value={value} />;
  }
}

export function Sentence({ parts }: { readonly parts: readonly SentencePart[] }): JSX.Element {
  return (
    <span class="sentence">
      {parts.map((part, i) => (typeof part === "string" ? part : <InlineValue key={i} value={part} />))}
    </span>
  );
}
