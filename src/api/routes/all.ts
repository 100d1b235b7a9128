import type { Route, RouteList } from "../route.ts";
import { accountChangeRoutes } from "./accounts/account-changes.ts";
import { accountEntryRoutes } from "./accounts/account-entries.ts";
import { addressRoutes } from "./accounts/addresses.ts";
import { associationRoutes } from "./accounts/associations.ts";
import { leasingRoutes } from "./accounts/leasing.ts";
import { richestRoutes } from "./accounts/richest.ts";
import { sponsorshipRoutes } from "./accounts/sponsorship.ts";
import { walletRoutes } from "./accounts/wallet.ts";
import { anchorQueueRoutes } from "./anchors/anchor-queue.ts";
import { hashRoutes } from "./anchors/hash.ts";
import { blockListRoutes } from "./blocks/block-list.ts";
import { blockRoutes } from "./blocks/blocks.ts";
import { eventRoutes } from "./blocks/events.ts";
import { forkRoutes } from "./blocks/forks.ts";
import { suggestionRoutes } from "./blocks/suggestions.ts";
import { unitRoutes } from "./blocks/units.ts";
import { activationRoutes } from "./consensus/activation.ts";
import { consensusRoutes } from "./consensus/consensus.ts";
import { dueBlockRoutes } from "./consensus/due-blocks.ts";
import { feeRoutes } from "./consensus/fees.ts";
import { supplyRoutes } from "./consensus/supply.ts";
import { certificateRoutes } from "./identities/certificates.ts";
import { credentialRoutes } from "./identities/credential-status.ts";
import { identityRoutes } from "./identities/identities.ts";
import { identityVersionRoutes } from "./identities/identity-versions.ts";
import { trustRoutes } from "./identities/trust.ts";
import { debugRoutes } from "./node/debug.ts";
import { healthProbeRoutes } from "./node/health-probes.ts";
import { nodeRoutes } from "./node/node.ts";
import { nodeHealthRoutes } from "./node/node-health.ts";
import { peerRoutes } from "./node/peers.ts";
import { utilRoutes } from "./node/utils.ts";
import { dayRoutes } from "./statistics/days.ts";
import { indexServiceRoutes } from "./statistics/index-service.ts";
import { statisticsRoutes } from "./statistics/statistics.ts";
import { newestTransactionRoutes } from "./transactions/newest-transactions.ts";
import { transactionListRoutes } from "./transactions/transaction-lists.ts";
import { transactionRoutes } from "./transactions/transactions.ts";

const lists = [
  blockRoutes,
  blockListRoutes,
  suggestionRoutes,
  forkRoutes,
  hashRoutes,
  anchorQueueRoutes,
  identityRoutes,
  identityVersionRoutes,
  trustRoutes,
  credentialRoutes,
  addressRoutes,
  accountChangeRoutes,
  accountEntryRoutes,
  richestRoutes,
  leasingRoutes,
  walletRoutes,
  newestTransactionRoutes,
  transactionListRoutes,
  transactionRoutes,
  eventRoutes,
  unitRoutes,
  associationRoutes,
  sponsorshipRoutes,
  certificateRoutes,
  consensusRoutes,
  supplyRoutes,
  statisticsRoutes,
  dayRoutes,
  dueBlockRoutes,
  feeRoutes,
  activationRoutes,
  utilRoutes,
  nodeRoutes,
  nodeHealthRoutes,
  healthProbeRoutes,
  indexServiceRoutes,
  peerRoutes,
  debugRoutes,
] as const;

/** The client derives its types from these routes. */
export type DeclaredRoutes = (typeof lists)[number]["routes"];

export const routes: readonly Route[] = lists
  .flatMap(({ routes, ...common }: RouteList) => routes.map((route) => ({ ...common, ...route })))
  .map((route, id) => ({ ...route, id }));
