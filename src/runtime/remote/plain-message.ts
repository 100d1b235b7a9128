interface PlainMessage {
  readonly plain: unknown;
  readonly transferred: ArrayBuffer[];
}

/**
 * Prepares plain data for a message port:
 *
 * - A view of part of a buffer, or of shared memory, is copied: a port would copy or share all of it.
 * - Other byte arrays are copied by the port.
 * - `owned` is transferred if it fills its buffer: it is empty afterwards.
 *
 * @param message null, strings, numbers, booleans, byte arrays, and lists, maps and objects of these
 * @throws TypeError for anything else
 */
export function toPlainMessage(message: unknown, owned?: Uint8Array): PlainMessage {
  const transferred: ArrayBuffer[] = [];
  const bytesOf = (value: Uint8Array): Uint8Array => {
    const { buffer } = value;
    const fillsBuffer = buffer instanceof ArrayBuffer && value.length === buffer.byteLength;
    if (fillsBuffer && value !== owned) return value;
    const bytes = fillsBuffer ? value : Uint8Array.from(value);
    // Safe cast: `Uint8Array.from` allocates an `ArrayBuffer`; `fillsBuffer` implies one.
    transferred.push(bytes.buffer as ArrayBuffer);
    return bytes;
  };
  const copy = (value: unknown): unknown => {
    if (typeof value === "function" || typeof value === "symbol")
      throw new TypeError(`a ${typeof value} is not plain data`);
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Uint8Array) return bytesOf(value);
    if (Array.isArray(value)) return value.map(copy);
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [copy(key), copy(item)]));
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw new TypeError(`${value.constructor.name} is not plain data`);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]));
  };
  return { plain: copy(message), transferred };
}
