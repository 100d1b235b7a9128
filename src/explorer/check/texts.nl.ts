import { sentence } from "../describe/types.ts";
import { countText, timeText } from "../text/text.ts";
import type { checkTexts as english } from "./texts.ts";

const fileOrFingerprint = (isFile: boolean): string => (isFile ? "dit bestand" : "deze vingerafdruk");
/** After "de vingerafdruk". */
const ofFile = (isFile: boolean): string => (isFile ? " van dit bestand" : "");
const confirmations = (count: number): string => countText(count, "bevestiging", "bevestigingen");
const checkWithoutProof = "Of controleer zonder bewijs: de pagina gebruikt dan het bewijs van de node.";
const askOtherNodes =
  "Alleen deze node zegt dat het blok op de keten van het netwerk staat: vraag het ook andere nodes.";

export const checkTexts = {
  anchored: "Verankerd",
  notYetAnchored: "Nog niet verankerd",
  notAnchored: "Niet verankerd",
  notProved: "Niet bewezen",
  notFinal: "Nog niet definitief",
  notChecked: "Niet gecontroleerd",

  anchoredSentence: (isFile, network, count, { time, sender, block, transaction, genesis }) =>
    sentence`${isFile ? "Dit bestand" : "Het bestand met deze vingerafdruk"} bestond, precies zoals het is, op ${time}: account ${sender} zette de vingerafdruk in blok ${block} met transactie ${transaction}, op ${
      network === undefined ? sentence`de keten die begint met blok ${genesis}` : `LTO ${network}`
    }. Het blok heeft ${confirmations(count)}.`,
  anchoredAdvice: (confirmations, maxForkDepth) =>
    `${confirmations < maxForkDepth ? `Een fork kan tot ${maxForkDepth} blokken ongedaan maken: controleer belangrijke bestanden opnieuw bij ${maxForkDepth} bevestigingen.` : "Geen fork kan dit blok nog ongedaan maken."} ${askOtherNodes}`,
  queuedSentence: (isFile, since) =>
    sentence`De node ontving de vingerafdruk${ofFile(isFile)}${
      since && sentence` op ${since}`
    } en zal die samen met andere verankeren; hij staat nog niet in een transactie.`,
  queuedAdvice: "Controleer later opnieuw: er is niets bewezen tot de vingerafdruk in een blok staat.",
  unknownIdSentence: (isFile) =>
    `Het bewijs voor ${fileOrFingerprint(isFile)} noemt een transactie die de node niet kent.`,
  unknownTransactionAdvice:
    "De transactie hoort bij een ander netwerk, of het blok is voorgoed teruggedraaid. Controleer met een node van het netwerk van het bewijs.",
  unknownSentence: (isFile) =>
    isFile
      ? "De node kent geen transactie met de vingerafdruk van dit bestand."
      : "De node kent geen transactie met deze vingerafdruk.",
  unknownAdvice: (isFile) =>
    isFile
      ? "Het bestand is op dit netwerk nooit verankerd, of het is veranderd: één veranderde byte verandert de vingerafdruk."
      : "De vingerafdruk is op dit netwerk nooit verankerd, of bevat een typefout.",
  proofWrong: "Het bewijs is onjuist.",
  wrongSteps: {
    proof: [
      "Het bewijs is ongeldig, of hoort bij een ander bestand.",
      `Gebruik het bewijs dat bij dit bestand hoort. ${checkWithoutProof}`,
    ],
    path: [
      "Het bewijs is veranderd: het pad loopt niet van dit bestand naar de verankerde hash.",
      `Vraag de afzender om het oorspronkelijke bewijs. ${checkWithoutProof}`,
    ],
    transaction: [
      "De transactie in het bewijs verankert iets anders.",
      `Gebruik het bewijs dat bij dit bestand hoort. ${checkWithoutProof}`,
    ],
    signature: [
      "De transactie is niet door de afzender ondertekend.",
      "Een account met een script heeft misschien geen handtekening nodig; deze pagina kan dat niet controleren.",
    ],
    place: [
      "Het bewijs noemt een verkeerd blok of een verkeerde index voor de transactie.",
      "Het bewijs is van vóór een fork, of is veranderd. Controleer zonder bewijs: de node maakt dan een nieuw bewijs.",
    ],
  },
  contradiction: "De node spreekt zichzelf of de handtekeningen tegen: vertrouw zijn antwoorden niet.",
  contradictionAdvice:
    "Vraag het aan een node van een andere beheerder. De mislukte stap toont het verschil.",
  pendingSentence: (isFile) =>
    `Een transactie met de vingerafdruk${ofFile(isFile)} wacht op een blok: er is nog niets bewezen.`,
  inNewestBlockSentence: (isFile) =>
    `De vingerafdruk${ofFile(isFile)} staat in het nieuwste blok, dat kan veranderen tot er een volgend blok is.`,
  nextBlockAdvice: "Deze pagina controleert opnieuw bij het volgende blok.",
  unreachable: "De node antwoordde niet, dus het is onbekend of er een anker is.",
  unreachableAdvice: "Controleer of de node draait en bereikbaar is, en probeer het opnieuw.",

  fileTooLarge:
    "Dit bestand is te groot voor een browser. Bereken de SHA-256 met sha256sum en plak die hier.",
  fileUnreadable:
    "Het bestand kan niet helemaal worden gelezen. Is het verplaatst of veranderd? Kies het opnieuw.",

  findings: {
    time: (ms) => timeText(BigInt(ms)),
    noProof: (url, reason) => `${url} geeft geen bewijs: ${reason}`,
    noAnswer: (reason) => `geen antwoord (${reason})`,
    timeout: () => "geen antwoord binnen de tijdslimiet",
    invalidAnswer: (reason) => `een ongeldig antwoord (${reason})`,
    extraBytes: "na het blok volgen nog bytes",
    notABlock: "de bytes vormen geen blok",
    bytesOfOtherBlock: "de bytes zijn van een ander blok",
    unsignedBlock: "het blok is niet door zijn generator ondertekend",
    unknownHash: "geen node kent de hash",
    invalidProof: (reason) => `het bewijs is geen geldig Chainpoint v2-bewijs: ${reason}`,
    otherHash: (hash) => `het bewijs is voor een andere hash, ${hash}`,
    sameHash: "het bewijs is voor deze hash",
    wrongPath: (root) => `het pad leidt niet naar de root ${root}`,
    path: (steps, root) => `het pad leidt in ${countText(steps, "stap", "stappen")} naar de root ${root}`,
    noTransaction: "het bewijs noemt geen transactie van dit protocol",
    hasTransaction: (url, height, blockId, count) =>
      `${url} heeft de transactie in blok ${height}, ${blockId}, met ${confirmations(count)}`,
    otherBlock: (height, blockId) =>
      `hij heeft de transactie in een ander blok of op een andere keten: blok ${height}, ${blockId}`,
    unknownTransaction: "hij kent de transactie niet",
    pending: "de transactie wacht op een blok",
    noBytes: "geen node geeft de bytes van het blok",
    unconfirmed: "het blok heeft nog geen bevestigingen",
    otherGenerator: (generator) => `de generator is ${generator}, niet degene die de node noemde`,
    signedBlock: (time, generator) =>
      `het blok, van ${time}, is ondertekend door zijn generator ${generator}`,
    notInBlock: "het blok bevat de transactie niet",
    anchorsOther: (isRoot) => `de transactie verankert ${isRoot ? "de root" : "de hash"} niet`,
    anchors: (id, isRoot) =>
      `het blok bevat transactie ${id}, die ${isRoot ? "de root" : "de hash"} verankert`,
    unsigned: (sender) =>
      `hij is niet ondertekend door de afzender ${sender} (een script van het account kan dat toestaan, wat hier niet te controleren is)`,
    unsignedBySponsor: (sponsor) => `hij is niet ondertekend door de sponsor ${sponsor}`,
    signed: (sender, sponsor) =>
      `de transactie is ondertekend door ${sender}${sponsor === undefined ? "" : ` en de sponsor ${sponsor}`}`,
    otherPlace: (height, index) =>
      `het bewijs noemt een andere plaats dan blok ${height}, index ${index}: het is van vóór een fork, of is veranderd; vraag een nieuw bewijs aan`,
    samePlace: "het bewijs noemt dezelfde plaats",
    tooFew: (count, required) => `het blok heeft ${confirmations(count)}; er zijn er ${required} nodig`,
    enough: (count, maxForkDepth) =>
      `het blok heeft ${confirmations(count)}; forks kunnen tot ${maxForkDepth} blokken ongedaan maken`,
  },
  titles: {
    file: "Vingerafdruk van het bestand",
    proof: "Het bewijs hoort bij deze vingerafdruk",
    block: "Het blok van de node is ondertekend",
    transaction: "Het blok bevat een ondertekende transactie met de vingerafdruk",
    final: "Op het blok volgen andere blokken",
  },
  computedHash: (hash) => `Hier berekend: ${hash}`,
  enteredHash: (hash) => `Ingevoerd, niet hier berekend: ${hash}`,
  instructions: (hash, height) => ({
    file: `De vingerafdruk is de SHA-256 van het bestand, en die is voor elk bestand anders. Hij moet ${hash} zijn.`,
    proof:
      "targetHash moet de vingerafdruk zijn. Heeft het bewijs een pad, dan is elke stap de SHA-256 van twee hashes (als bytes), en moet de laatste merkleRoot zijn.",
    block:
      "De laatste 64 bytes van het blok zijn de handtekening, die ook de id is; de 32 bytes ervoor zijn de sleutel van de generator. De handtekening dekt alle bytes ervoor.",
    transaction:
      "Het blok moet de transactie bevatten die het bewijs noemt. Deze transactie moet de vingerafdruk bevatten, of de root aan het eind van het pad. De explorer toont de transactie byte voor byte.",
    final: `Vraag andere, onafhankelijke nodes van het netwerk: hun blok op hoogte ${height} moet dezelfde id hebben.`,
  }),
  onWindows: "op Windows",
  mustBe: (id) => `moet ${id} zijn`,
  allOfThis: "doet dit alles",
} satisfies typeof english;
