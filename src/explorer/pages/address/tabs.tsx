/** Tabs of the account page, except transactions. */
import type { JSX } from "preact";
import { membersOf } from "../../../client/decode.ts";
import { plainValue, type Value } from "../../describe/value.ts";
import { identityLink } from "../../links.ts";
import type { Live } from "../../page.ts";
import { Amount } from "../../parts/amount.tsx";
import { CertificateFacts, Pem } from "../../parts/certificate.tsx";
import { Graph } from "../../parts/charts/graph.tsx";
import { Address, Did, TransactionId } from "../../parts/id.tsx";
import { LongTable } from "../../parts/long-table.tsx";
import { Note } from "../../parts/notice.tsx";
import { type Column, Facts } from "../../parts/table.tsx";
import { Time } from "../../parts/time/time.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { Height, ValueView } from "../../parts/value.tsx";
import { indentBrackets } from "../../text/indent-brackets.ts";
import { numberText } from "../../text/measures.ts";
import {
  type AccountLists,
  type AssociationRow,
  type ChangeRow,
  changeKey,
  type DataEntry,
  type Sponsored,
  type TabData,
} from "./load.ts";

export interface TabProps<Name extends TabData["name"]> {
  readonly address: string;
  readonly tab: Extract<TabData, { name: Name }>;
  readonly lists: AccountLists;
  readonly live: Live;
}

/** Cause of a balance change: links to transactions, or a text. */
function ChangeCause({ row: { change } }: { readonly row: ChangeRow }): JSX.Element {
  const { transactions, transactionCount, forged } = change;
  const more = transactionCount - transactions.length;
  if (transactionCount === 0)
    return (
      <span class="quiet">{forged ? "forged the block" : "fees, a reward or the end of an unbonding"}</span>
    );
  return (
    <span class="stack">
      {transactions.map((id) => (
        <TransactionId key={id} value={id} bare />
      ))}
      {more > 0 && <span class="quiet">and {numberText(more)} more in the block</span>}
      {forged && <span class="quiet">forged the block</span>}
    </span>
  );
}

const changeColumns: readonly Column<ChangeRow>[] = [
  { head: "Time", kind: "time", cell: ({ change }) => <Time at={change.timestamp} /> },
  { head: "Block", kind: "number", cell: ({ change }) => <Height height={change.height} /> },
  { head: "By", kind: "id", cell: (row) => <ChangeCause row={row} /> },
  {
    head: "Change",
    kind: "number",
    cell: ({ change, before }) => <Amount value={change.regular - before.regular} signed />,
  },
  { head: "Regular then", kind: "number", cell: ({ change }) => <Amount value={change.regular} /> },
  { head: "Effective then", kind: "number", cell: ({ change }) => <Amount value={change.effective} /> },
];

/** Balance changes, newest first. */
export function Changes({ tab, lists }: TabProps<"changes">): JSX.Element {
  return (
    <LongTable
      name="changes aligned"
      caption="Changes of the balance, newest first"
      columns={changeColumns}
      first={tab.first}
      more={(place) => lists.changes(place)}
      keyOf={changeKey}
      empty="Its balance has never changed."
    />
  );
}

function entryValue({ type, value }: DataEntry): Value {
  return type === "binary" && typeof value === "string"
    ? { kind: "binary", base64: value.replace(/^base64:/, "") }
    : plainValue(value);
}

const dataColumns: readonly Column<DataEntry>[] = [
  { head: "Key", cell: ({ key }) => <TruncatedText text={key} /> },
  { head: "Kind", cell: ({ type }) => <span class="quiet">{type}</span> },
  { head: "Value", cell: (entry) => <ValueView value={entryValue(entry)} /> },
];

/** Data entries by key. */
export function Data({ tab, lists }: TabProps<"data">): JSX.Element {
  return (
    <LongTable
      name="entries"
      caption="Data of the account by key"
      columns={dataColumns}
      first={tab.first}
      more={(cursor) => lists.data(cursor)}
      keyOf={({ key }) => key}
      empty="It has written no data."
    />
  );
}

const associationColumns: readonly Column<AssociationRow>[] = [
  { head: "Way", cell: ({ isOutgoing }) => (isOutgoing ? "issued to" : "got from") },
  {
    head: "Account",
    kind: "id",
    cell: ({ association, isOutgoing }) => (
      <Address value={isOutgoing ? association.recipient : association.sender} bare />
    ),
  },
  { head: "Type", kind: "number", cell: ({ association }) => String(association.type) },
  {
    head: "Subject",
    cell: ({ association: { subject } }) =>
      subject === null ? (
        <span class="quiet">none</span>
      ) : (
        <ValueView value={{ kind: "bytes", base58: subject }} />
      ),
  },
  { head: "Since", kind: "time", cell: ({ association }) => <Time at={association.timestamp} /> },
  {
    head: "Until",
    kind: "time",
    cell: ({ association: { expires } }) =>
      expires === null ? <span class="quiet">no end</span> : <Time at={expires} />,
  },
  {
    head: "Data",
    cell: ({ association: { data } }) =>
      data.length === 0 ? (
        <span class="quiet">none</span>
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

/** Associations as a graph and as a list. */
export function Associations({ address, tab, lists }: TabProps<"associations">): JSX.Element {
  const { rows } = tab.first;
  const to = new Set(
    rows.filter(({ isOutgoing }) => isOutgoing).map(({ association }) => association.recipient),
  );
  const from = new Set(
    rows.filter(({ isOutgoing }) => !isOutgoing).map(({ association }) => association.sender),
  );
  to.delete(address);
  from.delete(address);
  // An account that is both goes to the right, with an edge in each direction.
  for (const one of to) from.delete(one);
  const box = (id: string, rank: number) => ({ id, rank, label: <Address value={id} bare /> });
  return (
    <>
      {rows.length > 0 && (
        <Graph
          title="Accounts that issued associations to it, and those that it issued to"
          nodes={[
            ...[...from].map((id) => box(id, 0)),
            { id: address, rank: 1, isSelf: true, label: <span class="quiet">this account</span> },
            ...[...to].map((id) => box(id, 2)),
          ]}
          edges={rows.map(({ association: { sender, recipient, type } }) => ({
            from: sender,
            to: recipient,
            label: `type ${type}`,
          }))}
        />
      )}
      <LongTable
        name="associations"
        caption="Associations in force"
        columns={associationColumns}
        first={tab.first}
        more={(cursor) => lists.associations(cursor)}
        keyOf={associationKey}
        empty="No association with it is in force."
      />
    </>
  );
}

/** Number of keys and services of the DID document, with a link to it. */
export function Identity({ address, tab }: TabProps<"identity">): JSX.Element {
  const { document } = tab;
  const did = `did:lto:${address}`;
  if (document === undefined)
    return (
      <p class="quiet">
        It is no identity: no public key of it was seen on the chain, or its DID is deactivated.{" "}
        <a href={identityLink(did)}>Its page says which</a>.
      </p>
    );
  const { verificationMethod, service } = membersOf(document);
  const count = (list: unknown): string => numberText(Array.isArray(list) ? list.length : 0);
  return (
    <>
      <Facts
        rows={[
          ["DID", <Did value={did} />],
          ["Keys", count(verificationMethod)],
          ["Services", count(service)],
        ]}
      />
      <p>
        <a href={identityLink(did)}>Its document, and what it was before</a>
      </p>
    </>
  );
}

/** The account's script as text, with its complexity. */
export function Script({ tab: { info } }: TabProps<"script">): JSX.Element {
  const { script, scriptText, complexity } = info;
  if (script === undefined)
    return <p class="quiet">It has no script: what its key has signed is signed by it, and nothing else.</p>;
  return (
    <>
      <Facts
        rows={[
          ["Cost", `${numberText(complexity)}, as it is estimated for each run`],
          ["Script", <ValueView value={{ kind: "script", base64: script.replace(/^base64:/, "") }} />],
        ]}
      />
      <h3>Decompiled</h3>
      {scriptText !== undefined && (
        <pre class="script">
          <TruncatedText text={indentBrackets(scriptText)} most={8_000} />
        </pre>
      )}
    </>
  );
}

const givenColumns: readonly Column<Sponsored>[] = [
  { head: "Account", kind: "id", cell: ({ address }) => <Address value={address} bare /> },
  { head: "Since block", kind: "number", cell: ({ height }) => <Height height={height} /> },
  { head: "By", kind: "id", cell: ({ transaction }) => <TransactionId value={transaction} bare /> },
];

/** The account's sponsors, and the accounts that it sponsors. */
export function Sponsors({ tab, lists }: TabProps<"sponsors">): JSX.Element {
  const { sponsors, given } = tab;
  return (
    <div class="sides">
      <section>
        <h3>Who pays its fees</h3>
        {sponsors.length === 0 ? (
          <p class="quiet">It pays its fees itself.</p>
        ) : (
          <ol class="values">
            {sponsors.map((sponsor) => (
              <li key={sponsor}>
                <Address value={sponsor} />
              </li>
            ))}
          </ol>
        )}
        {sponsors.length > 1 && <p class="quiet">The first one that can pays.</p>}
      </section>
      <section>
        <h3>Whose fees it pays</h3>
        {given === undefined ? (
          <p class="quiet">The node does not tell.</p>
        ) : (
          <LongTable
            name="sponsored"
            caption="Accounts that it sponsors, newest first"
            columns={givenColumns}
            first={given}
            more={(cursor) => lists.given(cursor)}
            keyOf={(row) => row.address}
            empty="It pays for nobody else."
          />
        )}
      </section>
    </div>
  );
}

/** The account's X.509 certificate. */
export function Certificate({ tab: { certificate } }: TabProps<"certificate">): JSX.Element {
  if (certificate === undefined) return <p class="quiet">It has published no certificate.</p>;
  const { status } = certificate;
  return (
    <>
      <Note kind={status === "expired" ? "wrong" : "unsettled"}>
        {status === "expired"
          ? "It is not valid at this time."
          : "It is valid at this time by its own word: the node knows no authority that would vouch for it."}
      </Note>
      <CertificateFacts
        subject={certificate.subject}
        issuer={certificate.issuer}
        notBefore={certificate.notBefore}
        notAfter={certificate.notAfter}
      />
      <Pem text={certificate.certificate} />
    </>
  );
}
