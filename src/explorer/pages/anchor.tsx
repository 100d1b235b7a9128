import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { encodeHex } from "../../bytes/hex.ts";
import type { BoundedFetch } from "../../client/verify-anchor.ts";
import type { QueuedHash } from "../check/check-outcome.ts";
import { MAX_PROOF_LENGTH, type ParsedProof, parseHash, parseProof } from "../check/parse-input.ts";
import { type CheckSubject, type CheckView, runCheck } from "../check/run-check.ts";
import { yieldToBrowser } from "../data/platform.ts";
import { anchorLink } from "../links.ts";
import { type PageContext, type PageDefinition, PageProblem } from "../page.ts";
import { CheckSteps } from "../parts/check-steps.tsx";
import { Hash } from "../parts/id.tsx";
import { Note } from "../parts/notice.tsx";
import { Stamp } from "../parts/time/stamp.tsx";
import { TruncatedText } from "../parts/truncated-text.tsx";
import { takeDroppedFiles } from "../shell/dropped-files.ts";
import { fill } from "../text/fill.ts";
import { byteCount, numberText } from "../text/measures.ts";
import { anchorTexts as texts } from "./anchor/texts.ts";

export interface AnchorData {
  readonly hash: Uint8Array | undefined;
}

interface CheckInput {
  readonly subject: CheckSubject;
  readonly name?: string | undefined;
  readonly proof?: ParsedProof | undefined;
}

const browserFetch: BoundedFetch = (url, init) => fetch(url, init);

async function findQueuedHash({ node }: PageContext, hash: Uint8Array): Promise<QueuedHash | undefined> {
  const answer = await node.client.call("GET /hash/:hash/status", { params: { hash: encodeHex(hash) } });
  return answer.status === "queued" ? { since: answer.since } : undefined;
}

/** Runs one check at a time: a new one aborts the previous one. */
class CheckRunner {
  readonly #context: PageContext;
  readonly #view: Signal<CheckView | undefined>;
  #running = new AbortController();

  constructor(context: PageContext, view: Signal<CheckView | undefined>) {
    this.#context = context;
    this.#view = view;
  }

  stop(): void {
    this.#running.abort();
  }

  async start({ subject, proof }: CheckInput): Promise<void> {
    this.stop();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const context = this.#context;
    await runCheck(
      {
        subject,
        proof: proof?.json,
        nodeUrl: context.node.url,
        fetch: browserFetch,
        findQueued: (hash) => findQueuedHash(context, hash),
        pause: yieldToBrowser,
        signal,
      },
      (view) => {
        this.#view.value = view;
      },
    );
  }
}

/** Finds the file, and its proof if there is one, among dropped files. */
async function pairWithProof(files: readonly File[]): Promise<CheckInput | undefined> {
  let proof: ParsedProof | undefined;
  let file: File | undefined;
  for (const one of files.slice(0, 2)) {
    // An unreadable file is not a proof; the check reports the read error.
    const read = one.size <= MAX_PROOF_LENGTH ? parseProof(await one.text().catch(() => "")) : undefined;
    if (read === undefined) file ??= one;
    else proof ??= read;
  }
  if (file !== undefined) return { subject: { file }, name: file.name, proof };
  return proof && { subject: { hash: proof.read.hash }, proof };
}

/** Handles files dropped anywhere on this page, or on the page before it. */
function useFileDrop(onFiles: (files: readonly File[]) => void): Signal<boolean> {
  const isOver = useSignal(false);
  const handler = useRef(onFiles);
  handler.current = onFiles;
  useEffect(() => {
    const has = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent): void => {
      if (!has(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      // The pointer left the window, not just an element.
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      isOver.value = false;
      if (!has(event)) return;
      event.preventDefault();
      handler.current([...(event.dataTransfer?.files ?? [])]);
    };
    const before = takeDroppedFiles();
    if (before.length > 0) handler.current(before);
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("dragover", over, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("drop", drop, { signal });
    return () => listening.abort();
  }, []);
  return isOver;
}

function AnchorForm(props: {
  readonly isOver: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onHash: (hash: Uint8Array) => void;
}): JSX.Element {
  const { isOver, onFiles, onHash } = props;
  const problem = useSignal(false);
  const text = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const hash = parseHash(text.current?.value ?? "");
    problem.value = hash === undefined;
    if (hash !== undefined) onHash(hash);
  };
  return (
    <>
      <label class={isOver ? "drop over" : "drop"}>
        <input
          type="file"
          multiple
          class="unseen"
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])]);
            // Allow choosing the same file again.
            currentTarget.value = "";
          }}
        />
        <b>{texts.drop}</b>
        <span class="quiet">{texts.privacy}</span>
      </label>
      <form class="by-hash" onSubmit={submit}>
        <label for="anchor-hash">{texts.hashLabel}</label>
        <input
          id="anchor-hash"
          ref={text}
          autocomplete="off"
          spellcheck={false}
          placeholder={texts.hashPlaceholder}
          aria-invalid={problem.value}
          aria-describedby={problem.value ? "anchor-hash-problem" : undefined}
        />
        <button type="submit">{texts.check}</button>
        {problem.value && (
          <p id="anchor-hash-problem" class="wrong" role="alert">
            {texts.invalidHash} {texts.invalidHashAdvice}
          </p>
        )}
      </form>
    </>
  );
}

function Progress({ hashed }: { readonly hashed: NonNullable<CheckView["hashed"]> }): JSX.Element {
  const { done, size } = hashed;
  return (
    <p class="progress">
      <progress max={Math.max(size, 1)} value={done} aria-label={texts.hashing} />{" "}
      {texts.progress(numberText(done), byteCount(size))}
    </p>
  );
}

/** Opens the same check at another node, by a reload: the Content-Security-Policy allows one node. */
function OtherNodeForm({ hash }: { readonly hash: string }): JSX.Element {
  const node = useRef<HTMLInputElement>(null);
  const ask = (event: Event): void => {
    event.preventDefault();
    const there = new URL(anchorLink(hash), document.baseURI);
    there.searchParams.set("node", node.current?.value ?? "");
    window.location.assign(there);
  };
  return (
    <form class="by-hash" onSubmit={ask}>
      <label for="another-node">{texts.otherNode}</label>
      <input id="another-node" ref={node} type="url" required placeholder="https://node.example.org" />
      <button type="submit">{texts.ask}</button>
    </form>
  );
}

function CheckResult(props: {
  readonly given: CheckInput;
  readonly view: CheckView;
  readonly context: PageContext;
}): JSX.Element {
  const { given, view, context } = props;
  const { outcome, hashed, hash, steps } = view;
  return (
    <section class="outcome" aria-label={texts.result}>
      <h2 class="subject">
        {given.name === undefined ? (
          texts.fingerprint
        ) : (
          <TruncatedText text={given.name} maxCharacters={120} />
        )}
        {given.proof !== undefined && <span class="quiet"> {texts.withProof}</span>}
      </h2>
      {hash !== undefined && (
        <p>
          <Hash value={hash} />
        </p>
      )}
      {hashed !== undefined && <Progress hashed={hashed} />}
      <div aria-live="polite">{outcome !== undefined && <Stamp outcome={outcome} />}</div>
      <CheckSteps steps={steps} />
      {outcome?.tone === "good" && hash !== undefined && (
        <p class="keep">
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

function View({ data, context }: Parameters<typeof anchorPage.View>[0]): JSX.Element {
  const given = useSignal<CheckInput | undefined>(undefined);
  const view = useSignal<CheckView | undefined>(undefined);
  const unreadable = useSignal(false);
  const checks = useRef<CheckRunner>(undefined);
  checks.current ??= new CheckRunner(context, view);
  const { current } = checks;

  const check = (one: CheckInput): void => {
    given.value = one;
    unreadable.value = false;
    view.value = undefined;
    void current.start(one);
  };
  const takeFiles = async (files: readonly File[]): Promise<void> => {
    const one = await pairWithProof(files);
    if (one === undefined) unreadable.value = files.length > 0;
    else check(one);
  };
  const isOver = useFileDrop((files) => void takeFiles(files));
  const { hash } = data;
  const hex = hash && encodeHex(hash);
  // Depend on the text: the same link gives a new array each time.
  useEffect(() => {
    if (hash !== undefined) check({ subject: { hash } });
  }, [hex]);
  useEffect(() => () => current.stop(), []);
  const lastTip = useRef(context.live.tip.value?.id);
  useSignalEffect(() => {
    const tip = context.live.tip.value?.id;
    if (tip === lastTip.current) return;
    lastTip.current = tip;
    const again = given.peek();
    // A queued anchor may be in the new block.
    if (again !== undefined && view.peek()?.outcome?.tone === "waiting") void current.start(again);
  });

  return (
    <article class={isOver.value ? "anchor over" : "anchor"}>
      <h1>{texts.heading}</h1>
      <p class="lead quiet">{texts.lead}</p>
      <AnchorForm
        isOver={isOver.value}
        onFiles={(files) => void takeFiles(files)}
        onHash={(one) => check({ subject: { hash: one } })}
      />
      {unreadable.value && <Note kind="wrong">{texts.unreadable}</Note>}
      {given.value !== undefined && view.value !== undefined && (
        <CheckResult given={given.value} view={view.value} context={context} />
      )}
    </article>
  );
}

export const anchorPage: PageDefinition<AnchorData> = {
  path: "anchor/:hash?",
  title: ({ hash }) => (hash === undefined ? texts.title : texts.titleOf(hash)),
  async load({ hash }) {
    if (hash === undefined || hash === "") return { hash: undefined };
    const bytes = parseHash(hash);
    if (bytes === undefined) throw new PageProblem("malformed", texts.invalidHash, texts.invalidHashAdvice);
    return { hash: bytes };
  },
  refresh: "never",
  View,
};
