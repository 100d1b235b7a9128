/** Blocks, micro blocks, genesis, checkpoints: what stands in bytes and who signed it. Page 03 §2-§4, §15. */
export {
  announce,
  announcementBytes,
  announcementMessage,
  isAnnouncementSigned,
  type MicroBlockAnnouncement,
  parseAnnouncement,
} from "./announcement.ts";
export {
  assembleBlock,
  BLOCK_ID_LENGTH,
  type Block,
  type BlockFields,
  type BlockHeader,
  type BlockScan,
  type BlockTemplate,
  blockBytes,
  blockHeader,
  blockUnsignedBytes,
  buildBlock,
  isBlockSigned,
  parseBlock,
  scanBlock,
  scannedBlock,
} from "./block.ts";
export {
  type Checkpoint,
  type CheckpointItem,
  checkpointBytes,
  checkpointUnsignedBytes,
  fitsCheckpoint,
  isCheckpointSigned,
  parseCheckpoint,
  signCheckpoint,
} from "./checkpoint.ts";
export { BlockParseError, BlockStructureError, GenesisError } from "./errors.ts";
export { canonicalFeatures } from "./features.ts";
export { genesisBlock, genesisKeyPair } from "./genesis.ts";
export { type BlockJson, blockHeaderJson, blockJson } from "./json.ts";
export {
  assembleMicroBlock,
  buildMicroBlock,
  isMicroBlockSigned,
  MAX_MICRO_BLOCK_TRANSACTIONS,
  MICRO_BLOCK_VERSION,
  type MicroBlock,
  type MicroBlockScan,
  microBlockBytes,
  microBlockUnsignedBytes,
  parseMicroBlock,
  scanMicroBlock,
  totalBlock,
} from "./micro-block.ts";
export { parseTransactionsAt } from "./transactions-section.ts";
