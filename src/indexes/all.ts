/** The list of the indexes: an index is part of the node by standing here, and nowhere else. */
import { addressTransactionIndex } from "./address-transactions.ts";
import { anchorIndex, type IndexMode } from "./anchors.ts";
import { associatedAddressIndex } from "./associated-addresses.ts";
import type { ChainIndex, ConfiguredIndex } from "./chain-index.ts";
import { compositeIndex } from "./composite-index.ts";
import { identityIndex } from "./identities.ts";
import { holdsRole, type TrustSettings, trustIndex } from "./trust.ts";

/** What the operator decides about the indexes. */
export interface IndexSettings {
  readonly trust: TrustSettings;
  /** Whose anchors are kept; everybody's unless said otherwise. */
  readonly anchors?: IndexMode | undefined;
  /** Whose associations are kept; everybody's unless said otherwise. */
  readonly associations?: IndexMode | undefined;
}

/** Every index, in the order in which they see a unit. */
export function allIndexes({
  trust,
  anchors = "all",
  associations = "all",
}: IndexSettings): readonly ChainIndex[] {
  const configured: readonly ConfiguredIndex[] = [
    trustIndex(trust),
    anchorIndex(anchors, (reader, address) => holdsRole(reader, trust, address)),
    associatedAddressIndex(associations),
  ];
  const readRoles = anchors === "trust" || associations === "trust";
  return [
    addressTransactionIndex(),
    identityIndex(),
    // Those that ask for roles have to see them as they are at each transaction.
    ...(readRoles ? [compositeIndex(configured)] : configured),
  ];
}
