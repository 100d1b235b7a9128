import { countText, numberText } from "../../text/text.ts";
import type { overviewTexts as english, chartTexts as englishCharts } from "./texts.ts";

export const overviewTexts = {
  title: "Overzicht",
  syncing: (height, target, percent, timeLeft) =>
    [
      `De node synchroniseert: blok ${numberText(height)}`,
      target === undefined ? "" : ` van ongeveer ${numberText(target)}`,
      percent === undefined ? "" : ` (${percent})`,
      timeLeft === undefined ? "" : `, nog ${timeLeft}`,
      ". Deze pagina toont de keten tot dit blok.",
    ].join(""),
  blocks: {
    title: "Nieuwste blokken",
    loading: "De nieuwste blokken laden…",
    onlyFirst: "De keten heeft alleen het eerste blok. Nog geen forger heeft het tweede gemaakt.",
  },
  transactions: {
    title: "Actuele transacties",
    newRows: (count) => countText(count, "nieuwe transactie", "nieuwe transacties"),
    filter: "Toon",
    caption: "Nieuwste transacties",

    pending: "in de pool",
    reverted: "teruggedraaid",
    revertedBy: "teruggedraaid door {block}",
    otherBlock: "een ander blok",
    empty: "Nog geen transacties. Nieuwe verschijnen hier meteen.",
  },
  days: { link: "Alle grafieken" },
  forgers: {
    title: "Forgers",
    caption: "Forgers van de nieuwste blokken, naar blokken en naar stake",

    blocks: "van de blokken",
    stake: "van de stake",
    empty: "Nog geen blokken gemaakt.",
    rings: "Buitenste ring: blokken; binnenste ring: stake.",
    link: "Alle forgers en het volgende blok",
  },
  supply: {
    title: "Voorraad",
    total: "Totale voorraad",
    burned: "Netto verbrand",
    burnedHint: "Verbrande tokens min de beloningen voor blokken",
    leased: "In lease",
  },
  fees: {
    title: "Kosten",
    next: "Volgende tarief",
    nextPrice: (vote) => `{price} (${vote}), vanaf blok {height}`,
  },
} satisfies typeof english;

export const chartTexts = {
  title: "Grafieken",
  titles: {
    transactions: "Transacties per dag",
    fees: "Kosten per dag",
    senders: "Actieve accounts per dag",
    anchors: "Verankerde hashes per dag",
    supply: "Voorraad aan het einde van elke dag",
  },
  series: {
    transfers: "overboekingen",
    anchors: "ankers",
    associations: "associaties",
    others: "overige",
    fees: "kosten",
    senders: "accounts",
    hashes: "hashes",
    supply: "voorraad",
    leased: "in lease",
  },
  sendersNote:
    "Accounts die een transactie stuurden. Hun aantal is geschat, met een fout van minder dan 1 % tot 1.000 accounts.",
} satisfies typeof englishCharts;
