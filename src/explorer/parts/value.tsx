import { useMemo } from "preact/hooks";
import { base58Length, decodeBase58 } from "../../bytes/base58.ts";
import { decodeBase64 } from "../../bytes/base64.ts";
import { tryDecode } from "../../bytes/errors.ts";
import { encodeHex } from "../../bytes/hex.ts";
import type { DescribedScript } from "../describe/script-tree.ts";
import type { Value } from "../describe/types.ts";
import { blockLink } from "../links.ts";
import { commonTexts } from "../text/common-texts.ts";
import { byteCount, isoText, numberText } from "../text/text.ts";
import { CertificateView } from "./certificate.tsx";
import { CopyButton, WithCopyButton } from "./copy.tsx";
import { Address, Amount, BlockId, Hash, Id, Time, TransactionId } from "./inline.tsx";
import { type Column, FieldList, Table } from "./lists/table.tsx";
import { partTexts as texts } from "./texts.ts";
import { TruncatedList, TruncatedText } from "./truncated-text.tsx";
import { useCode } from "./use-code.ts";

/** More than a transaction can contain (150 KiB). */
const MAX_BYTES = 256 * 1024;
const MAX_SCRIPT_LINES = 100;

/** Undefined for invalid text, or Base58 of more than `MAX_BYTES`. */
export function decodeBytes(text: string, encoding: "base58" | "base64"): Uint8Array | undefined {
  return tryDecode(() =>
    encoding === "base64" ? decodeBase64(text) : decodeBase58(text, base58Length(MAX_BYTES)),
  );
}

/** Undefined for bytes that are empty, not UTF-8 or not readable. */
export function readableText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // Control characters other than tab and line breaks indicate binary data.
    return text === "" || /\p{Cc}/u.test(text.replace(/[\t\n\r]/g, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}

function BytesView({ bytes }: { readonly bytes: Uint8Array }) {
  if (bytes.length === 0) return <span class="quiet">{commonTexts.none}</span>;
  const text = readableText(bytes);
  const hex = encodeHex(bytes);
  return (
    <span class="bytes-value">
      {text !== undefined && (
        <span>
          <span class="quiet">{texts.text}</span>
          <TruncatedText text={text} />
        </span>
      )}
      <span class="code">
        <TruncatedText text={hex} maxCharacters={256} /> <CopyButton text={hex} noun={texts.nouns.bytes} />
      </span>
      <span class="quiet">{byteCount(bytes.length)}</span>
    </span>
  );
}

function EncodedBytes(props: { readonly text: string; readonly encoding: "base58" | "base64" }) {
  const bytes = decodeBytes(props.text, props.encoding);
  return bytes === undefined ? <TruncatedText text={props.text} /> : <BytesView bytes={bytes} />;
}

function HashView({ base58 }: { readonly base58: string }) {
  const bytes = decodeBytes(base58, "base58");
  // Short anchors are not linked as hashes.
  return bytes === undefined || bytes.length < 16 ? (
    <EncodedBytes text={base58} encoding="base58" />
  ) : (
    <Hash value={encodeHex(bytes)} />
  );
}

function ScriptSource({ lines }: Pick<DescribedScript, "lines">) {
  return (
    <TruncatedList
      items={lines}
      maxShown={MAX_SCRIPT_LINES}
      render={(shown) => (
        <pre class="script">
          {shown.map(({ indent, tokens }, i) => (
            <span key={i}>
              {"  ".repeat(indent)}
              {tokens.map((token) =>
                token.kind === "cost" ? (
                  <span class="cost" title={texts.script.branchHint}>
                    {texts.script.branch(token.cost)}
                  </span>
                ) : (
                  <span class={token.kind}>
                    {token.kind === "sign" ? token.text : <TruncatedText text={token.text} />}
                  </span>
                ),
              )}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
    />
  );
}

function ScriptView({ base64 }: { readonly base64: string }) {
  const code = useCode(() => import("../describe/script-tree.ts"));
  const bytes = decodeBytes(base64, "base64");
  const described = useMemo(() => bytes && code?.describeScript(bytes), [base64, code]);
  return (
    <div class="bytes-value">
      {described !== undefined && (
        <>
          <ScriptSource lines={described.lines} />
          <span>{texts.script.cost(described.cost)}</span>
        </>
      )}
      <span class="code">
        <span class="quiet">{texts.sizePrefix(bytes?.length ?? 0)}</span>
        <TruncatedText text={base64} maxCharacters={256} />{" "}
        <CopyButton text={base64} noun={texts.nouns.script} />
      </span>
    </div>
  );
}

type EntryValue = Extract<Value, { kind: "entry" }>;
type PairValue = Extract<Value, { kind: "pair" }>;
type ObjectValue = Extract<Value, { kind: "object" }>;

const areAll = <Kind extends Value["kind"]>(
  items: readonly Value[],
  kind: Kind,
): items is readonly Extract<Value, { kind: Kind }>[] => items.every((item) => item.kind === kind);

const DATA_TYPES: Partial<Record<Value["kind"], string>> = { text: "string", number: "integer" };
const dataTypeNames: Readonly<Record<string, string>> = texts.dataTypes;

/** @param type as the API names it */
export const DataType = ({ type }: { readonly type: string }) => (
  <span class="quiet">{dataTypeNames[type] ?? type}</span>
);

const entryColumns = [
  {
    head: commonTexts.key,
    cell: ({ key, value }: EntryValue) => (
      <>
        <TruncatedText text={key} /> <DataType type={DATA_TYPES[value.kind] ?? value.kind} />
      </>
    ),
  },
  { head: commonTexts.value, cell: ({ value }: EntryValue) => <ValueView value={value} /> },
];

const pairColumns = [
  { head: commonTexts.key, kind: "id" as const, cell: ({ key }: PairValue) => <ValueView value={key} /> },
  { head: texts.hash, kind: "id" as const, cell: ({ value }: PairValue) => <ValueView value={value} /> },
];

function objectColumns([first]: readonly ObjectValue[]) {
  return first.members.map(({ name, label, value }) => ({
    head: label,
    kind: value.kind === "amount" ? ("number" as const) : undefined,
    cell: ({ members }: ObjectValue) => {
      const member = members.find((candidate) => candidate.name === name);
      return member && <ValueView value={member.value} />;
    },
  }));
}

function ListTable<Row>(props: {
  readonly caption: string;
  readonly repeated?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly items: readonly Row[];
}) {
  const { items, ...table } = props;
  return (
    <TruncatedList items={items} render={(rows) => <Table {...table} rows={rows} keyOf={(_, i) => i} />} />
  );
}

function ListView({ items }: { readonly items: readonly Value[] }) {
  const [first] = items;
  if (first === undefined) return <span class="quiet">{commonTexts.none}</span>;
  if (areAll(items, "entry"))
    return <ListTable caption={texts.entries} repeated columns={entryColumns} items={items} />;
  if (areAll(items, "pair")) return <ListTable caption={texts.pairs} columns={pairColumns} items={items} />;
  if (areAll(items, "object"))
    return <ListTable caption={texts.list} columns={objectColumns(items)} items={items} />;
  if (items.length === 1) return <ValueView value={first} />;
  return (
    <TruncatedList
      items={items}
      render={(shown) => (
        <ol class="values">
          {shown.map((item, i) => (
            <li key={i}>
              <ValueView value={item} />
            </li>
          ))}
        </ol>
      )}
    />
  );
}

export function Height({ height }: { readonly height: number }) {
  return <a href={blockLink(height)}>{numberText(height)}</a>;
}

export function ValueView({ value }: { readonly value: Value }) {
  switch (value.kind) {
    case "text":
      return value.text === "" ? (
        <TruncatedText text="" />
      ) : (
        <WithCopyButton text={value.text} noun={texts.nouns.text}>
          <TruncatedText text={value.text} />
        </WithCopyButton>
      );
    case "number":
      return (
        <data value={String(value.number)}>
          {value.name === undefined ? String(value.number) : `${value.name} (0x${value.number.toString(16)})`}
        </data>
      );
    case "boolean":
      return <span>{String(value.value)}</span>;
    case "amount":
      return <Amount value={value.amount} hasCopyButton />;
    case "time":
      return (
        <WithCopyButton text={isoText(value.time) ?? String(value.time)} noun={texts.nouns.time}>
          <Time at={value.time} />
        </WithCopyButton>
      );
    case "address":
      return <Address value={value.address} />;
    case "block":
      return <BlockId value={value.id} />;
    case "height":
      return <Height height={value.height} />;
    case "transaction":
      return <TransactionId value={value.id} />;
    case "hash":
      return <HashView base58={value.base58} />;
    case "bytes":
      return <EncodedBytes text={value.base58} encoding="base58" />;
    case "signature":
      return <Id value={value.base58} noun={texts.nouns.signature} />;
    case "key":
      return (
        <span class="row key">
          <span class="quiet">
            <TruncatedText text={value.keyType} />
          </span>{" "}
          <Id value={value.base58} noun={texts.nouns.publicKey} />
        </span>
      );
    case "script":
      return <ScriptView base64={value.base64} />;
    case "binary":
      return <EncodedBytes text={value.base64} encoding="base64" />;
    case "certificate":
      return <CertificateView pem={value.pem} />;
    case "entry":
      return (
        <span>
          <TruncatedText text={value.key} />: <ValueView value={value.value} />
        </span>
      );
    case "pair":
      return (
        <span>
          <ValueView value={value.key} />: <ValueView value={value.value} />
        </span>
      );
    case "list":
      return <ListView items={value.items} />;
    case "object":
      return (
        <FieldList
          rows={value.members.map(({ label, value: member }) => [label, <ValueView value={member} />])}
        />
      );
    case "none":
      return <span class="quiet">{commonTexts.none}</span>;
  }
}
