/** What was stated about a credential, as far as it counts for an identity. */
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Attempted } from "../../parts/attempted.tsx";
import { Did } from "../../parts/id.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ShowAll } from "../../parts/show-all.tsx";
import { Facts, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { calmText } from "../../text/shown-text.ts";
import { timeOf } from "./document.ts";
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

function At({ text }: { readonly text: string }): JSX.Element {
  const time = timeOf(text);
  return time === undefined ? <span>{text}</span> : <Time at={time} />;
}

/** What somebody said beside it, as text. */
function dataOf(statement: Statement): string {
  const { type: _type, timestamp: _timestamp, signer: _signer, ...data } = statement;
  return Object.entries(data)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");
}

/** What it comes to, in a sentence. */
function Verdict({ status }: { readonly status: CredentialStatus }): JSX.Element {
  const { issued, suspended, revoked } = status;
  if (revoked !== undefined)
    return (
      <Notice kind="wrong">
        <p>
          Revoked on <At text={revoked} />, for good.
        </p>
      </Notice>
    );
  if (suspended !== undefined)
    return (
      <Notice kind="unsettled">
        <p>
          Suspended since <At text={suspended} />.
        </p>
      </Notice>
    );
  if (issued !== undefined)
    return (
      <Notice kind="right">
        <p>
          Issued on <At text={issued} />, neither suspended nor revoked.
        </p>
      </Notice>
    );
  return (
    <Notice kind="plain">
      <p>This identity has not said that it issued this credential.</p>
    </Notice>
  );
}

/** A statement, and where it stands in the list. */
interface Row {
  readonly statement: Statement;
  readonly at: number;
}

const columns = [
  { head: "When", kind: "time", cell: ({ statement }: Row) => <At text={statement.timestamp} /> },
  { head: "What", cell: ({ statement }: Row) => words[statement.type] },
  {
    head: "Who",
    kind: "id",
    cell: ({ statement }: Row) => <Did value={statement.signer.id.replace(/#.*$/, "")} bare />,
  },
  {
    head: "Said beside it",
    cell: ({ statement }: Row) => <ShowAll text={calmText(dataOf(statement))} most={200} />,
  },
] as const;

function Status({ status }: { readonly status: CredentialStatus }): JSX.Element {
  return (
    <>
      <Verdict status={status} />
      <div class="statements">
        <Table
          caption="What was stated about the credential, oldest first"
          columns={columns}
          rows={status.statements.map((statement, at) => ({ statement, at }))}
          keyOf={({ at }) => at}
          empty="Nobody has stated anything about it that counts here."
        />
      </div>
    </>
  );
}

/** What is stated of a credential, for which it asks by a field. */
export function Credential(props: {
  readonly data: IdentityData;
  /** Shows what is stated of a credential; an empty id: of none. */
  readonly go: (id: string) => void;
}): JSX.Element {
  const { data, go } = props;
  const { credential } = data;
  const field = useId();
  const look = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = document.getElementById(field);
    if (input instanceof HTMLInputElement) go(input.value.trim());
  };
  return (
    <section class="panel stack">
      <h2>A credential of this issuer</h2>
      <form class="ask" onSubmit={look}>
        <label for={field}>Id of the credential (hex, Base58 or a URN)</label>
        <input
          id={field}
          value={credential?.text ?? ""}
          maxLength={352}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <button type="submit">Show its status</button>
      </form>
      {credential !== undefined && (
        // A link to a credential opens here: `shell/arrive.ts`.
        <div class="stack" data-arrive="" tabIndex={-1}>
          {"fault" in credential ? (
            <Notice kind="wrong">
              <p>{credential.fault.message}</p>
              <p class="quiet">{credential.fault.advice}</p>
            </Notice>
          ) : (
            <>
              <Facts rows={[["Credential", <ShowAll key="id" text={credential.id} most={100} />]]} />
              <Attempted of={credential.status} draw={(status) => <Status status={status} />} />
            </>
          )}
        </div>
      )}
    </section>
  );
}
