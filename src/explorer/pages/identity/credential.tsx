import type { PageContext } from "../../page.ts";
import { Did, Time } from "../../parts/inline.tsx";
import { type Column, FieldList, idColumn, Table } from "../../parts/lists/table.tsx";
import { Attempted, Note, Panel, ProblemNotice } from "../../parts/panel.tsx";
import { TextForm } from "../../parts/text-form.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { displayText, fill } from "../../text/text.ts";
import { credentialTexts } from "../credential/texts.ts";
import { ExportLinks } from "../lists/node-list.tsx";
import { parseTime } from "./document.ts";
import type { CredentialStatus, IdentityData } from "./load.ts";
import { identityTexts } from "./texts.ts";

type Statement = CredentialStatus["statements"][number];

const { credential: texts } = identityTexts;
const { status: verdicts } = credentialTexts;

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

function Verdict({ status: { issued, suspended, revoked } }: { readonly status: CredentialStatus }) {
  const note = (kind: "right" | "unsettled" | "wrong", text: string, time: string) => (
    <Note kind={kind}>{fill(text, { time: <DocumentTime text={time} /> })}</Note>
  );
  if (revoked !== undefined) return note("wrong", verdicts.revoked, revoked);
  if (suspended !== undefined) return note("unsettled", verdicts.suspended, suspended);
  if (issued !== undefined) return note("right", verdicts.issued, issued);
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
