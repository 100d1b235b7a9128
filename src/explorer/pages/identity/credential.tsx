/** Statements about a credential that count for an issuer. */

import type { JSX } from "preact";
import { Attempted } from "../../parts/attempted.tsx";
import { Did } from "../../parts/id.tsx";
import { Note, Notice } from "../../parts/notice.tsx";
import { Panel } from "../../parts/panel.tsx";
import { type Column, Facts, Table } from "../../parts/table.tsx";
import { TextForm } from "../../parts/text-form.tsx";
import { Time } from "../../parts/time/time.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { displayText } from "../../text/display-text.ts";
import { parseTime } from "./document.ts";
import type { CredentialStatus, IdentityData } from "./load.ts";

type Statement = CredentialStatus["statements"][number];

const words: Readonly<Record<Statement["type"], string>> = {
  issue: "issued",
  revoke: "revoked",
  suspend: "suspended",
  reinstate: "reinstated",
  dispute: "disputed",
  acknowledge: "acknowledged",
};

/** A time of a document, or its text if it is not one. */
export function DocumentTime({ text }: { readonly text: string | undefined }): JSX.Element {
  const time = parseTime(text);
  return time === undefined ? <span>{text}</span> : <Time at={time} />;
}

/** Formats the other members of a statement, one a line. */
function statementData(statement: Statement): string {
  const { type: _type, timestamp: _timestamp, signer: _signer, ...data } = statement;
  return Object.entries(data)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");
}

function Verdict({ status }: { readonly status: CredentialStatus }): JSX.Element {
  const { issued, suspended, revoked } = status;
  if (revoked !== undefined)
    return (
      <Note kind="wrong">
        Revoked on <DocumentTime text={revoked} />, for good.
      </Note>
    );
  if (suspended !== undefined)
    return (
      <Note kind="unsettled">
        Suspended since <DocumentTime text={suspended} />.
      </Note>
    );
  if (issued !== undefined)
    return (
      <Note kind="right">
        Issued on <DocumentTime text={issued} />, neither suspended nor revoked.
      </Note>
    );
  return <Note kind="plain">This identity has not said that it issued this credential.</Note>;
}

const columns: readonly Column<Statement>[] = [
  { head: "When", kind: "time", cell: ({ timestamp }) => <DocumentTime text={timestamp} /> },
  { head: "What", cell: ({ type }) => words[type] },
  { head: "Who", kind: "id", cell: ({ signer }) => <Did value={signer.id.replace(/#.*$/, "")} bare /> },
  {
    head: "Said beside it",
    cell: (statement) => <TruncatedText text={displayText(statementData(statement))} most={200} />,
  },
];

function Status({ status }: { readonly status: CredentialStatus }): JSX.Element {
  return (
    <>
      <Verdict status={status} />
      <div class="statements">
        <Table
          caption="What was stated about the credential, oldest first"
          columns={columns}
          rows={status.statements}
          keyOf={(_, index) => index}
          empty="Nobody has stated anything about it that counts here."
        />
      </div>
    </>
  );
}

/** Form for a credential id, with the status of that credential. */
export function Credential(props: {
  readonly data: IdentityData;
  /** Opens the status of a credential; an empty id closes it. */
  readonly go: (id: string) => void;
}): JSX.Element {
  const { data, go } = props;
  const { credential } = data;
  return (
    <Panel title="A credential of this issuer" stacked>
      <TextForm
        label="Id of the credential (hex, Base58 or a URN)"
        button="Show its status"
        value={credential?.text ?? ""}
        most={352}
        ask={go}
      />
      {credential !== undefined && (
        // A link to a credential focuses this element: `shell/arrive.ts`.
        <div class="stack" data-arrive="" tabIndex={-1}>
          {"fault" in credential ? (
            <Notice kind="wrong">
              <p>{credential.fault.message}</p>
              <p class="quiet">{credential.fault.advice}</p>
            </Notice>
          ) : (
            <>
              <Facts rows={[["Credential", <TruncatedText key="id" text={credential.id} most={100} />]]} />
              <Attempted of={credential.status} draw={(status) => <Status status={status} />} />
            </>
          )}
        </div>
      )}
    </Panel>
  );
}
