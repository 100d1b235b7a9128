/** Page of a transaction: a sentence, its place on the chain, details and bytes. */

import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import type { Answer } from "../../client/index.ts";
import { undefinedIfMissing } from "../data/attempt.ts";
import { type DescribedBytes, describeBytes, describeSentBytes } from "../describe/bytes.ts";
import { type ShownTransaction, transactionDetails, typeNameOf } from "../describe/details.ts";
import { actionOf, finalityOf, sentenceOf, type TransactionState } from "../describe/sentence.ts";
import { type Detail, labelOf } from "../describe/value.ts";
import { type Live, type PageContext, type PageDefinition, PageProblem } from "../page.ts";
import { fieldHandlers, Hex } from "../parts/hex.tsx";
import { TransactionId } from "../parts/id.tsx";
import { JsonPanel } from "../parts/json.tsx";
import { LoadButton } from "../parts/load-button.tsx";
import { Note, Notice } from "../parts/notice.tsx";
import { Panel } from "../parts/panel.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { Height, ValueView } from "../parts/value.tsx";
import { byteCount, countText, numberText } from "../text/measures.ts";

interface Found {
  readonly shown: Answer<"GET /transactions/info/:id"> | Answer<"GET /transactions/unconfirmed/info/:id">;
  /** Heights of its block and of the chain when loaded; undefined while unconfirmed. */
  readonly at: { readonly height: number; readonly tip: number } | undefined;
}

/** "unknown" keeps the page open: the transaction may still arrive. */
export type TransactionData = Found | "unknown";

/** Looks in the chain, the pool and the chain again, since it may move from pool to chain meanwhile. */
async function findTransaction(id: string, { node: { client } }: PageContext): Promise<Found | undefined> {
  const params = { id };
  const onChain = async (): Promise<Found | undefined> => {
    const shown = await undefinedIfMissing(client.call("GET /transactions/info/:id", { params }));
    if (shown === undefined) return undefined;
    const { height: tip } = await client.call("GET /blocks/height");
    return { shown, at: { height: shown.height, tip } };
  };
  const found = await onChain();
  if (found !== undefined) return found;
  const shown = await undefinedIfMissing(client.call("GET /transactions/unconfirmed/info/:id", { params }));
  return shown === undefined ? onChain() : { shown, at: undefined };
}

/** Returns true if the live events include a revert of its block. */
function wasReverted({ transactions }: Live, id: string): boolean {
  return transactions.value.some(({ transaction, reverted }) => reverted && transaction.id === id);
}

function placeOf({ shown, at }: Found, live: Live): TransactionState {
  if (at === undefined) return { state: wasReverted(live, shown.id) ? "reverted" : "waiting" };
  const tip = Math.max(at.tip, live.tip.value?.height ?? 0);
  return { state: "in a block", height: at.height, tip };
}

function PlaceNotice({ place }: { readonly place: TransactionState }): JSX.Element {
  if (place.state === "waiting")
    return (
      <Note kind="unsettled">
        <b>It waits for a block.</b> This page shows it there as soon as one has it.
      </Note>
    );
  if (place.state === "reverted")
    return (
      <Note kind="unsettled">
        <b>The block that it was in has left the chain.</b> It waits for another one.
      </Note>
    );
  const { height, tip } = place;
  const certainty = finalityOf(height, tip);
  if (certainty === "final")
    return (
      <Note kind="right">
        <b>Final</b> in block <Height height={height} />, with {numberText(tip - height)} blocks upon it: no
        fork can undo it.
      </Note>
    );
  return (
    <Note kind="unsettled">
      {certainty === "liquid" ? (
        <>
          <b>In the newest block</b>, <Height height={height} />, which can still change.
        </>
      ) : (
        <>
          <b>{countText(tip - height, "confirmation")}</b> in block <Height height={height} />: forks can undo
          up to {MAX_FORK_DEPTH} blocks.
        </>
      )}
    </Note>
  );
}

function Details(props: {
  readonly members: readonly Detail[];
  readonly active: Signal<string | undefined>;
}): JSX.Element {
  const { members, active } = props;
  return (
    <table class="members">
      <caption class="unseen">Members of the transaction</caption>
      <colgroup>
        <col class="name" />
        <col />
      </colgroup>
      <tbody>
        {members.map(({ name, label, value, field }) => (
          <tr
            key={name}
            class={field !== undefined && active.value === field ? "active" : undefined}
            {...fieldHandlers(field, active)}
          >
            <th scope="row">{label}</th>
            <td>
              <ValueView value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DecodedBytes = Exclude<DescribedBytes, { readonly problem: string }>;

function fieldLabel(name: string, members: readonly Detail[]): string {
  if (name === "") return "Reserved";
  return members.find(({ field }) => field === name)?.label ?? labelOf(name);
}

interface BytesProps {
  readonly shown: ShownTransaction;
  readonly members: readonly Detail[];
  readonly active: Signal<string | undefined>;
}

/** Bytes whose id is that of the transaction. */
function VerifiedBytes(
  props: BytesProps & { readonly made: DecodedBytes; readonly says: string },
): JSX.Element {
  const { made, says, members, active } = props;
  const fields = made.fields.map(({ name, offset, length, signed }) => ({
    name,
    label: fieldLabel(name, members),
    offset,
    length,
    note: signed ? "signed" : undefined,
  }));
  return (
    <>
      <Note kind="right">
        {byteCount(made.bytes.length)}, {says}. The hash of what is signed is the id: nothing of it was
        changed.
      </Note>
      <Hex bytes={made.bytes} fields={fields} active={active} />
    </>
  );
}

/** Loads the bytes from the node if they cannot be built from its JSON. */
function NodeBytes(props: BytesProps & { readonly context: PageContext; readonly chainId: number }) {
  const { shown, context, chainId } = props;
  const { id } = shown;
  const fetch = async (): Promise<DescribedBytes> => {
    const bytes = await context.node.client.call("GET /transactions/bytes/:id", { params: { id } });
    return describeSentBytes(bytes, id, chainId);
  };
  const draw = (made: DescribedBytes): JSX.Element => {
    if ("problem" in made) return <p>What the node gave cannot be shown: {made.problem}.</p>;
    if (made.isThatOfTheNode) return <VerifiedBytes {...props} made={made} says="as the node gives them" />;
    return (
      <Note kind="wrong">
        What the node gave is another transaction, <TransactionId value={made.id} />.
      </Note>
    );
  };
  return (
    <LoadButton
      words="Show its bytes as the node gives them"
      failed="The node did not give them; it has those of transactions in blocks."
      fetch={fetch}
      draw={draw}
    />
  );
}

function Bytes(
  props: BytesProps & { readonly context: PageContext; readonly chainId: number | undefined },
): JSX.Element {
  const { shown, chainId } = props;
  // Building the bytes may be expensive; the answer object is stable.
  const made = useMemo(
    () => (chainId === undefined ? undefined : describeBytes(shown, chainId)),
    [shown, chainId],
  );
  if (chainId === undefined || made === undefined)
    return <p class="quiet">Which network this is, is not known yet.</p>;
  if ("problem" in made)
    return (
      <>
        <p>
          Its bytes cannot be made of what the node shows: <bdi>{made.problem}</bdi>.
        </p>
        <NodeBytes {...props} chainId={chainId} />
      </>
    );
  if (made.isThatOfTheNode)
    return <VerifiedBytes {...props} made={made} says="made here of the members above" />;
  return (
    <>
      <Note kind="wrong">
        The members above are not all that there is, or were changed: made to bytes, they have the id{" "}
        <TransactionId value={made.id} bare />.
      </Note>
      <NodeBytes {...props} chainId={chainId} />
    </>
  );
}

function UnknownTransaction(): JSX.Element {
  return (
    <article class="problem">
      <h1>Not found</h1>
      <Notice kind="plain">
        <p>The node knows no transaction with this id, neither on its chain nor among those that wait.</p>
        <p>
          If it was sent a moment ago, this page shows it as soon as it is here. Otherwise see whether it
          belongs to this network, and whether the node has all of the chain.
        </p>
      </Notice>
    </article>
  );
}

function View({ data, context }: Parameters<typeof transactionPage.View>[0]): JSX.Element {
  return data === "unknown" ? <UnknownTransaction /> : <KnownTransaction data={data} context={context} />;
}

function KnownTransaction({
  data,
  context,
}: {
  readonly data: Found;
  readonly context: PageContext;
}): JSX.Element {
  const { shown } = data;
  const { live, node } = context;
  const active = useSignal<string | undefined>(undefined);
  const place = placeOf(data, live);
  const members = useMemo(() => transactionDetails(shown), [shown]);
  const ended = "lease" in shown ? (shown.lease ?? undefined) : undefined;
  return (
    <article class="transaction">
      <h1>
        Transaction <span class="quiet">{typeNameOf(shown)}</span>
      </h1>
      <p class="lead">
        <Sentence parts={[...sentenceOf(shown, place), "."]} />
      </p>
      <PlaceNotice place={place} />
      <Panel title="Members">
        <Details members={members} active={active} />
      </Panel>
      {ended !== undefined && (
        <Panel title="The lease that it ended">
          <p>
            <Sentence parts={actionOf(ended)} />: <TransactionId value={ended.id} />
          </p>
        </Panel>
      )}
      <Panel title="Bytes" stacked>
        <Bytes
          shown={shown}
          members={members}
          active={active}
          context={context}
          chainId={node.network.value?.chainId}
        />
      </Panel>
      <JsonPanel value={shown} />
    </article>
  );
}

/** Base58 of 32 bytes, or of 64 for a genesis transaction. */
const ID_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,88}$/;

export const transactionPage: PageDefinition<TransactionData> = {
  path: "transaction/:id",
  title: ({ id }, data) =>
    data === undefined || data === "unknown"
      ? `Transaction ${id}`
      : `Transaction ${id}, ${typeNameOf(data.shown)}`,
  async load({ id }, _query, context) {
    if (!ID_PATTERN.test(id))
      throw new PageProblem(
        "malformed",
        "That is no id of a transaction.",
        "An id has 43 or 44 letters and digits, without 0, O, I and l. Check whether all of it is there.",
      );
    return (await findTransaction(id, context)) ?? "unknown";
  },
  refresh: "new",
  View,
};
