import { useRef } from "preact/hooks";
import { afterKeyBlocks, useQuery } from "../data/use-query.ts";
import { identityLink, pageLink } from "../links.ts";
import type { Attempt, PageDefinition, PageProps } from "../page.ts";
import { Address, Did, Id } from "../parts/inline.tsx";
import { JsonPanel } from "../parts/json.tsx";
import { FieldList } from "../parts/lists/table.tsx";
import { Note, Notice, PageContent, Panel } from "../parts/panel.tsx";
import { TextForm } from "../parts/text-form.tsx";
import { partTexts } from "../parts/texts.ts";
import { TruncatedList } from "../parts/truncated-text.tsx";
import { navigate } from "../shell/page-location.ts";
import { commonTexts } from "../text/common-texts.ts";
import { fill } from "../text/text.ts";
import { Credential, DocumentTime } from "./identity/credential.tsx";
import { Keys, Services } from "./identity/keys.tsx";
import { type IdentityData, loadIdentity } from "./identity/load.ts";
import { identityTexts as texts } from "./identity/texts.ts";
import { Versions } from "./identity/versions.tsx";
import { AccountRoles } from "./trust/account-roles.tsx";

function Deactivated({ data }: { readonly data: IdentityData }) {
  const { metadata, deactivatedBy, baseDid, did, versions } = data;
  const isByOwner = deactivatedBy === (baseDid ?? did);
  return (
    <Notice kind="wrong">
      <p>
        {fill(texts.deactivated[deactivatedBy === undefined ? "unknownBy" : isByOwner ? "byItself" : "by"], {
          deactivated: <strong>{texts.deactivated.status}</strong>,
          time: <DocumentTime text={metadata.updated} />,
          did: deactivatedBy && <Did value={deactivatedBy} />,
        })}
      </p>
      <p class="quiet">
        {texts.deactivated.permanent}{" "}
        {versions.length > 1 ? texts.deactivated.earlier : texts.deactivated.only}
      </p>
    </Notice>
  );
}

function DerivedIdentityForm({ did }: { readonly did: string }) {
  return (
    <Panel title={texts.derived.title} stacked>
      <p class="quiet">{texts.derived.lead}</p>
      <TextForm
        label={texts.derived.secret}
        button={texts.derived.submit}
        maxLength={1_024}
        onSubmit={(secret) => {
          if (secret !== "") navigate(identityLink(`${did}:derived:${secret}`));
        }}
      />
    </Panel>
  );
}

function View({ params, query, context }: PageProps) {
  const { did = "" } = params;
  const key = `identity ${did} ${query.get("time")} ${query.get("credential")}`;
  const identity = useQuery(
    context,
    key,
    () => loadIdentity(params, query, context),
    afterKeyBlocks(context),
  );
  const shown = useRef<Attempt<IdentityData>>(undefined);
  // Keep the page while another version or credential is being loaded.
  shown.current = identity ?? shown.current;
  return (
    <PageContent
      context={context}
      heading={texts.title}
      attempt={shown.current}
      render={(data) => <IdentityView data={data} query={query} context={context} />}
    />
  );
}

function IdentityView(props: Omit<PageProps, "params"> & { readonly data: IdentityData }) {
  const { data, query, context } = props;
  const { did, baseDid, address, document, metadata, answer } = data;
  const ownerDid = baseDid ?? did;
  const linkWith = (change: Readonly<Record<string, string | undefined>>): string =>
    pageLink(["identity", did], {
      time: query.get("time") ?? undefined,
      credential: query.get("credential") ?? undefined,
      ...change,
    });
  const aliases = document?.alsoKnownAs ?? [];
  return (
    <article class="identity">
      <h1>{texts.title}</h1>
      <p class="lead">
        <Id value={did} noun={partTexts.nouns.did} /> <AccountRoles address={address} context={context} />
      </p>
      {document === undefined && <Deactivated data={data} />}
      {baseDid !== undefined && (
        <Note kind="plain">{fill(texts.derived.note, { did: <Did value={baseDid} /> })}</Note>
      )}
      <FieldList
        rows={[
          [commonTexts.account, <Address value={address} />],
          [texts.created, <DocumentTime text={metadata.created} />],
          [texts.updated, metadata.updated !== undefined && <DocumentTime text={metadata.updated} />],
          [
            texts.alsoKnownAs,
            aliases.length > 0 && (
              <TruncatedList
                items={aliases}
                render={(visible) => visible.map((alias) => <Did key={alias} value={alias} />)}
              />
            ),
          ],
        ]}
      />
      <Versions
        data={data}
        openVersion={(time) =>
          navigate(
            linkWith({ time: time === undefined ? undefined : new Date(Number(time)).toISOString() }),
            true,
          )
        }
      />
      {document !== undefined && (
        <>
          <Keys document={document} ownerDid={ownerDid} />
          <Services document={document} />
        </>
      )}
      <Credential
        data={data}
        context={context}
        openCredential={(id) => navigate(linkWith({ credential: id }), true)}
      />
      {baseDid === undefined && document !== undefined && <DerivedIdentityForm did={did} />}
      <JsonPanel title={texts.json} value={answer} />
    </article>
  );
}

export const identityPage: PageDefinition = { title: ({ did }) => texts.titleOf(did), View };
