/** Loads the catalogues of the language on the node, before the code that uses them. */
import * as dutch from "./dutch.ts";
import { setCatalogues } from "./text/catalogue.ts";
import { language } from "./text/language.ts";

if (language === "nl") setCatalogues(dutch);
