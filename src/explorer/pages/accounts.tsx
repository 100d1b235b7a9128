/** Page of the node's own accounts. Actions need the API key. */

import type { JSX } from "preact";
import type { Answer } from "../../client/index.ts";
import { type Attempt, attempt } from "../data/attempt.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Attempted } from "../parts/attempted.tsx";
import { Address } from "../parts/id.tsx";
import { AttemptedPanel, Panel } from "../parts/panel.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { navigate } from "../shell/page-location.ts";
import { numberText } from "../text/measures.ts";
import { ActionForm } from "./accounts/forms.tsx";
import { canSubmitActions, KeyForm } from "./accounts/key-form.tsx";
import type { ActiveLease, WalletActionKind } from "./accounts/wallet-action.ts";

type Balance = Answer<"GET /addresses/balance/details/:address">;

export interface AccountsData {
  readonly health: Attempt<Answer<"GET /node/health">>;
  readonly wallet: Attempt<Wallet>;
}

interface Wallet {
  readonly balances: readonly Balance[];
  /** Addresses after the first `MAX_ACCOUNTS`, shown without balances. */
  readonly otherAddresses: readonly string[];
  /** Empty unless the page is to cancel a lease. */
  readonly leases: readonly ActiveLease[];
}

const MAX_ACCOUNTS = 20;
const MAX_LEASES = 100;
const MAX_OTHER_ADDRESSES = 1_000;

async function loadLeases({ node }: PageContext, address: string): Promise<readonly ActiveLease[]> {
  const wanted = { params: { address }, query: { limit: MAX_LEASES } };
  const leases = await node.client.call("GET /leasing/active/:address", wanted);
  return leases
    .filter(({ sender }) => sender === address)
    .map(({ id, recipient, amount }) => ({
      id,
      sender: address,
      recipient: String(recipient),
      amount: typeof amount === "bigint" ? amount : 0n,
    }));
}

async function loadWallet(context: PageContext, withLeases: boolean): Promise<Wallet> {
  const { client } = context.node;
  const addresses = await client.call("GET /wallet/addresses");
  const shown = addresses.slice(0, MAX_ACCOUNTS);
  const balances = Promise.all(
    shown.map((address) => client.call("GET /addresses/balance/details/:address", { params: { address } })),
  );
  const leases = withLeases ? Promise.all(shown.map((address) => loadLeases(context, address))) : [];
  return {
    balances: await balances,
    otherAddresses: addresses.slice(MAX_ACCOUNTS),
    leases: (await leases).flat(),
  };
}

const columns: readonly Column<Balance>[] = [
  { head: "Address", kind: "id", cell: ({ address }) => <Address value={address} /> },
  { head: "To spend", kind: "number", cell: ({ available }) => <Amount value={available} /> },
  { head: "Leased to others", kind: "number", cell: ({ leasing }) => <Amount value={leasing} /> },
  { head: "Unbonding", kind: "number", cell: ({ unbonding }) => <Amount value={unbonding} /> },
  { head: "Forges with", kind: "number", cell: ({ generating }) => <Amount value={generating} /> },
];

function WalletTable({ wallet }: { readonly wallet: Wallet }): JSX.Element {
  const { balances, otherAddresses } = wallet;
  return (
    <>
      <Table
        caption="Accounts of the node"
        rows={balances}
        columns={columns}
        keyOf={({ address }) => address}
        empty="The node has no account of its own."
      />
      {otherAddresses.length > 0 && (
        <details>
          <summary>{`${numberText(otherAddresses.length)} more`}</summary>
          <ul class="bare">
            {otherAddresses.slice(0, MAX_OTHER_ADDRESSES).map((address) => (
              <li key={address}>
                <Address value={address} bare />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const tabs: readonly { readonly name: WalletActionKind; readonly label: string }[] = [
  { name: "send", label: "Send" },
  { name: "lease", label: "Lease" },
  { name: "cancel", label: "Cancel a lease" },
  { name: "anchor", label: "Anchor" },
];

function WalletActions(props: {
  readonly wallet: Wallet;
  readonly query: URLSearchParams;
  readonly context: PageContext;
}): JSX.Element {
  const { wallet, query, context } = props;
  const { balances, leases } = wallet;
  return (
    <Tabs
      label="What is to be done"
      open={query.get("tab")}
      choose={(tab) => navigate(pageLink(["accounts"], { tab }), true)}
      tabs={tabs.map(({ name, label }) => ({
        name,
        label,
        draw: () => (
          <ActionForm key={name} kind={name} node={context.node} choices={{ accounts: balances, leases }} />
        ),
      }))}
    />
  );
}

export const accountsPage: PageDefinition<AccountsData> = {
  path: "accounts",
  title: () => "Accounts of the node",
  async load(_params, query, context) {
    const { node } = context;
    const [health, wallet] = await Promise.all([
      attempt(node, node.client.call("GET /node/health")),
      attempt(node, loadWallet(context, query.get("tab") === "cancel")),
    ]);
    return { health, wallet };
  },
  refresh: "tip",
  View: ({ data: { health, wallet }, query, context }) => (
    <>
      <h1>Accounts of the node</h1>
      <AttemptedPanel title="What they have" of={wallet} draw={(found) => <WalletTable wallet={found} />} />
      <Panel title="Orders" stacked>
        <Attempted
          of={health}
          draw={({ keyRoutes }) => (
            <>
              <KeyForm node={context.node} keyRoutes={keyRoutes} />
              {canSubmitActions(context.node, keyRoutes) && wallet.ok && (
                <WalletActions wallet={wallet.value} query={query} context={context} />
              )}
            </>
          )}
        />
      </Panel>
    </>
  ),
};
