import type { Answer } from "../../client/index.ts";
import { afterKeyBlocks, useQuery } from "../data/use-query.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../page.ts";
import { Address, Amount } from "../parts/inline.tsx";
import { type Column, Table } from "../parts/lists/table.tsx";
import { Attempted, AttemptedPanel, Panel } from "../parts/panel.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useHealth } from "../shell/health.ts";
import { navigate } from "../shell/page-location.ts";
import { commonTexts } from "../text/common-texts.ts";
import { numberText } from "../text/text.ts";
import { ActionForm } from "./accounts/forms.tsx";
import { canSubmitActions, KeyForm } from "./accounts/key-form.tsx";
import { accountsTexts as texts } from "./accounts/texts.ts";
import type { ActiveLease, WalletActionKind } from "./accounts/wallet-action.ts";

type Balance = Answer<"GET /addresses/balance/details/:address">;

type Wallet = Awaited<ReturnType<typeof loadWallet>>;

const MAX_ACCOUNTS = 20;
const MAX_LEASES = 100;
const MAX_OTHER_ADDRESSES = 1_000;
const WALLET_RELOAD_INTERVAL_MS = 10_000;

async function loadLeases({ node }: PageContext, address: string): Promise<ActiveLease[]> {
  const request = { params: { address }, query: { limit: MAX_LEASES } };
  const leases = await node.client.call("GET /leasing/active/:address", request);
  return leases
    .filter(({ sender }) => sender === address)
    .map(({ id, recipient, amount }) => ({
      id,
      sender: address,
      recipient: String(recipient),
      amount: typeof amount === "bigint" ? amount : 0n,
    }));
}

async function loadWallet(context: PageContext, withLeases: boolean) {
  const { client } = context.node;
  const addresses = await client.call("GET /wallet/addresses");
  const shown = addresses.slice(0, MAX_ACCOUNTS);
  const [balances, leases] = await Promise.all([
    Promise.all(
      shown.map((address) => client.call("GET /addresses/balance/details/:address", { params: { address } })),
    ),
    withLeases ? Promise.all(shown.map((address) => loadLeases(context, address))) : [],
  ]);
  return {
    balances,
    otherAddresses: addresses.slice(MAX_ACCOUNTS),
    leases: leases.flat(),
  };
}

const { balanceKinds: kinds } = commonTexts;

const columns: readonly Column<Balance>[] = [
  { head: commonTexts.address, kind: "id", cell: ({ address }) => <Address value={address} /> },
  { head: kinds.available, kind: "number", cell: ({ available }) => <Amount value={available} /> },
  { head: kinds.leasedOut, kind: "number", cell: ({ leasing }) => <Amount value={leasing} /> },
  { head: kinds.unbonding, kind: "number", cell: ({ unbonding }) => <Amount value={unbonding} /> },
  { head: kinds.generating, kind: "number", cell: ({ generating }) => <Amount value={generating} /> },
];

function WalletTable({ wallet }: { readonly wallet: Wallet }) {
  const { balances, otherAddresses } = wallet;
  return (
    <>
      <Table
        caption={texts.title}
        rows={balances}
        columns={columns}
        keyOf={({ address }) => address}
        empty={texts.noAccounts}
      />
      {otherAddresses.length > 0 && (
        <details>
          <summary>{texts.more(numberText(otherAddresses.length))}</summary>
          <ul class="bare">
            {otherAddresses.slice(0, MAX_OTHER_ADDRESSES).map((address) => (
              <li key={address}>
                <Address value={address} noCopy />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const actions: readonly WalletActionKind[] = ["send", "lease", "cancel", "anchor"];

function WalletActions(props: {
  readonly wallet: Wallet;
  readonly query: URLSearchParams;
  readonly context: PageContext;
}) {
  const { wallet, query, context } = props;
  const { balances, leases } = wallet;
  return (
    <Tabs
      label={texts.actions}
      selected={query.get("tab")}
      select={(tab) => navigate(pageLink(["accounts"], { tab }), true)}
      tabs={actions.map((name) => ({
        name,
        label: texts.tabs[name],
        render: () => (
          <ActionForm key={name} kind={name} node={context.node} choices={{ accounts: balances, leases }} />
        ),
      }))}
    />
  );
}

function View({ query, context }: PageProps) {
  const health = useHealth(context);
  const withLeases = query.get("tab") === "cancel";
  const wallet = useQuery(
    context,
    `wallet ${withLeases}`,
    () => loadWallet(context, withLeases),
    afterKeyBlocks(context, WALLET_RELOAD_INTERVAL_MS),
  );
  return (
    <>
      <h1>{texts.title}</h1>
      <AttemptedPanel
        title={texts.balances}
        attempt={wallet}
        render={(value) => <WalletTable wallet={value} />}
      />
      <Panel title={texts.actions} stacked>
        <Attempted
          attempt={health}
          render={({ keyRoutes }) => (
            <>
              <KeyForm node={context.node} keyRoutes={keyRoutes} />
              {canSubmitActions(context.node, keyRoutes) && wallet?.ok === true && (
                <WalletActions wallet={wallet.value} query={query} context={context} />
              )}
            </>
          )}
        />
      </Panel>
    </>
  );
}

export const accountsPage: PageDefinition = { title: () => texts.title, View };
