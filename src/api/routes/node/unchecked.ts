import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import type { JsonOut } from "../../../bytes/json.ts";
import type { UncheckedBlocks } from "../../../interfaces.ts";
import { Height } from "../../schemas/common.ts";

export const uncheckedMembers = {
  uncheckedBlocks: Type.Optional(
    Type.Object(
      {
        from: Height,
        to: Height,
        expectedBlock: Type.Optional(
          Type.String({
            description:
              "Id of `--assume-valid`, in Base58, if peers sent these blocks and the chain does not contain that block " +
              "yet. Until then the blocks are provisional: the node does not forge, and its answers can be wrong.",
          }),
        ),
      },
      {
        additionalProperties: false,
        description:
          "Heights of the first and last block whose signatures were not checked, because of `--assume-valid`. " +
          "Absent if all were checked.",
      },
    ),
  ),
};

export function uncheckedJson(unchecked: UncheckedBlocks | undefined): { readonly [name: string]: JsonOut } {
  if (unchecked === undefined) return {};
  const { from, to, expectedId } = unchecked;
  const expected = expectedId && { expectedBlock: encodeBase58(expectedId) };
  return { uncheckedBlocks: { from, to, ...expected } };
}
