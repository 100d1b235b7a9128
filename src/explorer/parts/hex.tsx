/** Bytes in hex. Hovering or focusing a field highlights it in all views with the same signal. */
import type { Signal } from "@preact/signals";
import { encodeHex } from "../../bytes/hex.ts";
import type { Value } from "../describe/types.ts";
import { commonTexts } from "../text/common-texts.ts";
import { CopyButton } from "./copy.tsx";
import { Table } from "./lists/table.tsx";
import { partTexts as texts } from "./texts.ts";
import { TruncatedText } from "./truncated-text.tsx";
import { ValueView } from "./value.tsx";

interface HexField {
  readonly name: string;
  readonly label: string;
  readonly offset: number;
  readonly length: number;
  readonly note?: string | undefined;
  /** Default: the bytes in hex. */
  readonly value?: Value | undefined;
}

/** Limits until the user expands a field. */
const MAX_SHOWN_BYTES = 128;
const MAX_VALUE_BYTES = 32;
/** Values of other kinds are shown in hex: they can be long. */
const SHORT_VALUES: ReadonlySet<Value["kind"]> = new Set<Value["kind"]>([
  ...(["number", "boolean", "amount", "time", "address"] as const),
  ...(["block", "transaction", "key", "signature"] as const),
]);

const isShort = (value: Value): boolean =>
  SHORT_VALUES.has(value.kind) || (value.kind === "text" && value.text.length <= MAX_VALUE_BYTES);

export function fieldHandlers(name: string | undefined, activeField: Signal<string | undefined>) {
  if (name === undefined) return {};
  const enter = () => (activeField.value = name);
  const leave = (): void => {
    if (activeField.value === name) activeField.value = undefined;
  };
  return { onPointerEnter: enter, onPointerLeave: leave, onFocusIn: enter, onFocusOut: leave };
}

export function Hex(props: {
  readonly bytes: Uint8Array;
  readonly fields: readonly HexField[];
  readonly activeField: Signal<string | undefined>;
}) {
  const { bytes, fields, activeField } = props;
  const classOf = (base: string, { name }: HexField): string =>
    name !== "" && activeField.value === name ? `${base} active` : base;
  const hex = encodeHex(bytes);
  const hexOf = ({ offset, length }: HexField): string => hex.slice(2 * offset, 2 * (offset + length));
  return (
    <div class="hex">
      <p class="hex-digits code">
        {fields.map((field) => (
          <span
            key={field.offset}
            class={classOf("field", field)}
            title={field.label}
            {...fieldHandlers(field.name || undefined, activeField)}
          >
            <TruncatedText text={hexOf(field)} maxCharacters={2 * MAX_SHOWN_BYTES} />
          </span>
        ))}
        <CopyButton text={hex} noun={texts.nouns.bytes} />
      </p>
      <Table
        caption={texts.fields.caption}
        columns={[
          { head: texts.fields.offset, kind: "number", cell: ({ offset }: HexField) => offset },
          { head: texts.fields.length, kind: "number", cell: ({ length }: HexField) => length },
          {
            head: texts.fields.field,
            cell: (field: HexField) => (
              <span
                class={classOf("field-name", field)}
                {...fieldHandlers(field.name || undefined, activeField)}
              >
                {field.label}
              </span>
            ),
          },
          {
            head: commonTexts.value,
            cell: (field: HexField) =>
              field.value !== undefined && isShort(field.value) ? (
                <ValueView value={field.value} />
              ) : (
                <span class="code">
                  <TruncatedText text={hexOf(field)} maxCharacters={2 * MAX_VALUE_BYTES} />
                </span>
              ),
          },
          {
            head: texts.fields.note,
            cell: ({ note }: HexField) => note && <span class="quiet">{note}</span>,
          },
        ]}
        rows={fields.filter(({ length }) => length > 0)}
        keyOf={({ offset }) => offset}
      />
    </div>
  );
}
