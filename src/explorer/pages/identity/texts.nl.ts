import { numberText } from "../../text/text.ts";
import type { identityTexts as english } from "./texts.ts";

export const identityTexts = {
  title: "Identiteit",
  titleOf: (did) => `Identiteit ${did}`,
  invalid: "Dit is geen DID.",
  invalidAdvice:
    "Een DID van dit netwerk is did:, de naam van de methode en een adres, zoals did:lto:3N… Alleen een adres mag ook.",
  unknown: "De keten kent deze identiteit niet.",
  unknownAdvice:
    "Een account krijgt een identiteit met zijn eerste transactie, of als zijn sleutel wordt geregistreerd. De DID kan ook bij een ander netwerk horen.",
  otherNetwork: "Dit is geen DID van dit netwerk.",
  otherNetworkAdvice:
    "Controleer of hij volledig is: de laatste tekens zijn een controlesom. Andere DID-methoden worden niet ondersteund.",

  created: "Gemaakt",
  updated: "Bijgewerkt",
  alsoKnownAs: "Ook bekend als",
  json: "Resultaat van DID resolution",
  deactivated: {
    unknownBy: "{deactivated} op {time}.",
    byItself: "{deactivated} op {time} door het eigen account.",
    by: "{deactivated} op {time} door {did}.",
    status: "Deze identiteit is gedeactiveerd",
    permanent: "Dit is permanent.",
    earlier: "Eerdere versies tonen de vroegere documenten.",
    only: "Er zijn geen eerdere versies.",
  },
  derived: {
    note: "Een afgeleide identiteit van {did}, met dezelfde sleutels. Wie deze DID heeft, kan de twee met elkaar verbinden, want hij bevat het geheim.",
    title: "Afgeleide identiteiten",
    lead: "Een afgeleide identiteit is een andere naam van het account. Alleen wie het geheim kent, kan de twee met elkaar verbinden. Het geheim staat straks in de adresbalk en in het verzoek aan de node.",
    secret: "Geheim (Base58)",
    submit: "Afgeleide identiteit tonen",
  },
  keys: {
    title: "Sleutels",
    own: "Eigen sleutel",
    ofOther: "Sleutel van een ander account",
    forEncryption: ", voor versleuteling",
    permissions: "Mag",
    noPermissions: "Heeft geen bevoegdheden",
    relationships: {
      authentication: "zich aanmelden als deze identiteit",
      assertionMethod: "verklaringen en credentials ondertekenen",
      keyAgreement: "berichten aan deze identiteit ontsleutelen",
      capabilityInvocation: "capabilities gebruiken die deze identiteit heeft gekregen",
      capabilityDelegation: "deze capabilities doorgeven",
    },
    deactivateOnly: "deze identiteit deactiveren, en niets anders",
    keyNoun: "sleutel",
    keyIdNoun: "sleutel-id",
  },
  services: {
    title: "Services",
    none: "Geen.",
    unverified: "Geschreven door de eigenaar; de links zijn niet gecontroleerd.",
    endpoint: "Endpoint",

    more: "Andere velden",
  },
  versions: {
    title: "Geschiedenis",
    older: "Ouder",
    newer: "Nieuwer",
    name: (number, total) => `Versie ${numberText(number)} van ${numberText(total)}`,
    newest: ", nieuwste",
    first: ", eerste",
    beforeListed: (count) => `Een versie van vóór de nieuwste ${numberText(count)}`,
    from: "{version}: vanaf {from}",
    fromTo: "{version}: van {from} tot {to}",
    sliderText: (version, from) => `${version}, vanaf ${from}`,
    tooEarlyFirst: "Deze identiteit bestond toen nog niet. De pagina toont de eerste versie.",
    tooEarlyListed: "Deze identiteit bestond toen nog niet. De pagina toont de oudste versie in de lijst.",
    limited: (count) =>
      `De schuif omvat de nieuwste ${numberText(count)} versies. Voeg voor een eerdere versie haar tijd toe aan de link (?time=).`,
  },
  credential: {
    title: "Credential van deze uitgever",
    label: "Credential-id (hex, Base58 of URN)",
    submit: "Status tonen",
    credential: "Credential",
    notIssued: "Deze identiteit heeft deze credential niet uitgegeven.",
    caption: "Verklaringen over de credential, oudste eerst",
    empty: "Geen verklaringen die voor deze uitgever gelden.",
    statement: "Verklaring",
    signer: "Ondertekenaar",

    statements: {
      issue: "uitgegeven",
      revoke: "ingetrokken",
      suspend: "opgeschort",
      reinstate: "hersteld",
      dispute: "betwist",
      acknowledge: "erkend",
    },
  },
} satisfies typeof english;
