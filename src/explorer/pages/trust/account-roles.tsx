import type { JSX } from "preact";
import { afterKeyBlocks, useQuery } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageContext } from "../../page.ts";
import { displayText } from "../../text/display-text.ts";
import { trustTexts as texts } from "./texts.ts";

/** Roles of an account in the trust network, within a line; nothing without roles. */
export function AccountRoles(props: {
  readonly address: string;
  readonly context: PageContext;
}): JSX.Element | null {
  const { address, context } = props;
  const trust = useQuery(
    context,
    `trust ${address}`,
    () => context.node.client.call("GET /trust/:address", { params: { address } }),
    afterKeyBlocks(context),
  );
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
