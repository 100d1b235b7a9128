import type { PageContext } from "../../page.ts";
import { Did, Time } from "../../parts/inline.tsx";
import { type Column, FieldList, idColumn, Table } from "../../parts/lists/table.tsx";
import { Attempted, Note, Panel, ProblemNotice } from "../../parts/panel.tsx";
import { TextForm } from "../../parts/text-form.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { displayText, fill } from "../../text/text.ts";
import { ExportLinks } from "../lists/node-list.tsx";
import { parseTime } from "./document.ts";
import type { CredentialStatus, IdentityData } from "./load.ts";
import { identityTexts } from "./texts.ts";

type Statement = CredentialStatus["statements"][number];

const { credential: texts } = identityTexts;

export function DocumentTime({ text }: { readonly text: string | undefined }) {
  const time = parseTime(text);
  return time === undefined ? <span>{text}</span> : <Time at={time} />;
}

function statementData(statement: Statement): string {
  const { type: _type, timestamp: _timestamp, signer: _signer, ...data } = statement;
  return Object.entries(data)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");
}

function Verdict({ status }: { readonly status: CredentialStatus }) {
  const { issued, suspended, revoked } = status;
  if (revoked !== undefined)
    return <Note kind="wrong">{fill(texts.revoked, { time: <DocumentTime text={revoked} /> })}</Note>;
  if (suspended !== undefined)
    return <Note kind="unsettled">{fill(texts.suspended, { time: <DocumentTime text={suspended} /> })}</Note>;
  if (issued !== undefined)
    return <Note kind="right">{fill(texts.issued, { time: <DocumentTime text={issued} /> })}</Note>;
  return <Note kind="plain">{texts.notIssued}</Note>;
}

const columns: readonly Column<Statement>[] = [
  { head: commonTexts.time, kind: "time", cell: ({ timestamp }) => <DocumentTime text={timestamp} /> },
  { head: texts.statement, cell: ({ type }) => texts.statements[type] },
  idColumn(texts.signer, ({ signer }) => <Did value={signer.id.replace(/#.*$/, "")} noCopy />),
  {
    head: commonTexts.data,
    cell: (statement) => <TruncatedText text={displayText(statementData(statement))} maxCharacters={200} />,
  },
];

function Status({ status, context }: { readonly status: CredentialStatus; readonly context: PageContext }) {
  const { id, issuer } = status;
  return (
    <>
      <Verdict status={status} />
      <div class="statements">
        <Table
          caption={texts.caption}
          columns={columns}
          rows={status.statements}
          keyOf={(_, index) => index}
          empty={texts.empty}
        />
      </div>
      <ExportLinks
        context={context}
        path={`credential-status/${id}`}
        query={issuer === undefined ? {} : { issuer }}
      />
    </>
  );
}

export function Credential(props: {
  readonly data: IdentityData;
  readonly context: PageContext;
  readonly openCredential: (id: string) => void;
}) {
  const { data, context, openCredential } = props;
  const { credential } = data;
  return (
    <Panel title={texts.title} stacked>
      <TextForm
        label={texts.label}
        button={texts.submit}
        value={credential?.text ?? ""}
        maxLength={352}
        onSubmit={openCredential}
      />
      {credential !== undefined && (
        // `shell/place-focus.ts` focuses this element.
        <div class="stack" data-scroll-target="" tabIndex={-1}>
          {"problem" in credential ? (
            <ProblemNotice problem={credential.problem} />
          ) : (
            <>
              <FieldList
                rows={[[texts.credential, <TruncatedText text={credential.id} maxCharacters={100} />]]}
              />
              <Attempted
                attempt={credential.status}
                render={(status) => <Status status={status} context={context} />}
              />
            </>
          )}
        </div>
      )}
    </Panel>
  );
}
