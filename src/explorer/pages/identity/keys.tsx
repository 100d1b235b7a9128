/** The account wrote the document: its texts are untrusted. */

import { Did, Id, Time } from "../../parts/inline.tsx";
import { FieldList } from "../../parts/lists/table.tsx";
import { partTexts } from "../../parts/texts.ts";
import { TruncatedList, TruncatedText } from "../../parts/truncated-text.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { displayText, numberText } from "../../text/text.ts";
import {
  type DidDocument,
  keysOf,
  type ShownKey,
  type ShownService,
  safeLink,
  servicesOf,
} from "./document.ts";
import { identityTexts } from "./texts.ts";

const { keys: texts, services } = identityTexts;

function KeyCard(props: { readonly shownKey: ShownKey; readonly ownerDid: string }) {
  const { shownKey, ownerDid } = props;
  const { id, controller, kind, text, expires, permissions, isForEncryption } = shownKey;
  const isOwn = controller === ownerDid;
  return (
    <li class="card">
      <h3>
        {isOwn ? texts.own : texts.ofOther}
        {isForEncryption && texts.forEncryption}
      </h3>
      <p>{permissions.length === 0 ? texts.noPermissions : texts.permissions}</p>
      {permissions.length > 0 && (
        <ul class="permissions">
          {permissions.map((permission) => (
            <li key={permission}>{permission}</li>
          ))}
        </ul>
      )}
      <FieldList
        rows={[
          [commonTexts.account, isOwn ? undefined : <Did value={controller} />],
          [partTexts.certificate.until, expires === undefined ? commonTexts.noExpiry : <Time at={expires} />],
          [commonTexts.type, kind],
          [commonTexts.key, <Id value={text} noun={texts.keyNoun} />],
          [commonTexts.id, <Id value={id} noun={texts.keyIdNoun} />],
        ]}
      />
    </li>
  );
}

export function Keys({ document, ownerDid }: { readonly document: DidDocument; readonly ownerDid: string }) {
  const keys = keysOf(document);
  return (
    <section class="stack">
      <h2>
        {texts.title} <span class="count">{numberText(keys.length)}</span>
      </h2>
      <TruncatedList
        items={keys}
        render={(visible) => (
          <ul class="bare cards">
            {visible.map((shownKey) => (
              <KeyCard key={shownKey.id} shownKey={shownKey} ownerDid={ownerDid} />
            ))}
          </ul>
        )}
      />
    </section>
  );
}

function Endpoint({ text }: { readonly text: string }) {
  const href = safeLink(text);
  if (href === undefined) return <TruncatedText text={displayText(text)} />;
  return (
    <a class="long" href={href} target="_blank" rel="noopener noreferrer nofollow">
      <bdi>{href}</bdi>
    </a>
  );
}

function ServiceCard({ service }: { readonly service: ShownService }) {
  const { id, type, endpoints, otherMembers } = service;
  return (
    <li class="card">
      <h3>
        <TruncatedText text={displayText(type)} maxCharacters={80} />
      </h3>
      <FieldList
        rows={[
          [
            services.endpoint,
            endpoints.length === 0 ? (
              commonTexts.none
            ) : (
              <TruncatedList
                items={endpoints}
                render={(visible) => (
                  <ul class="bare">
                    {visible.map((text, i) => (
                      <li key={i}>
                        <Endpoint text={text} />
                      </li>
                    ))}
                  </ul>
                )}
              />
            ),
          ],
          [commonTexts.id, <TruncatedText text={displayText(id)} maxCharacters={200} />],
          [
            services.more,
            otherMembers && <TruncatedText text={displayText(otherMembers)} maxCharacters={200} />,
          ],
        ]}
      />
    </li>
  );
}

export function Services({ document }: { readonly document: DidDocument }) {
  const shownServices = servicesOf(document);
  return (
    <section class="stack">
      <h2>
        {services.title} <span class="count">{numberText(shownServices.length)}</span>
      </h2>
      {shownServices.length === 0 ? (
        <p class="quiet">{services.none}</p>
      ) : (
        <>
          <p class="quiet">{services.unverified}</p>
          <TruncatedList
            items={shownServices}
            render={(visible) => (
              <ul class="bare cards">
                {visible.map((service, i) => (
                  <ServiceCard key={i} service={service} />
                ))}
              </ul>
            )}
          />
        </>
      )}
    </section>
  );
}
