import type { JSX } from "preact";
import type { Answer } from "../../../client/index.ts";
import { undefinedIfMissing, useAnswer, useQuery } from "../../data/use-query.ts";
import { describeTexts } from "../../describe/texts.ts";
import type { Value } from "../../describe/types.ts";
import { plainValue } from "../../describe/value.ts";
import { identityLink, searchLink } from "../../links.ts";
import { CertificateFieldList, Pem } from "../../parts/certificate.tsx";
import { Graph } from "../../parts/charts/graph.tsx";
import { Address, Amount, Did, Time, TransactionId } from "../../parts/inline.tsx";
import { type Column, idColumn, numberColumn, timeColumn } from "../../parts/lists/table.tsx";
import { Attempted, Note } from "../../parts/panel.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { DataType, Height, ValueView } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { NodeTable, type RowOf, useList, usePages } from "../lists/node-list.tsx";
import { type ChangeCursor, type ChangeRow, changeKey, loadChanges } from "./changes.ts";
import type { TabName, TabProps } from "./tab-props.ts";
import { addressTexts as texts } from "./texts.ts";

type DataEntry = RowOf<"GET /addresses/data/:address">;
type Sponsored = RowOf<"GET /sponsorship/given/:address">;

type AssociationRow = ReturnType<typeof associationRows>[number];

function ChangeCause({ change }: { readonly change: ChangeRow }) {
  const { transactions, transactionCount, forged } = change;
  const unlistedCount = transactionCount - transactions.length;
  if (transactionCount === 0)
    return <span class="quiet">{forged ? texts.changes.forged : texts.changes.other}</span>;
  return (
    <span class="stack">
      {transactions.map((id) => (
        <TransactionId key={id} value={id} noCopy />
      ))}
      {unlistedCount > 0 && <span class="quiet">{texts.changes.more(unlistedCount)}</span>}
      {forged && <span class="quiet">{texts.changes.forged}</span>}
    </span>
  );
}

const changeColumns: readonly Column<ChangeRow>[] = [
  { head: commonTexts.time, kind: "time", width: 190, cell: ({ timestamp }) => <Time at={timestamp} /> },
  numberColumn(commonTexts.block, ({ height }) => <Height height={height} />, 90),
  { head: texts.changes.cause, kind: "id", cell: (change) => <ChangeCause change={change} /> },
  numberColumn(texts.changes.change, ({ difference }) => <Amount value={difference} hasSign />),
  { head: texts.changes.regular, kind: "number", cell: ({ regular }) => <Amount value={regular} /> },
  numberColumn(texts.changes.effective, ({ effective }) => <Amount value={effective} />),
];

function Changes({ address, context, options }: TabProps) {
  const exported = { context, path: `addresses/balance/changes/${address}` };
  const { client } = context.node;
  const list = usePages<ChangeRow, ChangeCursor>(exported, options, (...page) =>
    loadChanges(client, address, ...page),
  );
  return (
    <NodeTable
      isAligned
      list={list}
      caption={texts.changes.caption}
      columns={changeColumns}
      keyOf={changeKey}
      empty={texts.changes.empty}
    />
  );
}

function entryValue({ type, value }: DataEntry): Value {
  return type === "binary" && typeof value === "string"
    ? { kind: "binary", base64: value.replace(/^base64:/, "") }
    : plainValue(value);
}

const dataColumns: readonly Column<DataEntry>[] = [
  { head: commonTexts.key, cell: ({ key }) => <TruncatedText text={key} /> },
  { head: commonTexts.type, width: 90, cell: ({ type }) => <DataType type={type} /> },
  { head: commonTexts.value, cell: (entry) => <ValueView value={entryValue(entry)} /> },
];

function Data({ address, context, options }: TabProps) {
  const list = useList(context, options, "GET /addresses/data/:address", { params: { address } });
  return (
    <NodeTable
      list={list}
      caption={texts.data.caption}
      columns={dataColumns}
      keyOf={({ key }) => key}
      empty={texts.data.empty}
    />
  );
}

const associationRows = ({ outgoing, incoming }: Answer<"GET /associations/status/:address">) => [
  ...outgoing.map((association) => ({ ...association, isOutgoing: true })),
  ...incoming.map((association) => ({ ...association, isOutgoing: false })),
];

const associationTypeNames: Readonly<Record<string, string>> = describeTexts.associationTypes;

function associationTypeText(type: bigint): string {
  const name = associationTypeNames[String(type)];
  return name === undefined ? describeTexts.unknownType(Number(type)) : `${name} (0x${type.toString(16)})`;
}

const otherAccount = ({ sender, recipient, isOutgoing }: AssociationRow): string =>
  isOutgoing ? recipient : sender;

const associationColumns: readonly Column<AssociationRow>[] = [
  {
    head: commonTexts.direction,
    width: 100,
    cell: ({ isOutgoing }) => (isOutgoing ? texts.associations.issued : texts.associations.received),
  },
  { head: commonTexts.account, kind: "id", cell: (row) => <Address value={otherAccount(row)} noCopy /> },
  { head: commonTexts.type, width: 130, cell: ({ type }) => associationTypeText(type) },
  {
    head: commonTexts.subject,
    cell: ({ subject }) =>
      subject === null ? (
        <span class="quiet">{commonTexts.none}</span>
      ) : (
        <>
          <ValueView value={{ kind: "bytes", base58: subject }} />{" "}
          <a href={searchLink(subject)}>{texts.associations.find}</a>
        </>
      ),
  },
  timeColumn(commonTexts.since, ({ timestamp }) => <Time at={timestamp} />, 180),
  {
    head: commonTexts.until,
    kind: "time",
    width: 180,
    cell: ({ expires }) =>
      expires === null ? <span class="quiet">{commonTexts.noExpiry}</span> : <Time at={expires} />,
  },
  {
    head: commonTexts.data,
    cell: ({ data }) =>
      data.length === 0 ? (
        <span class="quiet">{commonTexts.none}</span>
      ) : (
        <span class="stack">
          {data.map((entry) => (
            <ValueView key={entry.key} value={{ kind: "entry", key: entry.key, value: entryValue(entry) }} />
          ))}
        </span>
      ),
  },
];

const associationKey = ({ isOutgoing, sender, recipient, type, subject }: AssociationRow): string =>
  `${isOutgoing} ${sender} ${recipient} ${type} ${subject}`;

function AssociationGraph(props: { readonly address: string; readonly rows: readonly AssociationRow[] }) {
  const { address, rows } = props;
  if (rows.length === 0) return null;
  const otherAccounts = (isOutgoing: boolean): Set<string> =>
    new Set(
      rows.filter((row) => row.isOutgoing === isOutgoing && otherAccount(row) !== address).map(otherAccount),
    );
  const recipients = otherAccounts(true);
  // Draw an account once if it is sender and recipient.
  const senders = [...otherAccounts(false)].filter((id) => !recipients.has(id));
  const toNode = (id: string, rank: number) => ({ id, rank, label: <Address value={id} noCopy /> });
  const self = <span class="quiet">{texts.associations.self}</span>;
  return (
    <Graph
      title={texts.associations.graph}
      nodes={[
        ...senders.map((id) => toNode(id, 0)),
        { id: address, rank: 1, isSelf: true, label: self },
        ...[...recipients].map((id) => toNode(id, 2)),
      ]}
      edges={rows.map(({ sender, recipient, type }) => ({
        from: sender,
        to: recipient,
        label: associationTypeText(type),
      }))}
    />
  );
}

function Associations({ address, context, options }: TabProps) {
  const route = "GET /associations/status/:address";
  const list = useList(context, options, route, { params: { address } }, associationRows);
  return (
    <>
      {list.first?.ok === true && <AssociationGraph address={address} rows={list.first.value.rows} />}
      <NodeTable
        list={list}
        caption={texts.associations.caption}
        columns={associationColumns}
        keyOf={associationKey}
        empty={texts.associations.empty}
      />
    </>
  );
}

function Identity({ address, context, options }: TabProps) {
  const did = `did:lto:${address}`;
  const params = { address };
  const load = () => undefinedIfMissing(context.node.client.call("GET /identities/:address", { params }));
  const render = (document: unknown) =>
    document === undefined ? (
      <p class="quiet">
        {texts.identity.none} <a href={identityLink(did)}>{texts.identity.noneLink}</a>
      </p>
    ) : (
      <>
        <Did value={did} />
        <p>
          <a href={identityLink(did)}>{texts.identity.link}</a>
        </p>
      </>
    );
  return <Attempted attempt={useQuery(context, `${address} document`, load, options)} render={render} />;
}

function Script({ address, context, options }: TabProps) {
  const info = useAnswer(context, options, "GET /addresses/scriptInfo/:address", { params: { address } });
  const render = ({ script }: Answer<"GET /addresses/scriptInfo/:address">) =>
    script === undefined ? (
      <p class="quiet">{texts.script.none}</p>
    ) : (
      <ValueView value={{ kind: "script", base64: script.replace(/^base64:/, "") }} />
    );
  return <Attempted attempt={info} render={render} />;
}

const sponsoredColumns: readonly Column<Sponsored>[] = [
  { head: commonTexts.account, kind: "id", cell: ({ address }) => <Address value={address} noCopy /> },
  { head: texts.sponsors.sinceBlock, kind: "number", cell: ({ height }) => <Height height={height} /> },
  idColumn(commonTexts.transaction, ({ transaction }) => <TransactionId value={transaction} noCopy />),
];

function Sponsors({ address, context, options }: TabProps) {
  const params = { address };
  const status = useAnswer(context, options, "GET /sponsorship/status/:address", { params });
  const list = useList(context, options, "GET /sponsorship/given/:address", { params });
  return (
    <div class="side-by-side">
      <section>
        <h3>{texts.sponsors.title}</h3>
        <Attempted attempt={status} render={({ sponsor }) => <SponsorList sponsors={sponsor} />} />
      </section>
      <section>
        <h3>{texts.sponsors.sponsored}</h3>
        <NodeTable
          list={list}
          caption={texts.sponsors.caption}
          columns={sponsoredColumns}
          keyOf={(row) => row.address}
          empty={texts.sponsors.empty}
        />
      </section>
    </div>
  );
}

function SponsorList({ sponsors }: { readonly sponsors: readonly string[] }) {
  if (sponsors.length === 0) return <p class="quiet">{texts.sponsors.none}</p>;
  return (
    <>
      <ol class="values">
        {sponsors.map((sponsor) => (
          <li key={sponsor}>
            <Address value={sponsor} />
          </li>
        ))}
      </ol>
      {sponsors.length > 1 && <p class="quiet">{texts.sponsors.order}</p>}
    </>
  );
}

function Certificate({ address, context, options }: TabProps) {
  const params = { address };
  const load = () => undefinedIfMissing(context.node.client.call("GET /certificates/:address", { params }));
  const render = (certificate: Answer<"GET /certificates/:address"> | undefined) => {
    if (certificate === undefined) return <p class="quiet">{texts.certificate.none}</p>;
    const isExpired = certificate.status === "expired";
    return (
      <>
        <Note kind={isExpired ? "wrong" : "unsettled"}>
          {isExpired ? texts.certificate.expired : texts.certificate.untrusted}
        </Note>
        <CertificateFieldList {...certificate} />
        <Pem text={certificate.certificate} />
      </>
    );
  };
  return <Attempted attempt={useQuery(context, `${address} certificate`, load, options)} render={render} />;
}

export const tabViews = {
  changes: Changes,
  data: Data,
  associations: Associations,
  identity: Identity,
  script: Script,
  sponsors: Sponsors,
  certificate: Certificate,
} satisfies Readonly<Record<Exclude<TabName, "transactions">, (props: TabProps) => JSX.Element>>;
