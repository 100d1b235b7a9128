import { useSignal } from "@preact/signals";
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
import { BalancePlot, BalanceTable, Leases, useLeases } from "./address/balances.tsx";
import { LabelEditor } from "./address/label.tsx";
import { parseTab, type TabName, type TabProps, tabNames } from "./address/tab-props.ts";
import { addressTexts as texts } from "./address/texts.ts";
import { Transactions } from "./address/transactions.tsx";
import { useAddress } from "./address/use-address.ts";
import { ExportLinks, useList } from "./lists/node-list.tsx";
import { AccountRoles } from "./trust/account-roles.tsx";

interface AccountProps {
  readonly address: string;
  readonly context: PageContext;
  readonly query: URLSearchParams;
}

const PLOTTED_CHANGES = 30;
const MAX_PLOTTED_CHANGES = 500;
const MIN_BALANCE_RELOAD_MS = 5_000;
const MIN_LIST_RELOAD_MS = 15_000;

function OtherTab(props: TabProps & { readonly name: Exclude<TabName, "transactions"> }) {
  const code = useQuery(props.context, "code of tabs", () => import("./address/tabs.tsx"));
  const render = ({ tabViews }: typeof import("./address/tabs.tsx")) => {
    const View = tabViews[props.name];
    return <View {...props} />;
  };
  return <Attempted attempt={code} lines={20} render={render} />;
}

function History(props: Omit<AccountProps, "query"> & { readonly version: string }) {
  const { address, context, version } = props;
  const showsAll = useSignal(false);
  const options = { version, minIntervalMs: MINUTE_MS };
  const query = { limit: showsAll.value ? MAX_PLOTTED_CHANGES : PLOTTED_CHANGES };
  const route = "GET /addresses/balance/changes/:address";
  const { first } = useList(context, options, route, { params: { address }, query });
  return (
    <AttemptedPanel
      title={texts.history.title}
      attempt={first}
      lines={14}
      render={(changes) => (
        <>
          <BalancePlot changes={changes} live={context.live} />
          {changes.next !== undefined && !showsAll.value && (
            <button type="button" onClick={() => (showsAll.value = true)}>
              {texts.history.more}
            </button>
          )}
        </>
      )}
    />
  );
}

function Account({ address, context, query }: AccountProps) {
  const version = useAccountVersion(address, context.live);
  const balanceOptions = { version, minIntervalMs: MIN_BALANCE_RELOAD_MS };
  const params = { address };
  const balances = useAnswer(context, balanceOptions, "GET /addresses/balance/details/:address", { params });
  const options = { version, minIntervalMs: MIN_LIST_RELOAD_MS };
  const leases = useLeases(context, options, address);
  const tab = parseTab(query.get("tab"));
  const tabProps = { address, context, options, query };
  return (
    <article class="address">
      <h1>{commonTexts.account}</h1>
      <p class="lead">
        <Address value={address} /> <AccountRoles address={address} context={context} />
      </p>
      <div class="row account-tools">
        <LabelEditor address={address} />
        <QrCode text={address} label={partTexts.qrCodeOf(address)} />
      </div>
      <div class="panels two-columns">
        <div class="stack">
          <History address={address} context={context} version={version} />
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
                {name === "transactions" ? (
                  <Transactions {...tabProps} />
                ) : (
                  <OtherTab {...tabProps} name={name} />
                )}
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

function View({ params: { address: text = "" }, query, context }: PageProps) {
  return (
    <PageContent
      context={context}
      heading={commonTexts.account}
      attempt={useAddress(context, text)}
      render={(known) => <Account address={known} query={query} context={context} />}
    />
  );
}

export const addressPage: PageDefinition = { title: ({ address = "" }) => texts.titleOf(address), View };
