/** The member of node routes that reports a chain with unchecked signatures. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import type { UncheckedBlocks } from "../../../interfaces.ts";
import { Height } from "../../schemas/common.ts";

export const uncheckedMembers = {
  uncheckedBlocks: Type.Optional(
    Type.Object(
      { from: Height, to: Height },
      {
        additionalProperties: false,
        description:
          "Heights of the first and last block whose signatures were not checked, because they were imported with " +
          "`--assume-valid`. Absent if all were checked.",
      },
    ),
  ),
};

export function uncheckedJson(unchecked: UncheckedBlocks | undefined): { readonly [name: string]: JsonOut } {
  return unchecked === undefined ? {} : { uncheckedBlocks: { from: unchecked.from, to: unchecked.to } };
}
