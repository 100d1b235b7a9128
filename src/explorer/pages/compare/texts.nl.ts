import { countText, numberText } from "../../text/text.ts";
import type { compareTexts as english } from "./texts.ts";

export const compareTexts = {
  title: "Twee nodes vergelijken",
  about:
    "Geef de URL van de API van een andere node. De pagina vergelijkt die met de node die deze pagina levert.",
  form: "URL van de andere node",
  button: "Vergelijken",
  sameNode: "Deze URL is die van de node die deze pagina levert. Geef de URL van een andere node.",
  caption: "De twee nodes",
  other: "Andere node",
  problem: (node, problem) => `${node}: ${problem}`,
  rows: {
    network: "Netwerk",
    health: "Toestand",
    pool: "Pool",
  },
  chains: "Blokken",
  otherNetwork: "De nodes horen bij verschillende netwerken: hun eerste blokken verschillen.",
  same: (height) =>
    `Beide nodes hebben dezelfde blokken tot en met ${numberText(height)}. Nieuwere blokken kunnen nog veranderen.`,
  behind: (node, count) => `${node} loopt ${countText(count, "blok", "blokken")} achter.`,
  different: (height) => `De ketens verschillen vanaf blok ${numberText(height)}.`,
  block: "Eerste verschillende blok",
} satisfies typeof english;
