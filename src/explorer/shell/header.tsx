import { useComputed } from "@preact/signals";
import { pageLink } from "../links.ts";
import type { Connection, NodeApi, PageContext } from "../page.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { now } from "../parts/time/now.ts";
import { LANGUAGES, language, switchLanguage } from "../text/language.ts";
import { durationText, fill, numberText } from "../text/text.ts";
import { type Health, useHealth } from "./health.ts";
import { pageLocation } from "./page-location.ts";
import { SearchBox } from "./search-box.tsx";
import { type Staleness, stalenessOf } from "./staleness.ts";
import { shellTexts as texts } from "./texts.ts";
import { switchTheme, themeChoice } from "./theme.ts";

function Navigation() {
  // A file's hash and a forger's address follow the first segment.
  const [currentPath] = pageLocation.value.path.split("/");
  return (
    <nav class="main-nav" aria-label={texts.pages}>
      <ul class="bare row">
        {Object.entries(texts.navigation).map(([path, label]) => (
          <li key={path}>
            <a href={pageLink([path])} aria-current={currentPath === path ? "page" : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The icon makes the state recognizable without colour. */
interface StatusLabel {
  readonly icon: IconName;
  readonly text: string;
  readonly kind: "right" | "unsettled" | "wrong";
}

export function connectionLabel(connection: Connection, staleness?: Staleness): StatusLabel {
  switch (connection.state) {
    case "connecting":
      return { icon: "wait", text: texts.connecting, kind: "unsettled" };
    case "live":
      if (staleness !== undefined) {
        const text = texts.stale[staleness.missing](durationText(staleness.sinceMs));
        return { icon: "wait", text, kind: "unsettled" };
      }
      return { icon: "dot", text: texts.live, kind: "right" };
    case "behind":
      return { icon: "wait", text: texts.behind, kind: "unsettled" };
    case "lost":
      return { icon: "cross", text: texts.lost(connection.problem.message), kind: "wrong" };
  }
}

export function healthLabel({ state, reasons }: Health): StatusLabel {
  const [reason] = reasons;
  if (state === "well" || reason === undefined) return { icon: "check", text: texts.well, kind: "right" };
  const isWrong = state === "wrong";
  return {
    icon: isWrong ? "cross" : "wait",
    text: texts.reason(reason.code, reason.message),
    kind: isWrong ? "wrong" : "unsettled",
  };
}

function StatusItem(props: { readonly name: string; readonly label: StatusLabel }) {
  const { icon, text, kind } = props.label;
  return (
    <span class={`state ${props.name} ${kind}`}>
      <Icon name={icon} /> <bdi>{text}</bdi>
    </span>
  );
}

function Status({ context }: { readonly context: PageContext }) {
  const connection = context.live.connection.value;
  const attempt = useHealth(context);
  // The last health report is stale without a connection.
  const health = connection.state !== "lost" && attempt?.ok === true ? attempt.value : undefined;
  const tip = context.live.tip.value;
  // Computed, so that the header is not rendered every second.
  const staleness = useComputed(() => stalenessOf(context.live, now.value)).value;
  const forging = health && texts.forging[health.forging];
  return (
    <div class="status">
      <span role="status">
        <StatusItem name={connection.state} label={connectionLabel(connection, staleness)} />
        {health !== undefined && <StatusItem name={health.state} label={healthLabel(health)} />}
      </span>
      {tip !== undefined && (
        <span>
          {texts.height} <a href={pageLink(["block", tip.height])}>{numberText(tip.height)}</a>
        </span>
      )}
      {health !== undefined && <a href={pageLink(["node"])}>{texts.peers(health.peers)}</a>}
      {forging !== undefined && <span>{forging}</span>}
    </div>
  );
}

function ThemeSwitch() {
  const choice = themeChoice.value;
  const text = texts.theme[choice];
  return (
    <button type="button" class="plain" onClick={switchTheme} title={text} aria-label={text}>
      <Icon name={choice === "system" ? "half" : choice === "dark" ? "moon" : "sun"} />
    </button>
  );
}

/** Names the other language in its own words. */
function LanguageSwitch() {
  const other = language === "en" ? "nl" : "en";
  return (
    <button
      type="button"
      class="plain"
      lang={other}
      title={LANGUAGES[other]}
      onClick={() => switchLanguage(other)}
    >
      {other.toUpperCase()}
    </button>
  );
}

function Network({ node }: { readonly node: NodeApi }) {
  const network = node.network.value;
  return (
    <p class="name">
      <a href={pageLink()}>
        <Icon name="mark" /> {texts.name}
      </a>
      {network !== undefined && (
        <span class="network">
          {network.name} <abbr title={texts.chainId}>({String.fromCharCode(network.chainId)})</abbr>
        </span>
      )}
    </p>
  );
}

function OtherNode({ node }: { readonly node: NodeApi }) {
  if (node.servesPage) return null;
  return (
    <p class="other-node">
      <Icon name="wait" /> {fill(texts.otherNode, { url: <bdi>{node.url}</bdi> })}
    </p>
  );
}

export function Header({ context }: { readonly context: PageContext }) {
  const { node } = context;
  const skipToContent = (): void => {
    document.getElementById("content")?.focus();
  };
  return (
    <header class="page-header">
      <button type="button" class="skip" onClick={skipToContent}>
        {texts.skip}
      </button>
      <div class="bar">
        <Network node={node} />
        <SearchBox context={context} />
        <div class="switches">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </div>
      <div class="bar below">
        <Navigation />
        <Status context={context} />
      </div>
      <OtherNode node={node} />
    </header>
  );
}
