import { countText, numberText } from "../text/text.ts";
import type { shellTexts as english } from "./texts.ts";

const REASONS: Readonly<Record<Parameters<typeof english.reason>[0], string>> = {
  stopping: "De node stopt.",
  unresponsive: "De node reageert niet.",
  disk: "De schijf is vol of defect.",
  clock: "De klok loopt niet gelijk.",
  lag: "De node mist nieuwe gegevens van zijn bron.",
  branch: "De betere keten takt te diep af.",
  provisional: "Handtekeningen zijn nog niet gecontroleerd.",
  feature: "Deze versie ondersteunt een goedgekeurde feature niet.",
  alone: "Er is geen peer verbonden.",
  late: "Het nieuwste blok is oud.",
  anchors: "Ankers kunnen niet worden verstuurd.",
  behind: "Peers hebben een langere keten.",
  index: "Een index wordt opgebouwd.",
};

export const shellTexts = {
  name: "Holdfast",
  pages: "Pagina's",
  navigation: {
    "": "Overzicht",
    blocks: "Blokken",
    transactions: "Transacties",
    anchor: "Bestand controleren",
    charts: "Grafieken",
    forgers: "Forgers",
    trust: "Vertrouwen",
    node: "Node",
    accounts: "Accounts",
  },
  skip: "Naar de inhoud",
  search: "Zoeken",
  suggestions: "Suggesties",
  searchLabel: "Hoogte, blok, transactie, adres, DID of hash",
  searchPlaceholder: "hoogte, id, adres, DID, hash, of sleep een bestand",
  chainId: "keten-id",
  otherNode: "Gegevens van {url}",
  theme: { system: "Thema: systeem", dark: "Thema: donker", light: "Thema: licht" },

  connecting: "verbinden",
  live: "actueel",
  stale: {
    blocks: (age) => `verouderd, laatste blok ${age} geleden`,
    data: (silence) => `verouderd, al ${silence} geen gegevens`,
  },
  behind: "synchroniseert met andere nodes",
  lost: (problem) => `${problem} Nieuwe poging.`,
  well: "gezond",
  reason: (code, message) => REASONS[code] ?? message,
  forging: { on: "maakt blokken", waiting: "kan nu geen blokken maken", off: undefined },
  reorganisation: {
    blocks: (count) => `Een fork verving ${countText(count, "blok", "blokken")}:`,
    block: (height) => `blok ${numberText(height)}`,
    all: "alle reorganisaties",
    seen: "Gezien",
  },
  height: "hoogte",
  peers: (count) => countText(count, "peer"),

  pageNotFound: "Deze pagina bestaat niet.",
  pageNotFoundAdvice: "Gebruik het zoekveld bovenaan, of begin bij het overzicht.",
  codeNotLoaded: "Dit deel van de explorer kan niet worden geladen.",
  codeNotLoadedAdvice:
    "De node die het levert, is uitgeschakeld of bijgewerkt: controleer of hij draait en laad de pagina opnieuw.",
  source: "Alle gegevens komen van {api} en nergens anders vandaan.",
  api: "de API van de node",
} satisfies typeof english;
