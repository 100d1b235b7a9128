import { type ShownTransaction, transactionMembers } from "../../describe/members.ts";
import type { Value } from "../../describe/value.ts";

/** Whether a value names the account. */
function names(value: Value, address: string): boolean {
  switch (value.kind) {
    case "address":
      return value.address === address;
    case "list":
      return value.items.some((item) => names(item, address));
    case "object":
      return value.members.some((member) => names(member.value, address));
    default:
      return false;
  }
}

/** Whether the account is the sender, a recipient, the sponsor or the one who paid. */
export function concerns(transaction: ShownTransaction, address: string): boolean {
  return transactionMembers(transaction).some(({ value }) => names(value, address));
}
