/** Associations between accounts: those in force (page 06 §7.14), and who is tied to whom (page 07 §10.2). */
import Type from "typebox";
import { encodeBase58 } from "../../bytes/base58.ts";
import type { JsonOut } from "../../bytes/json.ts";
import { addressText, InvalidAddressError, parseAddress } from "../../crypto/addresses.ts";
import type { AssociationInfo } from "../../interfaces.ts";
import { entryJson } from "../../transactions/index.ts";
import { NOT_BUILT } from "../http/failure-schemas.ts";
import type { ReadCall, Route } from "../http/route.ts";
import { AddressText, DataEntrySchema, int64, object, Timestamp } from "../http/schemas.ts";

const AssociationSchema = object({
  sender: AddressText,
  type: int64("Association type."),
  recipient: AddressText,
  subject: Type.Union([Type.String(), Type.Null()]),
  timestamp: Timestamp,
  expires: Type.Union([Timestamp, Type.Null()]),
  data: Type.Array(DataEntrySchema),
});

function associationJson(association: AssociationInfo): JsonOut {
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

function status(call: ReadCall): JsonOut {
  const address = call.address();
  const { outgoing, incoming } = call.read((chain) => chain.associations(address));
  return {
    address: addressText(address),
    outgoing: outgoing.map(associationJson),
    incoming: incoming.map(associationJson),
  };
}

/** Addresses tied to one; none for a text that is no address of this network. */
function associated(call: ReadCall): JsonOut {
  try {
    const address = parseAddress(call.param("address").trim(), call.info.network.chainId);
    const { children, parents } = call.read((chain) => chain.associatedAddresses(address));
    return { children: children.map(addressText), parents: parents.map(addressText) };
  } catch (error) {
    if (error instanceof InvalidAddressError) return { children: [], parents: [] };
    throw error;
  }
}

export const associationRoutes = [
  {
    method: "GET",
    path: "/associations/status/:address",
    tag: "associations",
    summary: "Associations of an account that are in force",
    params: { address: AddressText },
    answer: object({
      address: AddressText,
      outgoing: Type.Array(AssociationSchema),
      incoming: Type.Array(AssociationSchema),
    }),
    failures: { 400: "The address is not valid on this network." },
    heavy: true,
    handle: status,
  },
  {
    method: "GET",
    path: "/associations/:address",
    family: "index",
    tag: "associations",
    summary: "Accounts that an account issued associations to, or got them from",
    params: { address: AddressText },
    answer: object({ children: Type.Array(AddressText), parents: Type.Array(AddressText) }),
    failures: NOT_BUILT,
    reads: ["associations"],
    heavy: true,
    handle: associated,
  },
] as const satisfies readonly Route[];
