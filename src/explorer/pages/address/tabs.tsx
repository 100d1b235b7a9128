import type { JSX } from "preact";
import { describeTexts } from "../../describe/texts.ts";
import type { Value } from "../../describe/types.ts";
import { plainValue } from "../../describe/value.ts";
import { identityLink, searchLink } from "../../links.ts";
import { CertificateFieldList, Pem } from "../../parts/certificate.tsx";
import { Graph } from "../../parts/charts/graph.tsx";
import { Address, Amount, Did, Time, TransactionId } from "../../parts/inline.tsx";
import { LongTable } from "../../parts/lists/long-table.tsx";
import { type Column, idColumn, numberColumn, timeColumn } from "../../parts/lists/table.tsx";
import { Note } from "../../parts/panel.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { DataType, Height, ValueView } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { ExportLinks } from "../lists/filters.tsx";
import {
  type AssociationRow,
  type ChangeRow,
  changeKey,
  type DataEntry,
  type Sponsored,
  type TabName,
  type TabProps,
} from "./load.ts";
import { addressTexts } from "./texts.ts";

const texts = addressTexts;

function ChangeCause({ row: { change } }: { readonly row: ChangeRow }) {
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
  { head: commonTexts.time, kind: "time", width: 190, cell: ({ change }) => <Time at={change.timestamp} /> },
  numberColumn(commonTexts.block, ({ change }) => <Height height={change.height} />, 90),
  { head: texts.changes.cause, kind: "id", cell: (row) => <ChangeCause row={row} /> },
  {
    head: texts.changes.change,
    kind: "number",
    cell: ({ change, before }) => <Amount value={change.regular - before.regular} hasSign />,
  },
  { head: texts.changes.regular, kind: "number", cell: ({ change }) => <Amount value={change.regular} /> },
  numberColumn(texts.changes.effective, ({ change }) => <Amount value={change.effective} />),
];

function Changes({ address, tab, lists, context }: TabProps<"changes">) {
  return (
    <>
      <LongTable
        isAligned
        caption={texts.changes.caption}
        columns={changeColumns}
        first={tab.first}
        loadPage={(...page) => lists.loadChanges(...page)}
        keyOf={changeKey}
        empty={texts.changes.empty}
      />
      <ExportLinks context={context} path={`addresses/balance/changes/${address}`} />
    </>
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

function Data({ address, tab, lists, context }: TabProps<"data">) {
  return (
    <>
      <LongTable
        caption={texts.data.caption}
        columns={dataColumns}
        first={tab.first}
        loadPage={(...page) => lists.loadData(...page)}
        keyOf={({ key }) => key}
        empty={texts.data.empty}
      />
      <ExportLinks context={context} path={`addresses/data/${address}`} />
    </>
  );
}

const associationTypeNames: Readonly<Record<string, string>> = describeTexts.associationTypes;

function associationTypeText(type: bigint): string {
  const name = associationTypeNames[String(type)];
  return name === undefined ? texts.associations.edge(String(type)) : `${name} (0x${type.toString(16)})`;
}

const otherAccount = ({ association, isOutgoing }: AssociationRow): string =>
  isOutgoing ? association.recipient : association.sender;

const associationColumns: readonly Column<AssociationRow>[] = [
  {
    head: texts.associations.direction,
    width: 100,
    cell: ({ isOutgoing }) => (isOutgoing ? texts.associations.issued : texts.associations.received),
  },
  { head: commonTexts.account, kind: "id", cell: (row) => <Address value={otherAccount(row)} noCopy /> },
  { head: commonTexts.type, width: 130, cell: ({ association }) => associationTypeText(association.type) },
  {
    head: texts.associations.subject,
    cell: ({ association: { subject } }) =>
      subject === null ? (
        <span class="quiet">{commonTexts.none}</span>
      ) : (
        <>
          <ValueView value={{ kind: "bytes", base58: subject }} />{" "}
          <a href={searchLink(subject)}>{texts.associations.find}</a>
        </>
      ),
  },
  timeColumn(commonTexts.since, ({ association }) => <Time at={association.timestamp} />, 180),
  {
    head: commonTexts.until,
    kind: "time",
    width: 180,
    cell: ({ association: { expires } }) =>
      expires === null ? <span class="quiet">{commonTexts.noExpiry}</span> : <Time at={expires} />,
  },
  {
    head: commonTexts.data,
    cell: ({ association: { data } }) =>
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

function associationKey({ association, isOutgoing }: AssociationRow): string {
  const { sender, recipient, type, subject } = association;
  return `${isOutgoing} ${sender} ${recipient} ${type} ${subject}`;
}

function Associations({ address, tab, lists, context }: TabProps<"associations">) {
  const { rows } = tab.first;
  const otherAccounts = (isOutgoing: boolean): Set<string> =>
    new Set(
      rows.filter((row) => row.isOutgoing === isOutgoing && otherAccount(row) !== address).map(otherAccount),
    );
  const recipients = otherAccounts(true);
  // Draw an account once if it is sender and recipient.
  const senders = [...otherAccounts(false)].filter((id) => !recipients.has(id));
  const toNode = (id: string, rank: number) => ({ id, rank, label: <Address value={id} noCopy /> });
  return (
    <>
      {rows.length > 0 && (
        <Graph
          title={texts.associations.graph}
          nodes={[
            ...senders.map((id) => toNode(id, 0)),
            {
              id: address,
              rank: 1,
              isSelf: true,
              label: <span class="quiet">{texts.associations.self}</span>,
            },
            ...[...recipients].map((id) => toNode(id, 2)),
          ]}
          edges={rows.map(({ association: { sender, recipient, type } }) => ({
            from: sender,
            to: recipient,
            label: associationTypeText(type),
          }))}
        />
      )}
      <LongTable
        caption={texts.associations.caption}
        columns={associationColumns}
        first={tab.first}
        loadPage={(...page) => lists.loadAssociations(...page)}
        keyOf={associationKey}
        empty={texts.associations.empty}
      />
      <ExportLinks context={context} path={`associations/status/${address}`} />
    </>
  );
}

function Identity({ address, tab }: TabProps<"identity">) {
  const { document } = tab;
  const did = `did:lto:${address}`;
  if (document === undefined)
    return (
      <p class="quiet">
        {texts.identity.none} <a href={identityLink(did)}>{texts.identity.noneLink}</a>
      </p>
    );
  return (
    <>
      <Did value={did} />
      <p>
        <a href={identityLink(did)}>{texts.identity.link}</a>
      </p>
    </>
  );
}

function Script({ tab: { info } }: TabProps<"script">) {
  const { script } = info;
  if (script === undefined) return <p class="quiet">{texts.script.none}</p>;
  return <ValueView value={{ kind: "script", base64: script.replace(/^base64:/, "") }} />;
}

const sponsoredColumns: readonly Column<Sponsored>[] = [
  { head: commonTexts.account, kind: "id", cell: ({ address }) => <Address value={address} noCopy /> },
  { head: texts.sponsors.sinceBlock, kind: "number", cell: ({ height }) => <Height height={height} /> },
  idColumn(commonTexts.transaction, ({ transaction }) => <TransactionId value={transaction} noCopy />),
];

function Sponsors({ address, tab, lists, context }: TabProps<"sponsors">) {
  const { sponsors, sponsored } = tab;
  return (
    <div class="side-by-side">
      <section>
        <h3>{texts.sponsors.title}</h3>
        {sponsors.length === 0 ? (
          <p class="quiet">{texts.sponsors.none}</p>
        ) : (
          <ol class="values">
            {sponsors.map((sponsor) => (
              <li key={sponsor}>
                <Address value={sponsor} />
              </li>
            ))}
          </ol>
        )}
        {sponsors.length > 1 && <p class="quiet">{texts.sponsors.order}</p>}
      </section>
      <section>
        <h3>{texts.sponsors.sponsored}</h3>
        {sponsored === undefined ? (
          <p class="quiet">{commonTexts.notAvailable}</p>
        ) : (
          <>
            <LongTable
              caption={texts.sponsors.caption}
              columns={sponsoredColumns}
              first={sponsored}
              loadPage={(...page) => lists.loadSponsored(...page)}
              keyOf={(row) => row.address}
              empty={texts.sponsors.empty}
            />
            <ExportLinks context={context} path={`sponsorship/given/${address}`} />
          </>
        )}
      </section>
    </div>
  );
}

function Certificate({ tab: { certificate } }: TabProps<"certificate">) {
  if (certificate === undefined) return <p class="quiet">{texts.certificate.none}</p>;
  const { status } = certificate;
  return (
    <>
      <Note kind={status === "expired" ? "wrong" : "unsettled"}>
        {status === "expired" ? texts.certificate.expired : texts.certificate.untrusted}
      </Note>
      <CertificateFieldList
        subject={certificate.subject}
        issuer={certificate.issuer}
        notBefore={certificate.notBefore}
        notAfter={certificate.notAfter}
      />
      <Pem text={certificate.certificate} />
    </>
  );
}

export const tabViews: {
  readonly [Name in Exclude<TabName, "transactions">]: (props: TabProps<Name>) => JSX.Element;
} = {
  changes: Changes,
  data: Data,
  associations: Associations,
  identity: Identity,
  script: Script,
  sponsors: Sponsors,
  certificate: Certificate,
};
