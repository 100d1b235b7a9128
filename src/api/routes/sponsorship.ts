/** Who pays an account's fees. Page 06 §7.10. */
import Type from "typebox";
import { addressText } from "../../crypto/addresses.ts";
import type { Route } from "../http/route.ts";
import { AddressText, object } from "../http/schemas.ts";

export const sponsorshipRoutes = [
  {
    method: "GET",
    path: "/sponsorship/status/:address",
    tail: "segments",
    tag: "sponsorship",
    summary: "Sponsors of an account, the first to pay first",
    params: { address: AddressText },
    answer: object({ sponsor: Type.Array(AddressText) }),
    failures: { 400: "The address is not valid on this network." },
    handle: (call) => {
      const address = call.address();
      return { sponsor: call.read((chain) => chain.sponsors(address)).map(addressText) };
    },
  },
] as const satisfies readonly Route[];
