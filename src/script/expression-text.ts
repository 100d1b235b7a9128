/** Formats compiled trees as `scriptText`. Page 08 §9. */

import { type Expression, headerText } from "./expression.ts";
import { byteVectorText } from "./values/byte-vector-text.ts";

/** The text is at most about six times as long as the script's bytes. */
export function expressionText(expression: Expression): string {
  const parts: string[] = [];
  const pending: (Expression | string)[] = [expression];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (typeof item === "string") {
      parts.push(item);
      continue;
    }
    switch (item.kind) {
      case "long":
        parts.push(`CONST_LONG(${item.value})`);
        break;
      case "bytes":
        parts.push(`CONST_BYTEVECTOR(${byteVectorText(item.value)})`);
        break;
      case "string":
        parts.push(`CONST_STRING(${item.value})`);
        break;
      case "boolean":
        parts.push(item.value ? "TRUE" : "FALSE");
        break;
      case "ref":
        parts.push(`REF(${item.name})`);
        break;
      case "getter":
        parts.push("GETTER(");
        pending.push(`,${item.field})`, item.object);
        break;
      case "if":
        parts.push("IF(");
        pending.push(")", item.whenFalse, ",", item.whenTrue, ",", item.condition);
        break;
      case "block":
        parts.push(`BLOCK(LET(${item.name},`);
        pending.push(")", item.body, "),", item.value);
        break;
      case "call":
        parts.push(`FUNCTION_CALL(${headerText(item.header)},List(`);
        pending.push("))");
        for (let i = item.arguments.length - 1; i >= 0; i--) {
          pending.push(item.arguments[i]);
          if (i > 0) pending.push(", ");
        }
        break;
    }
  }
  return parts.join("");
}
