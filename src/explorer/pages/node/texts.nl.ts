import { countText, numberText } from "../../text/text.ts";
import type { nodeTexts as english } from "./texts.ts";

/** By id. Other features have names that are not translated. */
const FEATURES: Readonly<Record<number, string>> = {
  4: "Accounts met script",
  10: "Associaties",
  11: "Sponsoring",
  12: "Deel van de kosten verbranden",
};

export const nodeTexts = {
  title: "Node",
  health: {
    well: "De node is gezond.",
    behind: "De node synchroniseert.",
    wrong: "De node heeft aandacht nodig.",
  },
  sync: {
    title: "Keten",
    behind: (height, target, percent) =>
      `Blok ${numberText(height)} van ongeveer ${numberText(target)} (${percent} %)`,
    alone: (height) => `Blok ${numberText(height)}; geen verbonden peer om mee te vergelijken`,
    claimed: (height, claimed) =>
      `Blok ${numberText(height)}; een peer noemt zonder bewijs ongeveer ${numberText(claimed)}`,
    synced: (height) => `Blok ${numberText(height)}, gelijk met alle peers`,
    timeUnknown: "Resterende tijd onbekend.",
    timeLeft: (duration) => `Nog ${duration}.`,
    speed: (blocks, transactions) =>
      `${numberText(blocks)} blokken en ${numberText(transactions)} transacties per seconde in de laatste 30 s.`,
  },
  indexes: {
    off: (name) => `Index “${name}” is uitgeschakeld.`,
    clearing: (name) => `Index “${name}” wordt gewist.`,
    building: (name, height, target) =>
      `Index “${name}” wordt opgebouwd: blok ${numberText(height)} van ${numberText(target)}`,
  },
  peers: {
    title: "Peers",
    summary: (count, outbound) =>
      `${countText(count, "peer")}: ${numberText(count - outbound)} inkomend, ${numberText(outbound)} uitgaand.`,
    caption: "Verbonden peers",
    name: "Naam",
    directions: { in: "inkomend", out: "uitgaand" },
    connected: "Duur van de verbinding",
    height: "Hoogte (schatting)",
    heightHint: "Peers wisselen scores uit, geen hoogtes. Deze schatting is uit de score berekend.",

    score: "Scoreverschil",
    scoreHint: "Score van de keten van de peer min de score van de keten van deze node",
    scoreTooLong: "heel groot",
    scoreHigher: "hoger",
    scoreLower: "lager",
    scoreEqual: "gelijk",
    received: "Ontvangen",
    sent: "Verzonden",
    empty: "Geen peers verbonden.",
  },
  features: {
    title: "Features",
    now: (height) => `nu, ${numberText(height)}`,
    nextCount: (height) => `volgende telling op ${numberText(height)}`,
    feature: "Feature",
    name: (id, description) => FEATURES[id] ?? description,
    activeFromStart: "actief vanaf het eerste blok",
    activeSince: "actief sinds blok {height}",
    approved: (height) => `goedgekeurd, actief vanaf blok ${numberText(height)}`,
    votes: (votes, needed) => `${numberText(votes)} van ${numberText(needed)} blokken`,
    node: { NOT_IMPLEMENTED: "niet ondersteund", IMPLEMENTED: "ondersteund", VOTED: "stemt ervoor" },
    voting: (interval, next, threshold) =>
      `Stemmen worden elke ${numberText(interval)} blokken geteld, de volgende keer bij blok ${numberText(next)}. Een feature heeft ${numberText(threshold)} stemmen nodig.`,
  },
  reorganisations: {
    title: "Reorganisaties",
    about:
      "De laatste 100 keren dat blokken van een andere tak blokken van deze node vervingen. De lijst blijft bij een herstart van de node bewaard.",
    sinceStart: (count) => `${numberText(count)} sinds de start van de node op {time}.`,
    all: "Alle reorganisaties",
    none: "Er is geen blok van de keten verdwenen.",
    commonBlock: "Gemeenschappelijk blok",
    oldTip: "Oude top",
    transactions: "Teruggedraaide transacties",
    newTip: "Nieuwe top",
    rollback: "geen: handmatig teruggedraaid",
    unlisted: (count) => `en nog ${numberText(count)} op grotere hoogtes`,
  },
  pool: {
    title: "Pool en kosten",
    unconfirmed: "Onbevestigd",
    votes: "Stemmen in deze periode",
    nextPrice: "Volgende tarief",
    nodeVote: "Stem van deze node",
  },
  forging: {
    title: "Forgen",
    states: {
      on: "De node maakt blokken.",
      waiting:
        "Forgen is ingeschakeld, maar nu niet mogelijk: te weinig stake, te weinig peers of een verouderde keten.",
      off: "Forgen is uitgeschakeld.",
    },
    state: "Toestand",
    nextBlock: "Volgend blok",
    candidate: "{due} door {address} met {stake}",
    forgers: "Alle forgers",
  },
  machine: {
    title: "Systeem",
    other: "Andere nodes",
    compare: "Twee nodes vergelijken",
    keyMissing: "Alleen de beheerder kan geheugen en schijf zien, en deze node heeft nog geen API-sleutel.",
    operatorOnly: "Alleen de beheerder kan geheugen en schijf zien.",
    otherNode: "De beheerder ziet geheugen en schijf in de explorer van de node zelf.",
    enterKey: "API-sleutel invoeren",
    started: "Gestart",
    memory: "Geheugen",
    chain: "Ketengegevens",
    disk: "Vrije schijfruimte",
    freeOfTotal: (free, total) => `${free} van ${total}`,
  },
} satisfies typeof english;
