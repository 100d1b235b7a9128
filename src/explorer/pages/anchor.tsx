import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { encodeHex } from "../../bytes/hex.ts";
import type { BoundedFetch } from "../../client/verify-anchor.ts";
import type { QueuedHash } from "../check/check-outcome.ts";
import { MAX_PROOF_LENGTH, type ParsedProof, parseHash, parseProof } from "../check/parse-input.ts";
import { type CheckSubject, type CheckView, runCheck } from "../check/run-check.ts";
import { yieldToBrowser } from "../data/platform.ts";
import { anchorLink } from "../links.ts";
import type { Attempt, PageContext, PageDefinition, PageProps, Problem } from "../page.ts";
import { CheckSteps, OutcomeSummary } from "../parts/check-steps.tsx";
import { Hash } from "../parts/inline.tsx";
import { Note, PageContent } from "../parts/panel.tsx";
import { TruncatedText } from "../parts/truncated-text.tsx";
import { useFileDrop } from "../shell/dropped-files.ts";
import { byteCount, fill, numberText } from "../text/text.ts";
import { anchorTexts as texts } from "./anchor/texts.ts";

interface CheckInput {
  readonly subject: CheckSubject;
  readonly fileName?: string | undefined;
  readonly proof?: ParsedProof | undefined;
}

const INVALID_HASH: Problem = {
  kind: "malformed",
  message: texts.invalidHash,
  advice: texts.invalidHashAdvice,
};

const browserFetch: BoundedFetch = (url, init) => fetch(url, init);

async function findQueuedHash({ node }: PageContext, hash: Uint8Array): Promise<QueuedHash | undefined> {
  const answer = await node.client.call("GET /hash/:hash/status", { params: { hash: encodeHex(hash) } });
  return answer.status === "queued" ? { since: answer.since } : undefined;
}

async function pairWithProof(files: readonly File[]): Promise<CheckInput | undefined> {
  let proof: ParsedProof | undefined;
  let file: File | undefined;
  for (const candidate of files.slice(0, 2)) {
    // An unreadable file is not a proof.
    const parsed =
      candidate.size <= MAX_PROOF_LENGTH ? parseProof(await candidate.text().catch(() => "")) : undefined;
    if (parsed === undefined) file ??= candidate;
    else proof ??= parsed;
  }
  if (file !== undefined) return { subject: { file }, fileName: file.name, proof };
  return proof && { subject: { hash: proof.chainpoint.hash }, proof };
}

function AnchorForm(props: {
  readonly isDragging: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onHash: (hash: Uint8Array) => void;
}) {
  const { isDragging, onFiles, onHash } = props;
  const isInvalid = useSignal(false);
  const hashInput = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const hash = parseHash(hashInput.current?.value ?? "");
    isInvalid.value = hash === undefined;
    if (hash !== undefined) onHash(hash);
  };
  return (
    <>
      <label class={isDragging ? "drop dragged-over" : "drop"}>
        <input
          type="file"
          multiple
          class="visually-hidden"
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])]);
            // Allow choosing the same file again.
            currentTarget.value = "";
          }}
        />
        <b>{texts.drop}</b>
        <span class="quiet">{texts.privacy}</span>
      </label>
      <form class="row inline-form" onSubmit={submit}>
        <label for="anchor-hash">{texts.hashLabel}</label>
        <input
          id="anchor-hash"
          ref={hashInput}
          autocomplete="off"
          spellcheck={false}
          placeholder={texts.hashPlaceholder}
          aria-invalid={isInvalid.value}
          aria-describedby={isInvalid.value ? "anchor-hash-problem" : undefined}
        />
        <button type="submit">{texts.check}</button>
        {isInvalid.value && (
          <p id="anchor-hash-problem" class="wrong" role="alert">
            {texts.invalidHash} {texts.invalidHashAdvice}
          </p>
        )}
      </form>
    </>
  );
}

function Progress({ hashed }: { readonly hashed: NonNullable<CheckView["hashed"]> }) {
  const { done, size } = hashed;
  return (
    <p class="progress">
      <progress max={Math.max(size, 1)} value={done} aria-label={texts.hashing} />{" "}
      {texts.progress(numberText(done), byteCount(size))}
    </p>
  );
}

/** Reloads the document: the content security policy allows requests to one node only. */
function OtherNodeForm({ hash }: { readonly hash: string }) {
  const nodeInput = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const url = new URL(anchorLink(hash), document.baseURI);
    url.searchParams.set("node", nodeInput.current?.value ?? "");
    window.location.assign(url);
  };
  return (
    <form class="row inline-form" onSubmit={submit}>
      <label for="another-node">{texts.otherNode}</label>
      <input id="another-node" ref={nodeInput} type="url" required placeholder="https://node.example.org" />
      <button type="submit">{texts.ask}</button>
    </form>
  );
}

function CheckResult(props: {
  readonly input: CheckInput;
  readonly view: CheckView;
  readonly context: PageContext;
}) {
  const { input, view, context } = props;
  const { outcome, hashed, hash, steps } = view;
  return (
    <section class="outcome" aria-label={texts.result}>
      <h2 class="subject">
        {input.fileName === undefined ? (
          texts.fingerprint
        ) : (
          <TruncatedText text={input.fileName} maxCharacters={120} />
        )}
        {input.proof !== undefined && <span class="quiet"> {texts.withProof}</span>}
      </h2>
      {hash !== undefined && (
        <p>
          <Hash value={hash} />
        </p>
      )}
      {hashed !== undefined && <Progress hashed={hashed} />}
      <div aria-live="polite">{outcome !== undefined && <OutcomeSummary outcome={outcome} />}</div>
      <CheckSteps steps={steps} />
      {outcome?.tone === "good" && hash !== undefined && (
        <p>
          {fill(texts.keep, {
            download: (
              <a
                href={new URL(`hash/${hash}`, context.node.url).href}
                download={`${hash.slice(0, 16)}.proof.json`}
              >
                {texts.download}
              </a>
            ),
            link: <a href={anchorLink(hash)}>{texts.link}</a>,
          })}
        </p>
      )}
      {outcome !== undefined && hash !== undefined && <OtherNodeForm hash={hash} />}
    </section>
  );
}

function View({ params: { hash: text = "" }, context }: PageProps) {
  const hash = text === "" ? undefined : parseHash(text);
  const attempt: Attempt<Uint8Array | undefined> =
    text !== "" && hash === undefined ? { ok: false, problem: INVALID_HASH } : { ok: true, value: hash };
  return (
    <PageContent
      context={context}
      heading={texts.heading}
      attempt={attempt}
      render={() => <AnchorView hash={hash} context={context} />}
    />
  );
}

function AnchorView(props: { readonly hash: Uint8Array | undefined; readonly context: PageContext }) {
  const { hash, context } = props;
  const input = useSignal<CheckInput | undefined>(undefined);
  const view = useSignal<CheckView | undefined>(undefined);
  const isUnreadable = useSignal(false);
  const abort = useRef(new AbortController());
  const run = ({ subject, proof }: CheckInput): void => {
    abort.current.abort();
    abort.current = new AbortController();
    const options = {
      subject,
      proof: proof?.json,
      nodeUrl: context.node.url,
      fetch: browserFetch,
      findQueued: (queued: Uint8Array) => findQueuedHash(context, queued),
      pause: yieldToBrowser,
      signal: abort.current.signal,
    };
    void runCheck(options, (newView) => {
      view.value = newView;
    });
  };
  const check = (newInput: CheckInput): void => {
    input.value = newInput;
    isUnreadable.value = false;
    view.value = undefined;
    run(newInput);
  };
  const checkFiles = async (files: readonly File[]): Promise<void> => {
    const newInput = await pairWithProof(files);
    if (newInput === undefined) isUnreadable.value = files.length > 0;
    else check(newInput);
  };
  const isDragging = useFileDrop((files) => void checkFiles(files));
  const hex = hash && encodeHex(hash);
  // Compare the hash as text: each navigation creates an array.
  useEffect(() => {
    if (hash !== undefined) check({ subject: { hash } });
  }, [hex]);
  useEffect(() => () => abort.current.abort(), []);
  const lastTip = useRef(context.live.tip.value?.id);
  useSignalEffect(() => {
    const tip = context.live.tip.value?.id;
    if (tip === lastTip.current) return;
    lastTip.current = tip;
    const lastInput = input.peek();
    // The new block may contain the queued hash.
    if (lastInput !== undefined && view.peek()?.outcome?.tone === "waiting") run(lastInput);
  });

  return (
    <article class={isDragging.value ? "anchor dragged-over" : "anchor"}>
      <h1>{texts.heading}</h1>
      <p class="lead quiet">{texts.lead}</p>
      <AnchorForm
        isDragging={isDragging.value}
        onFiles={(files) => void checkFiles(files)}
        onHash={(enteredHash) => check({ subject: { hash: enteredHash } })}
      />
      {isUnreadable.value && <Note kind="wrong">{texts.unreadable}</Note>}
      {input.value !== undefined && view.value !== undefined && (
        <CheckResult input={input.value} view={view.value} context={context} />
      )}
    </article>
  );
}

export const anchorPage: PageDefinition = {
  title: ({ hash }) => (hash === undefined ? texts.title : texts.titleOf(hash)),
  View,
};
