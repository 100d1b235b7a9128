import { putU32 } from "./codecs.ts";
import type { KeyCodec } from "./kv.ts";
import type { Place, UnitKey } from "./places.ts";
import { address, fieldValue, i16, structKey, u8, u16, u32 } from "./values/fields.ts";

/** Encoded without a writer, like `unitKey`, because these keys are frequent. */
export const heightKey: KeyCodec<number> = {
  encode(height) {
    const key = new Uint8Array(4);
    putU32(key, 0, height);
    return key;
  },
  decode: fieldValue(u32).decode,
};

export const byteKey: KeyCodec<number> = fieldValue(u8);

/** i16 in two's complement, so negative ids sort after positive ones. */
export const int16Key: KeyCodec<number> = fieldValue(i16);

export const unitKey: KeyCodec<UnitKey> = {
  encode({ height, sequence }) {
    const key = new Uint8Array(6);
    putU32(key, 0, height);
    key[4] = sequence >>> 8;
    key[5] = sequence;
    return key;
  },
  decode: structKey<UnitKey>({ height: u32, sequence: u16 }).decode,
};

export const placeKey = structKey<Place>({ height: u32, position: u32 });

export const addressSerialKey = structKey<{ readonly address: Uint8Array; readonly serial: number }>({
  address,
  serial: u32,
});

export const addressHeightKey = structKey<{ readonly address: Uint8Array; readonly height: number }>({
  address,
  height: u32,
});

export const addressPlaceKey = structKey<Place & { readonly address: Uint8Array }>({
  address,
  height: u32,
  position: u32,
});
