/** Loads the catalogues of the language before the code that uses them. */
import { setCatalogues } from "./text/catalogue.ts";
import { language } from "./text/language.ts";
import "./style/all.css";

async function start(): Promise<void> {
  const { documentElement } = document;
  // The node has rendered the page in another language.
  if (documentElement.lang !== language) document.getElementById("page")?.replaceChildren();
  documentElement.lang = language;
  if (language === "nl") setCatalogues(await import("./dutch.ts"));
  await import("./main.tsx");
}

void start();
