/** Asks for the API key, or explains why the page cannot use one. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { FailedRequestError } from "../../../client/index.ts";
import { apiKey, setApiKey } from "../../data/api-key.ts";
import type { NodeApi } from "../../page.ts";
import { Note, Notice } from "../../parts/notice.tsx";

/** Longest API key of a node, characters. */
const MAX_KEY_LENGTH = 1_000;

/** Encodes an API key for a header: each UTF-8 byte becomes one character. */
export function encodeHeaderText(key: string): string {
  return Array.from(new TextEncoder().encode(key), (byte) => String.fromCharCode(byte)).join("");
}

/** Tries an API key, and keeps it if it is right. @returns an error sentence; undefined on success */
export async function tryKey(node: NodeApi, key: string): Promise<string | undefined> {
  const text = encodeHeaderText(key.trim());
  if (text === "") return "Write the key.";
  try {
    await node.withKey(text).call("GET /node/resources");
  } catch (error) {
    if (error instanceof FailedRequestError && error.status === 403)
      return "That is not the API key of this node.";
    const { message, advice } = await node.diagnose(error);
    return `${message} ${advice}`;
  }
  setApiKey(text);
  return undefined;
}

function AskForKey({ node }: { readonly node: NodeApi }): JSX.Element {
  const wrong = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const field = document.getElementById("api-key");
    if (!(field instanceof HTMLInputElement) || isBusy.value) return;
    isBusy.value = true;
    wrong.value = await tryKey(node, field.value);
    isBusy.value = false;
    field.value = "";
  };
  return (
    <form class="fields" onSubmit={submit}>
      <div>
        <label for="api-key">API key of the node</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          maxLength={MAX_KEY_LENGTH}
          aria-describedby="api-key-note"
          aria-invalid={wrong.value !== undefined}
        />
      </div>
      <button type="submit" disabled={isBusy.value}>
        Use it
      </button>
      <p id="api-key-note" class="quiet">
        It is kept in the memory of this page only, until you leave or reload it, and sent to{" "}
        <bdi>{node.url}</bdi> only.
      </p>
      <p role="alert" class="wrong">
        {wrong.value}
      </p>
    </form>
  );
}

type KeyRoutes = "open" | "key" | "closed" | "elsewhere";

/** Returns true if the page may send wallet actions now. */
export function canSubmitActions(node: NodeApi, keyRoutes: KeyRoutes): boolean {
  return node.own && (keyRoutes === "open" || (keyRoutes === "key" && apiKey.value !== undefined));
}

/** Asks for the API key where actions need one, and otherwise says why it does not. */
export function KeyForm(props: { readonly node: NodeApi; readonly keyRoutes: KeyRoutes }): JSX.Element {
  const { node, keyRoutes } = props;
  if (!node.own)
    return (
      <Note kind="plain">
        This page shows another node than the one that it comes from. A key is never sent there, so nothing
        can be ordered here: open the page of <bdi>{node.url}</bdi> itself.
      </Note>
    );
  switch (keyRoutes) {
    case "open":
      return (
        <p class="quiet">
          This node is one of a development network: it takes orders from this machine without a key.
        </p>
      );
    case "closed":
      return (
        <Notice kind="plain">
          <p>This node has no API key, so it takes no orders. To give it one:</p>
          <ol>
            <li>
              Think of a long key, and let the node make a hash of it:{" "}
              <code>curl -d 'the key' {new URL("utils/hash/secure", node.url).href}</code>
            </li>
            <li>
              Start the node with <code>--api-key-hash</code> and that hash, or set{" "}
              <code>HOLDFAST_API_KEY_HASH</code> to it.
            </li>
            <li>Load this page again, and give the key here.</li>
          </ol>
        </Notice>
      );
    case "elsewhere":
      return (
        <Note kind="plain">
          This node takes orders on a port of its own (<code>--admin-port</code>), and not on the one that
          this page comes from: open the page there.
        </Note>
      );
    case "key":
      return apiKey.value === undefined ? (
        <AskForKey node={node} />
      ) : (
        <p>
          The API key is kept until you leave this page.{" "}
          <button type="button" class="small" onClick={() => setApiKey(undefined)}>
            Forget it
          </button>
        </p>
      );
  }
}
