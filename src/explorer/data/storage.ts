/** The browser's storage. Browsers can deny access to it: changes then last until the page is closed. */

/** Undefined if nothing is stored. */
export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if no valid JSON is stored. */
export function readStoredJson(key: string): unknown {
  try {
    return JSON.parse(readStored(key) ?? "");
  } catch {
    return undefined;
  }
}

/** @param value removes the entry if it is undefined */
export function store(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // No access.
  }
}

const YEAR_S = 31_536_000;

/** Like `store`; the node, which renders the page, gets the value in a cookie. */
export function storeForNode(key: string, value: string | undefined): void {
  store(key, value);
  const { pathname } = new URL("./", document.baseURI);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP
  document.cookie = `${key}=${value ?? ""}; path=${pathname}; max-age=${value === undefined ? 0 : YEAR_S}; samesite=strict`;
}

/** Calls the listener now, and when another tab changes the entry. */
export function followStored(key: string, listener: () => void): void {
  listener();
  window.addEventListener("storage", (event) => {
    if (event.key === key) listener();
  });
}
