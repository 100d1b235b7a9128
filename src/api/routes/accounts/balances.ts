/** Page 05 §21. */
import type { AccountInfo } from "../../../interfaces.ts";
import { Amount } from "../../schemas/common.ts";

export const Balances = {
  regular: Amount,
  available: Amount,
  leasing: Amount,
  unbonding: Amount,
  effective: Amount,
};

export function balancesJson({ balance, leaseIn, leaseOut, unbonding }: AccountInfo) {
  return {
    regular: balance,
    available: balance - leaseOut - unbonding,
    leasing: leaseOut,
    unbonding,
    effective: balance + leaseIn - leaseOut,
  };
}
