import type { transactionTexts as english } from "./texts.ts";

export const transactionTexts = {
  title: (id, type) => `Transactie ${id}${type}`,
  malformed: "Dit is geen transactie-id.",
  malformedAdvice:
    "Een id heeft 43 of 44 letters en cijfers, zonder 0, O, I en l. Controleer of hij volledig is.",
  unknown: {
    title: "Niet gevonden",
    message: "De node heeft geen transactie met deze id, niet op de keten en niet in de pool.",
    advice:
      "Is hij net verstuurd, dan verschijnt hij hier bij aankomst. Controleer anders of hij bij dit netwerk hoort en of de node gesynchroniseerd is.",
  },
  states: {
    waiting: {
      status: "Wacht op een blok",
      note: ". Deze pagina wordt bijgewerkt zodra een blok hem bevat.",
    },
    reverted: {
      status: "Teruggedraaid",
      note: ". Het blok is van de keten verdwenen; de transactie wacht weer op een blok.",
    },
    liquid: { status: "In het nieuwste blok", note: ", dat nog kan veranderen." },
    confirmed: { status: "{confirmations}", note: "; definitief bij {final}." },
    final: { status: "{confirmations}", note: ": geen fork kan het blok ongedaan maken." },
  },
  cancelledLease: "Beëindigde lease",
  bytes: {
    reserved: "Gereserveerd",
    signed: "ondertekend",
    verified: (size, source) =>
      `${size}, ${source}. Gecontroleerd: de hash van het ondertekende deel is de id.`,
    fromDetails: "gemaakt uit de details hierboven",
    fromNode: "zoals de node ze gaf",
    show: "Bytes van de node tonen",
    failed: "De node gaf de bytes niet terug. Hij geeft alleen bytes van bevestigde transacties.",
    otherTransaction: "De node gaf de bytes van een andere transactie: {id}",
    notBuilt: "De bytes kunnen niet uit de details worden gemaakt: {problem}.",
    mismatch: "De details hierboven zijn onvolledig of veranderd. Hun bytes hebben de id {id}",
    networkUnknown: "Wachten op het netwerk van de node.",
  },
} satisfies typeof english;
