import type { Answer } from "../../../client/index.ts";
import { Amount } from "../../parts/inline.tsx";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { fill } from "../../text/text.ts";
import { overviewTexts as texts } from "./texts.ts";

export function NextFeePrice({ next }: Pick<Answer<"GET /fees/status">, "next">) {
  const { status, price, activationHeight } = next;
  const values = { price: <Amount value={price} />, height: <Height height={activationHeight} /> };
  return <>{fill(texts.fees.nextPrice(commonTexts.feeVotes[status]), values)}</>;
}
