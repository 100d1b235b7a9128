/** Texts in the language of the page. */
type Catalogues = typeof import("../dutch.ts");

let catalogues: Catalogues | undefined;

/** Must be called before the modules with English texts load. */
export function setCatalogues(others: Catalogues): void {
  catalogues = others;
}

/**
 * Returns the catalogue in the language of the page.
 * @param name of the catalogue in all languages
 */
export const catalogue = <Texts extends object>(name: keyof Catalogues, english: Texts): Texts =>
  // Safe cast: the other catalogue satisfies the type of the English one.
  (catalogues?.[name] as Texts | undefined) ?? english;
