/** The account wrote the document: its texts are untrusted. */

import type { JSX } from "preact";
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

function Cards<Item>(props: {
  readonly title: string;
  readonly note?: string;
  readonly items: readonly Item[];
  card(item: Item): JSX.Element;
}) {
  const { title, note, items, card } = props;
  return (
    <section class="stack">
      <h2>
        {title} <span class="count">{numberText(items.length)}</span>
      </h2>
      {note !== undefined && <p class="quiet">{note}</p>}
      {items.length > 0 && (
        <TruncatedList items={items} render={(visible) => <ul class="bare cards">{visible.map(card)}</ul>} />
      )}
    </section>
  );
}

export function Keys({ document, ownerDid }: { readonly document: DidDocument; readonly ownerDid: string }) {
  const card = (key: ShownKey) => <KeyCard key={key.id} shownKey={key} ownerDid={ownerDid} />;
  return <Cards title={texts.title} items={keysOf(document)} card={card} />;
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
  const items = servicesOf(document);
  const note = items.length === 0 ? services.none : services.unverified;
  const card = (service: ShownService) => <ServiceCard service={service} />;
  return <Cards title={services.title} note={note} items={items} card={card} />;
}
