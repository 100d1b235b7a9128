/** Page of an identity: its DID document, versions, and the status of a credential. */

import type { JSX } from "preact";
import { identityLink, pageLink } from "../links.ts";
import type { PageDefinition } from "../page.ts";
import { Address, Did, Id } from "../parts/id.tsx";
import { JsonPanel } from "../parts/json.tsx";
import { Note, Notice } from "../parts/notice.tsx";
import { Panel } from "../parts/panel.tsx";
import { Facts } from "../parts/table.tsx";
import { TextForm } from "../parts/text-form.tsx";
import { TruncatedList } from "../parts/truncated-list.tsx";
import { navigate } from "../shell/page-location.ts";
import { Credential, DocumentTime } from "./identity/credential.tsx";
import { Keys, Services } from "./identity/keys.tsx";
import { type IdentityData, loadIdentity } from "./identity/load.ts";
import { Versions } from "./identity/versions.tsx";

function Deactivated({ data }: { readonly data: IdentityData }): JSX.Element {
  const { metadata, deactivatedBy, base, did, versions } = data;
  const isOwn = deactivatedBy === (base ?? did);
  return (
    <Notice kind="wrong">
      <p>
        <strong>This identity was deactivated</strong> on <DocumentTime text={metadata.updated} />
        {deactivatedBy !== undefined &&
          (isOwn ? (
            ", by itself"
          ) : (
            <>
              , by <Did value={deactivatedBy} />
            </>
          ))}
        .
      </p>
      <p class="quiet">
        That is for good.{" "}
        {versions.length > 1
          ? "What its document said before stands in its earlier versions."
          : "It never had another document."}
      </p>
    </Notice>
  );
}

function DerivedNote({ base }: { readonly base: string }): JSX.Element {
  return (
    <Note kind="plain">
      A derived identity: another name for <Did value={base} />, with the same keys. Whoever has this DID can
      tie the two together, since the secret stands in it.
    </Note>
  );
}

/** Form that opens the identity derived from a secret. */
function DerivedIdentityForm({ did }: { readonly did: string }): JSX.Element {
  return (
    <Panel title="Derived identities" stacked>
      <p class="quiet">
        The account can go by other names that nobody ties to it who does not know the secret. The secret will
        stand in the address bar, and in the question to the node.
      </p>
      <TextForm
        label="Secret (Base58)"
        button="Show the derived identity"
        most={1_024}
        ask={(secret) => {
          if (secret !== "") navigate(identityLink(`${did}:derived:${secret}`));
        }}
      />
    </Panel>
  );
}

function View({ data, query }: Parameters<typeof identityPage.View>[0]): JSX.Element {
  const { did, base, address, document, metadata, answer } = data;
  const own = base ?? did;
  /** Link to this page with a changed query. */
  const here = (change: Readonly<Record<string, string | undefined>>): string =>
    pageLink(["identity", did], {
      time: query.get("time") ?? undefined,
      credential: query.get("credential") ?? undefined,
      ...change,
    });
  const also = document?.alsoKnownAs ?? [];
  return (
    <article class="identity">
      <h1>Identity</h1>
      <p class="lead">
        <Id value={did} what="DID" />
      </p>
      {document === undefined && <Deactivated data={data} />}
      {base !== undefined && <DerivedNote base={base} />}
      <Facts
        rows={[
          ["Account", <Address key="account" value={address} />],
          ["Created", <DocumentTime key="created" text={metadata.created} />],
          [
            "Changed",
            metadata.updated === undefined ? undefined : (
              <DocumentTime key="updated" text={metadata.updated} />
            ),
          ],
          [
            "Also known as",
            also.length === 0 ? undefined : (
              <TruncatedList
                key="also"
                items={also}
                draw={(some) => some.map((one) => <Did key={one} value={one} />)}
              />
            ),
          ],
        ]}
      />
      <Versions
        data={data}
        go={(time) =>
          navigate(
            here({ time: time === undefined ? undefined : new Date(Number(time)).toISOString() }),
            true,
          )
        }
      />
      {document !== undefined && (
        <>
          <Keys document={document} own={own} />
          <Services document={document} />
        </>
      )}
      <Credential data={data} go={(id) => navigate(here({ credential: id }), true)} />
      {base === undefined && document !== undefined && <DerivedIdentityForm did={did} />}
      <JsonPanel title="As the node resolves it" value={answer} />
    </article>
  );
}

export const identityPage: PageDefinition<IdentityData> = {
  path: "identity/:did",
  title: ({ did }) => `Identity ${did}`,
  load: loadIdentity,
  refresh: "tip",
  View,
};
