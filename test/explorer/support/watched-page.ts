/** A page of the browser of which nothing that should not happen goes unseen. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { ALARM } from "./hostile.ts";

/** Called in the page by what the Content-Security-Policy keeps from happening. */
const VIOLATION = "reportPolicyViolation";
/** That of a laptop. */
export const WINDOW = { width: 1_400, height: 900 };

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * What should not have happened since the last look: errors, violations, requests to others, scripts of others.
   * @param expected what is none, as where a test asks for what is not there
   */
  faults(expected?: RegExp): readonly string[];
  close(): Promise<void>;
}

export interface WatchOptions {
  /** The only origins that it may send requests to. */
  readonly origins: readonly string[];
  /** What its clock shows, ms; it goes on from there. */
  readonly now: number;
}

export async function watchPage(browser: Browser, options: WatchOptions): Promise<WatchedPage> {
  const { origins, now } = options;
  const context = await browser.newContext({
    viewport: WINDOW,
    colorScheme: "light",
    // Nothing moves, so that nothing has to be waited for.
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Amsterdam",
  });
  let faults: string[] = [];
  const fault = (text: string): void => {
    faults.push(text);
  };
  await context.exposeFunction(ALARM, (what: string) => fault(`ran: ${what}`));
  await context.exposeFunction(VIOLATION, (what: string) => fault(`policy: ${what}`));
  await context.addInitScript(
    `document.addEventListener("securitypolicyviolation", (event) =>
       ${VIOLATION}(event.violatedDirective + " " + event.blockedURI))`,
  );
  await context.clock.setFixedTime(now);
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!origins.includes(url.origin) && url.protocol !== "data:") fault(`asked: ${url.href.slice(0, 200)}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") fault(`console: ${message.text()}`);
  });
  context.on("weberror", (error) => fault(`error: ${error.error().stack}`));
  context.on("dialog", (dialog) => {
    fault(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  const page = await context.newPage();
  context.on("page", (other) => fault(`opened: ${other.url()}`));
  page.on("download", (download) => fault(`download: ${download.url()}`));
  page.setDefaultTimeout(60_000);
  return {
    page,
    context,
    faults: (expected) => {
      const found = faults;
      faults = [];
      return found.filter((text) => expected?.test(text) !== true);
    },
    close: () => context.close(),
  };
}
