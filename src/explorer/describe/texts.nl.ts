import type { describeTexts as english } from "./texts.ts";
import type { Value } from "./types.ts";
import { countItems, sentence } from "./types.ts";

const about = (value: Value | undefined) => value && sentence` over ${value}`;

const addedOrRemoved = (value: Value | undefined, noun: string) =>
  value === undefined
    ? sentence`verwijderde het ${noun} van het eigen account`
    : sentence`voegde ${value} toe aan het eigen account`;

export const describeTexts = {
  labels: {
    chainId: "Keten-id",
    sender: "Afzender",
    recipient: "Ontvanger",
    attachment: "Bijlage",
    anchors: "Ankers",
    script: "Script",
    transfers: "Overboekingen",
    transferCount: "Aantal overboekingen",
    statementType: "Verklaringstype",
    expires: "Verloopt",
    accounts: "Accounts",
    certificate: "Certificaat",
    sponsor: "Sponsor",
    signature: "Handtekening",
    timestamp: "Tijd",
    fee: "Geboden kosten",
    effectiveFee: "Betaalde kosten",
    effectiveSponsor: "Kosten betaald door",
    senderPublicKey: "Sleutel van de afzender",
    sponsorPublicKey: "Sleutel van de sponsor",
    proofs: "Handtekeningen",
    totalAmount: "Totaal",
    leaseId: "Lease",
    blockSignature: "Blok",
  },
  unknownType: (type) => `type ${type}`,
  types: {
    genesis: "genesis",
    payment: "betaling",
    transfer: "overboeking",
    lease: "lease",
    "cancel-lease": "lease beëindigen",
    "mass-transfer": "massaoverboeking",
    data: "data",
    "set-script": "script instellen",
    anchor: "anker",
    "issue-association": "associatie uitgeven",
    "revoke-association": "associatie intrekken",
    sponsorship: "sponsoring",
    "cancel-sponsorship": "sponsoring beëindigen",
    register: "registratie",
    burn: "verbranding",
    "mapped-anchor": "anker met sleutel",
    statement: "verklaring",
    certificate: "certificaat",
  },
  associationTypes: {
    256: "verificatiemethode",
    257: "authenticatie",
    258: "assertie",
    260: "sleuteluitwisseling",
    264: "capability",
    4096: "deactivering",
  },
  statementTypes: {
    16: "uitgeven",
    17: "intrekken",
    18: "opschorten",
    19: "herstellen",
    20: "betwisten",
    21: "erkennen",
    288: "deactiveren",
    289: "een ander deactiveren",
  },
  actions: {
    genesis: ({ amount, recipient }) => sentence`Het eerste blok gaf ${amount} aan ${recipient}`,
    payment: ({ sender, amount, recipient }) => sentence`${sender} betaalde ${amount} aan ${recipient}`,
    transfer: ({ sender, amount, recipient }) => sentence`${sender} stuurde ${amount} naar ${recipient}`,
    lease: ({ sender, amount, recipient }) => sentence`${sender} gaf ${amount} in lease aan ${recipient}`,
    "cancel-lease": ({ sender, leaseId }) => sentence`${sender} beëindigde de lease ${leaseId}`,
    "mass-transfer": ({ sender, totalAmount, transfers }) =>
      sentence`${sender} stuurde ${totalAmount} naar ${countItems(transfers, "account")}`,
    data: ({ sender, data }) =>
      sentence`${sender} schreef ${countItems(data, "data-item")} op het eigen account`,
    "set-script": ({ sender, script }) => sentence`${sender} ${addedOrRemoved(script, "script")}`,
    anchor: ({ sender, anchors }) => sentence`${sender} verankerde ${countItems(anchors, "hash", "hashes")}`,
    "issue-association": ({ sender, associationType, recipient, subject }) =>
      sentence`${sender} gaf een associatie van type ${associationType} uit aan ${recipient}${about(subject)}`,
    "revoke-association": ({ sender, associationType, recipient, subject }) =>
      sentence`${sender} trok een associatie van type ${associationType} met ${recipient}${about(subject)} in`,
    sponsorship: ({ sender, recipient }) => sentence`${sender} betaalt voortaan de kosten van ${recipient}`,
    "cancel-sponsorship": ({ sender, recipient }) =>
      sentence`${sender} betaalt de kosten van ${recipient} niet meer`,
    register: ({ sender, accounts }) =>
      sentence`${sender} registreerde ${countItems(accounts, "sleutel", "sleutels")}`,
    burn: ({ sender, amount }) => sentence`${sender} verbrandde ${amount}`,
    "mapped-anchor": ({ sender, anchors }) =>
      sentence`${sender} verankerde ${countItems(anchors, "hash met een sleutel", "hashes met sleutels")}`,
    statement: ({ sender, statementType, recipient, subject }) =>
      sentence`${sender} deed een verklaring van type ${statementType}${about(recipient)}${
        subject && sentence` met onderwerp ${subject}`
      }`,
    certificate: ({ sender, certificate }) =>
      sentence`${sender} ${addedOrRemoved(certificate, "certificaat")}`,
  },

  action: (type, { sender, amount, recipient }) =>
    sentence`${sender} deed een transactie van het type ${type}${amount && sentence` met ${amount}`}${
      recipient && sentence` voor ${recipient}`
    }`,
  waiting: "; wacht op een blok",
  reverted: "; wacht weer op een blok, want het eerdere blok verdween van de keten",
  notFinal: (block) => sentence`; in blok ${block}, nog niet definitief`,
  final: (block) => sentence`; in blok ${block}, definitief`,
  fee: (amount, payer) => sentence`; kosten ${amount}${payer && sentence`, betaald door ${payer}`}`,

  blockFields: {
    reference: "Vorig blok",
    consensusLength: "Lengte van de volgende twee velden",
    generationSignature: "Generation signature",
    transactionsLength: "Lengte van de transacties",
    features: "Stemmen voor features",
    feeVote: "Stem over het tarief",
    generator: "Sleutel van de generator",
    signature: "Handtekening en id",
  },
  notABlock: "ze vormen geen blok",
  notCanonicalBlock: "het blok staat niet in zijn standaardvorm",
  notATransaction: "ze vormen geen transactie",
  notCanonical: "hun oude vorm kan niet in velden worden gesplitst",
  unsigned: "de transactie is niet ondertekend",
  wrongJson: (member) => `${member === "" ? "de JSON" : `veld ${member}`} past niet bij het transactietype`,
} satisfies typeof english;
