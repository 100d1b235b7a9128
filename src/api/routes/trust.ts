/** Roles of accounts in the trust network. Page 07 §9.2; page 00, part A, 2.4. */
import Type from "typebox";
import type { JsonOut } from "../../bytes/json.ts";
import { ApiError } from "../http/errors.ts";
import { failsInIndex, NOT_BUILT } from "../http/failure-schemas.ts";
import type { Call, Route } from "../http/route.ts";
import { AddressText, int64, object } from "../http/schemas.ts";
import { anyAddress, didPrefix } from "./did.ts";

function roles(call: Call): JsonOut {
  const text = call.param("address").replace(didPrefix(call.info.network), "");
  const address = anyAddress(text);
  if (address === undefined) throw new ApiError({ status: 400, body: { error: "invalid address" } });
  const found = call.read((chain) => chain.trustRoles(address));
  return {
    roles: found.roles,
    issues_roles: found.issuesRoles.map(({ type, role }) => ({ type, role })),
    issues_authorization: found.issuesAuthorization,
  };
}

export const trustRoutes = [
  {
    method: "GET",
    path: "/trust/:address",
    family: "index",
    tag: "trust",
    summary: "Roles of an account, and what they let it issue",
    params: { address: AddressText },
    answer: object(
      {
        roles: Type.Array(Type.String()),
        issues_roles: Type.Array(object({ type: int64("Association type."), role: Type.String() })),
        issues_authorization: Type.Array(Type.String({ description: "URI of a credential context." })),
      },
      "Trust",
    ),
    failures: { 400: failsInIndex("The address is not valid."), ...NOT_BUILT },
    reads: ["trust"],
    handle: roles,
  },
] as const satisfies readonly Route[];
