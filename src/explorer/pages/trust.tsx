import { useMemo } from "preact/hooks";
import { afterKeyBlocks, useQuery } from "../data/use-query.ts";
import { identityLink, pageLink } from "../links.ts";
import type { PageDefinition, PageProps } from "../page.ts";
import { Graph } from "../parts/charts/graph.tsx";
import { Address } from "../parts/inline.tsx";
import { LongTable } from "../parts/lists/long-table.tsx";
import type { Column } from "../parts/lists/table.tsx";
import { Notice, PageContent, Panel } from "../parts/panel.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { displayText, fill, numberText } from "../text/text.ts";
import { ExportLinks } from "./lists/node-list.tsx";
import {
  buildTrustGraph,
  type Grant,
  loadGrants,
  ROOT_ROLE,
  rolesByAccount,
  rolesOf,
  type TrustData,
} from "./trust/graph.ts";
import { trustTexts as texts } from "./trust/texts.ts";

const columns: readonly Column<Grant>[] = [
  { head: commonTexts.account, kind: "id", cell: ({ holder }) => <Address value={holder} /> },
  { head: texts.role, cell: ({ role }) => <bdi>{displayText(role)}</bdi> },
  { head: texts.grantedBy, kind: "id", cell: ({ sender }) => <Address value={sender} noCopy /> },
  { head: commonTexts.associationType, kind: "number", cell: ({ type }) => String(type) },
  { head: texts.identity, cell: ({ holder }) => <a href={identityLink(holder)}>{texts.identityLink}</a> },
];

const keyOf = ({ holder, role, sender, type }: Grant): string => `${holder} ${role} ${sender} ${type}`;

function Roles({ data, role }: { readonly data: TrustData; readonly role: string | undefined }) {
  const { grants, next, root } = data;
  const countSuffix = next === undefined ? "" : "+";
  const link = (name: string | undefined, count: string) => (
    <li key={name}>
      <a href={pageLink(["trust"], { role: name })} aria-current={role === name ? "true" : undefined}>
        {name === undefined ? texts.allRoles : <bdi>{displayText(name)}</bdi>}{" "}
        {count !== "" && <span class="count">{count}</span>}
      </a>
    </li>
  );
  return (
    <nav class="choices" aria-label={texts.roles}>
      <ul class="bare row">
        {link(undefined, "")}
        {root !== undefined && link(ROOT_ROLE, "1")}
        {rolesOf(grants).map(({ role: name, count }) => link(name, numberText(count) + countSuffix))}
      </ul>
    </nav>
  );
}

function View({ query, context }: PageProps) {
  const data = useQuery(context, "roles", () => loadGrants(context), afterKeyBlocks(context));
  return (
    <PageContent
      context={context}
      heading={texts.title}
      attempt={data}
      render={(loaded) => <TrustView data={loaded} query={query} context={context} />}
    />
  );
}

function TrustView({ data, query, context }: Omit<PageProps, "params"> & { readonly data: TrustData }) {
  const { root, grants, next } = data;
  const role = query.get("role") || undefined;
  const filterByRole = (all: readonly Grant[]): readonly Grant[] =>
    role === undefined ? all : all.filter((grant) => grant.role === role);
  // Without `useMemo`, each render would make a new first page, and the table would replace its rows.
  const first = useMemo(() => ({ rows: filterByRole(grants), next }), [data, role]);
  const graph = useMemo(() => buildTrustGraph(grants, root, role), [data, role]);
  const accountRoles = useMemo(() => rolesByAccount(grants, root), [data]);
  return (
    <article>
      <h1>{texts.title}</h1>
      <p class="lead quiet">
        {texts.lead} <a href={pageLink(["credential"])}>{texts.checkCredential}</a>
      </p>
      {root === undefined ? (
        <Notice kind="plain">
          <p>{texts.noRoot}</p>
          <p class="quiet">{fill(texts.noRootAdvice, { option: <code>--hash-account</code> })}</p>
        </Notice>
      ) : (
        <p class="root-of-trust">{fill(texts.root, { address: <Address value={root} /> })}</p>
      )}
      {grants.length > 0 && <Roles data={data} role={role} />}
      {graph.nodes.length > 1 && (
        <Panel title={texts.graphTitle}>
          <Graph
            title={texts.graph}
            nodes={graph.nodes.map((node) => ({
              ...node,
              isSelf: node.id === root,
              label: (
                <span class="account-with-roles">
                  <Address value={node.id} noCopy />
                  <span class="quiet">{displayText([...(accountRoles.get(node.id) ?? [])].join(", "))}</span>
                </span>
              ),
            }))}
            edges={graph.edges}
          />
        </Panel>
      )}
      <Panel title={texts.roles}>
        {role === ROOT_ROLE && root !== undefined ? (
          <p>{fill(texts.rootRole, { address: <Address value={root} /> })}</p>
        ) : (
          <LongTable
            caption={texts.caption}
            columns={columns}
            key={role}
            first={first}
            loadPage={async (cursor) => {
              const page = await loadGrants(context, cursor);
              return { rows: filterByRole(page.grants), next: page.next };
            }}
            keyOf={keyOf}
            empty={role === undefined ? texts.empty : texts.emptyRole}
          />
        )}
        <ExportLinks context={context} path="roles" />
      </Panel>
    </article>
  );
}

export const trustPage: PageDefinition = { title: () => texts.title, View };
