import type { problemTexts as english } from "./texts.ts";

export const problemTexts = {
  unknown: {
    message: "De node kent niets met deze id, deze hoogte of dit adres.",
    advice: "Controleer de invoer op typefouten. Als de node synchroniseert, probeer het dan later opnieuw.",
  },
  malformed: {
    message: "De node wees het verzoek af als ongeldig.",
    advice: "Controleer de id, de hoogte of het adres.",
  },
  refused: {
    message: "De node weigerde de toegang.",
    advice: "Voer de API-sleutel in, of open de explorer op de machine waarop de node draait.",
  },
  building: (index, progress) => ({
    message: `De node bouwt de index “${index}” op${progress}.`,
    advice: "Deze pagina wordt bijgewerkt als de index klaar is.",
  }),
  progress: (height, target) => `, blok ${height} van ${target}`,
  busy: { message: "De node is overbelast of start op.", advice: "Probeer het zo opnieuw." },
  failed: (status) => ({
    message: `De node meldde een fout met status ${status}.`,
    advice: "De oorzaak staat in het log van de node.",
  }),
  timeout: {
    message: "De node antwoordde niet op tijd.",
    advice: "Misschien is hij overbelast of is de verbinding traag. Probeer het zo opnieuw.",
  },
  unreachable: {
    message: "De node is niet bereikbaar.",
    advice:
      "Controleer of hij draait en of zijn adres klopt. Een pagina die via https is geladen, kan geen verbinding maken met een node via http.",
  },
  invalidAnswer: {
    message: "Dit adres antwoordt niet zoals een node.",
    advice: "Controleer of het het adres van de API van een node is.",
  },
  crossOrigin: {
    message: "De node staat niet toe dat pagina's van andere hosts zijn antwoorden lezen.",
    advice: "De beheerder kan dit toestaan met de instelling cors, of u opent de explorer van die node zelf.",
  },
  page: {
    message: "Er ging iets mis op deze pagina.",
    advice: "Laad de pagina opnieuw. Meld het aan de ontwikkelaars als het weer misgaat.",
  },
  notANodeUrl: "Het adres in ?node= is niet de URL van een node.",
  urlWithCredentials: "Het adres in ?node= bevat een gebruikersnaam of wachtwoord.",
  nodeUrlAdvice: "Gebruik een URL zoals https://node.example.org, zo nodig met het pad van de API erachter.",
} satisfies typeof english;
