import { apiKey, keyedClient } from "../data/api-key.ts";
import { afterKeyBlocks, TEN_MINUTES_MS, useAnswer, useQuery } from "../data/use-query.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../page.ts";
import { Address, Amount, Due, Time } from "../parts/inline.tsx";
import { FieldList } from "../parts/lists/table.tsx";
import { Attempted, AttemptedPanel, Notice, Panel } from "../parts/panel.tsx";
import { useHealth } from "../shell/health.ts";
import { shellTexts } from "../shell/texts.ts";
import { commonTexts } from "../text/common-texts.ts";
import { durationText, fill, numberText, sizeText } from "../text/text.ts";
import { Features } from "./node/features.tsx";
import { PeersTable } from "./node/peers-table.tsx";
import { ReorganisationsPanel } from "./node/reorganisations.tsx";
import { nodeTexts as texts } from "./node/texts.ts";
import { NextFeePrice } from "./overview/next-fee-price.tsx";

async function loadOperatorData({ node }: PageContext) {
  const client = keyedClient(node);
  const [resources, { minerState }, due] = await Promise.all([
    client.call("GET /node/resources"),
    client.call("GET /debug/info"),
    client.call("GET /debug/minerInfo"),
  ]);
  return { resources, forging: minerState, due };
}

interface ContextProps {
  readonly context: PageContext;
}

const MIN_RELOAD_INTERVAL_MS = 15_000;

/** Options of queries about the state of the node. */
const stateOptions = (context: PageContext) => afterKeyBlocks(context, MIN_RELOAD_INTERVAL_MS);

function useIsOperator(context: PageContext): boolean {
  const health = useHealth(context);
  const isOpen = health?.ok === true && health.value.keyRoutes === "open";
  return context.node.servesPage && (isOpen || apiKey.value !== undefined);
}

function useOperatorData(context: PageContext) {
  return useQuery(
    context,
    `operator ${apiKey.value}`,
    () => loadOperatorData(context),
    stateOptions(context),
  );
}

function HealthNotice({ context }: ContextProps) {
  return (
    <Attempted
      attempt={useHealth(context)}
      render={({ state, reasons }) => (
        <Notice kind={state === "well" ? "right" : state === "behind" ? "unsettled" : "wrong"}>
          <p>
            <strong>{texts.health[state]}</strong>
          </p>
          {state !== "well" && (
            <ul class="bare">
              {reasons.map(({ code, message }) => {
                const reason = shellTexts.reason(code, message);
                return (
                  <li key={code}>
                    {reason} {reason !== message && <span class="quiet">{message}</span>}
                  </li>
                );
              })}
            </ul>
          )}
        </Notice>
      )}
    />
  );
}

function Sync({ context }: ContextProps) {
  const sync = useAnswer(context, stateOptions(context), "GET /node/sync");
  return (
    <Panel title={texts.sync.title}>
      <Attempted
        attempt={sync}
        render={(status) => {
          const { height, behind, targetHeight: target = height, claimedHeight, secondsLeft, peers } = status;
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
                  {texts.sync.speed(status.blocksPerSecond, status.transactionsPerSecond)}
                </p>
              )}
            </>
          );
        }}
      />
      <Indexes context={context} />
    </Panel>
  );
}

function Indexes({ context }: ContextProps) {
  const indexes = useAnswer(context, stateOptions(context), "GET /node/indexes");
  const notReady = indexes?.ok === true ? indexes.value.filter(({ state }) => state !== "ready") : [];
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

function Pool({ context }: ContextProps) {
  const pool = useAnswer(context, stateOptions(context), "GET /transactions/unconfirmed/size");
  const status = useAnswer(context, afterKeyBlocks(context), "GET /fees/status");
  const fees = status?.ok === true ? status.value : undefined;
  const missed = context.live.missed.value;
  return (
    <Panel title={texts.pool.title}>
      <FieldList
        rows={[
          [
            texts.pool.unconfirmed,
            pool?.ok === true ? commonTexts.transactionCount(pool.value.size) : commonTexts.unknown,
          ],
          [commonTexts.feePrice, fees && <Amount value={fees.price} />],
          [texts.pool.votes, fees && numberText(fees.votes)],
          [texts.pool.nextPrice, fees && <NextFeePrice next={fees.next} />],
          [texts.pool.nodeVote, fees && commonTexts.feeVotes[fees.nodeStatus]],
        ]}
      />
      {missed > 0 && <p class="quiet">{commonTexts.missedTransactions(missed)}</p>}
    </Panel>
  );
}

function OperatorForging({ context }: ContextProps) {
  const data = useOperatorData(context);
  if (data?.ok !== true) return null;
  const { forging, due } = data.value;
  return (
    <FieldList
      rows={[
        [texts.forging.state, forging],
        ...due.map(
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
  );
}

function Forging({ context }: ContextProps) {
  return (
    <Panel title={texts.forging.title}>
      <Attempted
        attempt={useHealth(context)}
        lines={1}
        render={({ forging }) => <p>{texts.forging.states[forging]}</p>}
      />
      {useIsOperator(context) && <OperatorForging context={context} />}
      <p>
        <a href={pageLink(["forgers"])}>{texts.forging.forgers}</a>
      </p>
    </Panel>
  );
}

const sizeOrUnknown = (bytes: number | null): string =>
  bytes === null ? commonTexts.unknown : sizeText(bytes);

function Machine({ context }: ContextProps) {
  return (
    <Attempted
      attempt={useOperatorData(context)}
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
  );
}

function MachinePanel({ context }: ContextProps) {
  const version = useAnswer(context, undefined, "GET /node/version");
  const health = useHealth(context);
  return (
    <Panel title={texts.machine.title}>
      <FieldList
        rows={[
          [
            commonTexts.version,
            version?.ok === true ? <bdi>{version.value.version.slice(0, 100)}</bdi> : commonTexts.unknown,
          ],
          [commonTexts.api, <bdi>{context.node.url}</bdi>],
          [texts.machine.other, <a href={pageLink(["compare"])}>{texts.machine.compare}</a>],
        ]}
      />
      {useIsOperator(context) ? (
        <Machine context={context} />
      ) : (
        <p class="quiet">
          {!context.node.servesPage
            ? texts.machine.otherNode
            : health?.ok === true && health.value.keyRoutes === "closed"
              ? texts.machine.keyMissing
              : texts.machine.operatorOnly}{" "}
          {context.node.servesPage && <a href={pageLink(["accounts"])}>{texts.machine.enterKey}</a>}
        </p>
      )}
    </Panel>
  );
}

function View({ context }: PageProps) {
  const peers = useAnswer(context, stateOptions(context), "GET /node/peers");
  const features = useAnswer(context, afterKeyBlocks(context, TEN_MINUTES_MS), "GET /activation/status");
  return (
    <>
      <h1>{texts.title}</h1>
      <HealthNotice context={context} />
      <Sync context={context} />
      <AttemptedPanel
        title={texts.peers.title}
        attempt={peers}
        lines={8}
        render={(answer) => <PeersTable answer={answer} />}
      />
      <div class="panels two-columns">
        <div class="stack">
          <AttemptedPanel
            title={texts.features.title}
            attempt={features}
            lines={12}
            render={(answer) => <Features answer={answer} />}
          />
          <ReorganisationsPanel context={context} />
        </div>
        <div class="stack">
          <Pool context={context} />
          <Forging context={context} />
          <MachinePanel context={context} />
        </div>
      </div>
    </>
  );
}

export const nodePage: PageDefinition = { title: () => texts.title, View };
