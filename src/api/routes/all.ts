/** All routes, in the order in which the description lists them. */

import type { Route } from "../http/route.ts";
import { accountChangeRoutes } from "./account-changes.ts";
import { activationRoutes } from "./activation.ts";
import { addressRoutes } from "./addresses.ts";
import { anchorQueueRoutes } from "./anchor-queue.ts";
import { associationRoutes } from "./associations.ts";
import { blockRoutes } from "./blocks.ts";
import { certificateRoutes } from "./certificates.ts";
import { consensusRoutes } from "./consensus.ts";
import { credentialRoutes } from "./credential-status.ts";
import { debugRoutes } from "./debug.ts";
import { dueBlockRoutes } from "./due-blocks.ts";
import { eventRoutes } from "./events.ts";
import { feeRoutes } from "./fees.ts";
import { forkRoutes } from "./forks.ts";
import { hashRoutes } from "./hash.ts";
import { identityRoutes } from "./identities.ts";
import { identityVersionRoutes } from "./identity-versions.ts";
import { indexServiceRoutes } from "./index-service.ts";
import { leasingRoutes } from "./leasing.ts";
import { nodeRoutes } from "./node.ts";
import { nodeHealthRoutes } from "./node-health.ts";
import { peerRoutes } from "./peers.ts";
import { sponsorshipRoutes } from "./sponsorship.ts";
import { statisticsRoutes } from "./statistics.ts";
import { supplyRoutes } from "./supply.ts";
import { transactionListRoutes } from "./transaction-lists.ts";
import { transactionRoutes } from "./transactions.ts";
import { trustRoutes } from "./trust.ts";
import { utilRoutes } from "./utils.ts";
import { walletRoutes } from "./wallet.ts";

const declared = [
  ...blockRoutes,
  ...forkRoutes,
  ...hashRoutes,
  ...anchorQueueRoutes,
  ...identityRoutes,
  ...identityVersionRoutes,
  ...trustRoutes,
  ...credentialRoutes,
  ...addressRoutes,
  ...accountChangeRoutes,
  ...leasingRoutes,
  ...walletRoutes,
  ...transactionListRoutes,
  ...transactionRoutes,
  ...eventRoutes,
  ...associationRoutes,
  ...sponsorshipRoutes,
  ...certificateRoutes,
  ...consensusRoutes,
  ...supplyRoutes,
  ...statisticsRoutes,
  ...dueBlockRoutes,
  ...feeRoutes,
  ...activationRoutes,
  ...utilRoutes,
  ...nodeRoutes,
  ...nodeHealthRoutes,
  ...indexServiceRoutes,
  ...peerRoutes,
  ...debugRoutes,
] as const satisfies readonly Route[];

/** The list with the types of its members, from which a client derives its own. */
export type DeclaredRoutes = typeof declared;

export const routes: readonly Route[] = declared;
