/** The browser and the node that all tests share. */
import type { Browser, Locator, Page } from "playwright-core";
import type { KeyPair } from "../../../src/crypto/signatures.ts";
import { startChromium } from "../../support/chromium.ts";
import { ExplorerNode } from "./explorer-node.ts";
import { tellStory } from "./story.ts";
import { type WatchedPage, WINDOW, watchPage } from "./watched-page.ts";

export class Shared {
  #window: WatchedPage | undefined;
  /** Origins that the page of the current test may request. */
  readonly #origins = new Set<string>();

  private constructor(
    readonly browser: Browser,
    readonly node: ExplorerNode,
  ) {}

  static async start(): Promise<Shared> {
    const node = new ExplorerNode();
    const [browser] = await Promise.all([startChromium(), node.start()]);
    tellStory(node.teller);
    return new Shared(browser, node);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.node.stop();
  }

  /** Id of a transaction of the story. */
  id(name: string): string {
    const id = this.node.teller.ids.get(name);
    if (id === undefined) throw new Error(`Nothing in the story is called ${name}`);
    return id;
  }

  address(keyPair: KeyPair): string {
    return this.node.teller.text(keyPair);
  }

  did(keyPair: KeyPair): string {
    return `did:lto:${this.address(keyPair)}`;
  }

  /**
   * Runs a test in a window on the clock of the node. All tests share one, since opening a window takes as long as
   * five pages.
   * @param others origins that the page may request besides the node's
   */
  async inPage<T>(task: (watched: WatchedPage) => Promise<T>, others: readonly string[] = []): Promise<T> {
    const now = this.node.clock.now();
    this.#window ??= await watchPage(this.browser, { origins: this.#origins, now });
    const { page, context, faults } = this.#window;
    await context.clock.setFixedTime(now);
    await page.setViewportSize(WINDOW);
    await page.emulateMedia({ colorScheme: "light" });
    await leave(page);
    this.#origins.clear();
    for (const url of [this.node.url, ...others]) this.#origins.add(new URL(url).origin);
    faults();
    return task(this.#window);
  }
}

/**
 * Leaves a page for an empty one, so that requests that it aborts are not faults of the next page. The page itself
 * opens `about:blank`, and keeps its process; if the test did, each page would start a process of the browser.
 */
async function leave(page: Page): Promise<void> {
  if (page.url() === "about:blank") return;
  await page.evaluate("location.assign('about:blank')");
  await page.waitForURL("about:blank");
}

/** Opens a URL and waits for the page. @returns its heading */
export async function visit(page: Page, url: string): Promise<string> {
  await page.goto(url);
  return settled(page);
}

/** Waits until the scripts have rendered a page's content. @returns its heading */
export async function settled(page: Page): Promise<string> {
  const heading = '#page[data-ready] main[aria-busy="false"] h1';
  await page.locator(heading).waitFor();
  return textOf(page, heading);
}

/** Presses a key until a part of the page has the focus. Both keys go round the page. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await target.evaluate((one) => one.matches(":focus"))) return;
    await page.keyboard.press(key);
  }
  throw new Error("The keyboard does not reach it");
}

/** Text of a part of the page. */
export async function textOf(page: Page, selector = "main"): Promise<string> {
  return ((await page.locator(selector).textContent()) ?? "").trim();
}

/** Elements that make the page wider than its window. */
export async function overflow(page: Page): Promise<readonly string[]> {
  // Drawing follows the layout some frames later.
  const isFine = await page.evaluate<boolean>(`new Promise((resolve) => {
    let frames = 300;
    const look = () => {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) resolve(true);
      else if (frames-- === 0) resolve(false);
      else requestAnimationFrame(look);
    };
    look();
  })`);
  if (isFine) return [];
  return page.evaluate(`(() => {
    const { clientWidth } = document.documentElement;
    const clips = (one) => one !== null && (getComputedStyle(one).overflowX !== "visible" || clips(one.parentElement));
    const wide = [...document.querySelectorAll("#page *")].filter(
      (one) => one.getBoundingClientRect().right > clientWidth + 1 && !clips(one.parentElement),
    );
    return ["too wide", ...wide.slice(0, 4).map((one) => one.outerHTML.slice(0, 120))];
  })()`);
}
