/** Texts of owners are untrusted. */
import type { JSX } from "preact";
import { Did, Id } from "../../parts/id.tsx";
import { FieldList } from "../../parts/table.tsx";
import { Time } from "../../parts/time/time.tsx";
import { TruncatedList } from "../../parts/truncated-list.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { displayText } from "../../text/display-text.ts";
import { numberText } from "../../text/measures.ts";
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

function KeyCard({ shown, own }: { readonly shown: ShownKey; readonly own: string }): JSX.Element {
  const { id, controller, kind, text, expires, may, isForEncryption } = shown;
  const isOwn = controller === own;
  return (
    <li class="card">
      <h3>
        {isOwn ? texts.own : texts.ofOther}
        {isForEncryption && texts.forEncryption}
      </h3>
      <p>{may.length === 0 ? texts.mayNothing : texts.may}</p>
      {may.length > 0 && (
        <ul class="may">
          {may.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      <FieldList
        rows={[
          [commonTexts.account, isOwn ? undefined : <Did value={controller} />],
          [texts.validUntil, expires === undefined ? commonTexts.noExpiry : <Time at={expires} />],
          [commonTexts.type, kind],
          [commonTexts.key, <Id key="key" value={text} noun={texts.copyKey} />],
          [commonTexts.id, <Id key="id" value={id} noun={texts.copyId} />],
        ]}
      />
    </li>
  );
}

/** @param props.own DID of the account that the page shows */
export function Keys({
  document,
  own,
}: {
  readonly document: DidDocument;
  readonly own: string;
}): JSX.Element {
  const keys = keysOf(document);
  return (
    <section class="stack">
      <h2>
        {texts.title} <span class="count">{numberText(keys.length)}</span>
      </h2>
      <TruncatedList
        items={keys}
        draw={(some) => (
          <ul class="bare cards">
            {some.map((shown) => (
              <KeyCard key={shown.id} shown={shown} own={own} />
            ))}
          </ul>
        )}
      />
    </section>
  );
}

function Endpoint({ text }: { readonly text: string }): JSX.Element {
  const href = safeLink(text);
  if (href === undefined) return <TruncatedText text={displayText(text)} />;
  return (
    <a class="long" href={href} target="_blank" rel="noopener noreferrer nofollow">
      <bdi>{href}</bdi>
    </a>
  );
}

function ServiceCard({ shown }: { readonly shown: ShownService }): JSX.Element {
  const { id, type, endpoints, more } = shown;
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
                key="where"
                items={endpoints}
                draw={(some) => (
                  <ul class="bare">
                    {some.map((text, i) => (
                      <li key={i}>
                        <Endpoint text={text} />
                      </li>
                    ))}
                  </ul>
                )}
              />
            ),
          ],
          [commonTexts.id, <TruncatedText key="id" text={displayText(id)} maxCharacters={200} />],
          [
            services.more,
            more === undefined ? undefined : (
              <TruncatedText key="more" text={displayText(more)} maxCharacters={200} />
            ),
          ],
        ]}
      />
    </li>
  );
}

/** Only https URLs become links. */
export function Services({ document }: { readonly document: DidDocument }): JSX.Element {
  const shown = servicesOf(document);
  return (
    <section class="stack">
      <h2>
        {services.title} <span class="count">{numberText(shown.length)}</span>
      </h2>
      {shown.length === 0 ? (
        <p class="quiet">{services.none}</p>
      ) : (
        <>
          <p class="quiet">{services.unverified}</p>
          <TruncatedList
            items={shown}
            draw={(some) => (
              <ul class="bare cards">
                {some.map((service, i) => (
                  <ServiceCard key={i} shown={service} />
                ))}
              </ul>
            )}
          />
        </>
      )}
    </section>
  );
}
