import type { credentialTexts as english } from "./texts.ts";

export const credentialTexts = {
  title: "Credential controleren",
  drop: "Sleep een credential hierheen, of kies een bestand",
  privacy: "De credential blijft op dit apparaat. De node ziet alleen de hash en de uitgever.",
  label: "Of plak hem: JSON, of een JWT",
  claims: "Beweringen",
  statusId: "Hash van de verklaringen",
  outcomes: {
    valid: [
      "Geldig",
      "De uitgever heeft deze credential ondertekend en niet ingetrokken, en heeft zijn rol van de vertrouwensroot.",
      "De pagina beoordeelt niet of de uitgever met die rol dit soort credentials mag uitgeven.",
    ],
    untrusted: [
      "Ondertekend, maar niet vertrouwd",
      "De uitgever heeft deze credential ondertekend en niet ingetrokken, maar heeft geen rol van de vertrouwensroot.",
      "Beslis zelf of u de uitgever vertrouwt.",
    ],
    noStatus: [
      "Ondertekend, zonder status",
      "De uitgever heeft deze credential ondertekend, maar op de keten staat niet dat hij is uitgegeven.",
      "Misschien publiceert de uitgever geen status van zijn credentials. Vraag het de uitgever.",
    ],
    notChecked: [
      "Handtekening niet gecontroleerd",
      "Deze pagina kan het bewijs van deze credential niet controleren, dus iedereen kan hem hebben geschreven.",
      "Controleer de handtekening met de software die haar heeft gemaakt.",
    ],
    invalid: [
      "Niet geldig",
      "Een controle is mislukt: accepteer deze credential niet.",
      "De stappen tonen welke.",
    ],
  },
  steps: {
    issuer: {
      title: "De identiteit van de uitgever staat op de keten",
      howTo: "Vraag de DID van de uitgever op: het antwoord moet een DID-document bevatten.",
    },
    signature: {
      title: "De uitgever heeft de credential ondertekend",
      howTo:
        "De sleutel die het bewijs noemt, moet onder assertionMethod in het DID-document van de uitgever staan. Bij een JWT dekt de handtekening de eerste twee delen van de tekst. Bij eddsa-jcs-2022 dekt ze twee SHA-256-hashes: van de canonieke JSON (RFC 8785) van het bewijs zonder proofValue, en van de credential zonder het bewijs.",
    },
    status: {
      title: "De credential is uitgegeven en niet ingetrokken",
      howTo:
        "De hash is de Base58 van de SHA-256 van de canonieke JSON (RFC 8785) van de credential zonder credentialStatus en proof. Vraag de node naar verklaringen daarover.",
    },
    validity: {
      title: "De credential is nu geldig",
      howTo: "Vergelijk de datums in de credential met vandaag.",
    },
    trust: {
      title: "De vertrouwensroot staat in voor de uitgever",
      howTo: "Volg de afzenders van de rollen van de uitgever tot u bij de root uitkomt.",
    },
  },
  issuer: { known: "De DID bestaat en is niet gedeactiveerd." },
  signature: {
    valid: (algorithm) =>
      `De handtekening (${algorithm}) is geldig, en de sleutel mag credentials ondertekenen.`,
    invalid: "De handtekening hoort niet bij deze credential en sleutel.",
    unknownKey: "De sleutel van het bewijs mag nu geen credentials van de uitgever ondertekenen.",
    noKeys: "Zonder de sleutels van de uitgever kan de handtekening niet worden gecontroleerd.",
    notChecked: (proof) =>
      `Handtekening niet gecontroleerd: deze pagina ondersteunt het bewijs niet (${proof}).`,
  },
  status: {
    issued: "Uitgegeven op {time}, niet opgeschort en niet ingetrokken.",
    suspended: "Opgeschort sinds {time}.",
    revoked: "Ingetrokken op {time}. Dit is permanent.",
    none: "De uitgever heeft over deze credential niets verklaard.",
  },
  validity: {
    noEnd: "De credential verloopt niet.",
    until: (time) => `Geldig tot ${time}.`,
    notYet: (time) => `Pas geldig vanaf ${time}.`,
    expired: (time) => `Verlopen op ${time}.`,
  },
  trust: {
    title: "Van de vertrouwensroot naar de uitgever",
    root: "Vertrouwensroot",
    noPath: "Er loopt geen keten van toegekende rollen van de root naar de uitgever.",
    partial: "De node heeft meer toegekende rollen dan deze pagina leest, en de uitgever is er niet bij.",
    path: (roles) =>
      roles.length === 0
        ? "De uitgever is de root."
        : `Rollen van de root naar de uitgever: ${roles.join(" → ")}`,
  },
} satisfies typeof english;
