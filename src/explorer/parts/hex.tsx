/** Bytes with what stands where: a field is coloured while somebody points at it, here or wherever else it is named. */
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { encodeHex } from "../../bytes/hex.ts";
import { Copy } from "./copy.tsx";
import { Table } from "./table.tsx";
import { TruncatedText } from "./truncated-text.tsx";

interface HexField {
  readonly name: string;
  readonly label: string;
  readonly offset: number;
  readonly length: number;
  /** Of what kind it is, if that matters: whether it is signed. */
  readonly note?: string | undefined;
}

/** Bytes of one field that are shown at first. */
const SHOWN = 128;

/** What makes an element the place of a field: pointing at it, or the focus in it, makes the field the one in view. */
export function fieldHandlers(name: string | undefined, active: Signal<string | undefined>) {
  if (name === undefined) return {};
  const enter = (): void => {
    active.value = name;
  };
  const leave = (): void => {
    if (active.value === name) active.value = undefined;
  };
  return { onPointerEnter: enter, onPointerLeave: leave, onFocusIn: enter, onFocusOut: leave };
}

/** Bytes in hexadecimal, with the fields that they are made of. */
export function Hex(props: {
  readonly bytes: Uint8Array;
  readonly fields: readonly HexField[];
  /** The name of the field that is in view. */
  readonly active: Signal<string | undefined>;
}): JSX.Element {
  const { bytes, fields, active } = props;
  const classOf = (base: string, { name }: HexField): string =>
    name !== "" && active.value === name ? `${base} active` : base;
  const whole = encodeHex(bytes);
  return (
    <div class="hex">
      <p class="pairs code">
        {fields.map((field) => (
          <span
            key={field.offset}
            class={classOf("field", field)}
            title={field.label}
            {...fieldHandlers(field.name || undefined, active)}
          >
            <TruncatedText
              text={encodeHex(bytes.subarray(field.offset, field.offset + field.length))}
              most={2 * SHOWN}
            />
          </span>
        ))}
        <Copy text={whole} what="all bytes in hex" />
      </p>
      <Table
        caption="What stands where"
        columns={[
          { head: "From", kind: "number", cell: ({ offset }: HexField) => offset },
          { head: "Bytes", kind: "number", cell: ({ length }: HexField) => length },
          {
            head: "What",
            cell: (field: HexField) => (
              <span class={classOf("field-name", field)} {...fieldHandlers(field.name || undefined, active)}>
                {field.label}
              </span>
            ),
          },
          { head: "Note", cell: ({ note }: HexField) => <span class="quiet">{note}</span> },
        ]}
        rows={fields.filter(({ length }) => length > 0)}
        keyOf={({ offset }) => offset}
      />
    </div>
  );
}
