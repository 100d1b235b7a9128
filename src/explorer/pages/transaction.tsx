import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import type { Answer } from "../../client/index.ts";
import { keyBlockVersion, undefinedIfMissing, useQuery } from "../data/use-query.ts";
import type { DescribedBytes } from "../describe/bytes.ts";
import { type ShownTransaction, transactionDetails, typeNameOf } from "../describe/details.ts";
import { actionOf, finalityOf, sentenceOf, type TransactionState } from "../describe/sentence.ts";
import type { Detail } from "../describe/types.ts";
import { labelOf } from "../describe/value.ts";
import {
  type Attempt,
  type Live,
  type PageContext,
  type PageDefinition,
  PageProblem,
  type PageProps,
} from "../page.ts";
import { fieldHandlers, Hex } from "../parts/hex.tsx";
import { TransactionId } from "../parts/inline.tsx";
import { JsonPanel } from "../parts/json.tsx";
import { LoadButton } from "../parts/lists/load-button.tsx";
import { FieldList } from "../parts/lists/table.tsx";
import { Attempted, Note, Notice, PageContent, Panel } from "../parts/panel.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { ValueView } from "../parts/value.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { byteCount, fill } from "../text/text.ts";
import { transactionTexts as texts } from "./transaction/texts.ts";

/** Matches Base58 of 32 bytes, or of 64 for a genesis transaction. */
const ID_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,88}$/;

interface FoundTransaction {
  readonly shown: Answer<"GET /transactions/info/:id"> | Answer<"GET /transactions/unconfirmed/info/:id">;
  /** Heights of the block and of the chain when loaded; undefined while unconfirmed. */
  readonly heights: { readonly height: number; readonly tip: number } | undefined;
}

/** An "unknown" transaction may still arrive. */
export type TransactionData = FoundTransaction | "unknown";

/** Searches the chain, the pool and the chain again, because the transaction may move during the search. */
async function findTransaction(
  id: string,
  { node: { client } }: PageContext,
): Promise<FoundTransaction | undefined> {
  const params = { id };
  const findOnChain = async (): Promise<FoundTransaction | undefined> => {
    const shown = await undefinedIfMissing(client.call("GET /transactions/info/:id", { params }));
    if (shown === undefined) return undefined;
    const { height: tip } = await client.call("GET /blocks/height");
    return { shown, heights: { height: shown.height, tip } };
  };
  const found = await findOnChain();
  if (found !== undefined) return found;
  const shown = await undefinedIfMissing(client.call("GET /transactions/unconfirmed/info/:id", { params }));
  return shown === undefined ? findOnChain() : { shown, heights: undefined };
}

function wasReverted({ transactions }: Live, id: string): boolean {
  return transactions.value.some(({ transaction, reverted }) => reverted && transaction.id === id);
}

function currentState({ shown, heights }: FoundTransaction, live: Live): TransactionState {
  if (heights === undefined) return { state: wasReverted(live, shown.id) ? "reverted" : "waiting" };
  const tip = Math.max(heights.tip, live.tip.value?.height ?? 0);
  return { state: "in a block", height: heights.height, tip };
}

function StateNotice({ current }: { readonly current: TransactionState }) {
  const isInBlock = current.state === "in a block";
  const state = isInBlock ? finalityOf(current.height, current.tip) : current.state;
  const values = isInBlock
    ? {
        confirmations: commonTexts.confirmationCount(current.tip - current.height),
        final: MAX_FORK_DEPTH,
      }
    : {};
  const { status, note } = texts.states[state];
  return (
    <Note kind={state === "final" ? "right" : "unsettled"}>
      <b>{fill(status, values)}</b>
      {fill(note, values)}
    </Note>
  );
}

function Details(props: {
  readonly details: readonly Detail[];
  readonly activeField: Signal<string | undefined>;
}) {
  const { details, activeField } = props;
  return (
    <FieldList
      rows={details.map(({ label, value, field }) => [
        label,
        <ValueView value={value} />,
        {
          class: field !== undefined && activeField.value === field ? "active" : undefined,
          ...fieldHandlers(field, activeField),
        },
      ])}
    />
  );
}

type DecodedBytes = Exclude<DescribedBytes, { readonly problem: string }>;

function fieldLabel(name: string, details: readonly Detail[]): string {
  if (name === "") return texts.bytes.reserved;
  return details.find(({ field }) => field === name)?.label ?? labelOf(name);
}

interface BytesProps {
  readonly shown: ShownTransaction;
  readonly details: readonly Detail[];
  readonly activeField: Signal<string | undefined>;
}

function VerifiedBytes(props: BytesProps & { readonly decoded: DecodedBytes; readonly source: string }) {
  const { decoded, source, details, activeField } = props;
  const fields = decoded.fields.map(({ name, offset, length, signed }) => ({
    name,
    label: fieldLabel(name, details),
    offset,
    length,
    note: signed ? texts.bytes.signed : undefined,
    value: details.find(({ field }) => field === name)?.value,
  }));
  return (
    <>
      <Note kind="right">{texts.bytes.verified(byteCount(decoded.bytes.length), source)}</Note>
      <Hex bytes={decoded.bytes} fields={fields} activeField={activeField} />
    </>
  );
}

function NodeBytes(props: BytesProps & { readonly context: PageContext; readonly chainId: number }) {
  const { shown, context, chainId } = props;
  const { id } = shown;
  const fetch = async (): Promise<DescribedBytes> => {
    const [bytes, { describeSentBytes }] = await Promise.all([
      context.node.client.call("GET /transactions/bytes/:id", { params: { id } }),
      import("../describe/bytes.ts"),
    ]);
    return describeSentBytes(bytes, id, chainId);
  };
  const render = (decoded: DescribedBytes) => {
    if ("problem" in decoded) return <p>{commonTexts.unreadableBytes(decoded.problem)}</p>;
    if (decoded.matchesId)
      return <VerifiedBytes {...props} decoded={decoded} source={texts.bytes.fromNode} />;
    return (
      <Note kind="wrong">
        {fill(texts.bytes.otherTransaction, { id: <TransactionId value={decoded.id} /> })}
      </Note>
    );
  };
  return (
    <LoadButton label={texts.bytes.show} failedText={texts.bytes.failed} fetch={fetch} render={render} />
  );
}

function Bytes(props: BytesProps & { readonly context: PageContext; readonly chainId: number | undefined }) {
  const { shown, context, chainId } = props;
  const code = useQuery(context, "code of bytes", () => import("../describe/bytes.ts"));
  // Building the bytes can be expensive.
  const decoded = useMemo(
    () => chainId !== undefined && code?.ok === true && code.value.describeBytes(shown, chainId),
    [shown, chainId, code?.ok],
  );
  if (chainId === undefined) return <p class="quiet">{texts.bytes.networkUnknown}</p>;
  if (decoded === false) return <Attempted attempt={code} lines={8} render={() => null} />;
  if (!("problem" in decoded) && decoded.matchesId)
    return <VerifiedBytes {...props} decoded={decoded} source={texts.bytes.fromDetails} />;
  return (
    <>
      {"problem" in decoded ? (
        <p>{fill(texts.bytes.notBuilt, { problem: <bdi>{decoded.problem}</bdi> })}</p>
      ) : (
        <Note kind="wrong">
          {fill(texts.bytes.mismatch, { id: <TransactionId value={decoded.id} noCopy /> })}
        </Note>
      )}
      <NodeBytes {...props} chainId={chainId} />
    </>
  );
}

function UnknownTransaction() {
  return (
    <article class="problem">
      <h1>{texts.unknown.title}</h1>
      <Notice kind="plain">
        <p>{texts.unknown.message}</p>
        <p>{texts.unknown.advice}</p>
      </Notice>
    </article>
  );
}

/**
 * Loads a transaction, and again after each event about it. Also reloads an unconfirmed transaction right after the
 * first load, because its block may have arrived before the event stream began, and then after each key block.
 */
function useTransaction(id: string, context: PageContext): Attempt<TransactionData> | undefined {
  const { live } = context;
  const isUnconfirmed = useSignal(false);
  const lastEvent = useRef("");
  const lastKeyBlock = useRef("");
  const version = useComputed(() => {
    const event = live.transactions.value.find(({ transaction }) => transaction.id === id);
    // `live` drops old events, so keep this one.
    if (event !== undefined) lastEvent.current = `${event.height} ${event.reverted}`;
    if (isUnconfirmed.value) lastKeyBlock.current = `after ${keyBlockVersion(live)}`;
    return `${lastEvent.current} ${lastKeyBlock.current}`;
  });
  const found = useQuery(
    context,
    `transaction ${id}`,
    async () => {
      if (!ID_PATTERN.test(id)) throw new PageProblem("malformed", texts.malformed, texts.malformedAdvice);
      return (await findTransaction(id, context)) ?? "unknown";
    },
    { version: version.value },
  );
  isUnconfirmed.value =
    found?.ok === true && (found.value === "unknown" || found.value.heights === undefined);
  return found;
}

function View({ params: { id }, context }: PageProps) {
  return (
    <PageContent
      context={context}
      heading={commonTexts.transaction}
      attempt={useTransaction(id, context)}
      titleOf={(data) => texts.title(id, data === "unknown" ? "" : `, ${typeNameOf(data.shown)}`)}
      render={(data) =>
        data === "unknown" ? <UnknownTransaction /> : <KnownTransaction data={data} context={context} />
      }
    />
  );
}

function KnownTransaction({
  data,
  context,
}: {
  readonly data: FoundTransaction;
  readonly context: PageContext;
}) {
  const { shown } = data;
  const { live, node } = context;
  const activeField = useSignal<string | undefined>(undefined);
  const state = currentState(data, live);
  const details = useMemo(() => transactionDetails(shown), [shown]);
  const cancelledLease = "lease" in shown ? (shown.lease ?? undefined) : undefined;
  return (
    <article class="transaction">
      <h1>
        {commonTexts.transaction} <span class="quiet">{typeNameOf(shown)}</span>
      </h1>
      <p class="lead">
        <Sentence parts={[...sentenceOf(shown, state), "."]} />
      </p>
      <StateNotice current={state} />
      <Panel title={commonTexts.details}>
        <Details details={details} activeField={activeField} />
      </Panel>
      {cancelledLease !== undefined && (
        <Panel title={texts.cancelledLease}>
          <p>
            <Sentence parts={actionOf(cancelledLease)} />: <TransactionId value={cancelledLease.id} />
          </p>
        </Panel>
      )}
      <Panel title={commonTexts.bytes} stacked>
        <Bytes
          shown={shown}
          details={details}
          activeField={activeField}
          context={context}
          chainId={node.network.value?.chainId}
        />
      </Panel>
      <JsonPanel value={shown} />
    </article>
  );
}

export const transactionPage: PageDefinition = { title: ({ id }) => texts.title(id, ""), View };
