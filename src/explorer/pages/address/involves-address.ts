import { type ShownTransaction, transactionDetails } from "../../describe/details.ts";
import type { Value } from "../../describe/value.ts";

function mentions(value: Value, address: string): boolean {
  switch (value.kind) {
    case "address":
      return value.address === address;
    case "list":
      return value.items.some((item) => mentions(item, address));
    case "object":
      return value.members.some((member) => mentions(member.value, address));
    default:
      return false;
  }
}

/** Also checks recipients, sponsor and payer. */
export function involvesAddress(transaction: ShownTransaction, address: string): boolean {
  return transactionDetails(transaction).some(({ value }) => mentions(value, address));
}
