/** Confirmation dialog with the fee and the consequence of a wallet action. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Amount } from "../../parts/amount.tsx";
import { Id, TransactionId } from "../../parts/id.tsx";
import { Facts } from "../../parts/table.tsx";
import type { SignedAction } from "./signing.ts";
import { consequenceOf, costOf, type SpendableAccount, type WalletAction } from "./wallet-action.ts";

const questions: Readonly<Record<WalletAction["kind"], string>> = {
  send: "Send these tokens?",
  lease: "Lease these tokens?",
  cancel: "Cancel this lease?",
  anchor: "Anchor this hash?",
};

const yes: Readonly<Record<WalletAction["kind"], string>> = {
  send: "Send",
  lease: "Lease",
  cancel: "Cancel the lease",
  anchor: "Anchor",
};

/** Content of the dialog; tests render it without a browser. */
export function ConfirmationContent(props: {
  readonly signed: SignedAction;
  readonly account: SpendableAccount | undefined;
  readonly isBusy: boolean;
  readonly refusal: string | undefined;
  confirm(): void;
  cancel(): void;
}): JSX.Element {
  const { signed, account, isBusy, refusal, confirm, cancel } = props;
  const { action, fee, transaction } = signed;
  const cost = costOf(action);
  const left = account === undefined ? undefined : account.available - cost - fee;
  const recipient =
    action.kind === "cancel"
      ? action.lease.recipient
      : action.kind === "anchor"
        ? undefined
        : action.recipient;
  return (
    <>
      <h2 id="question">{questions[action.kind]}</h2>
      <Facts
        rows={[
          ["From", <Id value={action.sender} what="address" bare />],
          [
            action.kind === "cancel" ? "Leased to" : "To",
            recipient && <Id value={recipient} what="address" bare />,
          ],
          ["Amount", cost > 0n ? <Amount value={cost} /> : undefined],
          ["Leased", action.kind === "cancel" ? <Amount value={action.lease.amount} /> : undefined],
          ["Fee", <Amount value={fee} />],
          ["Fee and amount", cost > 0n ? <Amount value={cost + fee} /> : undefined],
          ["Left to spend", left === undefined ? undefined : <Amount value={left} />],
          ["Transaction", <Id value={transaction.id} what="transaction id" bare />],
        ]}
      />
      <p>{consequenceOf(action)}</p>
      {left !== undefined && left < 0n && (
        <p class="wrong">
          The account cannot pay that: the node will refuse it unless somebody sponsors the fee.
        </p>
      )}
      <p role="alert" class="wrong">
        {refusal}
      </p>
      <p class="choice">
        <button type="button" onClick={cancel}>
          Not now
        </button>
        <button type="button" class="chief" onClick={confirm} disabled={isBusy}>
          {yes[action.kind]}
        </button>
      </p>
    </>
  );
}

export function Confirmation(props: Parameters<typeof ConfirmationContent>[0]): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  // A modal dialog keeps pointer and keyboard off the page below it.
  useEffect(() => {
    const { current } = dialog;
    if (current !== null && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={props.cancel}>
      <ConfirmationContent {...props} />
    </dialog>
  );
}

/** Says that a transaction was sent, with a link to it. */
export function SentMessage({ id }: { readonly id: string }): JSX.Element {
  return (
    <p>
      It is sent, and will be in a block in a moment: <TransactionId value={id} />
    </p>
  );
}
