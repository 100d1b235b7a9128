import { catalogue } from "../../text/catalogue.ts";
import { countText, numberText } from "../../text/text.ts";

export const nodeTexts = catalogue("nodeTexts", {
  title: "Node",
  health: {
    well: "The node is healthy.",
    behind: "The node is syncing.",
    wrong: "The node needs attention.",
  },
  sync: {
    title: "Chain",
    behind: (height: number, target: number, percent: number) =>
      `Block ${numberText(height)} of about ${numberText(target)} (${percent} %)`,
    alone: (height: number) => `Block ${numberText(height)}; no connected peer to compare with`,
    claimed: (height: number, claimed: number) =>
      `Block ${numberText(height)}; a peer claims about ${numberText(claimed)} without proof`,
    synced: (height: number) => `Block ${numberText(height)}, in sync with all peers`,
    timeUnknown: "Remaining time unknown.",
    timeLeft: (duration: string) => `${duration} left.`,
    speed: (blocks: number, transactions: number) =>
      `${numberText(blocks)} blocks and ${numberText(transactions)} transactions per second over the last 30 s.`,
  },
  indexes: {
    off: (name: string) => `Index “${name}” is disabled.`,
    clearing: (name: string) => `Index “${name}” is being cleared.`,
    building: (name: string, height: number, target: number) =>
      `Index “${name}” is being built: block ${numberText(height)} of ${numberText(target)}`,
  },
  peers: {
    title: "Peers",
    summary: (count: number, outbound: number) =>
      `${countText(count, "peer")}: ${numberText(count - outbound)} inbound, ${numberText(outbound)} outbound.`,
    caption: "Connected peers",
    name: "Name",
    directions: { in: "inbound", out: "outbound" },
    connected: "Connected for",
    height: "Height (estimate)",
    heightHint: "Peers exchange scores, not heights. This estimate is calculated from the score.",

    score: "Score difference",
    scoreHint: "Score of the peer's chain minus the score of this node's chain",
    scoreTooLong: "very large",
    scoreHigher: "higher",
    scoreLower: "lower",
    scoreEqual: "equal",
    received: "Received",
    sent: "Sent",
    empty: "No peers connected.",
  },
  features: {
    title: "Features",
    now: (height: number) => `now, ${numberText(height)}`,
    nextCount: (height: number) => `next count at ${numberText(height)}`,
    feature: "Feature",
    /** @param description of the node, in English */
    name: (_id: number, description: string) => description,
    activeFromStart: "active from the first block",
    activeSince: "active since block {height}",
    approved: (height: number) => `approved, active from block ${numberText(height)}`,
    votes: (votes: number, needed: number) => `${numberText(votes)} of ${numberText(needed)} blocks`,
    node: { NOT_IMPLEMENTED: "not supported", IMPLEMENTED: "supported", VOTED: "votes for it" },
    voting: (interval: number, next: number, threshold: number) =>
      `Votes are counted every ${numberText(interval)} blocks, next at block ${numberText(next)}. A feature needs ${numberText(threshold)} votes.`,
  },
  reorganisations: {
    title: "Reorganisations",
    about:
      "The last 100 changes in which blocks of another branch replaced blocks of this node. The list survives restarts of the node.",
    sinceStart: (count: number) => `${numberText(count)} since the node started on {time}.`,
    all: "All reorganisations",
    none: "No block has left the chain.",
    commonBlock: "Common block",
    oldTip: "Old tip",
    transactions: "Reverted transactions",
    newTip: "New tip",
    rollback: "none: manual rollback",
    unlisted: (count: number) => `and ${numberText(count)} more at greater heights`,
  },
  pool: {
    title: "Pool and fees",
    unconfirmed: "Unconfirmed",
    votes: "Votes in this period",
    nextPrice: "Next price",
    nodeVote: "Vote of this node",
  },
  forging: {
    title: "Forging",
    states: {
      on: "The node makes blocks.",
      waiting:
        "Forging is enabled but not possible now: too little stake, too few peers, or an outdated chain.",
      off: "Forging is disabled.",
    },
    state: "State",
    nextBlock: "Next block",
    candidate: "{due} by {address} with {stake}",
    forgers: "All forgers",
  },
  machine: {
    title: "System",
    other: "Other nodes",
    compare: "Compare two nodes",
    keyMissing: "Only the operator can see memory and disk, and this node has no API key yet.",
    operatorOnly: "Only the operator can see memory and disk.",
    otherNode: "Memory and disk are shown to the operator, in the node's own explorer.",
    enterKey: "Enter the API key",
    started: "Started",
    memory: "Memory",
    chain: "Chain data",
    disk: "Free disk space",
    freeOfTotal: (free: string, total: string) => `${free} of ${total}`,
  },
});
