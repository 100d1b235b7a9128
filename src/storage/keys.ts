import type { KeyCodec } from "./kv.ts";
import type { Place, UnitKey } from "./places.ts";
import { address, fieldValue, i16, structKey, u16, u32 } from "./values/fields.ts";

export const heightKey: KeyCodec<number> = fieldValue(u32);

/** i16 in two's complement, so negative ids sort after positive ones. */
export const int16Key: KeyCodec<number> = fieldValue(i16);

export const unitKey = structKey<UnitKey>({ height: u32, sequence: u16 });

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
