import { catalogue } from "../text/catalogue.ts";
export const problemTexts = catalogue("problemTexts", {
  unknown: {
    message: "The node has nothing with this id, height or address.",
    advice: "Check the input for typos. If the node is syncing, try again later.",
  },
  malformed: {
    message: "The node rejected the request as invalid.",
    advice: "Check the id, height or address.",
  },
  refused: {
    message: "The node denied access.",
    advice: "Enter its API key, or open the explorer on the machine where the node runs.",
  },
  building: (index: string, progress: string) => ({
    message: `The node is building its index “${index}”${progress}.`,
    advice: "This page updates when the index is ready.",
  }),
  progress: (height: number, target: number) => `, block ${height} of ${target}`,
  busy: { message: "The node is overloaded or starting.", advice: "Try again in a moment." },
  failed: (status: number) => ({
    message: `The node failed with status ${status}.`,
    advice: "See the node's log for the cause.",
  }),
  timeout: {
    message: "The node did not answer in time.",
    advice: "It may be overloaded, or the connection slow. Try again in a moment.",
  },
  unreachable: {
    message: "Cannot reach the node.",
    advice:
      "Check that it is running and that its address is right. A page loaded over https cannot connect to a node over http.",
  },
  invalidAnswer: {
    message: "This address does not answer like a node.",
    advice: "Check that it is the address of a node's API.",
  },
  crossOrigin: {
    message: "The node does not allow pages from other hosts to read its answers.",
    advice: "Its operator can allow this with the setting cors, or you can open the explorer of that node.",
  },
  page: { message: "This page failed.", advice: "Reload it. If it fails again, please tell the developers." },
  notANodeUrl: "The address in ?node= is not the URL of a node.",
  urlWithCredentials: "The address in ?node= contains a user name or password.",
  nodeUrlAdvice: "Use a URL such as https://node.example.org, including the path of its API, if any.",
});
