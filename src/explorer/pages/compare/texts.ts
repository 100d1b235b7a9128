import { catalogue } from "../../text/catalogue.ts";
import { countText, numberText } from "../../text/text.ts";

export const compareTexts = catalogue("compareTexts", {
  title: "Compare two nodes",
  about: "Enter the URL of another node's API. The page compares it with the node that serves this page.",
  form: "URL of the other node",
  button: "Compare",
  sameNode: "This URL is that of the node that serves this page. Enter the URL of another node.",
  caption: "The two nodes",
  other: "Other node",
  problem: (node: string, problem: string) => `${node}: ${problem}`,
  rows: {
    network: "Network",
    health: "Health",
    pool: "Pool",
  },
  chains: "Blocks",
  otherNetwork: "The nodes belong to different networks: their first blocks differ.",
  same: (height: number) =>
    `Both nodes have the same blocks up to ${numberText(height)}. Newer blocks can still change.`,
  behind: (node: string, count: number) => `${node} is ${countText(count, "block")} behind.`,
  different: (height: number) => `The chains differ from block ${numberText(height)} on.`,
  block: "First different block",
});
