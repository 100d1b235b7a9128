/** Page 06 §7.10. */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { addressText } from "../../../crypto/addresses.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Reply } from "../../../http/responses/reply.ts";
import { transactionId } from "../../../transactions/index.ts";
import { cursors } from "../../lists/cursors.ts";
import { limitParameters, parseCursor } from "../../lists/pages.ts";
import { formatParameter, parseTableLimit, tableAnswers, tableReply } from "../../lists/tables.ts";
import { SECOND } from "../../openapi/dev-examples.ts";
import { get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, Height, object, TransactionId } from "../../schemas/common.ts";
import { BAD_ADDRESS, BAD_ADDRESS_OR_PARAMETER } from "../../schemas/failures.ts";

const table = {
  name: "sponsored-accounts",
  members: { address: AddressText, height: Height, transaction: TransactionId },
} as const;

function answerSponsored(call: ReadCall): Reply {
  const address = call.address();
  const limit = parseTableLimit(call);
  const after = parseCursor(call, cursors.sponsored);
  return call.read((chain) => {
    const { sponsored, end } = chain.sponsors.sponsored(address, { after, limit });
    const rows = mapLazily(sponsored, ({ address: recipient, since: { transaction, height } }) => ({
      address: addressText(recipient),
      height,
      transaction: encodeBase58(transactionId(transaction)),
    }));
    return tableReply(call, chain, table, rows, end && cursors.sponsored.encode(end));
  });
}

/** From this length on, lists need a reader thread. */
const MANY_SPONSORS = 1_000;

function hasManySponsors(call: ReadCall): boolean {
  const address = call.address();
  return call.read((chain) => chain.sponsors.count(address)) >= MANY_SPONSORS;
}

function sponsorsOf(call: ReadCall): readonly Uint8Array[] {
  const address = call.address();
  return call.read((chain) => chain.sponsors.of(address));
}

export const sponsorshipRoutes = routesOf("sponsorship", [
  get("/sponsorship/given/:address", {
    summary: "Accounts that an account sponsors, with the sponsorships, newest first",
    request: {
      params: { address: AddressText },
      query: { ...limitParameters(cursors.sponsored), ...formatParameter },
      example: { params: { address: SECOND } },
    },
    answers: { ...tableAnswers(table, "Sponsored"), failures: BAD_ADDRESS_OR_PARAMETER },
    cost: { cacheable: true },
    runsInReader: true,
    handle: answerSponsored,
  }),
  get("/sponsorship/status/:address", {
    tail: "segments",
    summary: "Sponsors of an account, in the order in which they pay",
    request: { params: { address: AddressText } },
    answers: {
      ok: object({ sponsor: Type.Array(AddressText) }),
      failures: BAD_ADDRESS,
    },
    cost: { isExpensive: hasManySponsors },
    runsInReader: true,
    handle: (call) => ({ sponsor: sponsorsOf(call).map(addressText) }),
  }),
]);
