import type { JSX } from "preact";
import { DAY, durationText } from "../../bytes/durations.ts";
import { type Attempt, attempt } from "../data/attempt.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Attempted } from "../parts/attempted.tsx";
import { BlockStrip } from "../parts/charts/strip.tsx";
import { Note } from "../parts/notice.tsx";
import { AttemptedPanel, Panel } from "../parts/panel.tsx";
import { FieldList } from "../parts/table.tsx";
import { Height } from "../parts/value.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { fill } from "../text/fill.ts";
import { FEE_VOTES, numberText, percentText, utcDay } from "../text/measures.ts";
import { DaysPlot, loadDays } from "./overview/days.tsx";
import { ForgersRing } from "./overview/forgers-ring.tsx";
import { LiveTransactions } from "./overview/live-transactions.tsx";
import { overviewTexts as texts } from "./overview/texts.ts";

type OverviewData = Awaited<ReturnType<typeof load>>;

const MAX_FORGERS = 100;
const MAX_TRANSACTIONS = 30;

/**
 * Returns the leased amount of the newest day in the statistics, in units of 10⁻⁸ tokens.
 * @param today ms since 1970
 */
async function loadLeased({ node }: PageContext, today: number): Promise<bigint | undefined> {
  const params = { from: utcDay(today - DAY), to: utcDay(today) };
  const days = await node.client.call("GET /stats/supply/:from/:to", { params });
  return days.at(-1)?.leased;
}

async function load(context: PageContext) {
  const { node } = context;
  const { client } = node;
  const last = await client.call("GET /blocks/headers/last");
  const today = Number(last.timestamp);
  const [newest, days, forgers, supply, leased, fees, features, peers] = await Promise.all([
    attempt(node, client.call("GET /transactions/newest", { query: { limit: MAX_TRANSACTIONS } })),
    attempt(node, loadDays(client, today)),
    attempt(node, client.call("GET /generators", { query: { limit: MAX_FORGERS } })),
    attempt(node, client.call("GET /supply")),
    attempt(node, loadLeased(context, today)),
    attempt(node, client.call("GET /fees/status")),
    attempt(node, client.call("GET /activation/status")),
    attempt(node, client.call("GET /peers/connected")),
  ]);
  return { last, newest, days, forgers, supply, leased, fees, features, peers };
}

function SyncNotice({ context }: { readonly context: PageContext }): JSX.Element | null {
  const connection = context.live.connection.value;
  if (connection.state !== "behind") return null;
  const { height, targetHeight, secondsLeft } = connection.sync;
  const share = targetHeight === undefined || targetHeight === 0 ? undefined : height / targetHeight;
  return (
    <Note kind="unsettled">
      {texts.syncing(
        height,
        targetHeight,
        share === undefined ? undefined : percentText(Math.min(1, share)),
        secondsLeft === undefined ? undefined : durationText(1_000 * secondsLeft),
      )}
    </Note>
  );
}

function NewestBlocks({ context }: { readonly context: PageContext }): JSX.Element {
  const blocks = context.live.blocks.value;
  return (
    <section aria-labelledby="blocks-heading">
      <h2 id="blocks-heading" class="visually-hidden">
        {texts.blocks.title}
      </h2>
      {blocks.length === 0 ? <p class="quiet">{texts.blocks.loading}</p> : <BlockStrip blocks={blocks} />}
      {blocks.length > 0 && blocks.every(({ height }) => height === 1) && (
        <Note kind="plain">{texts.blocks.onlyFirst}</Note>
      )}
    </section>
  );
}

const valueOrUndefined = <T,>(result: Attempt<T>): T | undefined => (result.ok ? result.value : undefined);

function SupplyFigures({ data }: { readonly data: OverviewData }): JSX.Element {
  return (
    <AttemptedPanel
      title={texts.supply.title}
      attempt={data.supply}
      render={({ total, burned }) => {
        const leased = valueOrUndefined(data.leased);
        return (
          <dl class="figures">
            <div>
              <dt>{texts.supply.total}</dt>
              <dd>
                <Amount value={total} />
              </dd>
            </div>
            <div>
              <dt title={texts.supply.burnedHint}>{texts.supply.burned}</dt>
              <dd>
                <Amount value={burned} />
              </dd>
            </div>
            {leased !== undefined && (
              <div>
                <dt>{texts.supply.leased}</dt>
                <dd>
                  <Amount value={leased} />{" "}
                  {total > 0n && <span class="quiet">({percentText(Number(leased) / Number(total))})</span>}
                </dd>
              </div>
            )}
          </dl>
        );
      }}
    />
  );
}

function ChainStatus({ data }: { readonly data: OverviewData }): JSX.Element {
  const fees = valueOrUndefined(data.fees);
  const features = valueOrUndefined(data.features);
  const peers = valueOrUndefined(data.peers);
  const voting = features?.features.filter(({ blockchainStatus }) => blockchainStatus === "VOTING") ?? [];
  return (
    <Panel title={texts.chain.title}>
      <FieldList
        rows={[
          [commonTexts.baseTarget, numberText(data.last["nxt-consensus"]["base-target"])],
          [commonTexts.feePrice, fees && <Amount value={fees.price} />],
          [
            texts.chain.nextFeePrice,
            fees &&
              fill(texts.chain.nextFee(FEE_VOTES[fees.next.status]), {
                price: <Amount value={fees.next.price} />,
                height: <Height height={fees.next.activationHeight} />,
              }),
          ],
          [
            texts.chain.features,
            features &&
              (voting
                .map(({ id, description, supportingBlocks = 0 }) =>
                  texts.chain.votes(description, id, supportingBlocks, features.votingThreshold),
                )
                .join("; ") ||
                commonTexts.none),
          ],
          [texts.chain.peers, peers && <a href={pageLink(["node"])}>{numberText(peers.peers.length)}</a>],
        ]}
      />
    </Panel>
  );
}

export const overviewPage: PageDefinition<OverviewData> = {
  path: "",
  title: () => texts.title,
  load: (_params, _query, context) => load(context),
  refresh: "tip",
  View: ({ data, context }) => (
    <>
      <h1 class="visually-hidden">{texts.title}</h1>
      <SyncNotice context={context} />
      <NewestBlocks context={context} />
      <div class="panels two-columns">
        <LiveTransactions live={context.live} older={valueOrUndefined(data.newest) ?? []} />
        <div class="stack">
          <AttemptedPanel
            title={texts.days.title}
            attempt={data.days}
            render={(days) => <DaysPlot days={days} />}
          />
          <Panel title={texts.forgers.title}>
            <Attempted
              attempt={data.forgers}
              render={(forgers) => <ForgersRing caption={texts.forgers.caption} forgers={forgers} />}
            />
            <p>
              <a href={pageLink(["forgers"])}>{texts.forgers.link}</a>
            </p>
          </Panel>
          <SupplyFigures data={data} />
          <ChainStatus data={data} />
        </div>
      </div>
    </>
  ),
};
