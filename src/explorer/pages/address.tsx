import type { JSX } from "preact";
import { addressLink } from "../links.ts";
import { type PageContext, type PageDefinition, PageProblem } from "../page.ts";
import { Address } from "../parts/id.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import { Panel } from "../parts/panel.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { parseSearch } from "../search/parse-search.ts";
import { navigate } from "../shell/page-location.ts";
import { commonTexts } from "../text/common-texts.ts";
import { BalancePlot, BalanceTable, Leases } from "./address/balances.tsx";
import {
  AccountLists,
  type AddressData,
  loadAddress,
  parseTab,
  type TabData,
  tabNames,
} from "./address/load.ts";
import {
  Associations,
  Certificate,
  Changes,
  Data,
  Identity,
  Script,
  Sponsors,
  type TabProps,
} from "./address/tabs.tsx";
import { addressTexts as texts } from "./address/texts.ts";
import { Transactions } from "./address/transactions.tsx";

/** @throws PageProblem if the text is not an address of this network */
function parseAddress(text: string, chainId: number): string {
  const parsed = parseSearch(text, chainId);
  if (parsed.kind === "nothing") throw new PageProblem("malformed", parsed.message, parsed.advice);
  const found = parsed.candidates.find((candidate) => candidate.kind === "address");
  if (found !== undefined) return found.address;
  throw new PageProblem("malformed", texts.invalid, texts.invalidAdvice);
}

const tabViews: { readonly [Name in TabData["name"]]: (props: TabProps<Name>) => JSX.Element } = {
  transactions: Transactions,
  changes: Changes,
  data: Data,
  associations: Associations,
  identity: Identity,
  script: Script,
  sponsors: Sponsors,
  certificate: Certificate,
};

function OpenTab(props: { readonly data: AddressData; readonly context: PageContext }): JSX.Element {
  const { context } = props;
  const { address, tab } = props.data;
  if ("problem" in tab) return <ProblemNotice problem={tab.problem} />;
  // The type checker cannot relate a tab's name to its data.
  const TabView = tabViews[tab.name] as (props: TabProps<TabData["name"]>) => JSX.Element;
  const lists = new AccountLists(context.node.client, address);
  return <TabView address={address} tab={tab} lists={lists} live={context.live} />;
}

function View(props: { readonly data: AddressData; readonly context: PageContext }): JSX.Element {
  const { data, context } = props;
  const { address, balances, changes, tab } = data;
  return (
    <article class="address">
      <h1>{texts.title}</h1>
      <p class="lead">
        <Address value={address} />
      </p>
      <div class="panels two-columns">
        <div class="stack">
          <Panel title={texts.history.title}>
            {changes === undefined ? (
              <p class="quiet">{commonTexts.notAvailable}</p>
            ) : (
              <BalancePlot changes={changes} live={context.live} />
            )}
          </Panel>
          <Panel title={texts.leases.title}>
            <Leases data={data} />
          </Panel>
        </div>
        <Panel title={texts.balances.title}>
          <BalanceTable balances={balances} />
        </Panel>
      </div>
      <section class="panel">
        <h2 class="visually-hidden">{texts.tabsLabel}</h2>
        <Tabs
          label={texts.tabsLabel}
          tabs={tabNames.map((name) => ({
            name,
            label: texts.tabs[name],
            count: tab.name === name && "total" in tab ? tab.total : undefined,
            render: () => (
              <div key={name} class="stack">
                <OpenTab data={data} context={context} />
              </div>
            ),
          }))}
          selected={tab.name}
          select={(name) => navigate(addressLink(address, parseTab(name)), true)}
        />
      </section>
    </article>
  );
}

export const addressPage: PageDefinition<AddressData> = {
  path: "address/:address",
  refresh: "new",
  title: ({ address = "" }) => texts.titleOf(address),
  async load(params, query, context) {
    const { chainId } = await context.node.loadNetwork();
    return loadAddress(parseAddress(params.address ?? "", chainId), parseTab(query.get("tab")), context);
  },
  View,
};
