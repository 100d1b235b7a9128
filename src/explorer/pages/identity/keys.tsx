/** Cards for the keys and services of a DID document. Texts of owners are untrusted. */
import type { JSX } from "preact";
import { Did, Id } from "../../parts/id.tsx";
import { Facts } from "../../parts/table.tsx";
import { Time } from "../../parts/time/time.tsx";
import { TruncatedList } from "../../parts/truncated-list.tsx";
import { TruncatedText } from "../../parts/truncated-text.tsx";
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

function KeyCard({ shown, own }: { readonly shown: ShownKey; readonly own: string }): JSX.Element {
  const { id, controller, kind, text, expires, may, isForEncryption } = shown;
  const isOwn = controller === own;
  return (
    <li class="card">
      <h3>
        {isOwn ? "Its own key" : "Key of another account"}
        {isForEncryption && ", for encryption"}
      </h3>
      <p>May {may.length === 0 ? "do nothing by itself" : ""}</p>
      {may.length > 0 && (
        <ul class="may">
          {may.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      <Facts
        rows={[
          ["Account", isOwn ? undefined : <Did value={controller} />],
          [
            "Counts",
            expires === undefined ? (
              "without an end"
            ) : (
              <>
                until <Time at={expires} />
              </>
            ),
          ],
          ["Kind", kind],
          ["Key", <Id key="key" value={text} what="key" />],
          ["Id", <Id key="id" value={id} what="id of the key" />],
        ]}
      />
    </li>
  );
}

/** Keys of a document. @param props.own DID of the account that the page shows */
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
        Keys <span class="count">{numberText(keys.length)}</span>
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
        <TruncatedText text={displayText(type)} most={80} />
      </h3>
      <Facts
        rows={[
          [
            "Where",
            endpoints.length === 0 ? (
              "nowhere"
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
          ["Id", <TruncatedText key="id" text={displayText(id)} most={200} />],
          [
            "More",
            more === undefined ? undefined : <TruncatedText key="more" text={displayText(more)} most={200} />,
          ],
        ]}
      />
    </li>
  );
}

/** Services of a document; only https URLs become links. */
export function Services({ document }: { readonly document: DidDocument }): JSX.Element {
  const services = servicesOf(document);
  return (
    <section class="stack">
      <h2>
        Services <span class="count">{numberText(services.length)}</span>
      </h2>
      {services.length === 0 ? (
        <p class="quiet">None.</p>
      ) : (
        <>
          <p class="quiet">As the owner wrote them; nobody has checked where they lead.</p>
          <TruncatedList
            items={services}
            draw={(some) => (
              <ul class="bare cards">
                {some.map((shown, i) => (
                  <ServiceCard key={i} shown={shown} />
                ))}
              </ul>
            )}
          />
        </>
      )}
    </section>
  );
}
