import { catalogue } from "../../text/catalogue.ts";
export const transactionTexts = catalogue("transactionTexts", {
  title: (id: string, type: string) => `Transaction ${id}${type}`,
  malformed: "This is not a transaction id.",
  malformedAdvice: "An id has 43 or 44 letters and digits, without 0, O, I and l. Check that it is complete.",
  unknown: {
    title: "Not found",
    message: "The node has no transaction with this id, on the chain or in the pool.",
    advice:
      "If it was just sent, it will appear here on arrival. Otherwise check that it belongs to this network, and that the node is in sync.",
  },
  states: {
    waiting: { status: "Pending", note: ". This page updates when a block includes it." },
    reverted: { status: "Reverted", note: ". Its block left the chain; the transaction is pending again." },
    liquid: { status: "In the newest block", note: ", which can still change." },
    confirmed: { status: "{confirmations}", note: "; final at {final}." },
    final: { status: "{confirmations}", note: ": no fork can undo the block." },
  },
  cancelledLease: "Cancelled lease",
  bytes: {
    reserved: "Reserved",
    signed: "signed",
    verified: (size: string, source: string) =>
      `${size}, ${source}. Verified: the hash of the signed part is the id.`,
    fromDetails: "built from the details above",
    fromNode: "as returned by the node",
    show: "Show the bytes of the node",
    failed: "The node did not return the bytes. It returns bytes only for confirmed transactions.",
    otherTransaction: "The node returned the bytes of another transaction: {id}",
    notBuilt: "Cannot build the bytes from the details: {problem}.",
    mismatch: "The details above are incomplete or were changed. Their bytes have the id {id}",
    networkUnknown: "Waiting for the network of the node.",
  },
});
