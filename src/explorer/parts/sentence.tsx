import { encodeHex } from "../../bytes/hex.ts";
import type { SentencePart, Value } from "../describe/types.ts";
import { byteCount, displayText, isoText } from "../text/text.ts";
import { Address, Amount, BlockId, Hash, Time, TransactionId } from "./inline.tsx";
import { partTexts as texts } from "./texts.ts";
import { decodeBytes, Height, readableText, ValueView } from "./value.tsx";

const MAX_QUOTED_CHARACTERS = 60;

function InlineValue({ value }: { readonly value: Value }) {
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
      // Users may quote the sentence, so add UTC.
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

export function Sentence({ parts }: { readonly parts: readonly SentencePart[] }) {
  return (
    <span class="sentence">
      {parts.map((part, i) => (typeof part === "string" ? part : <InlineValue key={i} value={part} />))}
    </span>
  );
}
