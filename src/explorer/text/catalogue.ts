/** The texts in the language of the page, by the name of their catalogue. */
let catalogues: Readonly<Record<string, object>> = {};

/** Must be called before the modules with English texts load. */
export function setCatalogues(others: Readonly<Record<string, object>>): void {
  catalogues = others;
}

/**
 * Returns the catalogue in the language of the page.
 * @param name of the catalogue in all languages
 */
export const catalogue = <Texts extends object>(name: string, english: Texts): Texts =>
  // Safe cast: the other catalogue satisfies the type of the English one.
  (catalogues[name] as Texts | undefined) ?? english;
