/** Page of the node: health, sync, peers, features, pool, forging and resources. */

import type { JSX } from "preact";
import { durationText } from "../../bytes/durations.ts";
import type { Answer } from "../../client/index.ts";
import { apiKey, keyedClient } from "../data/api-key.ts";
import { type Attempt, attempt } from "../data/attempt.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { Amount } from "../parts/amount.tsx";
import { Attempted } from "../parts/attempted.tsx";
import { Notice } from "../parts/notice.tsx";
import { AttemptedPanel, Panel } from "../parts/panel.tsx";
import { Facts } from "../parts/table.tsx";
import { Due, Time } from "../parts/time/time.tsx";
import { countText, FEE_VOTES, numberText, sizeText } from "../text/measures.ts";
import { Features } from "./node/features.tsx";
import { PeersTable } from "./node/peers-table.tsx";
import { ReorganisationsTable } from "./node/reorganisations.tsx";

/** Each part may fail on its own: other implementations have only some of these routes. */
export interface NodeData {
  readonly health: Attempt<Answer<"GET /node/health">>;
  readonly version: Attempt<Answer<"GET /node/version">>;
  readonly sync: Attempt<Answer<"GET /node/sync">>;
  readonly peers: Attempt<Answer<"GET /node/peers">>;
  readonly pool: Attempt<Answer<"GET /transactions/unconfirmed/size">>;
  readonly features: Attempt<Answer<"GET /activation/status">>;
  readonly fees: Attempt<Answer<"GET /fees/status">>;
  readonly indexes: Attempt<Answer<"GET /node/indexes">>;
  readonly reorganisations: Attempt<Answer<"GET /node/reorganisations">>;
  /** Undefined if the route needs an API key and none was given. */
  readonly machine: Attempt<Machine> | undefined;
}

export interface Machine {
  readonly resources: Answer<"GET /node/resources">;
  readonly forging: Answer<"GET /debug/info">["minerState"];
  readonly due: Answer<"GET /debug/minerInfo">;
}

async function loadMachine({ node }: PageContext): Promise<Machine> {
  const client = keyedClient(node);
  const [resources, { minerState }, due] = await Promise.all([
    client.call("GET /node/resources"),
    client.call("GET /debug/info"),
    client.call("GET /debug/minerInfo"),
  ]);
  return { resources, forging: minerState, due };
}

async function load(context: PageContext): Promise<NodeData> {
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
  const isOpen = health.ok && health.value.keyRoutes === "open" && node.own;
  const mayAsk = isOpen || (node.own && apiKey.peek() !== undefined);
  const machine = mayAsk ? await attempt(node, loadMachine(context)) : undefined;
  return { health, version, sync, peers, pool, features, fees, indexes, reorganisations, machine };
}

function HealthNotice({ health }: { readonly health: NodeData["health"] }): JSX.Element {
  return (
    <Attempted
      of={health}
      draw={({ state, reasons }) => (
        <Notice kind={state === "well" ? "right" : state === "behind" ? "unsettled" : "wrong"}>
          {state === "well" ? (
            <p>
              <strong>The node is well.</strong>
            </p>
          ) : (
            <>
              <p>
                <strong>
                  {state === "behind" ? "The node is not there yet." : "Somebody should look at the node."}
                </strong>
              </p>
              <ul class="bare">
                {reasons.map(({ code, message }) => (
                  <li key={code}>{message}</li>
                ))}
              </ul>
            </>
          )}
        </Notice>
      )}
    />
  );
}

function Sync({ data }: { readonly data: NodeData }): JSX.Element {
  return (
    <Panel title="Chain">
      <Attempted
        of={data.sync}
        draw={({
          height,
          behind,
          targetHeight,
          claimedHeight,
          blocksPerSecond,
          transactionsPerSecond,
          secondsLeft,
          peers,
        }) => {
          const of = targetHeight ?? height;
          const share = of === 0 ? 1 : Math.min(1, height / of);
          return (
            <>
              <label class="sync">
                <span>
                  {behind
                    ? `Block ${numberText(height)} of about ${numberText(of)} (${Math.floor(100 * share)} %)`
                    : peers === 0
                      ? `Block ${numberText(height)}; no other node is connected to compare with`
                      : claimedHeight !== undefined && claimedHeight > height
                        ? `Block ${numberText(height)}; a connected node claims about ${numberText(claimedHeight)}, and has not proved it`
                        : `Block ${numberText(height)}, as far as all others that are connected`}
                </span>
                <progress max={of} value={height} />
              </label>
              {behind && (
                <p class="quiet">
                  {secondsLeft === undefined
                    ? "When it will be there is not known yet. "
                    : `${durationText(1_000 * secondsLeft)} to go. `}
                  {`${numberText(blocksPerSecond)} blocks and ${numberText(transactionsPerSecond)} transactions a second over the last half minute.`}
                </p>
              )}
            </>
          );
        }}
      />
      <Indexes of={data.indexes} />
    </Panel>
  );
}

/** Indexes that are not ready. */
function Indexes({ of }: { readonly of: NodeData["indexes"] }): JSX.Element | null {
  const waiting = of.ok ? of.value.filter(({ state }) => state !== "ready") : [];
  if (waiting.length === 0) return null;
  return (
    <ul class="bare">
      {waiting.map(({ name, state, height = 0, of: all = 0 }) => (
        <li key={name}>
          {state === "off" ? (
            <span class="quiet">The index “{name}” is switched off.</span>
          ) : state === "clearing" ? (
            `The index “${name}” is being cleared.`
          ) : (
            <label class="sync">
              <span>
                The index “{name}” is being built: block {numberText(height)} of {numberText(all)}
              </span>
              <progress max={Math.max(1, all)} value={height} />
            </label>
          )}
        </li>
      ))}
    </ul>
  );
}

function Pool({ data, context }: { readonly data: NodeData; readonly context: PageContext }): JSX.Element {
  const { pool, fees } = data;
  return (
    <Panel title="Pool and fees">
      <Facts
        rows={[
          ["Waiting", pool.ok ? countText(pool.value.size, "transaction") : "not told"],
          ["Fee price", fees.ok ? <Amount value={fees.value.price} /> : undefined],
          ["Votes of this period", fees.ok ? numberText(fees.value.votes) : undefined],
          [
            "Next price",
            fees.ok ? (
              <>
                <Amount value={fees.value.next.price} /> ({FEE_VOTES[fees.value.next.status]}), from block{" "}
                {numberText(fees.value.next.activationHeight)}
              </>
            ) : undefined,
          ],
          ["This node votes", fees.ok ? FEE_VOTES[fees.value.nodeStatus] : undefined],
        ]}
      />
      {context.live.missed.value > 0 && (
        <p class="quiet">
          So many came to the pool at once that {numberText(context.live.missed.value)} were not shown.
        </p>
      )}
    </Panel>
  );
}

const forgingWords = {
  on: "It forges.",
  waiting:
    "It is to forge, and cannot at the moment: too little stake, too few connections, or an old chain.",
  off: "It does not forge.",
} as const;

function Forging({ data }: { readonly data: NodeData }): JSX.Element {
  const { machine } = data;
  const told = machine?.ok === true ? machine.value : undefined;
  return (
    <Panel title="Forging">
      <Attempted of={data.health} draw={({ forging }) => <p>{forgingWords[forging]}</p>} />
      {told !== undefined && (
        <Facts
          rows={[
            ["State", told.forging],
            ...told.due.map(
              ({ address, miningBalance, timestamp }) =>
                [
                  "Next block",
                  <>
                    <Due at={timestamp} /> by{" "}
                    <a href={pageLink(["address", address])}>
                      <bdi>{address}</bdi>
                    </a>{" "}
                    with <Amount value={miningBalance} />
                  </>,
                ] as const,
            ),
          ]}
        />
      )}
      <p>
        <a href={pageLink(["forgers"])}>Who else forges</a>
      </p>
    </Panel>
  );
}

const sizeOrUnknown = (bytes: number | null): string => (bytes === null ? "not known" : sizeText(bytes));

function MachinePanel({ data, context }: { readonly data: NodeData; readonly context: PageContext }) {
  const { machine, version, health } = data;
  return (
    <Panel title="Machine">
      <Facts
        rows={[
          ["Version", version.ok ? <bdi>{version.value.version.slice(0, 100)}</bdi> : "not told"],
          ["Interface", <bdi>{context.node.url}</bdi>],
        ]}
      />
      {machine === undefined ? (
        <p class="quiet">
          {context.node.own
            ? health.ok && health.value.keyRoutes === "closed"
              ? "Memory and disk are told to the operator only, and this node has no API key yet. "
              : "Memory and disk are told to the operator only. "
            : "Memory and disk are told on the page of that node itself, to its operator."}
          {context.node.own && <a href={pageLink(["accounts"])}>Give the API key</a>}
        </p>
      ) : (
        <Attempted
          of={machine}
          draw={({ resources: { startedAt, memoryBytes, storeBytes, diskFreeBytes, diskBytes } }) => (
            <Facts
              rows={[
                ["Runs since", <Time at={startedAt} />],
                ["Memory", sizeOrUnknown(memoryBytes)],
                ["Chain on disk", sizeOrUnknown(storeBytes)],
                [
                  "Free on the disk",
                  diskBytes === null
                    ? sizeOrUnknown(diskFreeBytes)
                    : `${sizeOrUnknown(diskFreeBytes)} of ${sizeText(diskBytes)}`,
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
  title: () => "Node",
  load: (_params, _query, context) => load(context),
  refresh: "tip",
  View: ({ data, context }) => (
    <>
      <h1>Node</h1>
      <HealthNotice health={data.health} />
      <Sync data={data} />
      <AttemptedPanel title="Other nodes" of={data.peers} draw={(answer) => <PeersTable answer={answer} />} />
      <div class="panels two">
        <div class="stack">
          <AttemptedPanel
            title="Features"
            of={data.features}
            draw={(answer) => <Features answer={answer} />}
          />
          <AttemptedPanel
            title="Reorganisations"
            of={data.reorganisations}
            draw={(answer) => <ReorganisationsTable answer={answer} />}
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
