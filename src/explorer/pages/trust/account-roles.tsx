import { afterKeyBlocks, useAnswer } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageContext } from "../../page.ts";
import { displayText } from "../../text/text.ts";
import { trustTexts as texts } from "./texts.ts";

export function AccountRoles(props: { readonly address: string; readonly context: PageContext }) {
  const { address, context } = props;
  const params = { address };
  const trust = useAnswer(context, afterKeyBlocks(context), "GET /trust/:address", { params });
  const roles = trust?.ok === true ? trust.value.roles : [];
  if (roles.length === 0) return null;
  return (
    <span class="quiet">
      {texts.roles}:{" "}
      {roles.map((role, i) => (
        <span key={role}>
          {i > 0 && ", "}
          <a href={pageLink(["trust"], { role })}>
            <bdi>{displayText(role)}</bdi>
          </a>
        </span>
      ))}
    </span>
  );
}
