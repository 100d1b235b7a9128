/** Page 07 §9.2; page 00, part A, 2.4. */
import Type from "typebox";
import type { JsonOut } from "../../../bytes/json.ts";
import { addressText } from "../../../crypto/addresses.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import { cursors } from "../../lists/cursors.ts";
import { limitParameters, PAGE_SIZE, pageOf, pageReply } from "../../lists/pages.ts";
import { fileAnswers, fileReply, formatParameter, isFileRequested, rowsOf } from "../../lists/tables.ts";
import { type Call, get, indexRoutesOf, type ReadCall } from "../../route.ts";
import { AddressText, int64, object } from "../../schemas/common.ts";
import { failsInIndex } from "../../schemas/failures.ts";
import { indexError, parseCount, parseIndexCursor, refuseFormat } from "../statistics/index-query.ts";
import { didPrefix, parseAnyAddress } from "./did.ts";

function answerRoles(call: Call): JsonOut {
  const text = call.param("address").replace(didPrefix(call.info.network), "");
  const address = parseAnyAddress(text);
  if (address === undefined) throw indexError("invalid address");
  const found = call.read((chain) => chain.trust.rolesOf(address));
  return {
    roles: found.roles,
    issues_roles: found.issuesRoles.map(({ type, role }) => ({ type, role })),
    issues_authorization: found.issuesAuthorization,
  };
}

const grant = {
  role: Type.String(),
  sender: AddressText,
  type: int64("Association type of the grant."),
};
const table = { name: "roles", members: { address: AddressText, ...grant } } as const;

function answerHolders(call: ReadCall): Reply {
  const { max } = PAGE_SIZE;
  const fallback = isFileRequested(call, refuseFormat) ? max : PAGE_SIZE.fallback;
  const limit = parseCount(call, "limit", { fallback, max });
  if (limit < 1) throw indexError(`limit: must be a whole number from 1, at most ${max}`);
  const after = parseIndexCursor(call, cursors.roleHolders);
  return call.read((chain) => {
    const root = chain.trust.root();
    const list = chain.trust.holders({ after, limit: limit + 1 });
    const { shown, next } = pageOf(list, { limit }, cursors.roleHolders, ({ address }) => address);
    const accounts = shown.map(({ address, grants }) => ({
      address: addressText(address),
      roles: grants.map(({ role, sender, type }) => ({ role, sender: addressText(sender), type })),
    }));
    const rows = accounts.flatMap(({ address, roles }) => roles.map((grant) => ({ address, ...grant })));
    const json = { root: root === undefined ? null : addressText(root), accounts };
    return fileReply(call, chain, table, rows, next) ?? pageReply(call, json, next);
  });
}

export const trustRoutes = indexRoutesOf("trust", [
  // Not `/trust`, because the indexer answers 404 for `/trust/`.
  get("/roles", {
    summary: "Accounts with roles in the trust network, with the grantors, sorted by address bytes",
    request: {
      query: { ...limitParameters(cursors.roleHolders), ...formatParameter },
    },
    answers: {
      ...fileAnswers(
        object({
          root: Type.Union([AddressText, Type.Null()], {
            description: "The root account, which has its role by configuration.",
          }),
          accounts: Type.Array(object({ address: AddressText, roles: Type.Array(object(grant)) })),
        }),
        rowsOf(table),
      ),
      failures: { 400: failsInIndex("A parameter is not valid.") },
    },
    cost: { indexes: ["trust"] },
    runsInReader: true,
    handle: answerHolders,
  }),
  get("/trust/:address", {
    summary: "Roles of an account, and what they allow it to issue",
    request: { params: { address: AddressText } },
    answers: {
      ok: object(
        {
          roles: Type.Array(Type.String()),
          issues_roles: Type.Array(object({ type: int64("Association type."), role: Type.String() })),
          issues_authorization: Type.Array(Type.String({ description: "URI of a credential context." })),
        },
        "Trust",
      ),
      failures: { 400: failsInIndex("The address is not valid.") },
    },
    cost: { indexes: ["trust"] },
    handle: answerRoles,
  }),
]);
