import { isSerializedBlockSigned, scanBlock } from "../../blocks/block.ts";
import { type BlockByteField, blockByteFields } from "../../blocks/byte-fields.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { describeTexts as texts } from "./texts.ts";

export type DescribedBlockBytes =
  | {
      readonly fields: readonly (BlockByteField & { readonly label: string })[];
      /** In Base58. */
      readonly id: string;
      /** True if the id is the generator's signature of all preceding bytes. */
      readonly isSigned: boolean;
    }
  | { readonly problem: string };

const labels: Readonly<Record<string, string>> = texts.blockFields;

export function describeBlockBytes(bytes: Uint8Array): DescribedBlockBytes {
  try {
    const { header, canonical, length } = scanBlock(bytes);
    if (!canonical || length !== bytes.length) return { problem: texts.notCanonicalBlock };
    const { generator, signature } = header;
    return {
      fields: blockByteFields(bytes).map((field) => ({ ...field, label: labels[field.name] ?? field.name })),
      id: encodeBase58(signature),
      isSigned: isSerializedBlockSigned(bytes, generator),
    };
  } catch (error) {
    if (error instanceof BlockParseError) return { problem: texts.notABlock };
    throw error;
  }
}
