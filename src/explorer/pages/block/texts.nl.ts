import { countText, numberText } from "../../text/text.ts";
import type { blockTexts as english } from "./texts.ts";

export const blockTexts = {
  title: (heightOrId) => `Blok ${heightOrId}`,
  neighbours: "Aangrenzende blokken",
  malformed: "Dit is geen hoogte en geen blok-id.",
  malformedAdvice:
    "Een hoogte is een geheel getal vanaf 1. Een id heeft ongeveer 88 letters en cijfers, zonder 0, O, I en l.",
  unknown: "Dit blok staat niet op de keten van de node.",
  tooHigh: (height) =>
    `De keten heeft ${countText(height, "blok", "blokken")}. Als de node nog synchroniseert, wacht dan tot hij klaar is.`,
  tooLow: "Het eerste blok heeft hoogte 1.",
  unknownId: "Misschien hoort het bij een ander netwerk, of is het lang geleden van de keten verdwenen.",
  gone: "Het is net van de keten verdwenen. Laad de pagina opnieuw.",
  status: {
    outdated: "Dit is een eerdere toestand van het blok, voordat er transacties bij kwamen.",
    current: "Huidige toestand van het blok",
    liquid: "Nieuwste blok: er komen nog transacties bij, en een ander blok kan het vervangen.",
    first: "Eerste blok van de keten: definitief.",
    confirmed: "{confirmations}; definitief bij {final}.",
    final: "{confirmations}: definitief.",
  },
  reverted: {
    block: "Teruggedraaid blok",
    microBlock: "Teruggedraaid microblok",
    height: (height) => `op hoogte ${numberText(height)}`,
    warning: "Niet meer op de keten.",
    keepsKeyBlock:
      "Het sleutelblok staat nog op de keten. De transacties van dit microblok wachten op een blok, tenzij het huidige blok ze bevat.",
    all: "De transacties wachten op een blok, tenzij de nieuwe keten ze bevat.",
    replaced: "Vervangen door {block}.",
    notReplaced: "Er is nog geen blok voor in de plaats gekomen.",
  },
  header: {
    title: "Header",
    delay: (seconds) => `, ${seconds} s na het vorige blok`,
    generator: "Generator",
    parent: "Vorig blok",
    generationSignature: "Generation signature",
    generationSignatureNoun: "generation signature",
  },
  fees: {
    title: "Kosten, beloningen en stemmen",
    fees: "Transactiekosten",
    burned: "Verbrande kosten",
    miningReward: "Blokbeloning",
    generatorReward: "Betaald aan de generator",
    feeVote: "Stem over het tarief",
    feeVotes: { "-1": "lager", "0": "ongewijzigd", "1": "hoger" },
    featureVotes: "Stemmen voor features",
  },
  microBlocks: { title: "Microblokken", number: "Nummer" },
  transactions: { caption: "Transacties van het blok", index: "Index", empty: "Geen transacties." },
  bytes: {
    show: (size) => `${size} tonen`,
    failed:
      "De node gaf de bytes niet terug. Van eerdere toestanden van het nieuwste blok heeft hij geen bytes.",
    verified:
      "Hier gecontroleerd: de generator heeft alle bytes vóór de handtekening ondertekend, en de handtekening is de blok-id.",
    wrong:
      "Controle mislukt: de generator heeft deze bytes niet ondertekend, of de handtekening is niet de blok-id.",
  },
} satisfies typeof english;
