/**
 * The Dutch catalogues: a chunk that only Dutch pages load, before all other code. Its modules must not import
 * English catalogues.
 */
export { checkTexts } from "./check/texts.nl.ts";
export { problemTexts } from "./data/texts.nl.ts";
export { describeTexts } from "./describe/texts.nl.ts";
export { accountsTexts } from "./pages/accounts/texts.nl.ts";
export { addressTexts } from "./pages/address/texts.nl.ts";
export { anchorTexts } from "./pages/anchor/texts.nl.ts";
export { blockTexts } from "./pages/block/texts.nl.ts";
export { compareTexts } from "./pages/compare/texts.nl.ts";
export { credentialTexts } from "./pages/credential/texts.nl.ts";
export { forgersTexts } from "./pages/forgers/texts.nl.ts";
export { identityTexts } from "./pages/identity/texts.nl.ts";
export { listTexts } from "./pages/lists/texts.nl.ts";
export { nodeTexts } from "./pages/node/texts.nl.ts";
export { chartTexts, overviewTexts } from "./pages/overview/texts.nl.ts";
export { transactionTexts } from "./pages/transaction/texts.nl.ts";
export { trustTexts } from "./pages/trust/texts.nl.ts";
export { partTexts } from "./parts/texts.nl.ts";
export { lookupTexts, searchTexts } from "./search/texts.nl.ts";
export { shellTexts } from "./shell/texts.nl.ts";
export { commonTexts } from "./text/common-texts.nl.ts";
