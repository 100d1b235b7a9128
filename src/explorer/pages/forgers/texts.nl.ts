import { countText, numberText } from "../../text/text.ts";
import type { forgersTexts as english } from "./texts.ts";

export const forgersTexts = {
  title: "Forgers",
  next: {
    title: "Volgend blok",
    none: "Geen recente forger kan het volgende blok maken. Elk ander account met genoeg stake kan dat.",
    noBlocks: "Nog geen blokken gemaakt: elk account met genoeg stake kan het volgende maken.",
    candidates: (height) => `Recente forgers die blok ${numberText(height)} kunnen maken:`,
    note: "De vroegst mogelijke tijden, uitgaande van het nieuwste blok. Alle nodes nemen het eerste geldige blok aan.",
    ineligible: "komt niet in aanmerking",
  },
  shares: {
    ringCaption: "Forgers naar blokken en naar stake",
    title: "Blokken en stake",
    caption: (window) => `Forgers van de nieuwste ${countText(window, "blok", "blokken")}`,
    blockShare: "Aandeel in de blokken",
    stake: "Stake",
    stakeShare: "Aandeel in de stake",
    ratio: "Blokken / stake",
  },
  earnings: {
    title: (days) => `Verdiensten, laatste ${countText(days, "dag", "dagen")}`,
    blocks: "Blokken",
    expected: "Verwachte blokken",
    reward: "Verdiend",
    perDay: "Per dag",
    lease: "Lease in tokens",
    estimate: "Deel voor de lease",
    empty: "Geen forger heeft iets verdiend.",
    formula:
      "Verwachte blokken: het huidige aandeel van de forger in de stake, maal alle blokken van deze dagen. Deel voor de lease = verdiend × lease ÷ (stake + lease). Deze schatting gaat uit van de huidige stake, en van een forger die alles doorgeeft. Forgers hoeven niets te betalen aan accounts die aan hen leasen. Een nieuwe lease telt na 1.000 blokken mee.",
  },
  forger: {
    earned: "Verdiensten en blokken",
    earnings: "Verdiensten per dag",
    blocks: "Blokken per dag",
    estimate: (days) => `Deel van de lease, laatste ${countText(days, "dag", "dagen")}:`,
    leases: "Leases",
    history: "Geschiedenis van leases",
    noHistory: "Dit account heeft nooit geleased, en niemand leasede eraan.",
  },
  missed: {
    title: "Gemiste blokken",
    note: (window) =>
      `De tabel toont welke van de nieuwste ${countText(window, "blok", "blokken")} een andere recente forger eerder had kunnen maken, omdat zijn wachttijd korter was. Die forger was offline, of zijn blok kwam te laat.`,
    shortest: "Kortste wachttijd",
    earlier: "Eerder met",
    generator: "Gemaakt door",
    none: "Geen blok is gemist.",
  },
  blocks: {
    title: (count) => `Nieuwste ${countText(count, "blok", "blokken")}`,
    times: (average, longest) => `Gemiddelde bloktijd ${average}, langste ${longest}.`,
    plot: "Bloktijd",
    series: "Tijd sinds het vorige blok",
    caption: "Nieuwste blokken en hun forgers",
  },
} satisfies typeof english;
