import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { encodeHex } from "../../../bytes/hex.ts";
import { FileError, hashFile } from "../../check/hash-file.ts";
import { keyedClient } from "../../data/api-key.ts";
import { yieldToBrowser } from "../../data/platform.ts";
import type { NodeApi } from "../../page.ts";
import { TransactionId } from "../../parts/inline.tsx";
import { Note } from "../../parts/panel.tsx";
import { amountText, fill } from "../../text/text.ts";
import { Confirmation } from "./confirmation.tsx";
import { broadcast, describeRefusal, type SignedAction, signAction } from "./signing.ts";
import { accountsTexts as texts } from "./texts.ts";
import {
  type Choices,
  FieldError,
  type FieldMessages,
  parseWalletAction,
  type WalletActionKind,
} from "./wallet-action.ts";

function Field(props: {
  readonly name: string;
  readonly label: string;
  readonly messages: FieldMessages;
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly inputMode?: "decimal";
}) {
  const { name, label, messages, options, inputMode } = props;
  const common = {
    id: `field-${name}`,
    name,
    "aria-invalid": messages[name] !== undefined,
    "aria-describedby": `wrong-${name}`,
  };
  return (
    <div>
      <label for={common.id}>{label}</label>
      {options === undefined ? (
        <input
          {...common}
          type="text"
          inputMode={inputMode}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={200}
        />
      ) : (
        <select {...common}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
      <p id={`wrong-${name}`} class="wrong" role="alert">
        {messages[name]}
      </p>
    </div>
  );
}

function FileHashField({ messages }: { readonly messages: Signal<FieldMessages> }) {
  const progress = useSignal("");
  const hashSelectedFile = async (file: File | undefined): Promise<void> => {
    const field = document.getElementById("field-hash");
    if (file === undefined || !(field instanceof HTMLInputElement)) return;
    messages.value = {};
    try {
      const report = (bytes: number): void => {
        progress.value = texts.hashing(Math.floor((100 * bytes) / Math.max(1, file.size)));
      };
      field.value = encodeHex(await hashFile(file, report, yieldToBrowser, new AbortController().signal));
      progress.value = texts.hashed;
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      progress.value = "";
      messages.value = { hash: thrown.message };
    }
  };
  return (
    <div>
      <label for="anchor-file">{texts.fields.file}</label>
      <input
        id="anchor-file"
        type="file"
        onChange={(event) => void hashSelectedFile(event.currentTarget.files?.[0])}
      />
      <p class="quiet" role="status">
        {progress.value}
      </p>
    </div>
  );
}

function actionFields(
  kind: WalletActionKind,
  { accounts, leases }: Choices,
  messages: Signal<FieldMessages>,
): ComponentChildren {
  const common = { messages: messages.value };
  const sender = (
    <Field
      {...common}
      name="sender"
      label={texts.fields.from}
      options={accounts.map(({ address, available }) => [
        address,
        texts.senderOption(address, amountText(available)),
      ])}
    />
  );
  switch (kind) {
    case "send":
    case "lease":
      return (
        <>
          {sender}
          <Field
            {...common}
            name="recipient"
            label={kind === "send" ? texts.fields.to : texts.fields.toForger}
          />
          <Field {...common} name="amount" label={texts.fields.amount} inputMode="decimal" />
        </>
      );
    case "cancel":
      return (
        <Field
          {...common}
          name="lease"
          label={texts.fields.lease}
          options={leases.map(({ id, amount, recipient }) => [
            id,
            texts.leaseOption(amountText(amount), recipient),
          ])}
        />
      );
    case "anchor":
      return (
        <>
          {sender}
          <FileHashField messages={messages} />
          <Field {...common} name="hash" label={texts.fields.hash} />
        </>
      );
  }
}

export function ActionForm(props: {
  readonly kind: WalletActionKind;
  readonly node: NodeApi;
  readonly choices: Choices;
}) {
  const { kind, node, choices } = props;
  const messages = useSignal<FieldMessages>({});
  const signed = useSignal<SignedAction | undefined>(undefined);
  const refusal = useSignal<string | undefined>(undefined);
  const sentId = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  if (choices.accounts.length === 0) return <p class="quiet">{texts.noAccounts}</p>;
  if (kind === "cancel" && choices.leases.length === 0) return <p class="quiet">{texts.noLeases}</p>;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || !(event.currentTarget instanceof HTMLFormElement)) return;
    const form = event.currentTarget;
    const values = Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : ""]),
    );
    messages.value = {};
    sentId.value = undefined;
    refusal.value = undefined;
    isBusy.value = true;
    try {
      signed.value = await signAction(keyedClient(node), parseWalletAction(kind, values, choices));
    } catch (thrown) {
      if (thrown instanceof FieldError) {
        messages.value = thrown.messages;
        const invalid = Object.keys(thrown.messages).find((name) => thrown.messages[name] !== undefined);
        form.querySelector<HTMLElement>(`#field-${invalid}`)?.focus();
      } else messages.value = { form: await describeRefusal(node, thrown) };
    }
    isBusy.value = false;
  };
  const confirm = async (): Promise<void> => {
    const { value } = signed;
    if (value === undefined || isBusy.value) return;
    isBusy.value = true;
    refusal.value = undefined;
    try {
      sentId.value = await broadcast(node, value);
      signed.value = undefined;
    } catch (thrown) {
      refusal.value = await describeRefusal(node, thrown);
    }
    isBusy.value = false;
  };
  return (
    <>
      <form class="fields" onSubmit={submit} key={kind}>
        {actionFields(kind, choices, messages)}
        <button type="submit" class="primary" disabled={isBusy.value}>
          {texts.submit[kind]}
        </button>
        <p role="alert" class="wrong">
          {messages.value.form}
        </p>
      </form>
      <div role="status">
        {sentId.value !== undefined && (
          <Note kind="right">{fill(texts.sent, { id: <TransactionId value={sentId.value} /> })}</Note>
        )}
      </div>
      {signed.value !== undefined && (
        <Confirmation
          signed={signed.value}
          account={choices.accounts.find(({ address }) => address === signed.value?.action.sender)}
          isBusy={isBusy.value}
          refusal={refusal.value}
          confirm={() => void confirm()}
          cancel={() => (signed.value = undefined)}
        />
      )}
    </>
  );
}
