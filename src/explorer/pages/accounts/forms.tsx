import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { encodeHex } from "../../../bytes/hex.ts";
import { FileError, hashFile } from "../../check/hash-file.ts";
import { keyedClient } from "../../data/api-key.ts";
import { yieldToBrowser } from "../../data/platform.ts";
import type { NodeApi } from "../../page.ts";
import { Notice } from "../../parts/panel.tsx";
import { amountText } from "../../text/text.ts";
import { Confirmation, SentMessage } from "./confirmation.tsx";
import { broadcast, describeRefusal, type SignedAction, signAction } from "./signing.ts";
import { accountsTexts as texts } from "./texts.ts";
import {
  type ActiveLease,
  FieldError,
  parseWalletAction,
  type SpendableAccount,
  type WalletActionKind,
} from "./wallet-action.ts";

interface Choices {
  readonly accounts: readonly SpendableAccount[];
  readonly leases: readonly ActiveLease[];
}

interface FormError {
  /** Undefined if the action as a whole failed. */
  readonly field: string | undefined;
  readonly message: string;
  readonly also?: FormError | undefined;
}

function Field(props: {
  readonly name: string;
  readonly label: string;
  readonly error: FormError | undefined;
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly inputMode?: "decimal";
}) {
  const { name, label, error, options, inputMode } = props;
  const fieldError = [error, error?.also].find((candidate) => candidate?.field === name);
  const isInvalid = fieldError !== undefined;
  const common = {
    id: `field-${name}`,
    name,
    "aria-invalid": isInvalid,
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
        {fieldError?.message}
      </p>
    </div>
  );
}

function FileHashField({ error }: { readonly error: Signal<FormError | undefined> }) {
  const progress = useSignal("");
  const hashSelectedFile = async (file: File | undefined): Promise<void> => {
    const field = document.getElementById("field-hash");
    if (file === undefined || !(field instanceof HTMLInputElement)) return;
    error.value = undefined;
    try {
      const report = (bytes: number): void => {
        progress.value = texts.hashing(Math.floor((100 * bytes) / Math.max(1, file.size)));
      };
      field.value = encodeHex(await hashFile(file, report, yieldToBrowser, new AbortController().signal));
      progress.value = texts.hashed;
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      progress.value = "";
      error.value = { field: "hash", message: thrown.message };
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
  error: Signal<FormError | undefined>,
): ComponentChildren {
  const common = { error: error.value };
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
          <FileHashField error={error} />
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
  const error = useSignal<FormError | undefined>(undefined);
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
    error.value = undefined;
    sentId.value = undefined;
    refusal.value = undefined;
    isBusy.value = true;
    try {
      signed.value = await signAction(keyedClient(node), parseWalletAction(kind, values, choices));
    } catch (thrown) {
      if (thrown instanceof FieldError) {
        error.value = thrown;
        form.querySelector<HTMLElement>(`#field-${thrown.field}`)?.focus();
      } else error.value = { field: undefined, message: await describeRefusal(node, thrown) };
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
        {actionFields(kind, choices, error)}
        <button type="submit" class="primary" disabled={isBusy.value}>
          {texts.submit[kind]}
        </button>
        <p role="alert" class="wrong">
          {error.value?.field === undefined && error.value?.message}
        </p>
      </form>
      <div role="status">
        {sentId.value !== undefined && (
          <Notice kind="right">
            <SentMessage id={sentId.value} />
          </Notice>
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
