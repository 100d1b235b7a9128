/** Texts of the steps of an anchor check. Pages in other languages replace them. */

const confirmations = (count: number): string => `${count} confirmation${count === 1 ? "" : "s"}`;
const anchored = (isRoot: boolean): string => (isRoot ? "the root" : "the hash");

export const anchorTexts = {
  /** ISO 8601, or a number if ISO 8601 cannot express the time. @param ms since 1970 */
  time: (ms: number): string => {
    const date = new Date(ms);
    return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
  },
  noProof: (url: string, reason: string) => `${url} gives no proof: ${reason}`,
  noAnswer: (reason: string) => reason,
  timeout: (reason: string) => reason,
  invalidAnswer: (reason: string) => reason,
  extraBytes: "there are more bytes after the block",
  notABlock: "the bytes are not a block",
  bytesOfOtherBlock: "the bytes are of another block",
  unsignedBlock: "the block is not signed by its generator",
  unknownHash: "no node knows the hash",
  invalidProof: (reason: string) => `the proof is not a valid Chainpoint v2 proof: ${reason}`,
  otherHash: (hash: string) => `the proof is for another hash, ${hash}`,
  sameHash: "the proof is for this hash",
  wrongPath: (root: string) => `the path does not lead to the root ${root}`,
  path: (steps: number, root: string) => `the path leads in ${steps} steps to the root ${root}`,
  noTransaction: "the proof names no transaction of this protocol",
  hasTransaction: (url: string, height: number, blockId: string, count: number) =>
    `${url} has the transaction in block ${height}, ${blockId}, with ${confirmations(count)}`,
  otherBlock: (height: number, blockId: string) =>
    `it has the transaction in another block or on another chain: block ${height}, ${blockId}`,
  unknownTransaction: "it does not know the transaction",
  pending: "the transaction is pending",
  noBytes: "no node returns the bytes of the block",
  unconfirmed: "its block has no confirmations yet",
  otherGenerator: (generator: string) => `its generator is ${generator}, not the one that the node named`,
  signedBlock: (time: string, generator: string) =>
    `the block, of ${time}, is signed by its generator ${generator}`,
  notInBlock: "the block does not contain the transaction",
  anchorsOther: (isRoot: boolean) => `the transaction does not anchor ${anchored(isRoot)}`,
  anchors: (id: string, isRoot: boolean) =>
    `the block contains transaction ${id}, which anchors ${anchored(isRoot)}`,
  unsigned: (sender: string) =>
    `it is not signed by its sender ${sender} (an account script may allow that, which cannot be checked here)`,
  unsignedBySponsor: (sponsor: string) => `it is not signed by its sponsor ${sponsor}`,
  signed: (sender: string, sponsor: string | undefined) =>
    `the transaction is signed by ${sender}${sponsor === undefined ? "" : ` and its sponsor ${sponsor}`}`,
  otherPlace: (height: number, index: number) =>
    `the proof states another place than block ${height}, index ${index}: it is from before a fork, or was changed; request a new one`,
  samePlace: "the proof states the same place",
  tooFew: (count: number, required: number) =>
    `its block has ${confirmations(count)}; ${required} are required`,
  enough: (count: number, maxForkDepth: number) =>
    `its block has ${confirmations(count)}; forks can undo up to ${maxForkDepth} blocks`,
};

export type AnchorTexts = typeof anchorTexts;
