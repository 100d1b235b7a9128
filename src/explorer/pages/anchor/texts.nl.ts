import type { anchorTexts as english } from "./texts.ts";

export const anchorTexts = {
  title: "Bestand controleren",
  titleOf: (hash) => `Anker ${hash}`,
  heading: "Is dit bestand verankerd?",
  lead: "Een anker zet de vingerafdruk van een bestand op de keten. Het bewijst dat precies dit bestand op dat moment bestond.",
  drop: "Sleep een bestand naar deze pagina, of kies er een",
  privacy:
    "Het bestand blijft op dit apparaat. Alleen de vingerafdruk wordt verstuurd, en die verraadt niets over de inhoud. Hebt u een bewijs, voeg dat dan ook toe.",
  hashLabel: "Of de vingerafdruk (SHA-256)",
  hashPlaceholder: "hex, Base58 of Base64",
  check: "Controleren",
  invalidHash: "Dit is geen SHA-256-hash.",
  invalidHashAdvice: "Een SHA-256-hash heeft 64 hexcijfers. Controleer of de tekst volledig is.",
  hashing: "De vingerafdruk berekenen",
  progress: (done, size) => `${done} van ${size}`,
  result: "Resultaat",
  fingerprint: "Vingerafdruk",
  withProof: "met het toegevoegde bewijs",
  keep: "{download} en bewaar het bij het bestand: wie beide heeft, kan ze met elke node controleren. De {link} bevat alleen de vingerafdruk.",
  download: "Download het bewijs",
  link: "link naar deze controle",
  otherNode: "Een andere node vragen",
  ask: "Vragen",
  unreadable: "Dit kan niet als bestand worden gelezen. Van mappen bestaat geen hash: kies een bestand.",
} satisfies typeof english;
