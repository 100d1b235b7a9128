import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { MINUTE_MS, useAnswer, useQuery } from "../data/use-query.ts";
import { addressLink } from "../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../page.ts";
import { Address } from "../parts/inline.tsx";
import { Attempted, AttemptedPanel, PageContent } from "../parts/panel.tsx";
import { QrCode } from "../parts/qr-code.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { partTexts } from "../parts/texts.ts";
import { navigate } from "../shell/page-location.ts";
import { commonTexts } from "../text/common-texts.ts";
import { useAccountVersion } from "./address/account-version.ts";
import { BalancePlot, BalanceTable, Leases } from "./address/balances.tsx";
import { LabelEditor } from "./address/label.tsx";
import {
  AccountLists,
  ifSupported,
  parseTab,
  type TabName,
  type TabProps,
  tabNames,
} from "./address/load.ts";
import { addressTexts as texts } from "./address/texts.ts";
import { Transactions } from "./address/transactions.tsx";
import { useAddress } from "./address/use-address.ts";
import { ExportLinks } from "./lists/filters.tsx";
import { AccountRoles } from "./trust/account-roles.tsx";

type AnyTab = (props: TabProps<TabName>) => JSX.Element;

async function loadTab(name: TabName, lists: AccountLists) {
  const [tab, views] = await Promise.all([
    lists.loadTab(name),
    name === "transactions"
      ? { transactions: Transactions }
      : import("./address/tabs.tsx").then(({ tabViews }) => tabViews),
  ]);
  // The type checker cannot relate a tab's name to its data.
  return { tab, View: (views as Readonly<Record<string, unknown>>)[name] as AnyTab };
}

interface AccountProps {
  readonly address: string;
  readonly lists: AccountLists;
  readonly context: PageContext;
  readonly version: string;
}

const MIN_BALANCE_RELOAD_MS = 5_000;
const MIN_LIST_RELOAD_MS = 15_000;

function OpenTab(props: AccountProps & { readonly name: TabName; readonly query: URLSearchParams }) {
  const { address, lists, context, version, name } = props;
  const loaded = useQuery(context, `${address} ${name}`, () => loadTab(name, lists), {
    version,
    minIntervalMs: MIN_LIST_RELOAD_MS,
  });
  return (
    <Attempted
      attempt={loaded}
      lines={20}
      render={({ tab, View }) => <View {...props} tab={tab} live={context.live} />}
    />
  );
}

function History({ address, lists, context, version }: AccountProps) {
  const showsAll = useSignal(false);
  const changes = useQuery(
    context,
    `${address} plotted changes ${showsAll.value}`,
    () => ifSupported(lists.loadPlottedChanges(showsAll.value)),
    { version, minIntervalMs: MINUTE_MS },
  );
  return (
    <AttemptedPanel
      title={texts.history.title}
      attempt={changes}
      lines={14}
      render={(loaded) =>
        loaded === undefined ? (
          <p class="quiet">{commonTexts.notAvailable}</p>
        ) : (
          <>
            <BalancePlot changes={loaded} live={context.live} />
            {loaded.next !== undefined && !showsAll.value && (
              <button type="button" onClick={() => (showsAll.value = true)}>
                {texts.history.more}
              </button>
            )}
          </>
        )
      }
    />
  );
}

function Account(props: AccountProps & { readonly query: URLSearchParams }) {
  const { address, lists, context, version, query } = props;
  const balanceOptions = { version, minIntervalMs: MIN_BALANCE_RELOAD_MS };
  const params = { address };
  const balances = useAnswer(context, balanceOptions, "GET /addresses/balance/details/:address", { params });
  const leaseOptions = { version, minIntervalMs: MIN_LIST_RELOAD_MS };
  const leases = useQuery(context, `${address} leases`, () => lists.loadLeases(), leaseOptions);
  const tab = parseTab(query.get("tab"));
  return (
    <article class="address">
      <h1>{texts.title}</h1>
      <p class="lead">
        <Address value={address} /> <AccountRoles address={address} context={context} />
      </p>
      <div class="row account-tools">
        <LabelEditor address={address} />
        <QrCode text={address} label={partTexts.qrCodeOf(address)} />
      </div>
      <div class="panels two-columns">
        <div class="stack">
          <History {...props} />
          <AttemptedPanel
            title={texts.leases.title}
            attempt={leases}
            render={(loaded) => (
              <>
                <Leases
                  address={address}
                  leases={loaded}
                  balances={balances?.ok === true ? balances.value : undefined}
                />
                <ExportLinks context={context} path={`leasing/active/${address}`} />
              </>
            )}
          />
        </div>
        <AttemptedPanel
          title={texts.balances.title}
          attempt={balances}
          lines={13}
          render={(loaded) => <BalanceTable balances={loaded} />}
        />
      </div>
      <section class="panel">
        <h2 class="visually-hidden">{texts.tabsLabel}</h2>
        <Tabs
          label={texts.tabsLabel}
          tabs={tabNames.map((name) => ({
            name,
            label: texts.tabs[name],
            render: () => (
              <div key={name} class="stack">
                <OpenTab {...props} name={name} />
              </div>
            ),
          }))}
          selected={tab}
          select={(name) => navigate(addressLink(address, parseTab(name)), true)}
        />
      </section>
    </article>
  );
}

function KnownAccount(props: Omit<AccountProps, "lists" | "version"> & { readonly query: URLSearchParams }) {
  const { address, context } = props;
  const lists = useMemo(() => new AccountLists(context.node.client, address), [address]);
  return <Account {...props} lists={lists} version={useAccountVersion(address, context.live)} />;
}

function View({ params: { address: text = "" }, query, context }: PageProps) {
  return (
    <PageContent
      context={context}
      heading={texts.title}
      attempt={useAddress(context, text)}
      render={(known) => <KnownAccount address={known} query={query} context={context} />}
    />
  );
}

export const addressPage: PageDefinition = {
  path: "address/:address",
  title: ({ address = "" }) => texts.titleOf(address),
  View,
};
