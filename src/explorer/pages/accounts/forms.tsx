/** Forms for wallet actions. */

import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { encodeHex } from "../../../bytes/hex.ts";
import { tokenText } from "../../../bytes/tokens.ts";
import { FileError, hashFile } from "../../check/hash-file.ts";
import { keyedClient } from "../../data/api-key.ts";
import { yieldToBrowser } from "../../data/platform.ts";
import type { NodeApi } from "../../page.ts";
import { Notice } from "../../parts/notice.tsx";
import { Confirmation, SentMessage } from "./confirmation.tsx";
import { broadcast, describeRefusal, type SignedAction, signAction } from "./signing.ts";
import {
  type ActiveLease,
  FieldError,
  parseWalletAction,
  type SpendableAccount,
  type WalletActionKind,
} from "./wallet-action.ts";

interface Choices {
  readonly purses: readonly SpendableAccount[];
  readonly leases: readonly ActiveLease[];
}

/** A form error and its field; `undefined` means the action as a whole. */
interface FormError {
  readonly field: string | undefined;
  readonly message: string;
}

function Field(props: {
  readonly name: string;
  readonly label: string;
  readonly wrong: FormError | undefined;
  draw(given: { id: string; name: string; "aria-invalid": boolean; "aria-describedby": string }): JSX.Element;
}): JSX.Element {
  const { name, label, wrong, draw } = props;
  const isWrong = wrong?.field === name;
  return (
    <div>
      <label for={`field-${name}`}>{label}</label>
      {draw({
        id: `field-${name}`,
        name,
        "aria-invalid": isWrong,
        "aria-describedby": `wrong-${name}`,
      })}
      <p id={`wrong-${name}`} class="wrong" role="alert">
        {isWrong ? wrong?.message : ""}
      </p>
    </div>
  );
}

function SelectField(props: {
  readonly name: string;
  readonly label: string;
  readonly wrong: FormError | undefined;
  readonly options: readonly (readonly [value: string, words: string])[];
}): JSX.Element {
  return (
    <Field
      name={props.name}
      label={props.label}
      wrong={props.wrong}
      draw={(given) => (
        <select {...given}>
          {props.options.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    />
  );
}

function SenderField(props: {
  readonly choices: Choices;
  readonly wrong: FormError | undefined;
}): JSX.Element {
  const options = props.choices.purses.map(
    ({ address, available }) => [address, `${address} (${tokenText(available)} to spend)`] as const,
  );
  return <SelectField name="sender" label="From" wrong={props.wrong} options={options} />;
}

function TextField(props: {
  readonly name: string;
  readonly label: string;
  readonly wrong: FormError | undefined;
  readonly mode?: "decimal" | undefined;
}): JSX.Element {
  return (
    <Field
      name={props.name}
      label={props.label}
      wrong={props.wrong}
      draw={(given) => (
        <input
          {...given}
          type="text"
          inputMode={props.mode}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={200}
        />
      )}
    />
  );
}

/** Hashes a file in the browser and puts the hash into the hash field. */
function FileHashField({ wrong }: { readonly wrong: Signal<FormError | undefined> }): JSX.Element {
  const done = useSignal<string>("");
  const hash = async (file: File | undefined): Promise<void> => {
    const field = document.getElementById("field-hash");
    if (file === undefined || !(field instanceof HTMLInputElement)) return;
    wrong.value = undefined;
    try {
      const of = Math.max(1, file.size);
      const tell = (bytes: number): void => {
        done.value = `Hashing: ${Math.floor((100 * bytes) / of)} %`;
      };
      field.value = encodeHex(await hashFile(file, tell, yieldToBrowser, new AbortController().signal));
      done.value = "The file was hashed here. Nothing of it is sent.";
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      done.value = "";
      wrong.value = { field: "hash", message: error.message };
    }
  };
  return (
    <div>
      <label for="anchor-file">A file, whose hash is taken</label>
      <input id="anchor-file" type="file" onChange={(event) => void hash(event.currentTarget.files?.[0])} />
      <p class="quiet" role="status">
        {done.value}
      </p>
    </div>
  );
}

const words: Readonly<Record<WalletActionKind, string>> = {
  send: "Send …",
  lease: "Lease …",
  cancel: "Cancel …",
  anchor: "Anchor …",
};

function fieldsOf(
  kind: WalletActionKind,
  choices: Choices,
  wrong: Signal<FormError | undefined>,
): ComponentChildren {
  const common = { choices, wrong: wrong.value };
  switch (kind) {
    case "send":
    case "lease":
      return (
        <>
          <SenderField {...common} />
          <TextField
            name="recipient"
            label={kind === "send" ? "To" : "To, who forges with it"}
            wrong={wrong.value}
          />
          <TextField name="amount" label="Tokens" mode="decimal" wrong={wrong.value} />
        </>
      );
    case "cancel":
      return (
        <SelectField
          name="lease"
          label="Lease"
          wrong={wrong.value}
          options={choices.leases.map(
            ({ id, amount, recipient }) => [id, `${tokenText(amount)} to ${recipient}`] as const,
          )}
        />
      );
    case "anchor":
      return (
        <>
          <SenderField {...common} />
          <FileHashField wrong={wrong} />
          <TextField name="hash" label="Hash, in hexadecimal, Base58 or Base64" wrong={wrong.value} />
        </>
      );
  }
}

/** The form of a wallet action, its confirmation dialog and its result. */
export function ActionForm(props: {
  readonly kind: WalletActionKind;
  readonly node: NodeApi;
  readonly choices: Choices;
}): JSX.Element {
  const { kind, node, choices } = props;
  const wrong = useSignal<FormError | undefined>(undefined);
  const prepared = useSignal<SignedAction | undefined>(undefined);
  const refusal = useSignal<string | undefined>(undefined);
  const sent = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  if (choices.purses.length === 0) return <p class="quiet">The node has no account of its own.</p>;
  if (kind === "cancel" && choices.leases.length === 0)
    return <p class="quiet">No account of the node leases anything.</p>;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || !(event.currentTarget instanceof HTMLFormElement)) return;
    const form = event.currentTarget;
    const filled = Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : ""]),
    );
    wrong.value = undefined;
    sent.value = undefined;
    refusal.value = undefined;
    isBusy.value = true;
    try {
      prepared.value = await signAction(keyedClient(node), parseWalletAction(kind, filled, choices));
    } catch (error) {
      wrong.value =
        error instanceof FieldError
          ? { field: error.field, message: error.message }
          : { field: undefined, message: await describeRefusal(node, error) };
      if (error instanceof FieldError) form.querySelector<HTMLElement>(`#field-${error.field}`)?.focus();
    }
    isBusy.value = false;
  };
  const agree = async (): Promise<void> => {
    const { value } = prepared;
    if (value === undefined || isBusy.value) return;
    isBusy.value = true;
    refusal.value = undefined;
    try {
      sent.value = await broadcast(node, value);
      prepared.value = undefined;
    } catch (error) {
      refusal.value = await describeRefusal(node, error);
    }
    isBusy.value = false;
  };
  const decline = (): void => {
    prepared.value = undefined;
  };
  return (
    <>
      <form class="fields" onSubmit={submit} key={kind}>
        {fieldsOf(kind, choices, wrong)}
        <button type="submit" class="chief" disabled={isBusy.value}>
          {words[kind]}
        </button>
        <p role="alert" class="wrong">
          {wrong.value !== undefined && wrong.value.field === undefined && wrong.value.message}
        </p>
      </form>
      <div role="status">
        {sent.value !== undefined && (
          <Notice kind="right">
            <SentMessage id={sent.value} />
          </Notice>
        )}
      </div>
      {prepared.value !== undefined && (
        <Confirmation
          prepared={prepared.value}
          purse={choices.purses.find(({ address }) => address === prepared.value?.deed.sender)}
          isBusy={isBusy.value}
          refusal={refusal.value}
          agree={() => void agree()}
          decline={decline}
        />
      )}
    </>
  );
}
