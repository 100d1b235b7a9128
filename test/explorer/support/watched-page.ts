/** A browser page that reports everything that should not happen. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { ALARM } from "./hostile.ts";

/** Global function that reports violations of the Content-Security-Policy. */
const VIOLATION = "reportPolicyViolation";
/** Size of a laptop window. */
export const WINDOW = { width: 1_400, height: 900 };
export const PHONE = { width: 375, height: 800 };

export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Returns errors, violations, requests to other origins and hostile scripts since the last call.
   * @param expected console messages to ignore
   */
  faults(expected?: RegExp): readonly string[];
}

export interface WatchOptions {
  /** Origins that the page may request. Callers may change the set. */
  readonly origins: ReadonlySet<string>;
  /** Start of the page's clock, ms. */
  readonly now: number;
}

export async function watchPage(browser: Browser, options: WatchOptions): Promise<WatchedPage> {
  const { origins, now } = options;
  const context = await browser.newContext({
    viewport: WINDOW,
    colorScheme: "light",
    // Without animations nothing has to be awaited.
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
    if (!origins.has(url.origin) && url.protocol !== "data:") fault(`asked: ${url.href.slice(0, 200)}`);
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
  };
}
