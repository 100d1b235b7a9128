/** Active associations (page 06 §7.14) and associated addresses (page 07 §10.2). */
import Type from "typebox";
import { encodeBase58 } from "../../../bytes/base58.ts";
import { addressText, tryParseAddress } from "../../../crypto/addresses.ts";
import { mapLazily } from "../../../http/responses/chunked-json.ts";
import type { Association } from "../../../ledger/associations.ts";
import { entryJson } from "../../../transactions/index.ts";
import { cursors } from "../../lists/cursors.ts";
import {
  NextCursorHeader,
  pageOf,
  pageParameters,
  pageReply,
  parsePage,
  withOneMore,
} from "../../lists/pages.ts";
import { fileAnswers, fileReply, formatParameter, parseTablePage, rowsOf } from "../../lists/tables.ts";
import { type Answer, get, type ReadCall, routesOf } from "../../route.ts";
import { AddressText, DataEntrySchema, int64, object, Timestamp } from "../../schemas/common.ts";
import { BAD_ADDRESS_OR_PARAMETER, failsInIndex } from "../../schemas/failures.ts";
import { indexError } from "../statistics/index-query.ts";

const members = {
  sender: AddressText,
  type: int64("Association type."),
  recipient: AddressText,
  subject: Type.Union([Type.String(), Type.Null()]),
  timestamp: Timestamp,
  expires: Type.Union([Timestamp, Type.Null()]),
  data: Type.Array(DataEntrySchema),
};
const AssociationSchema = object(members);

const table = {
  name: "associations",
  members: { direction: Type.Enum(["outgoing", "incoming"]), ...members },
} as const;

function associationJson(association: Association) {
  const { sender, type, recipient, subject, timestamp, expires, data } = association;
  return {
    sender: addressText(sender),
    type,
    recipient: addressText(recipient),
    subject: subject === undefined ? null : encodeBase58(subject),
    timestamp,
    expires: expires ?? null,
    data: data.map(entryJson),
  };
}

function answerStatus(call: ReadCall): Answer {
  const address = call.address();
  const page = parseTablePage(call, cursors.associations);
  return call.read((chain) => {
    const found = chain.associations.active(address, page && withOneMore(page));
    const { shown, next } = pageOf(concatLists(found), page, cursors.associations, ({ list, element }) => {
      return { list, height: element.height, position: element.position };
    });
    const rows = mapLazily(shown, ({ list, element }) => ({ direction: list, ...associationJson(element) }));
    const json = {
      address: addressText(address),
      outgoing: elementsOf(shown, "outgoing").map(associationJson),
      incoming: elementsOf(shown, "incoming").map(associationJson),
    };
    return fileReply(call, chain, table, rows, next) ?? pageReply(call, json, next);
  });
}

interface ListElement<List extends string, T> {
  readonly list: List;
  readonly element: T;
}

function concatLists<List extends string, T>(
  lists: Readonly<Record<List, readonly T[]>>,
): readonly ListElement<List, T>[] {
  const names = Object.keys(lists) as List[];
  return names.flatMap((list) => lists[list].map((element) => ({ list, element })));
}

function elementsOf<List extends string, T>(elements: readonly ListElement<List, T>[], name: List): T[] {
  return elements.filter(({ list }) => list === name).map(({ element }) => element);
}

/** Answers with empty lists if the text is not an address of this network. */
function answerAssociated(call: ReadCall): Answer {
  const address = tryParseAddress(call.param("address").trim(), call.info.network.chainId);
  if (address === undefined) return { children: [], parents: [] };
  const page = parsePage(call, cursors.associatedAddresses, (name) => indexError(`invalid ${name} given`));
  const { children, parents } = call.read((chain) =>
    chain.associatedAddresses.of(address, page && withOneMore(page)),
  );
  const found = concatLists({ associatedChildren: children, associatedParents: parents });
  const { shown, next } = pageOf(found, page, cursors.associatedAddresses, ({ list, element }) => {
    return { list, address: element };
  });
  const json = {
    children: elementsOf(shown, "associatedChildren").map(addressText),
    parents: elementsOf(shown, "associatedParents").map(addressText),
  };
  return pageReply(call, json, next);
}

export const associationRoutes = routesOf("associations", [
  get("/associations/status/:address", {
    summary: "Active associations of an account",
    request: {
      params: { address: AddressText },
      query: { ...pageParameters(cursors.associations), ...formatParameter },
    },
    answers: {
      ...fileAnswers(
        object({
          address: AddressText,
          outgoing: Type.Array(AssociationSchema),
          incoming: Type.Array(AssociationSchema),
        }),
        rowsOf(table),
      ),
      failures: BAD_ADDRESS_OR_PARAMETER,
    },
    runsInReader: true,
    handle: answerStatus,
  }),
  get("/associations/:address", {
    family: "index",
    summary: "Accounts with associations from or to an account",
    request: {
      params: { address: AddressText },
      query: pageParameters(cursors.associatedAddresses),
    },
    answers: {
      ok: object({ children: Type.Array(AddressText), parents: Type.Array(AddressText) }),
      headers: NextCursorHeader,
      failures: { 400: failsInIndex("A parameter is not valid.") },
    },
    cost: { indexes: ["associations"] },
    runsInReader: true,
    handle: answerAssociated,
  }),
]);
