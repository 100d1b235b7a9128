import type { JSX } from "preact";
import { durationText } from "../../bytes/durations.ts";
import { apiKey, keyedClient } from "../data/api-key.ts";
import { attempt } from "../data/attempt.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Attempted } from "../parts/attempted.tsx";
import { Address } from "../parts/id.tsx";
import { Notice } from "../parts/notice.tsx";
import { AttemptedPanel, Panel } from "../parts/panel.tsx";
import { FieldList } from "../parts/table.tsx";
import { Due, Time } from "../parts/time/time.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { fill } from "../text/fill.ts";
import { countText, FEE_VOTES, numberText, sizeText } from "../text/measures.ts";
import { Features } from "./node/features.tsx";
import { PeersTable } from "./node/peers-table.tsx";
import { ReorganisationsTable } from "./node/reorganisations.tsx";
import { nodeTexts as texts } from "./node/texts.ts";

async function loadOperatorData({ node }: PageContext) {
  const client = keyedClient(node);
  const [resources, { minerState }, due] = await Promise.all([
    client.call("GET /node/resources"),
    client.call("GET /debug/info"),
    client.call("GET /debug/minerInfo"),
  ]);
  return { resources, forging: minerState, due };
}

type NodeData = Awaited<ReturnType<typeof load>>;

/** Each part can fail alone, because other implementations lack some of these routes. */
async function load(context: PageContext) {
  const { node } = context;
  const { client } = node;
  const [health, version, sync, peers, pool, features, fees, indexes, reorganisations] = await Promise.all([
    attempt(node, client.call("GET /node/health")),
    attempt(node, client.call("GET /node/version")),
    attempt(node, client.call("GET /node/sync")),
    attempt(node, client.call("GET /node/peers")),
    attempt(node, client.call("GET /transactions/unconfirmed/size")),
    attempt(node, client.call("GET /activation/status")),
    attempt(node, client.call("GET /fees/status")),
    attempt(node, client.call("GET /node/indexes")),
    attempt(node, client.call("GET /node/reorganisations")),
  ]);
  const isOpen = health.ok && health.value.keyRoutes === "open";
  const isOperator = node.servesPage && (isOpen || apiKey.peek() !== undefined);
  const operatorData = isOperator ? await attempt(node, loadOperatorData(context)) : undefined;
  return { health, version, sync, peers, pool, features, fees, indexes, reorganisations, operatorData };
}

function HealthNotice({ health }: { readonly health: NodeData["health"] }): JSX.Element {
  return (
    <Attempted
      attempt={health}
      render={({ state, reasons }) => (
        <Notice kind={state === "well" ? "right" : state === "behind" ? "unsettled" : "wrong"}>
          <p>
            <strong>{texts.health[state]}</strong>
          </p>
          {state !== "well" && (
            <ul class="bare">
              {reasons.map(({ code, message }) => (
                <li key={code}>{message}</li>
              ))}
            </ul>
          )}
        </Notice>
      )}
    />
  );
}

function Sync({ data }: { readonly data: NodeData }): JSX.Element {
  return (
    <Panel title={texts.sync.title}>
      <Attempted
        attempt={data.sync}
        render={({
          height,
          behind,
          targetHeight,
          claimedHeight,
          blocksPerSecond,
          transactionsPerSecond,
          secondsLeft,
          peers,
        }) => {
          const target = targetHeight ?? height;
          const share = target === 0 ? 1 : Math.min(1, height / target);
          return (
            <>
              <label class="sync">
                <span>
                  {behind
                    ? texts.sync.behind(height, target, Math.floor(100 * share))
                    : peers === 0
                      ? texts.sync.alone(height)
                      : claimedHeight !== undefined && claimedHeight > height
                        ? texts.sync.claimed(height, claimedHeight)
                        : texts.sync.synced(height)}
                </span>
                <progress max={target} value={height} />
              </label>
              {behind && (
                <p class="quiet">
                  {secondsLeft === undefined
                    ? texts.sync.timeUnknown
                    : texts.sync.timeLeft(durationText(1_000 * secondsLeft))}{" "}
                  {texts.sync.speed(blocksPerSecond, transactionsPerSecond)}
                </p>
              )}
            </>
          );
        }}
      />
      <Indexes indexes={data.indexes} />
    </Panel>
  );
}

function Indexes({ indexes }: { readonly indexes: NodeData["indexes"] }): JSX.Element | null {
  const notReady = indexes.ok ? indexes.value.filter(({ state }) => state !== "ready") : [];
  if (notReady.length === 0) return null;
  return (
    <ul class="bare">
      {notReady.map(({ name, state, height = 0, of: targetHeight = 0 }) => (
        <li key={name}>
          {state === "off" ? (
            <span class="quiet">{texts.indexes.off(name)}</span>
          ) : state === "clearing" ? (
            texts.indexes.clearing(name)
          ) : (
            <label class="sync">
              <span>{texts.indexes.building(name, height, targetHeight)}</span>
              <progress max={Math.max(1, targetHeight)} value={height} />
            </label>
          )}
        </li>
      ))}
    </ul>
  );
}

function Pool({ data, context }: { readonly data: NodeData; readonly context: PageContext }): JSX.Element {
  const { pool, fees } = data;
  const missed = context.live.missed.value;
  return (
    <Panel title={texts.pool.title}>
      <FieldList
        rows={[
          [texts.pool.unconfirmed, pool.ok ? countText(pool.value.size, "transaction") : commonTexts.unknown],
          [commonTexts.feePrice, fees.ok ? <Amount value={fees.value.price} /> : undefined],
          [texts.pool.votes, fees.ok ? numberText(fees.value.votes) : undefined],
          [
            texts.pool.nextPrice,
            fees.ok
              ? fill(texts.pool.next(FEE_VOTES[fees.value.next.status], fees.value.next.activationHeight), {
                  price: <Amount value={fees.value.next.price} />,
                })
              : undefined,
          ],
          [texts.pool.nodeVote, fees.ok ? FEE_VOTES[fees.value.nodeStatus] : undefined],
        ]}
      />
      {missed > 0 && <p class="quiet">{texts.pool.missed(missed)}</p>}
    </Panel>
  );
}

function Forging({ data }: { readonly data: NodeData }): JSX.Element {
  const { operatorData } = data;
  const details = operatorData?.ok === true ? operatorData.value : undefined;
  return (
    <Panel title={texts.forging.title}>
      <Attempted attempt={data.health} render={({ forging }) => <p>{texts.forging.states[forging]}</p>} />
      {details !== undefined && (
        <FieldList
          rows={[
            [texts.forging.state, details.forging],
            ...details.due.map(
              ({ address, miningBalance, timestamp }) =>
                [
                  texts.forging.nextBlock,
                  fill(texts.forging.candidate, {
                    due: <Due at={timestamp} />,
                    address: <Address value={address} noCopy />,
                    stake: <Amount value={miningBalance} />,
                  }),
                ] as const,
            ),
          ]}
        />
      )}
      <p>
        <a href={pageLink(["forgers"])}>{texts.forging.forgers}</a>
      </p>
    </Panel>
  );
}

const sizeOrUnknown = (bytes: number | null): string =>
  bytes === null ? commonTexts.unknown : sizeText(bytes);

function MachinePanel({ data, context }: { readonly data: NodeData; readonly context: PageContext }) {
  const { operatorData, version, health } = data;
  return (
    <Panel title={texts.machine.title}>
      <FieldList
        rows={[
          [
            texts.machine.version,
            version.ok ? <bdi>{version.value.version.slice(0, 100)}</bdi> : commonTexts.unknown,
          ],
          [texts.machine.url, <bdi>{context.node.url}</bdi>],
        ]}
      />
      {operatorData === undefined ? (
        <p class="quiet">
          {!context.node.servesPage
            ? texts.machine.otherNode
            : health.ok && health.value.keyRoutes === "closed"
              ? texts.machine.keyMissing
              : texts.machine.operatorOnly}{" "}
          {context.node.servesPage && <a href={pageLink(["accounts"])}>{texts.machine.enterKey}</a>}
        </p>
      ) : (
        <Attempted
          attempt={operatorData}
          render={({ resources: { startedAt, memoryBytes, storeBytes, diskFreeBytes, diskBytes } }) => (
            <FieldList
              rows={[
                [texts.machine.started, <Time at={startedAt} />],
                [texts.machine.memory, sizeOrUnknown(memoryBytes)],
                [texts.machine.chain, sizeOrUnknown(storeBytes)],
                [
                  texts.machine.disk,
                  diskBytes === null
                    ? sizeOrUnknown(diskFreeBytes)
                    : texts.machine.freeOfTotal(sizeOrUnknown(diskFreeBytes), sizeText(diskBytes)),
                ],
              ]}
            />
          )}
        />
      )}
    </Panel>
  );
}

export const nodePage: PageDefinition<NodeData> = {
  path: "node",
  title: () => texts.title,
  load: (_params, _query, context) => load(context),
  refresh: "tip",
  View: ({ data, context }) => (
    <>
      <h1>{texts.title}</h1>
      <HealthNotice health={data.health} />
      <Sync data={data} />
      <AttemptedPanel
        title={texts.peers.title}
        attempt={data.peers}
        render={(answer) => <PeersTable answer={answer} />}
      />
      <div class="panels two-columns">
        <div class="stack">
          <AttemptedPanel
            title={texts.features.title}
            attempt={data.features}
            render={(answer) => <Features answer={answer} />}
          />
          <AttemptedPanel
            title={texts.reorganisations.title}
            attempt={data.reorganisations}
            render={(answer) => <ReorganisationsTable answer={answer} />}
          />
        </div>
        <div class="stack">
          <Pool data={data} context={context} />
          <Forging data={data} />
          <MachinePanel data={data} context={context} />
        </div>
      </div>
    </>
  ),
};
