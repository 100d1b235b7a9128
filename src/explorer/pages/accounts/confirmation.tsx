import { useEffect, useRef } from "preact/hooks";
import { encodeHex } from "../../../bytes/hex.ts";
import { Amount, Id } from "../../parts/inline.tsx";
import { FieldList } from "../../parts/lists/table.tsx";
import { partTexts } from "../../parts/texts.ts";
import { commonTexts } from "../../text/common-texts.ts";
import type { SignedAction } from "./signing.ts";
import { accountsTexts } from "./texts.ts";
import { type SpendableAccount, spentAmountOf } from "./wallet-action.ts";

const { confirmation: texts, fields } = accountsTexts;
const { nouns } = partTexts;

export function Confirmation(props: {
  readonly signed: SignedAction;
  readonly account: SpendableAccount | undefined;
  readonly isBusy: boolean;
  readonly refusal: string | undefined;
  confirm(): void;
  cancel(): void;
}) {
  const { signed, account, isBusy, refusal, confirm, cancel } = props;
  const { action, fee, transaction } = signed;
  const spent = spentAmountOf(action);
  const remaining = account === undefined ? undefined : account.available - spent - fee;
  const recipient =
    action.kind === "cancel"
      ? action.lease.recipient
      : action.kind === "anchor"
        ? undefined
        : action.recipient;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current !== null && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={cancel}>
      <h2 id="question">{texts.questions[action.kind]}</h2>
      <FieldList
        rows={[
          [fields.from, <Id value={action.sender} noun={nouns.address} noCopy />],
          [
            action.kind === "cancel" ? texts.leasedTo : fields.to,
            recipient && <Id value={recipient} noun={nouns.address} noCopy />,
          ],
          [commonTexts.amount, spent > 0n && <Amount value={spent} />],
          [texts.leased, action.kind === "cancel" && <Amount value={action.lease.amount} />],
          [commonTexts.fee, <Amount value={fee} />],
          [texts.total, spent > 0n && <Amount value={spent + fee} />],
          [texts.remaining, remaining !== undefined && <Amount value={remaining} />],
          [commonTexts.transaction, <Id value={transaction.id} noun={nouns.transactionId} noCopy />],
        ]}
      />
      <p>{action.kind === "anchor" ? texts.anchor(encodeHex(action.hash)) : texts[action.kind]}</p>
      {remaining !== undefined && remaining < 0n && <p class="wrong">{texts.insufficient}</p>}
      <p role="alert" class="wrong">
        {refusal}
      </p>
      <p class="row dialog-buttons">
        <button type="button" onClick={cancel}>
          {commonTexts.cancel}
        </button>
        <button type="button" class="primary" onClick={confirm} disabled={isBusy}>
          {texts.confirm[action.kind]}
        </button>
      </p>
    </dialog>
  );
}
