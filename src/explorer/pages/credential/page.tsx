/** Checks a credential in the browser: issuer, signature, status, validity and trust. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Credential, CredentialError, parseCredential } from "../../../client/credential-proof.ts";
import { afterKeyBlocks, useQuery } from "../../data/use-query.ts";
import { identityLink } from "../../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../../page.ts";
import { CheckSteps, OutcomeSummary } from "../../parts/check-steps.tsx";
import { Address, Time } from "../../parts/inline.tsx";
import { FieldList } from "../../parts/lists/table.tsx";
import { Attempted, Note, Panel } from "../../parts/panel.tsx";
import { partTexts } from "../../parts/texts.ts";
import { useFileDrop } from "../../shell/dropped-files.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { displayText } from "../../text/text.ts";
import { type Grant, pathFromRoot } from "../trust/graph.ts";
import { trustTexts } from "../trust/texts.ts";
import { type CredentialFacts, loadFacts } from "./facts.ts";
import { credentialOutcome, credentialSteps } from "./steps.ts";
import { credentialTexts as texts } from "./texts.ts";

/** Accounts from the root to the issuer. Each granted the role of the next one. */
function TrustCards(props: { readonly path: readonly Grant[]; readonly root: string }) {
  const { path, root } = props;
  return (
    <ol class="cards bare">
      <li class="card">
        <h3>{texts.trust.root}</h3>
        <p>
          <Address value={root} noCopy />
        </p>
      </li>
      {path.map(({ holder, role, sender }) => (
        <li key={holder} class="card">
          <h3>
            <bdi>{displayText(role)}</bdi>
          </h3>
          <p>
            <Address value={holder} noCopy />
          </p>
          <p class="quiet">
            {trustTexts.grantedBy} <Address value={sender} noCopy />
          </p>
        </li>
      ))}
    </ol>
  );
}

function Trust({ credential, facts }: { readonly credential: Credential; readonly facts: CredentialFacts }) {
  const trust = facts.trust.ok ? facts.trust.value : undefined;
  const path = trust && pathFromRoot(trust.grants, trust.root, credential.issuer.replace(/^.*:/, ""));
  return (
    <Panel title={texts.trust.title}>
      {trust?.root === undefined || path === undefined ? (
        <p>{trust?.root === undefined ? trustTexts.noRoot : texts.trust.noPath}</p>
      ) : (
        <TrustCards path={path} root={trust.root} />
      )}
    </Panel>
  );
}

function Claims({ credential }: { readonly credential: Credential }) {
  const { issuer, subject, types, validFrom, validUntil, statusId } = credential;
  const time = (ms: number | undefined) => ms !== undefined && <Time at={BigInt(ms)} />;
  const shown = (text: string) => <bdi>{displayText(text)}</bdi>;
  return (
    <FieldList
      rows={[
        [commonTexts.type, types.length > 0 && shown(types.join(", "))],
        [
          partTexts.certificate.issuer,
          issuer.startsWith("did:") ? <a href={identityLink(issuer)}>{shown(issuer)}</a> : shown(issuer),
        ],
        [commonTexts.subject, subject && shown(subject)],
        [partTexts.certificate.from, time(validFrom)],
        [partTexts.certificate.until, time(validUntil)],
        [texts.statusId, <span class="code">{statusId}</span>],
      ]}
    />
  );
}

function Result({ credential, context }: { readonly credential: Credential; readonly context: PageContext }) {
  const { issuer, statusId } = credential;
  const facts = useQuery(
    context,
    `credential ${issuer} ${statusId}`,
    () => loadFacts(credential, context),
    afterKeyBlocks(context),
  );
  return (
    <Attempted
      attempt={facts}
      lines={20}
      render={(loaded) => {
        const steps = credentialSteps(credential, loaded, Date.now(), context.node.url);
        return (
          <>
            <div aria-live="polite">
              <OutcomeSummary outcome={credentialOutcome(steps)} />
            </div>
            <Panel title={texts.claims}>
              <Claims credential={credential} />
            </Panel>
            <CheckSteps steps={steps} />
            <Trust credential={credential} facts={loaded} />
          </>
        );
      }}
    />
  );
}

/** On failure, returns why the text is invalid. */
function tryParse(text: string): Credential | string | undefined {
  if (text.trim() === "") return undefined;
  try {
    return parseCredential(text);
  } catch (error) {
    if (error instanceof CredentialError) return error.message;
    throw error;
  }
}

function View({ context }: PageProps) {
  const text = useSignal("");
  const readFile = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) text.value = await file.text().catch(() => "");
  };
  const isDragging = useFileDrop(([file]) => void readFile(file));
  const parsed = useMemo(() => tryParse(text.value), [text.value]);
  return (
    <article class={isDragging.value ? "anchor dragged-over" : "anchor"}>
      <h1>{texts.title}</h1>
      <label class="drop">
        <input
          type="file"
          class="visually-hidden"
          onChange={({ currentTarget }) => {
            void readFile(currentTarget.files?.[0]);
            // Allow choosing the same file again.
            currentTarget.value = "";
          }}
        />
        <b>{texts.drop}</b>
        <span class="quiet">{texts.privacy}</span>
      </label>
      <div class="fields">
        <div>
          <label for="credential">{texts.label}</label>
          <textarea
            id="credential"
            class="code"
            rows={6}
            spellcheck={false}
            value={text.value}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          />
        </div>
      </div>
      {typeof parsed === "string" && <Note kind="wrong">{parsed}</Note>}
      {typeof parsed === "object" && <Result credential={parsed} context={context} />}
    </article>
  );
}

export const credentialPage: PageDefinition = { title: () => texts.title, View };
