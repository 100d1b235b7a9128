import { useSignal } from "@preact/signals";
import { FailedRequestError } from "../../../client/index.ts";
import { apiKey, setApiKey } from "../../data/api-key.ts";
import type { NodeApi } from "../../page.ts";
import { Note, Notice } from "../../parts/panel.tsx";
import { fill } from "../../text/text.ts";
import { accountsTexts } from "./texts.ts";

const { apiKey: texts } = accountsTexts;

/** In UTF-16 units. */
const MAX_KEY_LENGTH = 1_000;

/** Encodes an API key for a header, one character per UTF-8 byte. */
export function encodeHeaderText(key: string): string {
  return Array.from(new TextEncoder().encode(key), (byte) => String.fromCharCode(byte)).join("");
}

/** @returns an error sentence; undefined if the node accepts the key, which is then stored */
export async function tryKey(node: NodeApi, key: string): Promise<string | undefined> {
  const text = encodeHeaderText(key.trim());
  if (text === "") return texts.missing;
  try {
    await node.withKey(text).call("GET /node/resources");
  } catch (error) {
    if (error instanceof FailedRequestError && error.status === 403) return texts.wrong;
    const { message, advice } = await node.diagnose(error);
    return `${message} ${advice}`;
  }
  setApiKey(text);
  return undefined;
}

function KeyEntryForm({ node }: { readonly node: NodeApi }) {
  const error = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const field = document.getElementById("api-key");
    if (!(field instanceof HTMLInputElement) || isBusy.value) return;
    isBusy.value = true;
    error.value = await tryKey(node, field.value);
    isBusy.value = false;
    field.value = "";
  };
  return (
    <form class="fields" onSubmit={submit}>
      <div>
        <label for="api-key">{texts.label}</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          maxLength={MAX_KEY_LENGTH}
          aria-describedby="api-key-note"
          aria-invalid={error.value !== undefined}
        />
      </div>
      <button type="submit" disabled={isBusy.value}>
        {texts.submit}
      </button>
      <p id="api-key-note" class="quiet">
        {fill(texts.note, { url: <bdi>{node.url}</bdi> })}
      </p>
      <p role="alert" class="wrong">
        {error.value}
      </p>
    </form>
  );
}

/** Access to key-protected routes. `open`: no key needed; `closed`: the node has no key; `elsewhere`: admin port only. */
type KeyRoutes = "open" | "key" | "closed" | "elsewhere";

export function canSubmitActions(node: NodeApi, keyRoutes: KeyRoutes): boolean {
  return node.servesPage && (keyRoutes === "open" || (keyRoutes === "key" && apiKey.value !== undefined));
}

export function KeyForm(props: { readonly node: NodeApi; readonly keyRoutes: KeyRoutes }) {
  const { node, keyRoutes } = props;
  if (!node.servesPage)
    return <Note kind="plain">{fill(texts.otherNode, { url: <bdi>{node.url}</bdi> })}</Note>;
  switch (keyRoutes) {
    case "open":
      return <p class="quiet">{texts.notNeeded}</p>;
    case "closed": {
      const values = {
        command: (
          <code>
            curl -d '{texts.exampleKey}' {new URL("utils/hash/secure", node.url).href}
          </code>
        ),
        option: <code>--api-key-hash</code>,
        variable: <code>HOLDFAST_API_KEY_HASH</code>,
      };
      return (
        <Notice kind="plain">
          <p>{texts.none}</p>
          <ol>
            {texts.steps.map((step) => (
              <li key={step}>{fill(step, values)}</li>
            ))}
          </ol>
        </Notice>
      );
    }
    case "elsewhere":
      return <Note kind="plain">{fill(texts.adminPort, { option: <code>--admin-port</code> })}</Note>;
    case "key":
      return apiKey.value === undefined ? (
        <KeyEntryForm node={node} />
      ) : (
        <p>
          {texts.kept}{" "}
          <button type="button" class="small" onClick={() => setApiKey(undefined)}>
            {texts.forget}
          </button>
        </p>
      );
  }
}
