import { countText, numberText } from "../text/text.ts";
import type { lookupTexts as englishLookup, searchTexts as englishSearch } from "./texts.ts";

export const lookupTexts = {
  hint: "Voer een hoogte in, een blok- of transactie-id, een adres, een DID, of een hash in hex, Base58 of Base64.",
  copyAgain: "Kopieer de tekst opnieuw uit de bron.",
  empty: "Voer een tekst in om te zoeken.",
  tooLong: (length) => `De tekst is te lang: ${numberText(length)} tekens.`,
  noMatch: "Bij deze tekst hoort geen blok, transactie, adres, DID of hash.",
  checksum: "De controlesom klopt niet: waarschijnlijk een typefout in het adres.",
  otherNetwork: (addressNetwork, nodeNetwork) =>
    `Dit adres hoort bij een ander netwerk (${addressNetwork}); deze node zit op netwerk ${nodeNetwork}.`,
  otherNetworkAdvice:
    "Open de explorer van een node op dat netwerk, of voeg de URL daarvan aan deze pagina toe als ?node=.",
  chainId: (byte) => `nummer ${byte}`,
  heightRange: "Blokhoogtes lopen van 1 tot en met 2.147.483.647.",
  notWhole: "Een hoogte is een geheel getal, zoals 12345 of 12.345.",
  hexLength: (bytes) =>
    `Hex-tekst van ${countText(bytes, "byte")}: hashes hebben 16, 20, 32, 48 of 64 bytes (SHA-256: 64 hexcijfers).`,
  oddHex: "Oneven aantal hexcijfers: er ontbreekt er één, of er is er één te veel.",
  base58Length: (bytes) =>
    `Base58-tekst van ${countText(bytes, "byte")}: adressen hebben er 26, transactie-id's 32 en blok-id's 64.`,
  notBase58: "Dit lijkt op een id, maar Base58 kent geen 0, O, I of l.",
  url: "Deze URL bevat geen id, adres of hash.",
  didWithoutMethod: "Een DID bevat een methode, zoals in did:lto:3N….",
  didWithoutAddress: "Na did:lto: moet een adres volgen.",
  unknownDidMethod: (method) => `Onbekende DID-methode “${method}”.`,
  knownDidMethod: "Deze node ondersteunt did:lto.",
  notCredential: "Dit is niet de id van een credential.",
  credentialAdvice: "Voer de SHA-256 van de credential in, in hex of Base58, of als URN (urn:sha256:…).",

  kinds: {
    height: "Hoogte",
    block: "Blok",
    transaction: "Transactie",
    address: "Adres",
    did: "DID",
    hash: "Hash",
    "public key": "Publieke sleutel",
    recent: "Recent gezocht",
  },
  block: (height) => `Blok ${numberText(height)}`,
  futureBlock: (height, tip) =>
    `Blok ${numberText(height)} bestaat nog niet: de keten heeft hoogte ${numberText(tip)}`,
  noBlock: "Geen blok met deze id op de keten",
  transaction: (height) => `Transactie in blok ${numberText(height)}`,
  pendingTransaction: "Wachtende transactie",
  noTransaction: "Geen transactie met deze id op de keten of in de pool",
  anchor: (encoding) => `Verankerde hash (gelezen als ${encoding})`,
  noAnchor: (encoding) =>
    `Deze hash is niet verankerd, en geen enkele verklaring gaat erover (gelezen als ${encoding})`,
  subject: "Onderwerp van verklaringen, zoals een credential",
  publicKey: "Publieke sleutel van een account",
  noAccount: "Geen account met deze publieke sleutel",
  noPublicKey: "Geen publieke sleutel",
  failed: (status) => `Niet beschikbaar: de node antwoordde met status ${status}`,
} satisfies typeof englishLookup;

export const searchTexts = {
  title: "Zoeken",
  found: "Gevonden",
  several: "Meerdere resultaten",
  nothing: "Niets gevonden",
  searched: "Gezocht naar {text}",
  caption: "Mogelijke resultaten",
  searchedAs: "Gezocht als",
  result: "Resultaat",
  beginsWith: "Begint met deze tekst",
  waitForTransaction: "erop wachten",
  checkHash: "controleren",
  openAddress: "adres van deze sleutel openen",
  chainEnd: (height) =>
    `De keten van de node eindigt op hoogte ${height}. Nieuwere blokken heeft de node niet, en ook geen transacties die alleen in de pool van andere nodes staan.`,
} satisfies typeof englishSearch;
